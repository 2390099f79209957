// The trades of a feed: a user's own trades or candles, moved to the sandbox's time and checked against the market.
import type { CandleInterval } from '../../model/candle.js';
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import { beginOfCandle, secondsOf } from './candles.js';

/** A trade of a feed. */
export interface FeedTrade {
  /** Time of the trade, Unix milliseconds: not before that of the trade before it. */
  readonly at: number;
  /** Price, a decimal string: a multiple of the market's price step. */
  readonly price: string;
  /** Amount in the base currency, a decimal string: a multiple of the market's amount step. */
  readonly amount: string;
  /** The taker's side. Default: `sell` when the price is below that of the trade before, else `buy`. */
  readonly side?: OrderSide;
}

/** A candle of a feed, with the names of the candles of `public.candles`. Prices and volume are decimal strings. */
export interface FeedCandle {
  /** Begin of the candle, Unix seconds: after the candle before it, by a multiple of the interval. */
  readonly time: number;
  /** First price. */
  readonly open: string;
  /** Highest price. */
  readonly high: string;
  /** Lowest price. */
  readonly low: string;
  /** Last price. */
  readonly close: string;
  /**
   * Traded amount, base currency. Default: one amount step for each price of the candle. `"0"` where nothing was traded:
   * then all prices must be the last price before.
   */
  readonly volume?: string;
  /** Not used: the total follows from the prices and amounts. */
  readonly money_volume?: string;
}

/** What a market plays back: trades, or candles of an interval. */
export interface MarketFeed {
  /** Trades, oldest first. */
  readonly trades?: readonly FeedTrade[];
  /** Candles, oldest first, instead of trades. */
  readonly candles?: readonly FeedCandle[];
  /** The interval of the candles. */
  readonly interval?: FeedInterval;
  /**
   * When the first trade or candle begins, by the sandbox's clock, Unix milliseconds. The others keep their distance from
   * the first one, whatever their dates are. Default for trades: now. Default for candles: the next begin of an interval.
   */
  readonly startAt?: number;
}

/** The intervals of candles that a feed may have: months differ in length. */
export type FeedInterval = Exclude<CandleInterval, '1M'>;

/** When a feed is played, Unix milliseconds by the sandbox's clock. */
export interface FeedTimes {
  /** Time of the first trade, or begin of the first candle. */
  readonly startsAt: number;
  /** Time of the last trade, or end of the last candle. */
  readonly endsAt: number;
}

/** A trade that is due at a time of the sandbox's clock. */
export interface PlayedTrade {
  readonly at: number;
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly amount: Decimal;
}

/** The market that plays the feed, at this moment. */
export interface PlayingMarket {
  readonly price: Decimal;
  readonly priceStep: Decimal;
  readonly amountStep: Decimal;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The trades of a feed. Throws an error that names the field and the rule. */
export function playbackOf(feed: MarketFeed, market: PlayingMarket): FeedTimes & { readonly trades: PlayedTrade[] } {
  const { trades, candles, interval, startAt } = feed;
  if ((trades === undefined) === (candles === undefined)) throw refused('either trades or candles are required');
  if ((interval === undefined) !== (candles === undefined))
    throw refused(candles === undefined ? 'interval is a field of candles' : 'interval is required for candles');
  if (startAt !== undefined && startAt < market.now) throw refused(`startAt ${startAt} is before now (${market.now})`);
  if (candles !== undefined && interval !== undefined) return candlePlayback(candles, interval, startAt, market);
  return tradePlayback(trades ?? [], startAt ?? market.now, market);
}

function tradePlayback(trades: readonly FeedTrade[], startsAt: number, market: PlayingMarket) {
  let { price: before } = market;
  let previous = trades[0]?.at ?? 0;
  const offset = startsAt - previous;
  const played = trades.map(({ at, side, ...trade }, index): PlayedTrade => {
    const where = `trades.${index}`;
    if (at < previous) throw refused(`${where}.at ${at} is before the trade before it (${previous})`);
    const price = stepped(`${where}.price`, trade.price, market.priceStep);
    const amount = stepped(`${where}.amount`, trade.amount, market.amountStep);
    const taker = side ?? (price.isLessThan(before) ? 'sell' : 'buy');
    previous = at;
    before = price;
    return { at: at + offset, side: taker, price, amount };
  });
  return { startsAt, endsAt: previous + offset, trades: played };
}

function candlePlayback(
  candles: readonly FeedCandle[],
  interval: FeedInterval,
  startAt: number | undefined,
  market: PlayingMarket,
) {
  const lengthMs = secondsOf(interval) * 1000;
  // The interval of now may have other trades.
  const startsAt = startAt ?? beginOfCandle(interval, market.now / 1000) * 1000 + lengthMs;
  if (beginOfCandle(interval, startsAt / 1000) * 1000 !== startsAt)
    throw refused(`startAt ${startsAt} is no begin of a candle of ${interval}`);
  const first = candles[0]?.time ?? 0;
  let { price: before } = market;
  let previous = first - lengthMs / 1000;
  const trades = candles.flatMap((candle, index) => {
    const where = `candles.${index}`;
    const distance = candle.time - previous;
    if (distance <= 0 || (distance * 1000) % lengthMs !== 0)
      throw refused(`${where}.time ${candle.time} is not after the candle before it by a multiple of ${interval}`);
    previous = candle.time;
    const at = startsAt + (candle.time - first) * 1000;
    const inside = tradesOfCandle(where, candle, { ...market, price: before });
    before = inside.at(-1)?.price ?? before;
    return inside.map(({ quarter, ...trade }) => ({ ...trade, at: at + (quarter * lengthMs) / 4 }));
  });
  return { startsAt, endsAt: startsAt + (previous - first) * 1000 + lengthMs, trades };
}

/** One trade at each price of a candle: the extreme against its direction first. */
function tradesOfCandle(where: string, candle: FeedCandle, market: PlayingMarket) {
  const priceOf = (name: 'open' | 'high' | 'low' | 'close') =>
    stepped(`${where}.${name}`, candle[name], market.priceStep);
  const [open, high, low, close] = [priceOf('open'), priceOf('high'), priceOf('low'), priceOf('close')];
  for (const [name, price] of Object.entries({ open, close })) {
    if (price.isGreaterThan(high)) throw refused(`${where}.high "${candle.high}" is below its ${name}`);
    if (price.isLessThan(low)) throw refused(`${where}.low "${candle.low}" is above its ${name}`);
  }
  const path = close.isLessThan(open) ? [open, high, low, close] : [open, low, high, close];
  const prices = path
    .map((price, quarter) => ({ price, quarter }))
    .filter(({ price, quarter }) => quarter === 0 || path[quarter - 1]?.isEqualTo(price) !== true);
  const minVolume = market.amountStep.multipliedBy(prices.length);
  const volume = candle.volume === undefined ? minVolume : stepped(`${where}.volume`, candle.volume, market.amountStep);
  if (volume.isZero() && prices.length === 1 && open.isEqualTo(market.price)) return [];
  if (volume.isLessThan(minVolume))
    throw refused(
      `${where}.volume "${formatDecimal(volume)}" is less than ${formatDecimal(minVolume)}, the minimum for its prices`,
    );
  const each = volume.dividedToIntegerBy(market.amountStep).dividedToIntegerBy(prices.length);
  const share = each.multipliedBy(market.amountStep);
  const rest = volume.minus(share.multipliedBy(prices.length));
  return prices.map(({ price, quarter }, index) => {
    const before = prices[index - 1]?.price ?? market.price;
    const side: OrderSide = price.isLessThan(before) ? 'sell' : 'buy';
    return { quarter, side, price, amount: index === prices.length - 1 ? share.plus(rest) : share };
  });
}

function stepped(field: string, text: string, step: Decimal): Decimal {
  const value = decimal(text);
  if (!value.modulo(step).isZero()) throw refused(`${field} "${text}" must be a multiple of ${formatDecimal(step)}`);
  return value;
}

function refused(problem: string): Error {
  return new Error(`market.feed: ${problem}`);
}
