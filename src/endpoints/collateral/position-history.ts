import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { positionSides } from '../../model/order.js';
import * as t from '../../model/tolerant.js';
import { isRequested } from '../agrees-on.js';
import { marketName, type ParamsOf, positionId } from '../fields.js';
import { inOrder, pageParams, periodParams, type PageParams, type PeriodParams } from '../list-params.js';

const changeOrderFields = {
  /** The exchange's identifier of the order. */
  id: t.optional(t.integer),
  /** Amount that the order traded, base currency. */
  tradeAmount: t.optionalDecimal,
  /** Price, quote currency. */
  price: t.optionalDecimal,
  /** Fee of the trade. */
  tradeFee: t.optionalDecimal,
  /** Funding that was charged with the order. Absent: none, as for futures, whose funding is charged to the balance. */
  fundingFee: t.optionalDecimal,
  /** Profit that the order realized, negative for a loss. Absent: none. */
  realizedPnl: t.optionalDecimal,
};

/** The order that changed a position. Unknown fields are kept. */
export interface PositionChangeOrder extends t.RecordOf<typeof changeOrderFields> {}

const changeFields = {
  /** The exchange's number of the position. Several changes have it. */
  positionId: t.integer,
  /** The market: `BTC_USDT` is margin, `BTC_PERP` futures. */
  market: t.text,
  /** Time at which the position was opened, Unix seconds with microseconds. */
  openDate: t.optionalNumber,
  /** Time of the change, Unix seconds with microseconds. */
  modifyDate: t.optionalNumber,
  /** Amount after the change, base currency. Negative for a short position; `"0"` when the change closed it. */
  amount: t.decimalText,
  /** Average price at which the position was opened, quote currency. */
  basePrice: t.optionalDecimal,
  /** Funding of the position until then. The exchange does not say which sign is paid. */
  realizedFunding: t.optionalDecimal,
  /** Price at which the exchange would have liquidated it, quote currency. Absent: none. */
  liquidationPrice: t.optionalDecimal,
  /** Absent or empty: not near a liquidation. */
  liquidationState: t.optionalEnum(['margin_call', 'liquidation']),
  /** The order that changed the position. */
  orderDetail: t.optional<PositionChangeOrder>(t.record(changeOrderFields)),
  /** Side of the position: read it together with `isHedge`. */
  side: t.optionalEnum(positionSides),
  /** Whether the account was in hedge mode. */
  isHedge: t.optionalFlag,
};

/** A change of a position. Unknown fields are kept. */
export interface PositionChange extends t.RecordOf<typeof changeFields> {}

const params = {
  /** Only positions of this market, such as `BTC_USDT` or `BTC_PERP`. */
  market: v.exactOptional(marketName),
  /** Only this position. */
  positionId: v.exactOptional(positionId),
};

const request = v.pipe(v.strictObject({ ...params, ...periodParams, ...pageParams }), inOrder());

/** Parameters of {@link positionHistory}. */
export interface PositionHistoryParams extends PageParams, PeriodParams, ParamsOf<typeof params> {}

/**
 * Lists the changes of your positions, open and closed, margin and futures. Each change is a record, so a position has
 * several. {@link closedPositions} has one record for each position that was closed.
 *
 * Parameters have times in Unix seconds; times of the response are Unix seconds with microseconds.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const logChanges = (exchange: Exchange, positionId: number) =>
 *   exchange.collateral.positionHistory({ positionId }).subscribe((changes) => {
 *     for (const { amount, orderDetail } of changes) console.log(orderDetail?.id, orderDetail?.tradeAmount, 'now', amount);
 *   });
 * ```
 */
export const positionHistory: Endpoint<PositionHistoryParams, PositionChange[]> = defineEndpoint({
  name: 'collateral.positionHistory',
  path: '/api/v4/collateral-account/positions/history',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  page: { defaultLimit: 50 },
  request,
  response: t.listOf(t.record(changeFields)),
  matchesRequest: (requested, changes) =>
    changes.every(
      ({ market, positionId: id }) =>
        isRequested(requested['market'], market) &&
        (requested['positionId'] === undefined || requested['positionId'] === id),
    ),
});
