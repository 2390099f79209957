// The markets' rules, which orders are checked against with `checkOrders`. They are read before the first order, then
// refreshed while orders go on.
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

/** How old rules may be, milliseconds. */
export interface MarketAges {
  /** From this age on they are refreshed, behind the order that uses them. Rules change by the day. */
  readonly freshMs: number;
  /** From this age on no order is checked against them. */
  readonly maxAgeMs: number;
  /** The shortest time between two refreshes: the exchange itself refreshes its response every 10 s. */
  readonly refreshEveryMs: number;
}

export const marketAges: MarketAges = { freshMs: 60_000, maxAgeMs: 3_600_000, refreshEveryMs: 10_000 };

/**
 * The markets. The first subscriber reads them, and those who come meanwhile share that read. Later ones get them at
 * once: a minute after the read they start another behind, and an hour after it they wait for one. A failure is not
 * kept. One behind an order is reported by the events of its call only.
 */
export function cacheMarkets(
  readMarkets: () => Observable<readonly Market[]>,
  now: () => number,
  { freshMs, maxAgeMs, refreshEveryMs }: MarketAges = marketAges,
): Observable<MarketsByName> {
  let kept: { readonly markets: MarketsByName; readonly readAt: number } | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  const reading$ = defer(() => {
    // Rules are as old as the request for them.
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
