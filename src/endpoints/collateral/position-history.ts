import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedMarket } from '../../model/market.js';
import {
  listOf,
  optional,
  integer,
  optionalDecimal,
  type RecordOf,
  optionalNumber,
  decimalText,
  optionalEnum,
  record,
  optionalFlag,
  text,
} from '../../model/tolerant.js';
import { marketName, positionId, unixSeconds, type ParamsOf } from '../fields.js';
import { pageLimit, offsetParam, type OffsetParam, inOrder } from '../list-params.js';
import { positionSides } from '../../model/order.js';

const changeOrderFields = {
  /** The exchange's identifier of the order. */
  id: optional(integer),
  /** Amount that the order traded, base currency. */
  tradeAmount: optionalDecimal,
  /** Price, quote currency. */
  price: optionalDecimal,
  /** Fee of the trade. */
  tradeFee: optionalDecimal,
  /** Funding that was charged with the order. Absent: none, as for futures, whose funding is charged to the balance. */
  fundingFee: optionalDecimal,
  /** Profit that the order realized, negative for a loss. Absent: none. */
  realizedPnl: optionalDecimal,
};

/** The order that changed a position. Unknown fields are kept. */
export interface PositionChangeOrder extends RecordOf<typeof changeOrderFields> {}

const changeFields = {
  /** The exchange's number of the position. Several changes have it. */
  positionId: integer,
  /** The market: `BTC_USDT` is margin, `BTC_PERP` futures. */
  market: text,
  /** Time at which the position was opened, Unix seconds with microseconds. */
  openDate: optionalNumber,
  /** Time of the change, Unix seconds with microseconds. */
  modifyDate: optionalNumber,
  /** Amount after the change, base currency. Negative for a short position; `"0"` when the change closed it. */
  amount: decimalText,
  /** Average price at which the position was opened, quote currency. */
  basePrice: optionalDecimal,
  /** Funding of the position until then. The exchange does not say which sign is paid. */
  realizedFunding: optionalDecimal,
  /** Price at which the exchange would have liquidated it, quote currency. Absent: none. */
  liquidationPrice: optionalDecimal,
  /** Absent or empty: not near a liquidation. */
  liquidationState: optionalEnum(['margin_call', 'liquidation']),
  /** The order that changed the position. */
  orderDetail: optional<PositionChangeOrder>(record(changeOrderFields)),
  /** Side of the position: read it together with `isHedge`. */
  side: optionalEnum(positionSides),
  /** Whether the account was in hedge mode. */
  isHedge: optionalFlag,
};

/** A change of a position. Unknown fields are kept. */
export interface PositionChange extends RecordOf<typeof changeFields> {}

const params = {
  /** Only positions of this market, such as `BTC_USDT` or `BTC_PERP`. */
  market: v.exactOptional(marketName),
  /** Only this position. */
  positionId: v.exactOptional(positionId),
  /** Only changes from this time on, Unix seconds. */
  startDate: v.exactOptional(unixSeconds),
  /** Only changes up to this time, Unix seconds. Not before `startDate`, and not in the future. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of changes, 1 to 100.
   *
   * @default 50
   */
  limit: pageLimit,
};

const request = v.pipe(v.strictObject({ ...params, ...offsetParam }), inOrder());

/** Parameters of {@link positionHistory}. */
export interface PositionHistoryParams extends OffsetParam, ParamsOf<typeof params> {}

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
  response: listOf(record(changeFields)),
  matchesRequest: (requested, changes) =>
    changes.every(
      ({ market, positionId: id }) =>
        isRequestedMarket(requested, market) &&
        (requested['positionId'] === undefined || requested['positionId'] === id),
    ),
});
