// An order that the exchange ended because it delisted the market.
import type * as v from 'valibot';
import { orderSides, orderTypes } from './order.js';
import {
  integer,
  optionalDecimal,
  optionalEnum,
  optionalNumber,
  optionalText,
  record,
  string,
  textOrEmpty,
  type RecordOf,
} from './tolerant.js';

const otherNames = {
  order_id: 'id',
  client_order_id: 'clientOrderId',
  deal_stock: 'dealStock',
  deal_money: 'dealMoney',
} as const;

const fields = {
  /** The exchange's identifier of the order. */
  order_id: integer,
  /** Your identifier of the order; empty when it has none. */
  client_order_id: textOrEmpty,
  /** The market, which is no longer listed. */
  market: string,
  /** `buy` or `sell`. */
  side: optionalEnum(orderSides),
  /** Type of the order. */
  type: optionalEnum(orderTypes),
  /** Time of creation, Unix seconds with microseconds. */
  createdAt: optionalNumber,
  /** Time at which the order ended, Unix seconds with microseconds. */
  finishAt: optionalNumber,
  /** Limit price, quote currency. */
  price: optionalText,
  /** Amount, base currency. */
  amount: optionalDecimal,
  /** Filled amount, base currency. */
  deal_stock: optionalDecimal,
  /** Filled amount, quote currency. */
  deal_money: optionalDecimal,
  /** Fee paid for the filled part, in `feeAsset`. */
  fee: optionalDecimal,
  /** Ticker of the asset that the fee is paid in. */
  feeAsset: optionalText,
  /** Status, in lower case, unlike that of other orders. */
  status: optionalEnum(['filled', 'canceled']),
  /** How the delisting ended the order. */
  delistingKind: optionalEnum(['reverse', 'canceled']),
};

/** An order that ended because its market was delisted. Unknown fields are kept. */
export interface DelistedOrder extends RecordOf<typeof fields> {}

export const delistedOrderSchema: v.GenericSchema<unknown, DelistedOrder> = record(fields, otherNames);
