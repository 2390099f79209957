// Reads every page of a list, and emits the items one by one.
import { catchError, concat, concatMap, defer, EMPTY, from, throwError, type Observable } from 'rxjs';
import type { Page, PagedList, PageParams } from '../endpoint/index.js';
import { RequestError, ResponseError, toExchangeError } from '../errors/index.js';
import { maxOffset, maxPageSize } from '../model/paging.js';
import { unreadableIn } from '../model/unreadable.js';

/**
 * Emits the items. Requests the next page when the items of the previous page were taken; unsubscribing requests no
 * more pages. An item that moves to the next page between two requests is emitted once. Fails with
 * {@link RequestError} when the list may continue beyond the maximum offset, and with {@link ResponseError} when a page
 * other than the last has no new items, because reading such pages could go on forever.
 */
export function allItems<Item>(
  list: PagedList<never, Item>,
  read: (page: PageParams) => Observable<Page<Item>>,
): Observable<Item> {
  const { name: endpoint } = list;
  const tooMany = () =>
    new RequestError(endpoint, [
      {
        field: 'offset',
        message: `must be at most ${maxOffset}: the list may have more items, which cannot be requested`,
      },
    ]);
  const nothingNew = () =>
    new ResponseError('HTTP 200: a page has no new items, although it is not the last page', 200, undefined, endpoint);
  return defer(() => {
    const seen = new Set<unknown>();
    const isNew = (item: Item) => seen.size !== seen.add(list.keyOf(item)).size;
    const itemsFrom = (offset: number): Observable<Item> => {
      if (offset > maxOffset) return throwError(tooMany);
      return read({ limit: maxPageSize, offset }).pipe(
        concatMap((page) => {
          const { data, limit } = page;
          // Unreadable items are omitted, but count in the offset.
          const count = data.length + (unreadableIn(page)?.count ?? 0);
          // A page cannot exceed the requested limit, whatever limit it states. Without a limit, only an empty page is
          // known to be the last.
          const isLast = count === 0 || (limit !== undefined && count < Math.min(limit, maxPageSize));
          const items = data.filter(isNew);
          if (items.length === 0 && !isLast) return throwError(nothingNew);
          return concat(from(items), isLast ? EMPTY : defer(() => itemsFrom(offset + count)));
        }),
      );
    };
    return itemsFrom(0);
    // Parameters that cannot be read throw.
  }).pipe(catchError((error: unknown) => throwError(() => toExchangeError(error, endpoint, 'none'))));
}
