// The collateral account: its positions, margin or futures, open and closed; its loans, ranks and leverages.
import type * as v from 'valibot';
import { positionSides } from './order.js';
import * as t from './tolerant.js';

const attachedFields = {
  /** The exchange's identifier of the take-profit order. */
  takeProfitId: t.optional(t.integer),
  /** Trigger price of the take profit, quote currency. */
  takeProfit: t.optionalDecimal,
  /** The exchange's identifier of the stop-loss order. */
  stopLossId: t.optional(t.integer),
  /** Trigger price of the stop loss, quote currency. */
  stopLoss: t.optionalDecimal,
};

/** The orders that close a position at a price. Unknown fields are kept. */
export interface PositionStops extends t.RecordOf<typeof attachedFields> {}

const positionFields = {
  /** The exchange's number of the position. */
  positionId: t.integer,
  /** The market: `BTC_USDT` is margin, `BTC_PERP` futures. */
  market: t.text,
  /** Amount, base currency. Negative for a short position: the exchange says so of its stream of positions. */
  amount: t.decimalText,
  /** Average price at which it was opened, quote currency. */
  basePrice: t.optionalDecimal,
  /** Side of the position: `BOTH` unless the account is in hedge mode. */
  positionSide: t.optionalEnum(positionSides),
  /** Profit of the open amount at the current price, negative for a loss. */
  unrealizedPnl: t.optionalDecimal,
  /**
   * As the exchange sends it: its documents disagree whether this profit is realized or not. Prefer `unrealizedPnl`.
   */
  pnl: t.optionalDecimal,
  /** Percent, as the exchange sends it: it does not say of which amount. */
  pnlPercent: t.optionalDecimal,
  /** Margin of the position. */
  margin: t.optionalDecimal,
  /** Free margin of the account. */
  freeMargin: t.optionalDecimal,
  /** Funding. Always `"0"` for futures, whose funding is charged to the balance. */
  funding: t.optionalDecimal,
  /** Funding that is not charged yet. Always `"0"` for futures. */
  unrealizedFunding: t.optionalDecimal,
  /** Time at which it was opened, Unix seconds with microseconds. */
  openDate: t.optionalNumber,
  /** Time of its last change, Unix seconds with microseconds. */
  modifyDate: t.optionalNumber,
  /** Price at which the exchange liquidates it, quote currency. Absent: none. */
  liquidationPrice: t.optionalDecimal,
  /** Absent or empty: not near a liquidation. */
  liquidationState: t.optionalEnum(['margin_call', 'liquidation']),
  /** The orders that close it at a price. Absent: none. */
  tpsl: t.optional<PositionStops>(t.record(attachedFields)),
};

/** An open position, margin or futures. Unknown fields are kept. */
export interface Position extends t.RecordOf<typeof positionFields> {}

export const positionSchema: v.GenericSchema<unknown, Position> = t.record(positionFields);

const livePositionFields = {
  ...positionFields,
  /** Amount in the quote currency. */
  amountInMoney: t.optionalDecimal,
  /** Profit of the amount that was closed, negative for a loss. */
  realizedPnl: t.optionalDecimal,
};

/**
 * An open position on the live connection. It has the names of {@link Position}; the exchange does not push
 * `unrealizedPnl`, `pnlPercent` and `tpsl`. Unknown fields are kept.
 */
export interface LivePosition extends t.RecordOf<typeof livePositionFields> {}

/** The names of the fields in pushes. */
const pushNames = {
  positionId: 'id',
  amountInMoney: 'amount_in_money',
  basePrice: 'base_price',
  positionSide: 'position_side',
  freeMargin: 'free_margin',
  realizedPnl: 'realized_pnl',
  unrealizedFunding: 'unrealized_funding',
  openDate: 'ctime',
  modifyDate: 'mtime',
  liquidationPrice: 'liq_price',
  liquidationState: 'liq_stage',
} as const;

export const livePositionSchema: v.GenericSchema<unknown, LivePosition> = t.record(livePositionFields, pushNames);

const closedFields = {
  /** The exchange's number of the position. */
  positionId: t.integer,
  /** The market: `BTC_USDT` is margin, `BTC_PERP` futures. */
  market: t.text,
  /** Profit, negative for a loss, quote currency. Already net of `totalTradeFee`, but not of `totalFunding`. */
  grossPnl: t.optionalDecimal,
  /** `grossPnl` minus `totalFunding`: the result of the position. Subtract no fees from it. */
  netPnl: t.decimalText,
  /** Fees of all trades of the position. `grossPnl` and `netPnl` are net of them. */
  totalTradeFee: t.optionalDecimal,
  /** Funding that the position paid; negative when it received more than it paid. `netPnl` is net of it. */
  totalFunding: t.optionalDecimal,
  /** Average price at which it was opened, quote currency. */
  avgEntryPrice: t.optionalDecimal,
  /** Average price at which it was closed, quote currency. */
  avgExitPrice: t.optionalDecimal,
  /** Amount that was closed, base currency. */
  closedSize: t.optionalDecimal,
  /** Amount that is open: always `"0"`. */
  amount: t.optionalDecimal,
  /** Side of the position: read it together with `isHedge`. */
  side: t.optionalEnum(positionSides),
  /** Whether the account was in hedge mode. */
  isHedge: t.optionalFlag,
  /** Time at which it was opened, Unix seconds, without a fraction. */
  openDate: t.optionalNumber,
  /** Time at which it was closed, Unix seconds, without a fraction. */
  closeDate: t.optionalNumber,
};

/** A closed position. Unknown fields are kept. */
export interface ClosedPosition extends t.RecordOf<typeof closedFields> {}

export const closedPositionSchema: v.GenericSchema<unknown, ClosedPosition> = t.record(closedFields);

const borrowFields = {
  /** The asset. */
  asset: t.text,
  /** Amount, in the asset. Negative: the account owes it. */
  amount: t.decimalText,
  /** Funding that is not charged yet. */
  unrealizedFunding: t.optionalDecimal,
  /** Price at which the exchange liquidates it. Absent: none. */
  liquidationPrice: t.optionalDecimal,
  /** Time at which it was opened, Unix seconds with fractions. */
  openDate: t.optionalNumber,
  /** Time of its last change, Unix seconds with fractions. */
  modifyDate: t.optionalNumber,
};

/** What the exchange has lent to the collateral account, with the names of {@link LivePosition}. Unknown fields are kept. */
export interface Borrow extends t.RecordOf<typeof borrowFields> {}

const borrowPushNames = {
  unrealizedFunding: 'unrealized_funding',
  liquidationPrice: 'liq_price',
  openDate: 'ctime',
  modifyDate: 'mtime',
} as const;

export const borrowSchema: v.GenericSchema<unknown, Borrow> = t.record(borrowFields, borrowPushNames);

const quantileFields = {
  /** The futures market, such as `BTC_PERP`. */
  market: t.text,
  /** Rank of your long position: 0 is deleveraged last, 4 first. Absent without a long position. */
  long: t.optionalNumber,
  /** Rank of your short position: 0 is deleveraged last, 4 first. Absent without a short position. */
  short: t.optionalNumber,
};

/** The rank of your positions in a futures market. Unknown fields are kept. */
export interface AdlQuantile extends t.RecordOf<typeof quantileFields> {}

export const adlQuantileSchema: v.GenericSchema<unknown, AdlQuantile> = t.record(quantileFields);

/** Spec, Limits: the accepted values; a market's `max_leverage` may cap them. */
export const leverages = [1, 2, 3, 5, 10, 20, 50, 100] as const;

/** A leverage that the exchange accepts: 1 (none), 2, 3, 5, 10, 20, 50 or 100. */
export type Leverage = (typeof leverages)[number];
