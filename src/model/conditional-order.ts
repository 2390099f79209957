// A conditional order: one order that brings others (OTO), or two of which one cancels the other (OCO).
import * as v from 'valibot';
import { legSchema, type Order } from './order.js';
import { listOf, optional, optionalEnum, optionalNumber, optionalText, integer, record } from './tolerant.js';

/** The names that older descriptions give the fields of a conditional order. */
const otherNames = {
  conditionalOrderType: 'conditional_order_type',
  stopLoss: 'stop_loss',
  takeProfit: 'take_profit',
  conditionalOrder: 'conditional_order',
  stopLossPrice: 'stop_loss_price',
  takeProfitPrice: 'take_profit_price',
} as const;

/** Its orders decide: an order in it that cannot be read makes it one that cannot be read. */
const leg = v.optional(legSchema);

const conditionalOrderSchema = v.pipe(
  record(
    {
      /** The exchange's number of it: `oto.otoId` of the order that it was placed with. */
      id: optional(integer),
      /**
       * `oto`: `conditionalOrder` brings a stop loss or a take profit. `oco`: of `stopLoss` and `takeProfit` one
       * cancels the other.
       */
      type: optionalEnum(['oto', 'oco']),
      /** Its kind, in the exchange's words. */
      conditionalOrderType: optionalText,
      /** `oto`: the order that brings the others. */
      conditionalOrder: leg,
      /** `oto`: price of the stop loss. */
      stopLossPrice: optionalText,
      /** `oto`: price of the take profit. */
      takeProfitPrice: optionalText,
      /** `oco`: the order that stops the loss. */
      stopLoss: leg,
      /** `oco`: the order that takes the profit. */
      takeProfit: leg,
    },
    otherNames,
  ),
  v.check((conditional) => ordersOf(conditional).length > 0, 'must have an order'),
);

/** A page of conditional orders; a bare list is one too. */
export const conditionalOrdersSchema = v.pipe(
  v.unknown(),
  v.transform((page) => (Array.isArray(page) ? { records: page as unknown[] } : page)),
  record({
    /** How many were left out before these. */
    offset: optionalNumber,
    /** The most that the page could hold. */
    limit: optionalNumber,
    /** How many there are. */
    total: optionalNumber,
    /** The conditional orders of the page; without those that cannot be read. */
    records: listOf(conditionalOrderSchema),
  }),
);

/** A conditional order: the orders that are linked. Fields that are not known are kept. */
export interface ConditionalOrder extends v.InferOutput<typeof conditionalOrderSchema> {}

/** The orders in a conditional order. */
export function ordersOf({
  conditionalOrder,
  stopLoss,
  takeProfit,
}: Partial<Record<'conditionalOrder' | 'stopLoss' | 'takeProfit', Order | undefined>>): Order[] {
  return [conditionalOrder, stopLoss, takeProfit].filter((order) => order !== undefined);
}
