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

/**
 * Emits the items. Requests the next page when the items of the previous page were taken; unsubscribing requests no
 * more pages. An item that moves to the next page between two requests is emitted once. The pages of a list that can
 * shrink overlap by one item: where it is missing, the page before is read again, because items may have moved to it.
 * Fails with {@link RequestError} when the list may continue beyond the maximum offset, and with {@link ResponseError}
 * when a page other than the last has no new items, because reading such pages could go on forever.
 *
 * @param now Unix seconds
 * @param read reads one page
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
    let returns = 0;
    const pagesFrom = (params: WireFields, offset: number, isReturn: boolean): Observable<Item> => {
      if (offset > maxOffset) return throwError(tooMany);
      return read({ ...params, limit: maxPageSize, offset }).pipe(
        concatMap((page) => {
          const items = list.itemsOf(page);
          const unreadable = unreadableIn(page)?.count ?? 0;
          const [first] = items;
          const isJoined = offset === 0 || unreadable > 0 || (first !== undefined && seen.has(list.keyOf(first)));
          if (canShrink && !isJoined) {
            returns += 1;
            if (returns > maxReturns) return throwError(() => failed('the list changed too often while it was read'));
            return pagesFrom(params, Math.max(0, offset - maxPageSize + 1), true);
          }
          // Unreadable items are omitted, but count in the offset.
          const count = items.length + unreadable;
          const isLast = count === 0 || count < minOfFull(page);
          const added = items.filter(isNew);
          if (added.length === 0 && !isLast && offset > 0 && !isReturn)
            return throwError(() => failed('a page has no new items, although it is not the last page'));
          const next = offset + count - (canShrink ? 1 : 0);
          return concat(from(added), isLast ? EMPTY : defer(() => pagesFrom(params, next, false)));
        }),
      );
    };
    const lists = list.listsOf?.(fields, now()) ?? [fields];
    return from(lists).pipe(concatMap((params) => pagesFrom(params, 0, false)));
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
