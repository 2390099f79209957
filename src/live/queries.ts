// Queries: requests on the live connection that have a result.
import * as v from 'valibot';
import { aFunction, optionsOf, parse, quote, trueOrFalse, unquoted } from '../errors/index.js';
import { candleSchema, type Candle } from '../model/candle.js';
import { collateralAssetsSchema, type CollateralAssets } from '../model/collateral-balance.js';
import { isRecord } from '../model/map.js';
import type { PriceLevel } from '../model/order-book.js';
import { tradeBalanceSchema, type TradeBalance } from '../model/trade-balance.js';
import { decimalText, integer, listOf, number, record } from '../model/tolerant.js';
import { statisticsSchema, type MarketStatistics } from './channels/statistics.js';
import { liveTradeSchema, type LiveTrade } from '../model/live-trade.js';
import { aName } from './define-channel.js';

/** The definition that {@link defineQuery} takes. */
export interface Query<Params, Output> {
  /** Name in errors. */
  readonly name: string;
  /** The method, such as `depth_request`. */
  readonly method: string;
  /** The parameters as the exchange takes them. */
  readonly params: (params: Params) => readonly unknown[];
  /** The valibot schema of the result. */
  readonly result: v.GenericSchema<unknown, Output>;
  /**
   * Whether the query is about the account: it is sent on an authorized connection. Requires the client's
   * `credentials`. Default false.
   */
  readonly isPrivate?: boolean;
}

/**
 * Defines a query that the package lacks: pass it to `exchange.live.request`. Throws {@link RequestError} for an invalid
 * definition.
 *
 * @example
 * ```ts
 * import { defineQuery } from 'exchange-rx';
 * import * as v from 'valibot';
 *
 * const time = defineQuery({ name: 'time', method: 'time', params: () => [], result: v.pipe(v.unknown(), v.number()) });
 * ```
 */
export function defineQuery<Params, Output>(query: Query<Params, Output>): Query<Params, Output> {
  checkQuery('defineQuery', query);
  return query;
}

/** The exchange has one list of a channel on a connection: a query would replace it for the channel's subscribers. */
const aMethod = v.pipe(
  aName,
  v.check(
    (method) => !/_(?:un)?subscribe$/.test(method),
    ({ input }) => `${quote(input)} changes the subscriptions of a channel: use live.channel`,
  ),
);
const aSchema = unquoted<v.GenericSchema>(
  (value) => isRecord(value) && value['kind'] === 'schema' && value['async'] === false,
  'must be a synchronous valibot schema',
);
const queryFields = optionsOf<Query<unknown, unknown>>(
  { name: aName, method: aMethod, params: aFunction(), result: aSchema, isPrivate: trueOrFalse },
  ['name', 'method', 'params', 'result'],
);

/** Throws {@link RequestError} for an invalid definition. */
export function checkQuery<Params, Output>(where: string, query: Query<Params, Output>): void {
  parse(where, queryFields, query);
}

/** Parameters of a query about one market. */
export interface MarketQuery {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
}

/** Price levels of a market at one moment. */
export interface DepthSnapshotResult {
  /** Time of the response, Unix seconds with fractions. */
  timestamp: number;
  /** Sell orders by price, lowest first: `[price, amount]`. */
  asks: PriceLevel[];
  /** Buy orders by price, highest first: `[price, amount]`. */
  bids: PriceLevel[];
}

const levelsSchema = v.array(v.pipe(v.unknown(), v.tuple([decimalText, decimalText])));

const depthSchema: v.GenericSchema<unknown, DepthSnapshotResult> = record({
  timestamp: number,
  asks: levelsSchema,
  bids: levelsSchema,
});

/** The exchange appends the market to the seven fields of a candle. */
const candleTuple: v.GenericSchema<unknown, Candle> = v.pipe(
  v.unknown(),
  v.transform((tuple) => (Array.isArray(tuple) ? tuple.slice(0, 7) : tuple)),
  candleSchema,
);

/** The assets that a query is about. */
export interface AssetsQuery {
  /** The assets; empty for all. */
  readonly assets: readonly string[];
}

/** Queries for {@link Live.request}. Those of the account require `credentials`. */
export const liveQueries = {
  /** The exchange's time, Unix seconds. */
  time: defineQuery<undefined, number>({ name: 'live.time', method: 'time', params: () => [], result: integer }),
  /** Price of the last trade, quote currency. */
  lastPrice: defineQuery<MarketQuery, string>({
    name: 'live.lastPrice',
    method: 'lastprice_request',
    params: ({ market }) => [market],
    result: decimalText,
  }),
  /** Prices and volumes of the last `periodSeconds`. */
  ticker: defineQuery<MarketQuery & { readonly periodSeconds: number }, MarketStatistics>({
    name: 'live.ticker',
    method: 'market_request',
    params: ({ market, periodSeconds }) => [market, periodSeconds],
    result: statisticsSchema,
  }),
  /** Prices and volumes since 00:00 UTC. */
  today: defineQuery<MarketQuery, MarketStatistics>({
    name: 'live.today',
    method: 'marketToday_query',
    params: ({ market }) => [market],
    result: statisticsSchema,
  }),
  /** The newest trades, newest first: at most `limit`, 1 to 100. */
  trades: defineQuery<MarketQuery & { readonly limit: number }, LiveTrade[]>({
    name: 'live.trades',
    method: 'trades_request',
    params: ({ market, limit }) => [market, limit, 0],
    result: listOf(liveTradeSchema),
  }),
  /** The order book, at most 100 levels of each side; `interval` is the step to which prices are rounded, `'0'` for none. */
  orderBook: defineQuery<MarketQuery & { readonly limit: number; readonly interval: string }, DepthSnapshotResult>({
    name: 'live.orderBook',
    method: 'depth_request',
    params: ({ market, limit, interval }) => [market, limit, interval],
    result: depthSchema,
  }),
  /** The candles from `start` to `end`, Unix seconds, of `periodSeconds` each. */
  candles: defineQuery<
    MarketQuery & { readonly start: number; readonly end: number; readonly periodSeconds: number },
    Candle[]
  >({
    name: 'live.candles',
    method: 'candles_request',
    params: ({ market, start, end, periodSeconds }) => [market, start, end, periodSeconds],
    result: listOf(candleTuple),
  }),
  /** The trade balance by asset: what spot orders spend. Of the account. */
  balances: defineQuery<AssetsQuery, TradeBalance>({
    name: 'live.balances',
    method: 'balanceSpot_request',
    params: ({ assets }) => assets,
    result: tradeBalanceSchema,
    isPrivate: true,
  }),
  /** The assets of the collateral account by asset. Of the account. */
  marginBalances: defineQuery<AssetsQuery, CollateralAssets>({
    name: 'live.marginBalances',
    method: 'balanceMargin_request',
    params: ({ assets }) => assets,
    result: collateralAssetsSchema,
    isPrivate: true,
  }),
} as const;

/** The exchange's time on the connection of the account, so that it is known when its pushes are. */
export const timeOfAccount: Query<undefined, number> = { ...liveQueries.time, isPrivate: true };
