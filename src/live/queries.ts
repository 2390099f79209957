// Queries: requests on the live connection that have a result.
import * as v from 'valibot';
import { collateralAssetsSchema, type CollateralAssets } from '../model/collateral-balance.js';
import type { PriceLevel } from '../model/order-book.js';
import { tradeBalanceSchema, type TradeBalance } from '../model/trade-balance.js';
import { decimalText, integer, number, record } from '../model/tolerant.js';

/** A request on the live connection that has a result: data. */
export interface Query<Params, Output> {
  /** Name in errors. */
  readonly name: string;
  /** The method, such as `depth_request`. */
  readonly method: string;
  /** The parameters as the exchange takes them. */
  readonly params: (params: Params) => readonly unknown[];
  /** The valibot schema of the result. */
  readonly result: v.GenericSchema<unknown, Output>;
  /** Whether the query is about the account: it is sent on an authorized connection. Default false. */
  readonly isPrivate?: boolean;
}

/** The exchange's time, Unix seconds. */
export const timeQuery: Query<undefined, number> = {
  name: 'live.time',
  method: 'time',
  params: () => [],
  result: integer,
};

/** The exchange's time on the connection of the account, so that it is known when its pushes are. */
export const timeOfAccountQuery: Query<undefined, number> = { ...timeQuery, isPrivate: true };

/** Price levels of a market at one moment. */
interface DepthSnapshotResult {
  /** Time of the response, Unix seconds with fractions. */
  timestamp: number;
  /** Sell orders by price, lowest first: `[price, amount]`. */
  asks: PriceLevel[];
  /** Buy orders by price, highest first: `[price, amount]`. */
  bids: PriceLevel[];
}

const levelsSchema = v.array(v.pipe(v.unknown(), v.tuple([decimalText, decimalText])));

/** Parameters of {@link orderBookQuery}. */
interface OrderBookQuery {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** Maximum number of levels of each side, 1 to 100. */
  readonly limit: number;
  /** The step to which prices are rounded, `'0'` for none. */
  readonly interval: string;
}

/** The order book of a market. */
export const orderBookQuery: Query<OrderBookQuery, DepthSnapshotResult> = {
  name: 'live.orderBook',
  method: 'depth_request',
  params: ({ market, limit, interval }) => [market, limit, interval],
  result: record({ timestamp: number, asks: levelsSchema, bids: levelsSchema }),
};

/** The assets that a query is about. */
export interface AssetsQuery {
  /** The assets; empty for all. */
  readonly assets: readonly string[];
}

/** The trade balance by asset: what spot orders spend. */
export const balancesQuery: Query<AssetsQuery, TradeBalance> = {
  name: 'live.balances',
  method: 'balanceSpot_request',
  params: ({ assets }) => assets,
  result: tradeBalanceSchema,
  isPrivate: true,
};

/** The assets of the collateral account by asset. */
export const marginBalancesQuery: Query<AssetsQuery, CollateralAssets> = {
  name: 'live.marginBalances',
  method: 'balanceMargin_request',
  params: ({ assets }) => assets,
  result: collateralAssetsSchema,
  isPrivate: true,
};
