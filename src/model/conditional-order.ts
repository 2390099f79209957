// Conditional orders: an order that places others once it is filled (OTO), or two orders that cancel each other (OCO).
import * as v from 'valibot';
import { legSchema, type Order } from './order.js';
import {
  listOf,
  optional,
  optionalEnum,
  optionalNumber,
  optionalText,
  integer,
  record,
  type RecordOf,
  ifPresent,
} from './tolerant.js';

/** The names of the fields in older descriptions of the interface. */
const otherNames = {
  conditionalOrderType: 'conditional_order_type',
  stopLoss: 'stop_loss',
  takeProfit: 'take_profit',
  conditionalOrder: 'conditional_order',
  stopLossPrice: 'stop_loss_price',
  takeProfitPrice: 'take_profit_price',
} as const;

/** Its orders decide: when one of them cannot be read, the conditional order cannot be read either. */
const leg = ifPresent(legSchema);

const conditionalOrderFields = {
  /** The exchange's number of the conditional order: `oto.otoId` of the order that it was placed with. */
  id: optional(integer),
  /**
   * `oto`: `conditionalOrder` places a stop loss or a take profit once it is filled. `oco`: either of `stopLoss` and
   * `takeProfit` cancels the other.
   */
  type: optionalEnum(['oto', 'oco']),
  /** Type of the condition, as the exchange sends it. */
  conditionalOrderType: optionalText,
  /** `oto`: the order that places the others once it is filled. */
  conditionalOrder: leg,
  /** `oto`: price of the stop loss. */
  stopLossPrice: optionalText,
  /** `oto`: price of the take profit. */
  takeProfitPrice: optionalText,
  /** `oco`: the stop-loss order. */
  stopLoss: leg,
  /** `oco`: the take-profit order. */
  takeProfit: leg,
};

/** A conditional order: an OTO order, or a pair of OCO orders. Unknown fields are kept. */
export interface ConditionalOrder extends RecordOf<typeof conditionalOrderFields> {}

const conditionalOrderSchema: v.GenericSchema<unknown, ConditionalOrder> = v.pipe(
  record(conditionalOrderFields, otherNames),
  v.check((conditional) => ordersOf(conditional).length > 0, 'must have an order'),
);

const pageFields = {
  /** Number of conditional orders that were skipped. */
  offset: optionalNumber,
  /** Maximum number of conditional orders of the page. */
  limit: optionalNumber,
  /** Number of all conditional orders. */
  total: optionalNumber,
};

/** A page of conditional orders. Unknown fields are kept. */
export interface ConditionalOrderPage extends RecordOf<typeof pageFields> {
  /** The conditional orders of the page, without those that cannot be read: see {@link unreadableIn}. */
  records: ConditionalOrder[];
}

/** A page of conditional orders. A bare list is a page, too. */
export const conditionalOrderPageSchema: v.GenericSchema<unknown, ConditionalOrderPage> = v.pipe(
  v.unknown(),
  v.transform((page) => (Array.isArray(page) ? { records: page as unknown[] } : page)),
  record({ ...pageFields, records: listOf(conditionalOrderSchema) }),
);

/** The orders of a conditional order. */
export function ordersOf({
  conditionalOrder,
  stopLoss,
  takeProfit,
}: Partial<Record<'conditionalOrder' | 'stopLoss' | 'takeProfit', Order | undefined>>): Order[] {
  return [conditionalOrder, stopLoss, takeProfit].filter((order) => order !== undefined);
}
