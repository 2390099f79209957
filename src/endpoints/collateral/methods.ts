// Written by `npm run docs`: the methods of `exchange.collateral`.
import type { ActiveHedgeMode, SetHedgeModeParams } from './set-hedge-mode.js';
import type { ActiveLeverage, SetLeverageParams } from './set-leverage.js';
import type { AdlQuantile } from '../../model/adl-quantile.js';
import type { BalanceParams } from './balance.js';
import type { BalanceSummaryParams } from './balance-summary.js';
import type { BulkOrderObservable, OrderObservable } from '../../orders/index.js';
import type { CallOptions } from '../../client/index.js';
import type { ClosePositionParams, ClosePositionResponse } from './close-position.js';
import type { ClosedPosition, PositionChange } from '../../model/position-history.js';
import type { ClosedPositionsParams } from './closed-positions.js';
import type { CollateralAsset, CollateralBalance, CollateralSummary } from '../../model/collateral-balance.js';
import type { FundingPaymentPage } from '../../model/funding-payment.js';
import type { FundingPaymentsParams } from './funding-payments.js';
import type { HedgeMode } from './hedge-mode.js';
import type { Observable } from 'rxjs';
import type { OcoOrder } from '../../model/oco-order.js';
import type { OpenPositionsParams } from './open-positions.js';
import type { Order } from '../../model/order.js';
import type { PlaceLimitOrderParams } from './place-limit-order.js';
import type { PlaceLimitOrdersParams } from './place-limit-orders.js';
import type { PlaceMarketOrderParams } from './place-market-order.js';
import type { PlaceOcoOrderParams } from './place-oco-order.js';
import type { PlaceStopLimitOrderParams } from './place-stop-limit-order.js';
import type { PlaceTriggerMarketOrderParams } from './place-trigger-market-order.js';
import type { Position } from '../../model/position.js';
import type { PositionHistoryParams } from './position-history.js';

/** The methods of `exchange.collateral`. */
export interface CollateralEndpoints {
  /**
   * Reads the rank of your futures positions for automatic deleveraging (ADL), from 0, the safest, to 4. When a bankrupt
   * account cannot be closed at the market, the exchange closes positions of the highest rank against it.
   *
   * Lists the futures markets in which you have a position. Emits an empty list without any.
   *
   * `POST /api/v4/collateral-account/adl-quantile` · signed · 12000 requests / 10 s · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateraladlquantiles
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.adlQuantiles().subscribe((quantiles) => {
   *   for (const { market, long = 0, short = 0 } of quantiles) if (Math.max(long, short) === 4) console.log(market, 'is next');
   * });
   * ```
   */
  readonly adlQuantiles: (options?: CallOptions) => Observable<AdlQuantile[]>;
  /**
   * Reads the collateral balance by asset: `{ USDT: "1000.5" }`. An asset without a balance may be absent.
   * {@link balanceSummary} says what of it is available, and {@link summary} has the margin of the account.
   *
   * `POST /api/v4/collateral-account/balance` · signed · 12000 requests / 10 s · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralbalance
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.balance().subscribe((balance) => console.log(balance['USDT'] ?? '0'));
   * ```
   */
  readonly balance: (params?: BalanceParams, options?: CallOptions) => Observable<CollateralBalance>;
  /**
   * Lists the assets of the collateral account. Each has its balance, its loan, and what is available with and without
   * borrowing. All amounts of an asset are in that asset.
   *
   * `POST /api/v4/collateral-account/balance-summary` · signed · 12000 requests / 10 s · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralbalancesummary
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.balanceSummary().subscribe((assets) => {
   *   for (const { asset, balance, availableWithoutBorrow } of assets) console.log(asset, balance, availableWithoutBorrow);
   * });
   * ```
   */
  readonly balanceSummary: (params?: BalanceSummaryParams, options?: CallOptions) => Observable<CollateralAsset[]>;
  /**
   * Closes an open position, margin or futures, with a market order for its whole amount. The exchange cancels the stop
   * loss and the take profit of the position.
   *
   * The response is not documented, and was seen to be an empty list. The observable emits an object with the fields of
   * the response, which is empty when it has none: {@link openPositions} shows what is left of the position, and
   * {@link closedPositions} what it came to.
   *
   * `position-not-found` means that no such position is open. Where an earlier request of the same observable may have
   * closed it, because its response was lost, the position is looked up among the closed ones: the observable emits an
   * empty object when it is there. The outcome is `unknown` when no list shows it within seconds.
   *
   * `POST /api/v4/collateral-account/position/close` · signed · 10000 requests / 10 s · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30), `market` (31), `position-not-found` (104), `position-side`
   *   (114)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralcloseposition
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap, mergeAll } from 'rxjs';
   *
   * const { collateral } = createExchange(createSandbox().clientOptions());
   * collateral
   *   .openPositions()
   *   .pipe(
   *     mergeAll(),
   *     concatMap(({ market, positionId }) => collateral.closePosition({ market, positionId })),
   *   )
   *   .subscribe({ complete: () => console.log('every position is closed') });
   * ```
   */
  readonly closePosition: (params: ClosePositionParams, options?: CallOptions) => Observable<ClosePositionResponse>;
  /**
   * Lists the positions that were closed, the last one first, each with its profit, fees and funding. The period is that
   * of the closing; the figures are those of the whole life of a position.
   *
   * `netPnl` is what a position came to: do not subtract `totalTradeFee` or `totalFunding` from it, which it is already
   * net of.
   *
   * `POST /api/v4/collateral-account/positions/closed-pnl` · signed · 12000 requests / 10 s · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralclosedpositions
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.closedPositions({ limit: 10 }).subscribe((positions) => {
   *   for (const { market, closedSize, netPnl } of positions) console.log(market, closedSize, netPnl);
   * });
   * ```
   */
  readonly closedPositions: (params?: ClosedPositionsParams, options?: CallOptions) => Observable<ClosedPosition[]>;
  /**
   * Lists a page of the funding that your futures positions paid and received, newest first. Parameters have times in Unix
   * seconds; times of the response are **strings** of Unix seconds.
   *
   * `POST /api/v4/collateral-account/funding-history` · signed · 12000 requests / 10 s · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralfundingpayments
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   *
   * const logFunding = (exchange: Exchange) =>
   *   exchange.collateral.fundingPayments({ market: 'BTC_PERP', limit: 3 }).subscribe(({ records }) => {
   *     for (const { fundingTime, fundingAmount } of records) console.log(new Date(Number(fundingTime) * 1000), fundingAmount);
   *   });
   * ```
   */
  readonly fundingPayments: (params?: FundingPaymentsParams, options?: CallOptions) => Observable<FundingPaymentPage>;
  /**
   * Reads whether the collateral account is in hedge mode. In hedge mode a market may have a long and a short position at
   * once, and every order names its `positionSide`. Otherwise an order on the other side reduces the position.
   *
   * `POST /api/v4/collateral-account/hedge-mode` · signed · 12000 requests / 10 s · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralhedgemode
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.hedgeMode().subscribe(({ hedgeMode }) => console.log(hedgeMode ? 'hedge mode' : 'one-way mode'));
   * ```
   */
  readonly hedgeMode: (options?: CallOptions) => Observable<HedgeMode>;
  /**
   * Lists the open positions of the collateral account, margin and futures. Emits an empty list when no position is open.
   * In hedge mode a market may have two: see {@link hedgeMode}.
   *
   * `POST /api/v4/collateral-account/positions/open` · signed · 12000 requests / 10 s · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralopenpositions
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { collateral } = createExchange(createSandbox().clientOptions());
   * collateral
   *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '100000', ioc: true })
   *   .pipe(concatMap(({ market }) => collateral.openPositions({ market })))
   *   .subscribe((positions) => {
   *     for (const { amount, basePrice, unrealizedPnl } of positions) console.log(amount, 'at', basePrice, unrealizedPnl);
   *   });
   * ```
   */
  readonly openPositions: (params?: OpenPositionsParams, options?: CallOptions) => Observable<Position[]>;
  /**
   * Places a collateral limit order. A buy opens a long position, a sell a short one. With `stopLoss` or `takeProfit` it
   * is an OTO order, and the response has `oto`.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/collateral/limit` · signed · 10000 requests / 10 s · an order, retried only when it is known or
   * proven that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `stopLoss` or `takeProfit`),
   *   `insufficient-balance` (10), `would-take` (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32),
   *   `price` (33, `price`), `client-order-id` (36), `conflicting-flags` (37), `conflicting-flags` (40), `position-limit`
   *   (111), `position-limit` (112), `positions-open` (113), `position-side` (114), `opposite-position` (115),
   *   `reduce-only` (116)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralplacelimitorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral
   *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000', stopLoss: '9000', takeProfit: '12000' })
   *   .subscribe((order) => console.log(order.order_id, order.status, order.oto?.otoId));
   * ```
   */
  readonly placeLimitOrder: (params: PlaceLimitOrderParams, options?: CallOptions) => OrderObservable<Order>;
  /**
   * Places 1 to 20 collateral limit orders by one request. Emits one list with the result of each order, in their order:
   * `placed` with the order, or an error with its `outcome`. The observable itself fails for invalid parameters only.
   *
   * Each order is one order: after a lost response each is looked up by its `client_order_id`, and only an order that is
   * proven absent is sent again. The exchange may accept one market in a request only.
   *
   * `POST /api/v4/order/collateral/bulk` · signed · 10000 requests / 10 s · orders, each retried only when it is known or
   * proven that it does not exist
   *
   * The error of a result: {@link ApiError} with `reason` `step` (1, `amount` or `price` or `stopLoss` or `takeProfit`),
   * `insufficient-balance` (10), `would-take` (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32),
   * `price` (33, `price`), `client-order-id` (36), `conflicting-flags` (37), `conflicting-flags` (40), `position-limit`
   * (111), `position-limit` (112), `positions-open` (113), `position-side` (114), `opposite-position` (115),
   * `reduce-only` (116); or any other of every call.
   *
   * @throws {@link RequestError} for invalid parameters
   * @see docs/reference/collateral.md#collateralplacelimitorders
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral
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
   * Places a collateral market order. A buy opens a long position, a sell a short one; `amount` is in the **base** currency
   * on both sides. With `stopLoss` or `takeProfit` it is an OTO order, and the response has `oto`.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/collateral/market` · signed · 10000 requests / 10 s · an order, retried only when it is known or
   * proven that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `stopLoss` or `takeProfit`), `insufficient-balance`
   *   (10), `validation` (30), `market` (31), `amount` (32), `client-order-id` (36), `position-limit` (111),
   *   `position-limit` (112), `positions-open` (113), `position-side` (114), `opposite-position` (115), `reduce-only`
   *   (116)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralplacemarketorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral
   *   .placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', stopLoss: '50000' })
   *   .subscribe((order) => console.log(order.order_id, order.deal_money, order.oto?.otoId));
   * ```
   */
  readonly placeMarketOrder: (params: PlaceMarketOrderParams, options?: CallOptions) => OrderObservable<Order>;
  /**
   * Places a collateral OCO order: a limit order and a stop limit order of the same amount, side and identifier. The first
   * that is activated or filled cancels the other. The response has both.
   *
   * The observable places at most one OCO order, no matter how often it is subscribed to or retried. After a restart,
   * `exchange.findOrder` with {@link ocoLookup} finds it with both of its orders; `orders.find` emits one of them.
   *
   * `POST /api/v4/order/collateral/oco` · signed · 10000 requests / 10 s · an order, retried only when it is known or
   * proven that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `activation_price` or `stop_limit_price`),
   *   `insufficient-balance` (10), `would-take` (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32),
   *   `price` (33, `price`), `client-order-id` (36), `conflicting-flags` (37), `conflicting-flags` (40), `position-limit`
   *   (111), `position-limit` (112), `positions-open` (113), `position-side` (114), `opposite-position` (115),
   *   `reduce-only` (116), `price` (151), `insufficient-balance` (152), `insufficient-balance` (153)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralplaceocoorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral
   *   .placeOcoOrder({ market: 'BTC_USDT', side: 'sell', amount: '0.01', price: '70000', activation_price: '50000', stop_limit_price: '49900' })
   *   .subscribe(({ id, take_profit, stop_loss }) => console.log(id, take_profit?.order_id, stop_loss?.order_id));
   * ```
   */
  readonly placeOcoOrder: (params: PlaceOcoOrderParams, options?: CallOptions) => OrderObservable<OcoOrder>;
  /**
   * Places a collateral stop limit order. It waits until the market reaches `activation_price`, and is a limit order then.
   * With `stopLoss` or `takeProfit` it is an OTO order, and the response has `oto`.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/collateral/stop-limit` · signed · 10000 requests / 10 s · an order, retried only when it is known
   * or proven that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `activation_price` or `stopLoss` or
   *   `takeProfit`), `insufficient-balance` (10), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`),
   *   `client-order-id` (36), `position-limit` (111), `position-limit` (112), `positions-open` (113), `position-side`
   *   (114), `opposite-position` (115), `reduce-only` (116)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralplacestoplimitorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral
   *   .placeStopLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', activation_price: '70000', price: '70100' })
   *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.status));
   * ```
   */
  readonly placeStopLimitOrder: (params: PlaceStopLimitOrderParams, options?: CallOptions) => OrderObservable<Order>;
  /**
   * Places a collateral trigger market order. It waits until the market reaches `activation_price`, and is a market order
   * then. `amount` is in the **base** currency on both sides. With `stopLoss` or `takeProfit` it is an OTO order, and the
   * response has `oto`.
   *
   * The observable places at most one order, no matter how often it is subscribed to or retried.
   *
   * `POST /api/v4/order/collateral/trigger-market` · signed · 10000 requests / 10 s · an order, retried only when it is
   * known or proven that it does not exist
   *
   * @throws {@link ApiError} with `reason` `step` (1, `amount` or `activation_price` or `stopLoss` or `takeProfit`),
   *   `insufficient-balance` (10), `validation` (30), `market` (31), `amount` (32), `client-order-id` (36),
   *   `position-limit` (111), `position-limit` (112), `positions-open` (113), `position-side` (114), `opposite-position`
   *   (115), `reduce-only` (116)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralplacetriggermarketorder
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral
   *   .placeTriggerMarketOrder({ market: 'BTC_USDT', side: 'sell', amount: '0.01', activation_price: '50000' })
   *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.status));
   * ```
   */
  readonly placeTriggerMarketOrder: (
    params: PlaceTriggerMarketOrderParams,
    options?: CallOptions,
  ) => OrderObservable<Order>;
  /**
   * Lists the changes of your positions, open and closed, margin and futures. Each change is a record, so a position has
   * several. {@link closedPositions} has one record for each position that was closed.
   *
   * Parameters have times in Unix seconds; times of the response are Unix seconds with microseconds.
   *
   * `POST /api/v4/collateral-account/positions/history` · signed · 12000 requests / 10 s · a read, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralpositionhistory
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   *
   * const logChanges = (exchange: Exchange, positionId: number) =>
   *   exchange.collateral.positionHistory({ positionId }).subscribe((changes) => {
   *     for (const { amount, orderDetail } of changes) console.log(orderDetail?.id, orderDetail?.tradeAmount, 'now', amount);
   *   });
   * ```
   */
  readonly positionHistory: (params?: PositionHistoryParams, options?: CallOptions) => Observable<PositionChange[]>;
  /**
   * Switches the hedge mode of the collateral account on or off. In hedge mode, every collateral order names its
   * `positionSide`, see {@link hedgeMode}.
   *
   * `positions-open` means that positions or orders are open: close and cancel them first. After the last one was closed,
   * the exchange may still reject the change for about 15 s.
   *
   * `POST /api/v4/collateral-account/hedge-mode/update` · signed · 1000 requests / 10 s · idempotent, retried after a
   * transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30), `positions-open` (113)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralsethedgemode
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { concatMap } from 'rxjs';
   *
   * const { collateral } = createExchange(createSandbox().clientOptions());
   * collateral
   *   .setHedgeMode({ hedgeMode: true })
   *   .pipe(concatMap(() => collateral.hedgeMode()))
   *   .subscribe(({ hedgeMode }) => console.log(hedgeMode)); // true
   * ```
   */
  readonly setHedgeMode: (params: SetHedgeModeParams, options?: CallOptions) => Observable<ActiveHedgeMode>;
  /**
   * Sets the leverage of the collateral account, for margin and futures alike. Emits the active leverage.
   *
   * `POST /api/v4/collateral-account/leverage` · signed · 1000 requests / 10 s · idempotent, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `insufficient-balance` (17), `validation` (30), `positions-open` (113)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralsetleverage
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.setLeverage({ leverage: 5 }).subscribe(({ leverage }) => console.log(leverage));
   * ```
   */
  readonly setLeverage: (params: SetLeverageParams, options?: CallOptions) => Observable<ActiveLeverage>;
  /**
   * Reads the collateral account as a whole: equity, margin in use, free margin and leverage. Margin and futures positions
   * share them. Values are in USDT.
   *
   * `POST /api/v4/collateral-account/summary` · signed · 12000 requests / 10 s · a read, retried after a transient
   * failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/collateral.md#collateralsummary
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.collateral.summary().subscribe(({ equity, freeMargin, leverage }) => console.log(equity, freeMargin, leverage));
   * ```
   */
  readonly summary: (options?: CallOptions) => Observable<CollateralSummary>;
}
