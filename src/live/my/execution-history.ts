// The history of executions over REST, page by page.
import { EMPTY, expand, map, toArray, type Observable } from 'rxjs';
import type { ExecutionPage } from '../../model/deal.js';
import { maxOffset, maxPageSize } from '../../model/paging.js';

/** Which page. Times are Unix seconds of the exchange, whole, and belong to the page. */
export interface ExecutionPageQuery {
  readonly startDate: number;
  readonly endDate?: number;
  readonly limit: number;
  readonly offset: number;
}

export type ReadExecutionPage = (query: ExecutionPageQuery) => Observable<ExecutionPage>;

/** The maximum of the exchange. */
const pageSize = 500;

type PlaceOfPage = Pick<ExecutionPageQuery, 'endDate' | 'offset'>;

/** The executions since a time, the newest page first. */
export function readHistory(readPage: ReadExecutionPage, from: number): Observable<ExecutionPage> {
  const startDate = Math.max(0, Math.floor(from));
  const read = (place: PlaceOfPage) =>
    readPage({ startDate, limit: pageSize, ...place }).pipe(
      map((page) => ({ page, next: placeAfter(page, place, startDate) })),
    );
  return read({ offset: 0 }).pipe(
    expand(({ next }) => (next === undefined ? EMPTY : read(next))),
    map(({ page }) => page),
    toArray(),
    map((pages) => ({
      executions: pages.flatMap(({ executions }) => executions),
      unreadable: pages.reduce((sum, { unreadable }) => sum + unreadable, 0),
    })),
  );
}

/**
 * The second of the oldest execution of a page ends the next one. An offset alone would skip executions when the next
 * page comes from a server that lags behind; it is for a second that fills a page.
 */
function placeAfter(
  { executions, unreadable }: ExecutionPage,
  { endDate, offset }: PlaceOfPage,
  startDate: number,
): PlaceOfPage | undefined {
  const count = executions.length + unreadable;
  // A server that keeps to the former maximum has more, although the page is shorter than requested.
  if (count < maxPageSize) return undefined;
  const oldest = executions.reduce((time, execution) => Math.min(time, execution.time), Number.POSITIVE_INFINITY);
  // A server that does not know `startDate` would be read to the beginning of the account.
  if (oldest < startDate) return undefined;
  const nextEnd = Math.floor(oldest) + 1;
  if (nextEnd < (endDate ?? Number.POSITIVE_INFINITY)) return { endDate: nextEnd, offset: 0 };
  const nextOffset = offset + count;
  if (nextOffset > maxOffset) throw new Error('the history lists more executions of a second than can be read');
  return { ...(endDate === undefined ? {} : { endDate }), offset: nextOffset };
}
