// A trade of a market, and the trades of an interval.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';

export interface MarketTrade {
  /** Numbers the trades of all markets. */
  readonly id: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** The taker's side. */
  readonly side: OrderSide;
  readonly price: Decimal;
  /** In the base currency. */
  readonly amount: Decimal;
  /** In the quote currency. */
  readonly money: Decimal;
  readonly rpi: boolean;
  /** The taker's order; absent when the sandbox itself takes. */
  readonly takerOrderId?: number;
  /** The maker's order; absent when the sandbox itself makes. */
  readonly makerOrderId?: number;
}

export type NewTrade = Omit<MarketTrade, 'id' | 'money'>;

export interface Candle {
  /** Begin of the interval, Unix seconds. */
  readonly time: number;
  readonly open: Decimal;
  readonly close: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  /** Volume in the base currency. */
  readonly stock: Decimal;
  /** Volume in the quote currency. */
  readonly money: Decimal;
}

/** The candle of an interval without a trade. */
export function stillCandle(time: number, price: Decimal): Candle {
  const none = decimal(0);
  return { time, open: price, close: price, high: price, low: price, stock: none, money: none };
}
