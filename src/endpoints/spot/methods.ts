// Written by `npm run docs`: the methods of `exchange.spot`.
import type { BalanceOfParams } from './balance-of.js';
import type { BulkOrderObservable, OrderObservable } from '../../orders/index.js';
import type { CallOptions } from '../../client/index.js';
import type { Observable } from 'rxjs';
import type { Order } from '../../model/order.js';
import type { PlaceLimitOrderParams } from './place-limit-order.js';
import type { PlaceLimitOrdersParams } from './place-limit-orders.js';
import type { PlaceMarketOrderParams } from './place-market-order.js';
import type { PlaceStockMarketOrderParams } from './place-stock-market-order.js';
import type { PlaceStopLimitOrderParams } from './place-stop-limit-order.js';
import type { PlaceStopMarketOrderParams } from './place-stop-market-order.js';
import type { TradeBalance, TradeBalanceOf } from '../../model/trade-balance.js';
import type { TradingFees } from '../../model/trading-fees.js';

/** The methods of `exchange.spot`. */
export interface SpotEndpoints {
  /**
   * Reads the trade balance by asset, which spot orders spend. An asset without a balance may be absent. {@link balanceOf}
   * reads one asset. Deposits arrive on the main balance, which `account.mainBalance` reads; collateral orders use
   * another balance.
   *
   * `POST /api/v4/trade-account/balance` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotbalance
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot.balance().subscribe((balance) => console.log(balance['USDT']?.available ?? '0'));
   * ```
   */
  readonly balance: (options?: CallOptions) => Observable<TradeBalance>;
  /**
   * Reads the trade balance of one asset, which spot orders spend. {@link balance} reads all assets. The exchange rejects
   * an asset that it does not have.
   *
   * `POST /api/v4/trade-account/balance` · signed · 12000 requests / 10 s (rate limit `orders`) · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotbalanceof
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot.balanceOf({ ticker: 'USDT' }).subscribe(({ available, freeze }) => console.log(available, freeze));
   * ```
   */
  readonly balanceOf: (params: BalanceOfParams, options?: CallOptions) => Observable<TradeBalanceOf>;
  /**
   * Reads the fees of the account's trades, in percent: `"0.1"` is 0.1 %. A market of `custom_fee` has the fees that it
   * states, every other market those of `taker` and `maker`, or of `futures_taker` and `futures_maker`. Fees of deposits
   * and withdrawals are those of `public.assetFees`.
   *
   * `POST /api/v4/market/fee` · signed · 10000 requests / 10 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotfees
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot.fees().subscribe((fees) => {
   *   const { taker, maker } = fees.custom_fee?.['BTC_USDT'] ?? fees;
   *   console.log(`taker ${taker} %, maker ${maker} %`);
   * });
   * ```
   */
  readonly fees: (options?: CallOptions) => Observable<TradingFees>;
  /**
   * Places a spot limit order. What does not match at once rests in the order book, and the account's money or stock for
   * it is frozen.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/new` · signed · 10000 requests / 10 s · an order, retried only when it is known or proven that it
   * does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price`), `insufficient-balance` (10), `would-take`
   *   (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`), `client-order-id`
   *   (36), `conflicting-flags` (37), `conflicting-flags` (40), `conflicting-flags` (41)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotplacelimitorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot
   *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000', postOnly: true })
   *   .subscribe((order) => console.log(order.order_id, order.status, order.left));
   * ```
   */
  readonly placeLimitOrder: (params: PlaceLimitOrderParams, options?: CallOptions) => OrderObservable<Order>;
  /**
   * Places 1 to 20 spot limit orders by one request. Emits one list with the result of each order, in their order:
   * `placed` with the order, or an error with its `outcome`. The observable itself fails for invalid parameters only.
   *
   * Each order is one order: after a lost response each is looked up by its `client_order_id`, and only an order that is
   * proven absent is sent again. The exchange may accept one market in a request only.
   *
   * `POST /api/v4/order/bulk` · signed · 10000 requests / 10 s · orders, each retried only when it is known or proven
   * that it does not exist
   *
   * The error of a result: {@link ApiError} with `reason` `step` (1, `amount` or `price`), `insufficient-balance` (10),
   * `would-take` (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`),
   * `client-order-id` (36), `conflicting-flags` (37), `conflicting-flags` (40), `conflicting-flags` (41); or any other
   * of every call.
   *
   * @throws {@link RequestError} for invalid parameters
   * @see docs/reference/spot.md#spotplacelimitorders
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot
   *   .placeLimitOrders({
   *     orders: [
   *       { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' },
   *       { market: 'BTC_USDT', side: 'sell', amount: '0.01', price: '90000' },
   *     ],
   *   })
   *   .subscribe((results) => {
   *     for (const result of results)
   *       console.log(result.client_order_id, result.outcome === 'placed' ? result.order.status : result.error.message);
   *   });
   * ```
   */
  readonly placeLimitOrders: (params: PlaceLimitOrdersParams, options?: CallOptions) => BulkOrderObservable<Order>;
  /**
   * Places a spot market order. A buy spends `amount` of the **quote** currency; a sell sells `amount` of the base
   * currency. In {@link placeStockMarketOrder} the amount is in the base currency on both sides.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/market` · signed · 10000 requests / 10 s · an order, retried only when it is known or proven that
   * it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount`), `validation` (30), `market` (31), `amount` (32),
   *   `client-order-id` (36)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotplacemarketorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot
   *   .placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '100' })
   *   .subscribe((order) => console.log(`${order.deal_stock} BTC for ${order.deal_money} USDT`));
   * ```
   */
  readonly placeMarketOrder: (params: PlaceMarketOrderParams, options?: CallOptions) => OrderObservable<Order>;
  /**
   * Places a spot market order whose `amount` is in the **base** currency on both sides. It executes at once at the best
   * available price; the average price is `deal_money / deal_stock`. {@link placeMarketOrder} buys for an amount of the
   * quote currency.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/stock_market` · signed · 10000 requests / 10 s · an order, retried only when it is known or
   * proven that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount`), `validation` (30), `market` (31), `amount` (32),
   *   `client-order-id` (36)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotplacestockmarketorder
   * @example
   * ```ts
   * import { createExchange, isFilled } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot
   *   .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
   *   .subscribe((order) => console.log(order.order_id, isFilled(order), order.deal_money));
   * ```
   */
  readonly placeStockMarketOrder: (
    params: PlaceStockMarketOrderParams,
    options?: CallOptions,
  ) => OrderObservable<Order>;
  /**
   * Places a spot stop limit order: it waits until the market reaches `activation_price`, and is a limit order then.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/stop_limit` · signed · 10000 requests / 10 s · an order, retried only when it is known or proven
   * that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `activation_price`), `insufficient-balance`
   *   (10), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`), `client-order-id` (36)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotplacestoplimitorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot
   *   .placeStopLimitOrder({ market: 'BTC_USDT', side: 'sell', amount: '0.01', activation_price: '50000', price: '49900' })
   *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.activated));
   * ```
   */
  readonly placeStopLimitOrder: (params: PlaceStopLimitOrderParams, options?: CallOptions) => OrderObservable<Order>;
  /**
   * Places a spot stop market order: it waits until the market reaches `activation_price`, and is a market order then. A buy
   * spends `amount` of the **quote** currency; a sell sells `amount` of the base currency.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/stop_market` · signed · 10000 requests / 10 s · an order, retried only when it is known or proven
   * that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `activation_price`), `insufficient-balance` (10),
   *   `validation` (30), `market` (31), `amount` (32), `client-order-id` (36)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/spot.md#spotplacestopmarketorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.spot
   *   .placeStopMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '100', activation_price: '70000' })
   *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.activated));
   * ```
   */
  readonly placeStopMarketOrder: (params: PlaceStopMarketOrderParams, options?: CallOptions) => OrderObservable<Order>;
}
