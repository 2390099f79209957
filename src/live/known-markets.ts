// Which markets the exchange lists: a market that it does not list is refused before anything is sent.
import { catchError, concat, defer, map, of, share, switchMap, take, tap, timer, type Observable } from 'rxjs';

/** Between two reads of the list: a `retry()` of an unknown market costs one read in this time. */
const minPauseMs = 5000;

export class KnownMarkets {
  readonly #names = new Set<string>();
  /** A list that could not be read, or is empty, lists every market until it may be read again. */
  #isUnread = false;
  /** Since the last list was read. */
  readonly #refused = new Set<string>();
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #next$: Observable<unknown>;

  /** @param readNames reads the markets over REST; `undefined` for a list that may lack a market */
  constructor(readNames: () => Observable<readonly string[] | undefined>) {
    this.#next$ = defer(() => timer(Math.max(0, this.#readAt + minPauseMs - performance.now()))).pipe(
      switchMap(readNames),
      catchError(() => of(undefined)),
      tap((names = []) => {
        this.#readAt = performance.now();
        this.#isUnread = names.length === 0;
        this.#names.clear();
        this.#refused.clear();
        for (const name of names) this.#names.add(name);
      }),
      share(),
    );
  }

  /** Emits once: at once for a market of the last list, and after another read for any other. */
  isListed(market: string): Observable<boolean> {
    const isListed = () => this.#isUnread || this.#names.has(market);
    const isOld = this.#isUnread && performance.now() - this.#readAt >= minPauseMs;
    if (!isOld && isListed() && !this.#refused.has(market)) return of(true);
    // A subscriber that comes inside of the read's emission misses it.
    const again$ = defer(() => this.isListed(market));
    return concat(this.#next$.pipe(map(isListed)), again$).pipe(take(1));
  }

  /** The exchange refuses a subscription: the list is read again before the market is subscribed again. */
  refuse(market: string): void {
    this.#refused.add(market);
  }
}
