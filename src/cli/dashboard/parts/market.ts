// The chosen market with its prices, the other markets beside it, and the list of all.
import { combineLatest, map, merge, of, scan, startWith, switchMap, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { MarketList, MarketPart, MarketRules, StripPart } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { decimal } from '../../../model/decimal.js';
import { percentAbove, rateOf, rulesOf, timeOf, type Prices } from './figures.js';
import {
  live,
  noState,
  polled,
  shown,
  untilRead,
  untilRefused,
  worstOf,
  type Outage,
  type Shown,
} from './freshness.js';

const maxMarkets = 2000;
const maxStrip = 8;
const marketsEveryMs = 300_000;
const pricesEveryMs = 5000;
const tickerPaceMs = 1000;
const premiumPaceMs = 500;

export type RulesByName = ReadonlyMap<string, MarketRules>;

export function allRules({ public: endpoints }: Exchange, outage: Outage): Observable<Shown<RulesByName>> {
  const read = () =>
    endpoints.markets().pipe(
      // The client's own retries end; the page cannot do without the rules.
      untilRead(outage, pricesEveryMs),
      map((list): RulesByName => new Map(list.map((market) => [market.name, rulesOf(market)]))),
    );
  return polled(outage, read, marketsEveryMs).pipe(shown(outage, marketsEveryMs));
}

export function marketList({ value, state }: Shown<RulesByName>): MarketList {
  const all = [...(value?.values() ?? [])].toSorted((one, other) => one.name.localeCompare(other.name));
  return { state, list: all.slice(0, maxMarkets) };
}

/** The last prices of all markets, and the traded totals by which the strip is chosen. */
export interface Tickers {
  readonly prices: Prices;
  readonly byTraded: readonly string[];
}

export function tickers({ public: endpoints }: Exchange, outage: Outage): Observable<Shown<Tickers>> {
  const read = () =>
    endpoints.tickers({ retry: false }).pipe(
      map((byMarket): Tickers => {
        const entries = Object.entries(byMarket);
        const prices: Prices = new Map(entries.map(([market, { last_price }]) => [market, last_price]));
        const traded = (market: string, total = '0') => {
          const [, quote = ''] = market.split('_');
          const rate = rateOf(quote === 'PERP' ? 'USDT' : quote, 'USDT', prices);
          return rate === undefined ? 0 : decimal(total).multipliedBy(rate).toNumber();
        };
        const byTraded = entries
          .map(([market, { quote_volume }]) => ({ market, total: traded(market, quote_volume) }))
          .toSorted((one, other) => other.total - one.total)
          .map(({ market }) => market);
        return { prices, byTraded };
      }),
    );
  return polled(outage, read, pricesEveryMs).pipe(shown(outage, pricesEveryMs));
}

/** The prices of a market; the last price is that of its newest trade, where a trade is newer than the statistics. */
export function marketPart(
  exchange: Exchange,
  outage: Outage,
  name: string,
  rules$: Observable<Shown<RulesByName>>,
  lastTrade$: Observable<string>,
): Observable<MarketPart> {
  const params = { markets: [name] };
  const statistics$ = exchange.live.ticker(params).pipe(
    live((update) => update),
    shown(outage, tickerPaceMs),
  );
  const premium$ = name.endsWith('_PERP')
    ? exchange.live.premiumIndex(params).pipe(
        live((update) => update),
        shown(outage, premiumPaceMs),
      )
    : of({ value: undefined, state: noState() });
  const last$ = merge(
    exchange.live.ticker(params).pipe(
      map(({ last }) => last),
      untilRefused(),
    ),
    lastTrade$,
  ).pipe(scan(nextPrice, noPrice), startWith(noPrice));
  return combineLatest([statistics$, premium$, last$, rules$]).pipe(
    map(([statistics, premium, { last, direction }, rules]) => {
      const { value } = statistics;
      return {
        state: statistics.state,
        name: pageName(name),
        rules: rules.value?.get(name) ?? null,
        ...{ last: textOf(last), direction, high: textOf(value?.high) },
        ...{ low: textOf(value?.low), volume: textOf(value?.volume) },
        change: percentAbove(last, value?.open) || null,
        mark: textOf(premium.value?.markPrice),
        fundingRate: premium.value === undefined ? null : decimal(premium.value.fundingRate).shiftedBy(2).toFixed(4),
        fundingAt: timeOf(premium.value?.fundingTime),
        futuresState: premium.state,
      };
    }),
  );
}

interface LastPrice {
  readonly last: string | undefined;
  readonly direction: MarketPart['direction'];
}

const noPrice: LastPrice = { last: undefined, direction: 'same' };

/** The direction stays until the price changes again. */
function nextPrice({ last, direction }: LastPrice, price: string): LastPrice {
  const change = last === undefined ? 0 : (decimal(price).comparedTo(last) ?? 0);
  return { last: price, direction: change === 0 ? direction : change > 0 ? 'up' : 'down' };
}

function textOf(amount: string | undefined): string | null {
  return amount === undefined ? null : pageAmount(amount);
}

/** The most traded markets beside the chosen one. Which they are is decided once. */
export function stripPart(
  exchange: Exchange,
  outage: Outage,
  chosen: string,
  markets$: Observable<readonly string[]>,
): Observable<StripPart> {
  return markets$.pipe(
    map((markets) => markets.filter((market) => market !== chosen).slice(0, maxStrip)),
    switchMap((markets) => {
      if (markets.length === 0) return of<StripPart>({ state: noState(), list: [] });
      const each = markets.map((market) =>
        exchange.live.ticker({ markets: [market] }).pipe(
          live((update) => update),
          shown(outage, tickerPaceMs),
          map(({ value, state }) => ({
            state,
            row: {
              market: pageName(market),
              last: textOf(value?.last),
              change: percentAbove(value?.last, value?.open) || null,
              isStale: state.status !== 'live',
            },
          })),
        ),
      );
      return combineLatest(each).pipe(
        map((rows) => ({ state: worstOf(rows.map(({ state }) => state)), list: rows.map(({ row }) => row) })),
      );
    }),
  );
}
