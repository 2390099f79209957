// What a market's rules look at in an order.
import type { OrderSide } from './order.js';

/** Prices that an order may have beside its own. Decimal strings or finite numbers, in the quote currency. */
export interface TriggerPrices {
  /** Stop orders: the price that activates the order. */
  readonly activation_price?: string | number | undefined;
  /** OCO orders: the limit price of the stop order. */
  readonly stop_limit_price?: string | number | undefined;
  /** Price of the stop loss. */
  readonly stopLoss?: string | number | undefined;
  /** Price of the take profit. */
  readonly takeProfit?: string | number | undefined;
}

/** An order, as far as it has no price of its own. */
export interface AmountToCheck extends TriggerPrices {
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** In the base currency; of a `market` order that buys, in the quote currency. */
  readonly amount: string | number;
}

/** An order with a price. */
export interface LimitOrderToCheck extends AmountToCheck {
  /** A limit order: `placeLimitOrder`, and `placeStopLimitOrder`. */
  readonly type: 'limit';
  /** In the quote currency. */
  readonly price: string | number;
}

/** An order at the market's price. */
export interface MarketOrderToCheck extends AmountToCheck {
  /**
   * `stock market`: a market order for an amount of the base currency, `spot.placeStockMarketOrder`,
   * `collateral.placeMarketOrder` and `collateral.placeTriggerMarketOrder`; an order with `bboRole`, too. `market`: one
   * that buys for an amount of the quote currency, `spot.placeMarketOrder` and `spot.placeStopMarketOrder`.
   */
  readonly type: 'stock market' | 'market';
}

/** The new values of an order. A value that is left out is not checked. */
export interface ModificationToCheck extends TriggerPrices {
  /** A modification: `orders.modify`. */
  readonly type: 'modification';
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** In the base currency. */
  readonly amount?: string | number;
  /** The amount of a stop market order that buys, in the quote currency. */
  readonly total?: string | number;
  /** In the quote currency. */
  readonly price?: string | number;
}

/** An order, as far as a market's rules look at it. Amounts and prices are decimal strings or finite numbers. */
export type OrderToCheck = LimitOrderToCheck | MarketOrderToCheck | ModificationToCheck;
