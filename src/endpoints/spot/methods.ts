// Written by `npm run docs`: the methods of `exchange.spot`.
import type { CallOptions } from '../../client/index.js';
import type { Order } from '../../model/order.js';
import type { OrderObservable } from '../../orders/index.js';
import type { PlaceMarketOrderParams } from './place-market-order.js';
import type { PlaceStockMarketOrderParams } from './place-stock-market-order.js';

/** The methods of `exchange.spot`. */
export interface SpotEndpoints {
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
}
