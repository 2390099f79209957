// All items of a list that the exchange gives by pages.
import { catchError, concat, concatMap, defer, EMPTY, from, throwError, type Observable } from 'rxjs';
import { RequestError, ResponseError, toExchangeError } from '../errors/index.js';
import { maxOffset, maxPageSize } from '../model/paging.js';
import { unreadableIn } from '../model/unreadable.js';

/** Which part of a list to read. */
export interface PageParams {
  readonly limit: number;
  readonly offset: number;
}

/** A part of a list. */
export interface Page<Item> {
  /** The most items it could hold, where the exchange says so. */
  readonly limit?: number | undefined;
  readonly data: readonly Item[];
}

/**
 * Emits the items, and reads the next page when those of the one before have been taken; unsubscribing reads no more.
 * An item that has moved to the next page in between is emitted once. Fails with {@link RequestError} after the last
 * item that can be asked for when there are more, and with {@link ResponseError} when a page, which is not the last,
 * has nothing but items that had come before: so it would go on for ever.
 */
export function allItems<Item>(
  endpoint: string,
  keyOf: (item: Item) => unknown,
  read: (page: PageParams) => Observable<Page<Item>>,
): Observable<Item> {
  const tooMany = () =>
    new RequestError(endpoint, [{ field: 'offset', message: `cannot be above ${maxOffset}, and there may be more` }]);
  const nothingNew = () =>
    new ResponseError('HTTP 200 with a page of items that had come before', 200, undefined, endpoint);
  return defer(() => {
    const seen = new Set<unknown>();
    const isNew = (item: Item) => seen.size !== seen.add(keyOf(item)).size;
    const itemsFrom = (offset: number): Observable<Item> => {
      if (offset > maxOffset) return throwError(tooMany);
      return read({ limit: maxPageSize, offset }).pipe(
        concatMap((page) => {
          const { data, limit } = page;
          // Items that cannot be read are left out, but are in the list.
          const count = data.length + (unreadableIn(page)?.count ?? 0);
          // A limit above the requested one was not kept. Without a limit only an empty page is surely the last.
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
