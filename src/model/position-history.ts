// The past of positions: each of their changes, and the results of closed positions.
import type * as v from 'valibot';
import { positionSides } from './order.js';
import {
  decimalText,
  integer,
  optional,
  optionalDecimal,
  optionalEnum,
  optionalFlag,
  optionalNumber,
  record,
  text,
  type RecordOf,
} from './tolerant.js';

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
  orderDetail: optional<v.GenericSchema<unknown, PositionChangeOrder>>(record(changeOrderFields)),
  /** Side of the position: read it together with `isHedge`. */
  side: optionalEnum(positionSides),
  /** Whether the account was in hedge mode. */
  isHedge: optionalFlag,
};

/** A change of a position. Unknown fields are kept. */
export interface PositionChange extends RecordOf<typeof changeFields> {}

export const positionChangeSchema: v.GenericSchema<unknown, PositionChange> = record(changeFields);

const closedFields = {
  /** The exchange's number of the position. */
  positionId: integer,
  /** The market: `BTC_USDT` is margin, `BTC_PERP` futures. */
  market: text,
  /** Profit, negative for a loss, quote currency. Already net of `totalTradeFee`, but not of `totalFunding`. */
  grossPnl: optionalDecimal,
  /** `grossPnl` minus `totalFunding`: the result of the position. Subtract no fees from it. */
  netPnl: decimalText,
  /** Fees of all trades of the position. `grossPnl` and `netPnl` are net of them. */
  totalTradeFee: optionalDecimal,
  /** Funding that the position paid; negative when it received more than it paid. `netPnl` is net of it. */
  totalFunding: optionalDecimal,
  /** Average price at which it was opened, quote currency. */
  avgEntryPrice: optionalDecimal,
  /** Average price at which it was closed, quote currency. */
  avgExitPrice: optionalDecimal,
  /** Amount that was closed, base currency. */
  closedSize: optionalDecimal,
  /** Amount that is open: always `"0"`. */
  amount: optionalDecimal,
  /** Side of the position: read it together with `isHedge`. */
  side: optionalEnum(positionSides),
  /** Whether the account was in hedge mode. */
  isHedge: optionalFlag,
  /** Time at which it was opened, Unix seconds, without a fraction. */
  openDate: optionalNumber,
  /** Time at which it was closed, Unix seconds, without a fraction. */
  closeDate: optionalNumber,
};

/** A closed position. Unknown fields are kept. */
export interface ClosedPosition extends RecordOf<typeof closedFields> {}

export const closedPositionSchema: v.GenericSchema<unknown, ClosedPosition> = record(closedFields);
