import * as v from 'valibot';
import { everyAgreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { marketName, oneOf, type ParamsOf, rule } from '../fields.js';
import { orderKindList } from './order-kinds.js';

const params = {
  /**
   * Only the orders of this market, `BASE_QUOTE`.
   *
   * @default the orders of all markets
   */
  market: v.exactOptional(marketName),
  /**
   * Kinds of orders to cancel: `spot`, `margin` (collateral orders of a spot market), `futures`.
   *
   * @default all kinds
   */
  type: v.exactOptional(orderKindList),
  /**
   * Only futures orders of this side of the position, in hedge mode: `long` or `short`, in lower case. Requires a
   * `market` of futures, such as `BTC_PERP`.
   */
  positionSide: v.exactOptional(oneOf(['both', 'long', 'short'])),
};

const request = v.pipe(
  v.strictObject(params),
  rule(
    'positionSide',
    ({ market, positionSide }) => positionSide === undefined || market?.endsWith('_PERP') === true,
    'requires a market of futures, such as "BTC_PERP"',
  ),
);

/** Parameters of {@link cancelAll}. */
export interface CancelAllParams extends ParamsOf<typeof params> {}

/**
 * Cancels all open orders: spot and collateral, of all markets, or those that the parameters name. Emits an empty list
 * when the exchange has canceled them.
 *
 * A request that arrives late cancels the orders that were placed in the meantime, too. So does a retry: with `retry:
 * false`, a lost response ends the call, and {@link open} shows which orders are left.
 *
 * @example
 * ```ts
 * const { orders } = exchange;
 * orders.cancelAll({ market: 'BTC_USDT', type: ['margin'] }).subscribe(() => console.log('no margin order of BTC_USDT is open'));
 * ```
 */
export const cancelAll: Endpoint<CancelAllParams, unknown[]> = defineEndpoint({
  name: 'orders.cancelAll',
  path: '/api/v4/order/cancel/all',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, type, positionSide }) => JSON.stringify([market, type, positionSide]),
  request,
  response: v.array(v.unknown()),
  matchesRequest: everyAgreesOn('market'),
});
