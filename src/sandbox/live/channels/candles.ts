// `candles`: the candle of one market and one period on each connection, twice a second while it is traded.
import type { MarketView } from '../../engine/index.js';
import { candleAt, candlesOf, type Candle, type CandleInterval } from '../../market-data/index.js';
import { isIntegerFrom, oneMarket, type ChannelRules, type Subscription } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

const maxCandles = 1440;
const hour = 3600;
const day = 24 * hour;
const secondsPerMonth = 30 * day;
/** The multiples of a unit that divide the next larger unit. */
const partsOf = (whole: number, unit: number) =>
  Array.from({ length: whole / unit - 1 }, (_, index) => (index + 1) * unit).filter((part) => whole % part === 0);
const longIntervals = [day, 2 * day, 3 * day, 7 * day, secondsPerMonth];
const intervals = [...partsOf(60, 1), ...partsOf(hour, 60), ...partsOf(day, hour), ...longIntervals];

export function candles(exchange: LiveExchange): ChannelRules {
  return {
    everyMs: 500,
    queries: { request: (params) => query(exchange, params) },
    open: () => candleSubscription(exchange),
  };
}

/** Oldest first; the candle that is not closed yet is the last one. */
function query(exchange: LiveExchange, params: readonly unknown[]) {
  const [name, start, end, seconds] = params;
  const isTime = (value: unknown): value is number => isIntegerFrom(Number.MIN_SAFE_INTEGER, value);
  if (params.length !== 4 || !isTime(start) || !isTime(end) || end < start) throw invalidArgument();
  const interval = intervalOf(seconds);
  const view = oneMarket(exchange, [name]);
  const now = exchange.now() / 1000;
  const closed = candlesOf(view.tape, { interval, start: Math.max(0, start), end, limit: maxCandles, now });
  const live = candleAt(view.tape, interval, now);
  const isWanted = live !== undefined && live.time >= start && live.time <= end && closed.length < maxCandles;
  return [...closed, ...(isWanted ? [live] : [])].map((candle) => candleRow(view, candle));
}

function candleSubscription(exchange: LiveExchange): Subscription {
  let subscribed: { readonly market: string; readonly interval: CandleInterval } | undefined;
  let sent: Candle | undefined;
  return {
    subscribe([name, seconds, ...rest]) {
      if (rest.length > 0) throw invalidArgument();
      const interval = intervalOf(seconds);
      subscribed = { market: oneMarket(exchange, [name]).listing.name, interval };
      sent = undefined;
      return [];
    },
    unsubscribe() {
      subscribed = undefined;
    },
    /** The candle of this moment, after the last state of the one before it. */
    due() {
      const { market = '', interval = '' } = subscribed ?? {};
      const view = exchange.find(market);
      if (view === undefined) return [];
      const current = candleAt(view.tape, interval, exchange.now() / 1000);
      const before = sent && candleAt(view.tape, interval, sent.time);
      const isUnfinished = before?.time !== current?.time && JSON.stringify(before) !== JSON.stringify(sent);
      const due = [isUnfinished ? before : undefined, current].filter((candle) => candle !== undefined);
      sent = due.at(-1) ?? sent;
      return due.length === 0 ? [] : [{ market, params: due.map((candle) => candleRow(view, candle)) }];
    },
    markets: () => (subscribed === undefined ? [] : [subscribed.market]),
  };
}

function candleRow({ listing }: MarketView, { time, open, close, high, low, stock, money }: Candle) {
  return [time, open, close, high, low, stock, money, listing.name];
}

/** The longest one is a calendar month, as over REST. */
function intervalOf(given: unknown): CandleInterval {
  const seconds = intervals.find((interval) => interval === given);
  if (seconds === undefined) throw invalidArgument();
  return seconds === secondsPerMonth ? '1M' : `${seconds}s`;
}
