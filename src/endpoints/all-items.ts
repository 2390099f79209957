// All items of a list that the exchange gives by pages.
import { concat, concatMap, defer, distinct, EMPTY, from, throwError, type Observable } from 'rxjs';
import { RequestError } from '../errors.js';
import { largestOffset, largestPage } from '../model/paging.js';

/** Which part of a list to read. */
export interface PageParams {
  readonly limit: number;
  readonly offset: number;
}

/** A part of a list. */
export interface Page<Item> {
  /** The most items it could hold. */
  readonly limit: number;
  readonly data: readonly Item[];
}

/**
 * Emits the items, and reads the next page when those of the one before have been taken; unsubscribing reads no more. An item that has moved to the
 * next page in between is emitted once. Fails with {@link RequestError} after the last item that can be asked for when there are more.
 */
export function allItems<Item>(endpoint: string, keyOf: (item: Item) => unknown, read: (page: PageParams) => Observable<Page<Item>>): Observable<Item> {
  const tooMany = () => new RequestError(endpoint, [{ field: 'offset', message: `cannot be above ${largestOffset}, and there may be more` }]);
  const itemsFrom = (offset: number): Observable<Item> => {
    if (offset > largestOffset) return throwError(tooMany);
    return read({ limit: largestPage, offset }).pipe(
      concatMap(({ data, limit }) => {
        const isLast = data.length === 0 || data.length < limit;
        return concat(from(data), isLast ? EMPTY : defer(() => itemsFrom(offset + data.length)));
      }),
    );
  };
  return defer(() => itemsFrom(0)).pipe(distinct(keyOf));
}
