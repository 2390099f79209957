// Conditional orders: an order that places others once it is filled (OTO), or two orders that cancel each other (OCO).
import * as v from 'valibot';
import { legSchema, type Order } from './order.js';
import { recordsPageOf, type RecordsPage } from './paging.js';
import * as t from './tolerant.js';

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
const leg = t.ifPresent(legSchema);

const conditionalOrderFields = {
  /** The exchange's number of the conditional order: `oto.otoId` of the order that it was placed with. */
  id: t.optional(t.integer),
  /**
   * `oto`: `conditionalOrder` places a stop loss or a take profit once it is filled. `oco`: either of `stopLoss` and
   * `takeProfit` cancels the other.
   */
  type: t.optionalEnum(['oto', 'oco']),
  /** Type of the condition, as the exchange sends it. */
  conditionalOrderType: t.optionalText,
  /** `oto`: the order that places the others once it is filled. */
  conditionalOrder: leg,
  /** `oto`: price of the stop loss. */
  stopLossPrice: t.optionalText,
  /** `oto`: price of the take profit. */
  takeProfitPrice: t.optionalText,
  /** `oco`: the stop-loss order. */
  stopLoss: leg,
  /** `oco`: the take-profit order. */
  takeProfit: leg,
};

/** A conditional order: an OTO order, or a pair of OCO orders. Unknown fields are kept. */
export interface ConditionalOrder extends t.RecordOf<typeof conditionalOrderFields> {}

const conditionalOrderSchema: v.GenericSchema<unknown, ConditionalOrder> = v.pipe(
  t.record(conditionalOrderFields, otherNames),
  v.check((conditional) => ordersOf(conditional).length > 0, 'must have an order'),
);

/** A page of conditional orders. */
export interface ConditionalOrderPage extends RecordsPage<ConditionalOrder> {}

export const conditionalOrderPageSchema: v.GenericSchema<unknown, ConditionalOrderPage> =
  recordsPageOf(conditionalOrderSchema);

export function ordersOf({
  conditionalOrder,
  stopLoss,
  takeProfit,
}: Partial<Record<'conditionalOrder' | 'stopLoss' | 'takeProfit', Order | undefined>>): Order[] {
  return [conditionalOrder, stopLoss, takeProfit].filter((order) => order !== undefined);
}
