// The markets that a caller names: how they are written, and whether the exchange lists them.
import { catchError, concat, defer, map, of, share, switchMap, take, tap, timer, type Observable } from 'rxjs';
import * as v from 'valibot';
import { rule, type Rule } from '../errors/index.js';
import { marketNamePattern } from '../model/market.js';
import { everyKey } from './channel.js';

export const aMarket = rule<string>(
  (value) => typeof value === 'string' && marketNamePattern.test(value),
  'must be a market such as "BTC_USDT"',
);

const atLeastOne = 'must be an array of at least one market';

export const someMarkets: Rule<readonly string[]> = v.pipe(v.array(aMarket, atLeastOne), v.nonEmpty(atLeastOne));

/** Between two reads of the list: a `retry()` of an unknown market costs one read in this time. */
const minPauseMs = 5000;

/** Which markets the exchange lists: a market that it does not list is refused before anything is sent. */
export class KnownMarkets {
  /** A list that could not be read, or is empty, lists every market until it may be read again. */
  #names: ReadonlySet<string> = new Set();
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
        this.#names = new Set(names);
        this.#refused.clear();
      }),
      share(),
    );
  }

  /** Emits once: at once for the key of all and a market of the last list, and after another read for any other. */
  isListed(market: string): Observable<boolean> {
    const isListed = () => market === everyKey || this.#names.size === 0 || this.#names.has(market);
    const isOld = market !== everyKey && this.#names.size === 0 && performance.now() - this.#readAt >= minPauseMs;
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
