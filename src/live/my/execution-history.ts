// The history of executions over REST: page by page, again after a failure, and one read for all who wait for one.
import { defer, EMPTY, expand, map, Subscription, timer, toArray, type Observable } from 'rxjs';
import { backoff } from '../../call/index.js';
import type { ExecutionPage } from '../../model/execution.js';
import { maxOffset, maxPageSize } from '../../model/paging.js';
import { isLasting } from '../connection/index.js';

/** Which page. Times are Unix seconds of the exchange, whole, and belong to the page. */
export interface ExecutionPageQuery {
  readonly startDate: number;
  readonly endDate?: number;
  readonly limit: number;
  readonly offset: number;
}

/** Reads a page: the newest executions of the period. */
export type ReadExecutionPage = (query: ExecutionPageQuery, isUrgent: boolean) => Observable<ExecutionPage>;

/** Who waits for the history. */
export interface HistoryUser {
  /** The time from which the history must be read. */
  readonly readFrom: number;
  /** Whether pushes are held back until it is read. */
  readonly isWaiting: boolean;
  onHistory(history: ExecutionPage): void;
  /** The history could not be read, and is read again later. */
  onFailure(): void;
  /** The history will never be read, such as with a key that has no permission. */
  onLastingFailure(error: unknown): void;
}

/** The maximum of the exchange. */
const pageSize = 500;
const baseDelayMs = 500;
const maxDelayMs = 30_000;

/** Where a page ends, and what it skips. */
type PlaceOfPage = Pick<ExecutionPageQuery, 'endDate' | 'offset'>;

/** The executions since a time, the newest page first. */
export function readHistory(readPage: ReadExecutionPage, from: number, isUrgent: boolean): Observable<ExecutionPage> {
  const startDate = Math.max(0, Math.floor(from));
  const read = (place: PlaceOfPage) =>
    readPage({ startDate, limit: pageSize, ...place }, isUrgent).pipe(
      map((page) => ({ page, next: placeAfter(page, place) })),
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
): PlaceOfPage | undefined {
  const count = executions.length + unreadable;
  // A server that keeps to the former maximum has more, although the page is shorter than requested.
  if (count < maxPageSize) return undefined;
  const oldest = executions.reduce((time, execution) => Math.min(time, execution.time), Number.POSITIVE_INFINITY);
  const nextEnd = Math.floor(oldest) + 1;
  if (nextEnd < (endDate ?? Number.POSITIVE_INFINITY)) return { endDate: nextEnd, offset: 0 };
  const nextOffset = offset + count;
  if (nextOffset > maxOffset) throw new Error('the history lists more executions of a second than can be read');
  return { ...(endDate === undefined ? {} : { endDate }), offset: nextOffset };
}

/** Reads the history for all users together, one read at a time. A read that begins after a request is its result. */
export class HistoryReader {
  readonly #read: (from: number, isUrgent: boolean) => Observable<ExecutionPage>;
  readonly #random: () => number;
  /** The users of the next read. */
  readonly #waiting = new Set<HistoryUser>();
  /** The users of the read in flight. */
  #served = new Set<HistoryUser>();
  #reading: Subscription | undefined;
  #pause: Subscription | undefined;
  #isQueued = false;
  #failures = 0;

  constructor(read: (from: number, isUrgent: boolean) => Observable<ExecutionPage>, random: () => number) {
    this.#read = read;
    this.#random = random;
  }

  /** A read that starts later. After a failure, a new request does not wait for the pause. */
  request(user: HistoryUser): void {
    this.#waiting.add(user);
    this.#queue();
  }

  /** Whether a later read is the result of the user's last request. */
  isAwaitedBy(user: HistoryUser): boolean {
    return this.#waiting.has(user);
  }

  cancel(user: HistoryUser): void {
    this.#waiting.delete(user);
    this.#served.delete(user);
    if (this.#waiting.size === 0) this.#pause?.unsubscribe();
    if (this.#served.size > 0) return;
    this.#end();
    this.#queue();
  }

  /** All requests of a turn are one read. */
  #queue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.#start();
    });
  }

  #end(): void {
    this.#reading?.unsubscribe();
    this.#reading = undefined;
  }

  #start(): void {
    if (this.#waiting.size === 0 || this.#reading !== undefined) return;
    this.#pause?.unsubscribe();
    const users = [...this.#waiting];
    this.#waiting.clear();
    this.#served = new Set(users);
    const from = Math.min(...users.map(({ readFrom }) => readFrom));
    const isUrgent = users.some(({ isWaiting }) => isWaiting);
    const reading = new Subscription();
    this.#reading = reading;
    reading.add(
      defer(() => this.#read(from, isUrgent)).subscribe({
        next: (history) => {
          this.#failures = 0;
          for (const user of this.#finish()) user.onHistory(history);
          this.#queue();
        },
        error: (error: unknown) => {
          this.#fail(error);
        },
      }),
    );
  }

  /** The users of the read that has ended. */
  #finish(): ReadonlySet<HistoryUser> {
    const users = this.#served;
    this.#served = new Set();
    this.#end();
    return users;
  }

  #fail(error: unknown): void {
    const users = this.#finish();
    if (isLasting(error)) {
      for (const user of users) user.onLastingFailure(error);
      this.#queue();
      return;
    }
    this.#failures += 1;
    for (const user of users) this.#waiting.add(user);
    // Those that came during the read, too: they wait no longer than the others.
    for (const user of [...this.#waiting]) user.onFailure();
    if (this.#waiting.size === 0) return;
    const delayMs = this.#random() * backoff(this.#failures + 1, baseDelayMs, maxDelayMs);
    this.#pause = timer(delayMs).subscribe(() => {
      this.#start();
    });
  }
}
