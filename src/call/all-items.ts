// Reads every page of a list, and emits the items one by one.
import { concat, concatMap, defer, EMPTY, from, identity, take, throwError, type Observable } from 'rxjs';
import type { PagedList, WireFields } from '../endpoint/index.js';
import { RequestError, ResponseError } from '../errors/index.js';
import { marketNamePattern } from '../model/market.js';
import { maxOffset, maxPageSize } from '../model/paging.js';
import { isRecord } from '../model/map.js';
import { unreadableIn } from '../model/unreadable.js';

/** Maximum number of times that reading goes back a page, because the list moved. */
const maxReturns = 100;
/** Maximum number of pages in a row without a new item: a list may grow by a page while it is read. */
const maxBarren = 2;

/**
 * Emits the items. Requests the next page when the items of the previous page were taken; unsubscribing requests no
 * more pages. An item that moves to the next page between two requests is emitted once. The pages of a list that can
 * shrink overlap by one item: where it is missing, the page before is read again, because items may have moved to it.
 * Fails with {@link RequestError} when the list may continue beyond the maximum offset, and with {@link ResponseError}
 * when pages have no new items, because a server may ignore the offset.
 *
 * @param now Unix seconds
 */
export function allItems<Item, Page>(
  list: PagedList<never, Item, Page>,
  { maxItems, ...fields }: WireFields,
  now: () => number,
  read: (fields: WireFields) => Observable<Page>,
): Observable<Item> {
  const { name, canShrink = false } = list;
  const failed = (problem: string) => new ResponseError(`HTTP 200: ${problem}`, 200, undefined, name);
  const tooMany = () => {
    const message = `must be at most ${maxOffset}: the list may have more items, which cannot be requested`;
    return new RequestError(name, [{ field: 'offset', message }]);
  };
  return defer(() => {
    const seen = new Set<unknown>();
    const isNew = (item: Item) => seen.size !== seen.add(list.keyOf(item)).size;
    let [returns, barren, hasUnreadable] = [0, 0, false];
    const pagesFrom = (params: WireFields, offset: number): Observable<Item> => {
      if (offset > maxOffset) return throwError(tooMany);
      return read({ ...params, limit: maxPageSize, offset }).pipe(
        concatMap((page) => {
          const items = list.itemsOf(page);
          const [first] = items;
          const { count: unreadable = 0, sample = '' } = unreadableIn(page) ?? {};
          // An unreadable item that joins two pages is unreadable in both of them.
          const isJoined = sample.startsWith('0.') ? hasUnreadable : first !== undefined && seen.has(list.keyOf(first));
          if (canShrink && offset > 0 && !isJoined) {
            returns += 1;
            if (returns > maxReturns) return throwError(() => failed('the list changed too often while it was read'));
            return pagesFrom(params, Math.max(0, offset - maxPageSize + 1));
          }
          hasUnreadable ||= unreadable > 0;
          // Unreadable items are omitted, but count in the offset.
          const count = items.length + unreadable;
          const isLast = count === 0 || count < minOfFull(page);
          const added = items.filter(isNew);
          barren = added.length === 0 && !isLast ? barren + 1 : 0;
          if (barren > maxBarren) return throwError(() => failed('the pages have no new items, and none is the last'));
          const next = offset + count - (canShrink ? 1 : 0);
          return concat(from(added), isLast ? EMPTY : defer(() => pagesFrom(params, next)));
        }),
      );
    };
    const lists = list.listsOf?.(fields, now()) ?? [fields];
    return from(lists).pipe(concatMap((params) => pagesFrom(params, 0)));
  }).pipe(typeof maxItems === 'number' ? take(maxItems) : identity);
}

/**
 * The minimum number of items of a page that is not the last. A list, or the lists by market, have the requested number; a
 * page the number that it states; any page may be followed by another that does not state it.
 */
function minOfFull(page: unknown): number {
  if (!isRecord(page) || Object.keys(page).every((name) => marketNamePattern.test(name))) return maxPageSize;
  const { limit } = page;
  return typeof limit === 'number' ? Math.min(limit, maxPageSize) : 0;
}
