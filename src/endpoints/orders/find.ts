import * as v from 'valibot';
import { placesOrders, type OrderSearch } from '../../endpoint/index.js';
import type { OcoOrder } from '../../model/oco-order.js';
import type { Order } from '../../model/order.js';
import type { LiteralUnion } from '../../model/tolerant.js';
import type * as collateral from '../collateral/index.js';
import { placeOcoOrder } from '../collateral/place-oco-order.js';
import { text } from '../fields.js';
import * as spot from '../spot/index.js';
import { keyParams, ocoLookup, orderLookup, orderOfOcoLookup, plainOrderLookup } from './lookups.js';

/** The names of a group's endpoints that place orders. */
type OrderNames<Prefix extends string, Group> = {
  [Name in keyof Group & string]: Group[Name] extends { readonly safety: 'order' | 'orders' }
    ? `${Prefix}.${Name}`
    : never;
}[keyof Group & string];

/** The name of an endpoint that places orders, such as `spot.placeStockMarketOrder`. */
export type OrderEndpointName = OrderNames<'spot', typeof spot> | OrderNames<'collateral', typeof collateral>;

/** Parameters of {@link find}. */
export interface FindParams {
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** The identifier that the order was placed with. */
  readonly client_order_id: string;
  /** The endpoint that the order was sent to. Without it, the order can be found, but not proven absent. */
  readonly endpoint?: LiteralUnion<OrderEndpointName>;
}

/**
 * Looks up an order that was placed before, by this program or by one that has ended. Emits the order and completes.
 * Fails with {@link NotPlacedError} when it is proven that the order does not exist, and that no request in flight can
 * create it; with `outcome: 'unknown'` when that could not be proven. Sends no order.
 *
 * Proving that an order does not exist takes 20 s by default, because a request sent just before can still execute for
 * 18 s. The proof needs the `endpoint` that the order was sent to, and a client that has seen this endpoint take
 * identifiers: place or find an order of it first. An order that is in doubt in this client needs no `endpoint`.
 *
 * @example
 * ```ts
 * exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'my-order-7' }).subscribe({
 *   next: (order) => console.log('placed', order.status),
 *   error: (error: unknown) => console.log('not placed, or not known', error),
 * });
 * ```
 */
export const find: OrderSearch<FindParams, Order> = {
  name: 'orders.find',
  // Loose: what undecided$ emits, an order observable and an entry of a journal have more than the key.
  request: v.looseObject({ ...keyParams, endpoint: v.exactOptional(text) }),
  ...orderLookup,
  byEndpoint: {
    ...Object.fromEntries(
      Object.values(spot)
        .filter(placesOrders)
        .map(({ name }) => [name, plainOrderLookup]),
    ),
    [placeOcoOrder.name]: orderOfOcoLookup,
  },
};

/** Parameters of {@link findOco}. */
export interface FindOcoParams extends Omit<FindParams, 'endpoint'> {}

/**
 * Looks up an OCO order that was placed before, with both of its orders, and ends as `orders.find` does, which emits one
 * of them. The OCO order has no `id` after one of its orders was activated or filled. Sends no order.
 *
 * @example
 * ```ts
 * exchange.orders.findOco({ market: 'BTC_USDT', client_order_id: 'my-oco-7' }).subscribe({
 *   next: ({ take_profit, stop_loss }) => console.log(take_profit?.status, stop_loss?.status),
 *   error: (error: unknown) => console.log('not placed, or not known', error),
 * });
 * ```
 */
export const findOco: OrderSearch<FindOcoParams, OcoOrder> = {
  name: 'orders.findOco',
  request: v.looseObject(keyParams),
  sentTo: placeOcoOrder.name,
  ...ocoLookup,
};
