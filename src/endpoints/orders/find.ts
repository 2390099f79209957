import { from, mergeMap, type Observable } from 'rxjs';
import type { Client, FindOptions } from '../../client/index.js';
import type { LiteralUnion } from '../../model/literal-union.js';
import { legsOf } from '../../model/oco-order.js';
import { hasDeals, isOpen, type Order } from '../../model/order.js';
import type { OrderLookup } from '../../endpoint/index.js';
import type * as collateral from '../collateral/index.js';
import type * as spot from '../spot/index.js';
import { placeLimitOrder } from '../spot/place-limit-order.js';
import { placeLimitOrders } from '../spot/place-limit-orders.js';
import { placeMarketOrder } from '../spot/place-market-order.js';
import { placeStockMarketOrder } from '../spot/place-stock-market-order.js';
import { placeStopLimitOrder } from '../spot/place-stop-limit-order.js';
import { placeStopMarketOrder } from '../spot/place-stop-market-order.js';
import { placeOcoOrder } from '../collateral/place-oco-order.js';
import { orderLookup } from './lookup.js';
import { ocoLookup } from './lookup-oco.js';

/** The names of a group's endpoints that place orders. */
type OrderNames<Prefix extends string, Group> = {
  [Name in keyof Group & string]: Group[Name] extends { readonly safety: 'order' | 'orders' }
    ? `${Prefix}.${Name}`
    : never;
}[keyof Group & string];

/** These orders have no stop loss and no take profit: the conditional orders say nothing about them. */
const plainOrders: ReadonlySet<unknown> = new Set(
  [
    placeLimitOrder,
    placeLimitOrders,
    placeMarketOrder,
    placeStockMarketOrder,
    placeStopLimitOrder,
    placeStopMarketOrder,
  ].map(({ name }) => name),
);

/** Finds one of the orders of an OCO order: the one that was filled, if either was. */
const orderOfOco: OrderLookup<Order> = {
  name: ocoLookup.name,
  find: (call, key, since) =>
    ocoLookup.find(call, key, since).pipe(
      mergeMap((oco) => {
        const orders = legsOf(oco);
        const telling = orders.find(hasDeals);
        return from([telling ?? orders.find(isOpen) ?? orders[0]].filter((order) => order !== undefined));
      }),
    ),
};

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
 * @throws {@link RequestError} for a `market` or `client_order_id` that no order can have
 * @throws {@link NotPlacedError}, {@link TransportError}, {@link TimeoutError}
 * @see docs/reference/orders.md#ordersfind
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'my-order-7' }).subscribe({
 *   next: (order) => console.log('placed', order.status),
 *   error: (error: unknown) => console.log('not placed, or not known', error),
 * });
 * ```
 */
export function find(client: Pick<Client, 'findOrder'>, params: FindParams, options?: FindOptions): Observable<Order> {
  const { endpoint } = { ...params };
  const key = plainOrders.has(endpoint) ? { ...params, isConditional: false } : params;
  return client.findOrder(endpoint === placeOcoOrder.name ? orderOfOco : orderLookup, key, options);
}
