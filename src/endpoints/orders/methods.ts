// Written by `npm run docs`: the methods of `exchange.orders`.
import type { CallOptions, FindOptions } from '../../client/index.js';
import type { CancelParams } from './cancel.js';
import type { ConditionalOrderPage } from '../../model/conditional-order.js';
import type { ConditionalParams } from './conditional.js';
import type { Deal, DealPage } from '../../model/deal.js';
import type { DealsByMarket, DealsByMarketParams } from './deals-by-market.js';
import type { DealsOfOrderParams } from './deals-of-order.js';
import type { DealsParams } from './deals.js';
import type { FindParams } from './find.js';
import type { HistoryParams, OrderHistory } from './history.js';
import type { KillSwitch, SetKillSwitchParams } from './set-kill-switch.js';
import type { ModifyParams } from './modify.js';
import type { Observable } from 'rxjs';
import type { OpenParams } from './open.js';
import type { Order } from '../../model/order.js';

/** The methods of `exchange.orders`. */
export interface OrdersEndpoints {
  /**
   * Cancels an open order, spot or collateral, by one of its identifiers. Emits the order as it was canceled.
   *
   * `order-not-found` means that no such order is open: it may have been filled, or never have been placed. Where an
   * earlier request of the same observable may have canceled it, because its response was lost, the order is looked up in
   * the history and emitted as it ended: see {@link isCanceled} and {@link isFilled}. The outcome is `unknown` when the
   * history does not show it within seconds. By `client_order_id`, a late request can cancel a newer order that has the
   * same identifier: prefer `order_id`.
   *
   * `POST /api/v4/order/cancel` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (2, `orderId` or `order_id`), `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderscancel
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { collateral, orders } = createExchange(createSandbox().clientOptions());
   * collateral
   *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' })
   *   .pipe(concatMap(({ market, order_id }) => orders.cancel({ market, order_id })))
   *   .subscribe((order) => console.log(order.status));
   * ```
   */
  readonly cancel: (params: CancelParams, options?: CallOptions) => Observable<Order>;
  /**
   * Lists a page of the conditional orders that are not executed yet. These are collateral limit orders with a stop loss
   * or a take profit (OTO), and pairs of which one cancels the other (OCO). {@link open} does not always list them.
   *
   * `POST /api/v4/conditional-orders` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersconditional
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   *
   * const logStops = (exchange: Exchange) =>
   *   exchange.orders.conditional({ market: 'BTC_USDT' }).subscribe(({ records }) => {
   *     for (const { conditionalOrder, stopLossPrice } of records) console.log(conditionalOrder?.order_id, stopLossPrice);
   *   });
   * ```
   */
  readonly conditional: (params?: ConditionalParams, options?: CallOptions) => Observable<ConditionalOrderPage>;
  /**
   * Lists the deals of a market, newest first: the trades of your orders, spot and collateral. The exchange keeps them for
   * 6 months. {@link dealsByMarket} reads those of all markets, {@link dealsOfOrder} those of one order.
   *
   * `order-not-found` means that no order has the given `client_order_id`. An identifier may have been used for several
   * orders.
   *
   * `POST /api/v4/trade-account/executed-history` · signed · 12000 requests / 10 s (rate limit `orders`) · a read,
   * retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (30, `orderHistory`), `validation` (30), `market` (31)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersdeals
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.deals({ market: 'BTC_USDT', limit: 10 }).subscribe((deals) => {
   *   for (const { side, amount, price, role } of deals) console.log(side, amount, 'at', price, role === 1 ? 'maker' : 'taker');
   * });
   * ```
   */
  readonly deals: (params: DealsParams, options?: CallOptions) => Observable<Deal[]>;
  /**
   * Lists the deals of all markets, by market: `{ BTC_USDT: [deal, …] }`, newest first. `limit` and `offset` count over all
   * markets together. The exchange keeps deals for 6 months. {@link deals} reads those of one market.
   *
   * `order-not-found` means that no order has the given `client_order_id`; any other filter without a match emits `{}`.
   *
   * `POST /api/v4/trade-account/executed-history` · signed · 12000 requests / 10 s (rate limit `orders`) · a read,
   * retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (30, `orderHistory`), `validation` (30), `market` (31)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersdealsbymarket
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.dealsByMarket({ limit: 100 }).subscribe((byMarket) => {
   *   for (const [market, deals] of Object.entries(byMarket)) console.log(market, deals.length);
   * });
   * ```
   */
  readonly dealsByMarket: (params?: DealsByMarketParams, options?: CallOptions) => Observable<DealsByMarket>;
  /**
   * Lists a page of the deals of one order. An order that does not exist has a page without deals, just as one that has
   * not traded: this proves nothing about an order. {@link find} looks an order up.
   *
   * `POST /api/v4/trade-account/order` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersdealsoforder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { orders, spot } = createExchange(createSandbox().clientOptions());
   * spot
   *   .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
   *   .pipe(concatMap(({ order_id }) => orders.dealsOfOrder({ order_id })))
   *   .subscribe(({ records }) => console.log(records.map(({ amount, price, fee }) => ({ amount, price, fee }))));
   * ```
   */
  readonly dealsOfOrder: (params: DealsOfOrderParams, options?: CallOptions) => Observable<DealPage>;
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
  readonly find: (params: FindParams, options?: FindOptions) => Observable<Order>;
  /**
   * Lists orders that have ended, by market: `{ BTC_USDT: [order, …] }`. They have `ftime`, the time at which they ended,
   * and no `left`.
   *
   * `order-not-found` means that no order has the given `client_order_id`; any other filter without a match emits `{}`. An
   * order may be missing for a moment after it ended. Some accounts have no canceled orders in their history.
   *
   * `POST /api/v4/trade-account/order/history` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried
   * after a transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (30, `orderHistory`), `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordershistory
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.history({ market: 'BTC_USDT', limit: 10 }).subscribe((history) => console.log(history['BTC_USDT']?.length ?? 0));
   * ```
   */
  readonly history: (params?: HistoryParams, options?: CallOptions) => Observable<OrderHistory>;
  /**
   * Modifies an open limit, stop limit or stop market order, spot or collateral. The exchange cancels the order and places
   * another at the end of the queue: **the modified order has a new `order_id`**, and keeps its `client_order_id`. Emits the
   * modified order.
   *
   * An order is modified by `order_id` only: the old `order_id` ends with the modification, so a request that is sent again
   * cannot modify the order twice. `order-not-found` means that no such order is open. After a lost response, the
   * modified order is looked up by its `client_order_id`; the outcome is `unknown` when it cannot be found.
   *
   * `POST /api/v4/order/modify` · signed · 10000 requests / 10 s · idempotent, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `activation_price`), `order-not-found` (2,
   *   `orderId` or `order_id`), `insufficient-balance` (10), `validation` (30), `market` (31), `amount` (32), `price`
   *   (33, `price`), `client-order-id` (36)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersmodify
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { spot, orders } = createExchange(createSandbox().clientOptions());
   * spot
   *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' })
   *   .pipe(
   *     concatMap(({ market, order_id, client_order_id }) =>
   *       orders.modify({ market, order_id, client_order_id, price: '50100' }),
   *     ),
   *   )
   *   .subscribe((order) => console.log('now', order.order_id, order.price));
   * ```
   */
  readonly modify: (params: ModifyParams, options?: CallOptions) => Observable<Order>;
  /**
   * Lists the open orders of the account, spot and collateral. Emits an empty list when no order is open.
   *
   * `POST /api/v4/orders` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersopen
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.open({ market: 'BTC_USDT' }).subscribe((orders) => console.log(orders.length));
   * ```
   */
  readonly open: (params?: OpenParams, options?: CallOptions) => Observable<Order[]>;
  /**
   * Sets a kill switch: the exchange cancels your open orders of the market unless the kill switch is set again in time.
   * It protects a bot that crashes, or loses its connection, while orders rest in the book.
   *
   * `POST /api/v4/order/kill-switch` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderssetkillswitch
   * @example
   * ```ts
   * import { createExchange, poll } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const { orders } = createExchange(createSandbox().clientOptions());
   * const heartbeat$ = orders.setKillSwitch({ market: 'BTC_USDT', timeout: 10 }, { callTimeoutMs: 2000 }).pipe(poll({ everyMs: 3000 }));
   * const heartbeat = heartbeat$.subscribe({ error: (error: unknown) => console.error('unprotected: stop quoting', error) });
   * heartbeat.unsubscribe(); // ten seconds after the last request, the exchange cancels the orders
   * ```
   */
  readonly setKillSwitch: (params: SetKillSwitchParams, options?: CallOptions) => Observable<KillSwitch>;
}
