// Written by `npm run docs`: the methods of `exchange.orders`.
import type { ActiveKillSwitch, KillSwitch } from '../../model/kill-switch.js';
import type { CallOptions, FindOptions } from '../../client/index.js';
import type { CancelAllParams } from './cancel-all.js';
import type { CancelConditionalParams } from './cancel-conditional.js';
import type { CancelManyParams } from './cancel-many.js';
import type { CancelOcoParams } from './cancel-oco.js';
import type { CancelOtoParams } from './cancel-oto.js';
import type { CancelParams } from './cancel.js';
import type { CancelResult } from '../../model/cancel-result.js';
import type { ConditionalOrderPage } from '../../model/conditional-order.js';
import type { ConditionalParams } from './conditional.js';
import type { Deal, DealPage } from '../../model/deal.js';
import type { DealsByMarket, DealsByMarketParams } from './deals-by-market.js';
import type { DealsOfOrderParams } from './deals-of-order.js';
import type { DealsParams } from './deals.js';
import type { DelistedOrder } from '../../model/delisted-order.js';
import type { DelistedParams } from './delisted.js';
import type { FindParams } from './find.js';
import type { HistoryParams, OrderHistory } from './history.js';
import type { KillSwitchesParams } from './kill-switches.js';
import type { ModifyParams } from './modify.js';
import type { Observable } from 'rxjs';
import type { OcoOrder } from '../../model/oco-order.js';
import type { OcoParams } from './oco.js';
import type { OpenParams } from './open.js';
import type { Order } from '../../model/order.js';
import type { SetKillSwitchParams } from './set-kill-switch.js';

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
   * @throws {@link ApiError} with `reason` `order-not-found` (2, `orderId` or `order_id`), `order-not-found` (2, HTTP
   *   400), `order-not-found` (2, HTTP 422), `validation` (30)
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
   * Cancels all open orders: spot and collateral, of all markets, or those that the parameters name. Emits an empty list
   * when the exchange has canceled them.
   *
   * A request that arrives late cancels the orders that were placed in the meantime, too. So does a retry: with `retry:
   * false`, a lost response ends the call, and {@link open} shows which orders are left.
   *
   * `POST /api/v4/order/cancel/all` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderscancelall
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const { orders } = createExchange(createSandbox().clientOptions());
   * orders.cancelAll({ market: 'BTC_USDT', type: ['margin'] }).subscribe(() => console.log('no margin order of BTC_USDT is open'));
   * ```
   */
  readonly cancelAll: (params?: CancelAllParams, options?: CallOptions) => Observable<unknown[]>;
  /**
   * Cancels a conditional order by its number. It is an OCO order with both of its orders, or an OTO order with its stop
   * loss and take profit. Emits an empty list when the exchange has canceled them.
   *
   * `order-not-found` means that no such conditional order is open: it may have been executed. Its outcome is `unknown`
   * where an earlier request of the same observable may have canceled the order, because its response was lost. No lookup
   * can settle this, because no list has the number of a conditional order that has ended. {@link find}, by the
   * `client_order_id` of its orders, shows how they ended. A number is used once, so a late request cancels no other order.
   *
   * `POST /api/v4/order/conditional-cancel` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried
   * after a transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (2, `id`), `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderscancelconditional
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap, from } from 'rxjs';
   *
   * const { orders } = createExchange(createSandbox().clientOptions());
   * orders
   *   .conditional({ market: 'BTC_USDT' })
   *   .pipe(
   *     concatMap(({ records }) => from(records.flatMap(({ id }) => id ?? []))),
   *     concatMap((id) => orders.cancelConditional({ market: 'BTC_USDT', id })),
   *   )
   *   .subscribe({ complete: () => console.log('canceled') });
   * ```
   */
  readonly cancelConditional: (params: CancelConditionalParams, options?: CallOptions) => Observable<unknown[]>;
  /**
   * Cancels several open orders in one request, each by one of its identifiers. Emits one result for each order, in the
   * order of the request: `canceled`; `not-found`; or `failed` with the reason, whose `outcome` says whether the order may
   * have been canceled all the same. A response with more or fewer results is a {@link ResponseError}.
   *
   * After a lost response, a retry reports an order as `not-found` that an earlier attempt canceled. With
   * `client_order_id`, a request that arrives late can cancel a newer order that has the same identifier; with `order_id`
   * it cannot.
   *
   * `POST /api/v4/order/cancel/bulk` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderscancelmany
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const { orders } = createExchange(createSandbox().clientOptions());
   * const ids = ['mine-1', 'mine-2'];
   * orders.cancelMany({ orders: ids.map((client_order_id) => ({ market: 'BTC_USDT', client_order_id })) }).subscribe((results) => {
   *   for (const [index, { result }] of results.entries()) console.log(ids[index], result);
   * });
   * ```
   */
  readonly cancelMany: (params: CancelManyParams, options?: CallOptions) => Observable<CancelResult[]>;
  /**
   * Cancels both orders of an OCO order, by one of its identifiers. Emits the OCO order as it was canceled.
   *
   * `order-not-found` means that no such OCO order is open: it may have been activated or filled. Where an earlier request
   * of the same observable may have canceled it, because its response was lost, its orders are looked up in the history by
   * `client_order_id`, and the OCO order is emitted as they ended: without its `id`, and one of them may have been filled.
   * The outcome is `unknown` when the history does not show both within seconds, and with `order_id`, because no list has
   * the number of an OCO order that has ended. With `client_order_id`, a request that arrives late can cancel a newer OCO
   * order that has the same identifier; with `order_id` it cannot.
   *
   * `POST /api/v4/order/oco-cancel` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (2, `orderId` or `order_id`), `order-not-found` (2, HTTP
   *   400), `order-not-found` (2, HTTP 422), `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderscanceloco
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { collateral, orders } = createExchange(createSandbox().clientOptions());
   * const market = 'BTC_USDT';
   * collateral
   *   .placeOcoOrder({ market, side: 'buy', amount: '0.01', price: '50000', activation_price: '70000', stop_limit_price: '70100' })
   *   .pipe(concatMap(({ client_order_id }) => orders.cancelOco({ market, client_order_id })))
   *   .subscribe(({ take_profit, stop_loss }) => console.log(take_profit?.status, stop_loss?.status));
   * ```
   */
  readonly cancelOco: (params: CancelOcoParams, options?: CallOptions) => Observable<OcoOrder>;
  /**
   * Cancels an OTO order with its stop loss and take profit. Emits an empty list when the exchange has canceled them.
   *
   * `order-not-found` means that no such OTO order is open: it may have been executed. Its outcome is `unknown` where an
   * earlier request of the same observable may have canceled the order, because its response was lost. No lookup can settle
   * this, because no list has the number of an OTO order that has ended. {@link find}, by the `client_order_id` of the
   * order, shows how the order ended. A number is used once, so a late request cancels no other order.
   *
   * `POST /api/v4/order/oto-cancel` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `order-not-found` (2, `otoId`), `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderscanceloto
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { collateral, orders } = createExchange(createSandbox().clientOptions());
   * const market = 'BTC_USDT';
   * collateral
   *   .placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '10000', stopLoss: '9000' })
   *   .pipe(concatMap(({ oto }) => orders.cancelOto({ market, otoId: oto?.otoId ?? 0 })))
   *   .subscribe(() => console.log('canceled, with its stop loss'));
   * ```
   */
  readonly cancelOto: (params: CancelOtoParams, options?: CallOptions) => Observable<unknown[]>;
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
   * Lists the orders that the exchange ended because it delisted their market, the newest end first. They are listed here
   * when their market is no longer listed.
   *
   * `POST /api/v4/trade-account/order/history/query` · signed · 10000 requests / 10 s and 12000 requests / 10 s (rate
   * limit `orders`) · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersdelisted
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.delisted({ status: 'delisting' }).subscribe((list) => {
   *   for (const { market, order_id, deal_stock } of list) console.log(market, order_id, 'filled', deal_stock);
   * });
   * ```
   */
  readonly delisted: (params?: DelistedParams, options?: CallOptions) => Observable<DelistedOrder[]>;
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
   * Lists the kill switches that are set, one of a market at most. Emits an empty list when none is set. A kill switch
   * without `types` cancels orders of all kinds.
   *
   * `POST /api/v4/order/kill-switch/status` · signed · 10000 requests / 10 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#orderskillswitches
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.killSwitches().subscribe((list) => {
   *   for (const { market, cancellationTime } of list) console.log(market, 'is canceled at', cancellationTime);
   * });
   * ```
   */
  readonly killSwitches: (params?: KillSwitchesParams, options?: CallOptions) => Observable<ActiveKillSwitch[]>;
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
   *   `orderId` or `order_id`), `order-not-found` (2, HTTP 400), `order-not-found` (2, HTTP 422), `insufficient-balance`
   *   (10), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`), `client-order-id` (36)
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
   * Lists the open OCO orders. An OCO order whose stop order was activated, or one of whose orders was filled, has ended:
   * {@link open} and {@link history} list its orders.
   *
   * `POST /api/v4/oco-orders` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/orders.md#ordersoco
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.orders.oco({ market: 'BTC_USDT' }).subscribe((list) => {
   *   for (const { id, take_profit, stop_loss } of list) console.log(id, take_profit?.price, stop_loss?.activation_price);
   * });
   * ```
   */
  readonly oco: (params?: OcoParams, options?: CallOptions) => Observable<OcoOrder[]>;
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
