import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { orderSides, orderTypes } from '../../model/order.js';
import { maxOffset } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { liveNames } from '../../model/wire-names.js';
import { everyAgreesOn } from '../agrees-on.js';
import { boundedInteger, marketName, oneOf, type ParamsOf, unixSeconds } from '../fields.js';
import { withinListed, withinOneMonth } from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';

const fields = {
  /** The exchange's identifier of the order. */
  order_id: t.integer,
  /** Your identifier of the order; empty when it has none. */
  client_order_id: t.textOrEmpty,
  /** The market, which is no longer listed. */
  market: t.string,
  /** `buy` or `sell`. */
  side: t.optionalEnum(orderSides),
  /** Type of the order. */
  type: t.optionalEnum(orderTypes),
  /** Time of creation, Unix seconds with microseconds. */
  createdAt: t.optionalNumber,
  /** Time at which the order ended, Unix seconds with microseconds. */
  finishAt: t.optionalNumber,
  /** Limit price, quote currency. */
  price: t.optionalText,
  /** Amount, base currency. */
  amount: t.optionalDecimal,
  /** Filled amount, base currency. */
  deal_stock: t.optionalDecimal,
  /** Filled amount, quote currency. */
  deal_money: t.optionalDecimal,
  /** Fee paid for the filled part, in `feeAsset`. */
  fee: t.optionalDecimal,
  /** Ticker of the asset that the fee is paid in. */
  feeAsset: t.optionalText,
  /** Status, in lower case, unlike that of other orders. */
  status: t.optionalEnum(['filled', 'canceled']),
  /** How the delisting ended the order. */
  delistingKind: t.optionalEnum(['reverse', 'canceled']),
};

/** An order that ended because its market was delisted. Unknown fields are kept. */
export interface DelistedOrder extends t.RecordOf<typeof fields> {}

const defaultLimit = 500;

const params = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /** Only orders that were `filled`, or ended by the `delisting`. The status of a listed order has other words. */
  status: v.exactOptional(oneOf(['filled', 'delisting'])),
  /**
   * Only orders that ended from this time on, Unix seconds.
   *
   * @default 30 days before `endDate`
   */
  startDate: v.exactOptional(unixSeconds),
  /** Only orders that ended up to this time, Unix seconds. At most 31 days after `startDate`. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of orders, 1 to 500.
   *
   * @default 500
   */
  limit: v.exactOptional(boundedInteger(1, defaultLimit)),
  /**
   * Number of orders to skip, 0 to 9999. Together with `limit` at most 10000.
   *
   * @default 0
   */
  offset: v.exactOptional(boundedInteger(0, maxOffset - 1)),
};

const request = v.pipe(v.strictObject(params), withinOneMonth(), withinListed(defaultLimit));

/** Parameters of {@link delisted}. */
export interface DelistedParams extends ParamsOf<typeof params> {}

/**
 * Lists the orders that the exchange ended because it delisted their market, the newest end first. They are listed here
 * when their market is no longer listed.
 *
 * @example
 * ```ts
 * exchange.orders.delisted({ status: 'delisting' }).subscribe((list) => {
 *   for (const { market, order_id, deal_stock } of list) console.log(market, order_id, 'filled', deal_stock);
 * });
 * ```
 */
export const delisted: Endpoint<DelistedParams, DelistedOrder[]> = defineEndpoint({
  name: 'orders.delisted',
  path: '/api/v4/trade-account/order/history/query',
  rateLimit: [{ limit: 10_000, windowMs: 10_000 }, ordersRateLimit],
  safety: 'read',
  page: { defaultLimit },
  request,
  response: t.listOf(t.record(fields, { ...liveNames, order_id: 'id' })),
  matchesRequest: everyAgreesOn('market'),
});
