// Messages of the feed: the markets, and the chosen one with its candles, book and trades.
import type { Freshness, Series } from './freshness-messages.js';

export type Interval = '1m' | '5m' | '15m' | '1h' | '4h' | '1d';

export interface MarketList {
  readonly state: Freshness;
  readonly list: readonly MarketRules[];
}

export interface MarketRules {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  readonly priceDecimals: number;
  readonly amountDecimals: number;
  readonly tick: string;
}

export interface MarketPart {
  readonly state: Freshness;
  readonly name: string;
  readonly rules: MarketRules | null;
  readonly last: string | null;
  readonly direction: 'up' | 'down' | 'same';
  /** Of 24 hours, as the following. */
  readonly high: string | null;
  readonly low: string | null;
  /** Percent with two decimals and its sign, such as `+1.24`. */
  readonly change: string | null;
  /** Base currency. */
  readonly volume: string | null;
  /** Futures only. */
  readonly mark: string | null;
  /** Percent, such as `0.0100`. */
  readonly fundingRate: string | null;
  readonly fundingAt: number | null;
  /** Age of mark and funding; `none` for spot. */
  readonly futuresState: Freshness;
}

/** Other markets beside the chosen one, at most 8, always in the same order. */
export interface StripPart {
  readonly state: Freshness;
  readonly list: readonly StripRow[];
}

export interface StripRow extends Pick<MarketPart, 'last' | 'change'> {
  readonly market: string;
  readonly isStale: boolean;
}

/** Candles: `whole` after a connection, a gap or an outage; then those that changed. At most 500. */
export interface CandlesPart extends Series<CandleRow> {
  readonly state: Freshness;
  readonly market: string;
  readonly interval: Interval;
  /** Outages of the live connection, in which candles were not seen; at most 20. `to` is `null` while it lasts. */
  readonly outages: readonly { readonly from: number; readonly to: number | null }[];
}

/** `volume` is in the base currency; empty when the exchange left it out. */
export interface CandleRow extends Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', string>> {
  readonly at: number;
}

export interface BookPart {
  readonly state: Freshness;
  readonly market: string;
  /** From the best price on, at most 100. Grouping and sums are the page's. */
  readonly asks: readonly BookLevel[];
  readonly bids: readonly BookLevel[];
}

/** Price, amount, and the open amount of own orders at this price (absent: none). */
export type BookLevel = readonly [price: string, amount: string, own?: string];

export interface TradesPart {
  readonly state: Freshness;
  readonly market: string;
  readonly list: readonly TradeRow[];
}

export type TradeRow =
  | {
      readonly kind: 'trade';
      readonly id: number;
      readonly at: number;
      readonly price: string;
      readonly amount: string;
      readonly side: 'buy' | 'sell' | 'unknown';
      readonly isOwn: boolean;
    }
  | {
      readonly kind: 'gap';
      readonly from: number;
      readonly to: number;
      /** How many missing trades were filled in so far; `null`: they may be missing for good. */
      readonly filledIn: number | null;
    };
