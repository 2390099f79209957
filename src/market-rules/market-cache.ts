// The markets' rules, read once and kept for a while: what orders are checked against when the client is asked to.
import { defer, map, of, share, tap, type Observable } from 'rxjs';
import type { Market } from '../model/market.js';

/** Markets by name. */
export type MarketsByName = ReadonlyMap<string, Market>;

export function marketsByName(markets: readonly Market[]): MarketsByName {
  return new Map(markets.map((market) => [market.name, market]));
}

/** Rules change by the day; the exchange itself refreshes what it answers every 10 s. */
export const marketsKeptMs = 60_000;

/**
 * The markets. The first subscriber reads them, those who come meanwhile share that read, and later ones get what it answered until it
 * is `keptMs` old. A failure is not kept.
 */
export function cacheMarkets(
  readMarkets: () => Observable<readonly Market[]>,
  now: () => number,
  keptMs: number = marketsKeptMs,
): Observable<MarketsByName> {
  let kept: { readonly markets: MarketsByName; readonly until: number } | undefined;
  const reading$ = defer(readMarkets).pipe(
    map(marketsByName),
    tap((markets) => {
      kept = { markets, until: now() + keptMs };
    }),
    share(),
  );
  return defer(() => (kept !== undefined && now() < kept.until ? of(kept.markets) : reading$));
}
