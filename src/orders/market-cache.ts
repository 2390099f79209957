// Caches the markets' rules for `checkOrders`. They are read before the first order, and refreshed while orders are
// placed.
import { catchError, defer, EMPTY, map, of, share, tap, type Observable } from 'rxjs';
import type { Market } from '../model/market.js';
import { noteUnreadable, unreadableIn } from '../model/unreadable.js';

/** Markets by name. */
export type MarketsByName = ReadonlyMap<string, Market>;

export function marketsByName(markets: readonly Market[]): MarketsByName {
  const byName = new Map(markets.map((market) => [market.name, market]));
  noteUnreadable(byName, unreadableIn(markets));
  return byName;
}

/** Ages of the rules, milliseconds. */
export interface MarketAges {
  /** From this age on, an order refreshes them in the background. Rules change at most daily. */
  readonly freshMs: number;
  /** From this age on, orders wait for new rules. */
  readonly maxAgeMs: number;
  /** Minimum time between two refreshes: the exchange itself refreshes its response every 10 s. */
  readonly refreshEveryMs: number;
}

export const marketAges: MarketAges = { freshMs: 60_000, maxAgeMs: 3_600_000, refreshEveryMs: 10_000 };

/**
 * The markets. The first subscriber reads them, and concurrent subscribers share the read. Later subscribers get the
 * cached markets at once. From `freshMs` on, a subscription also starts a refresh in the background; from `maxAgeMs` on,
 * it waits for one. A failure is not cached; a failure in the background is reported only by the events of its call.
 */
export function cacheMarkets(
  readMarkets: () => Observable<readonly Market[]>,
  now: () => number,
  { freshMs, maxAgeMs, refreshEveryMs }: MarketAges = marketAges,
): Observable<MarketsByName> {
  let kept: { readonly markets: MarketsByName; readonly readAt: number } | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  const reading$ = defer(() => {
    // The age counts from the request: the response may be a snapshot of that moment.
    const readAt = now();
    return readMarkets().pipe(
      map(marketsByName),
      tap((markets) => {
        kept = { markets, readAt };
      }),
    );
  }).pipe(share());
  const refresh = () => {
    if (now() - refreshedAt < refreshEveryMs) return;
    refreshedAt = now();
    reading$.pipe(catchError(() => EMPTY)).subscribe();
  };
  return defer(() => {
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.readAt;
    if (kept === undefined || age >= maxAgeMs) return reading$;
    if (age >= freshMs) refresh();
    return of(kept.markets);
  });
}
