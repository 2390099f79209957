// Queries: requests on the live connection that have a result.
import type * as v from 'valibot';
import { collateralAssetsSchema, type CollateralAssets } from '../model/collateral-balance.js';
import { tradeBalanceSchema, type TradeBalance } from '../model/trade-balance.js';
import { integer } from '../model/tolerant.js';

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
