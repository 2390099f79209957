// A deal: a trade of one of the account's orders.
import * as v from 'valibot';
import { orderSides } from './order.js';
import {
  decimalText,
  integer,
  listOf,
  number,
  optional,
  optionalDecimal,
  optionalEnum,
  optionalFlag,
  optionalNumber,
  optionalText,
  record,
  textOrEmpty,
  type RecordOf,
} from './tolerant.js';
import { liveNames } from './wire-names.js';

const dealFields = {
  /** The exchange's number of the deal. */
  id: integer,
  /** Time of the deal, Unix seconds with microseconds. */
  time: number,
  /** Price, quote currency. */
  price: decimalText,
  /** Amount, base currency. */
  amount: decimalText,
  /** Total (amount times price), quote currency. */
  deal: optionalDecimal,
  /** The fee, in `feeAsset`. */
  fee: optionalDecimal,
  /** The currency of the fee. The exchange may leave it out. */
  feeAsset: optionalText,
  /** Side of your order. The deals of one order do not have it: it is the side of that order. */
  side: optionalEnum(orderSides),
  /** 1: your order was the maker. 2: it was the taker. */
  role: optional(integer),
  /** The exchange's identifier of your order. The deals of one order do not have it. */
  order_id: optional(integer),
  /**
   * Your identifier of the order; empty without one. The exchange's own orders have one, too: `adl_…` for automatic
   * deleveraging, `liquidation_…` for a liquidation.
   */
  client_order_id: textOrEmpty,
  /**
   * In the deals of one order only. The exchange's documents and its responses disagree whether it is the identifier of
   * your order or of the other one: do not rely on it.
   */
  dealOrderId: optional(integer),
  /** Whether a Retail Price Improvement order took part. */
  rpi: optionalFlag,
};

/** A trade of one of the account's orders. Unknown fields are kept. */
export interface Deal extends RecordOf<typeof dealFields> {}

export const dealSchema: v.GenericSchema<unknown, Deal> = record(dealFields, liveNames);

const pageFields = {
  /** Number of deals that were skipped. */
  offset: optionalNumber,
  /** Maximum number of deals of the page. */
  limit: optionalNumber,
};

/** A page of the deals of an order. Unknown fields are kept. */
export interface DealPage extends RecordOf<typeof pageFields> {
  /** The deals of the page, without those that cannot be read: see {@link unreadableIn}. */
  records: Deal[];
}

/** A page of the deals of an order. A bare list is a page, too. */
export const dealPageSchema: v.GenericSchema<unknown, DealPage> = v.pipe(
  v.unknown(),
  v.transform((page) => (Array.isArray(page) ? { records: page as unknown[] } : page)),
  record({ ...pageFields, records: listOf(dealSchema) }),
);

/** Whether deals are those of the requested identifier, as far as they have one. */
export function areOfOrder({ client_order_id }: Readonly<Record<string, unknown>>, deals: readonly Deal[]): boolean {
  return deals.every(
    (deal) => client_order_id === undefined || deal.client_order_id === '' || deal.client_order_id === client_order_id,
  );
}
