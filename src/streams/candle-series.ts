// The candles of a market, put together from lists of them: each closed candle once, in order, and the current one.
import type { Candle, CandleInterval } from '../model/candle.js';
import { unreadableIn } from '../model/unreadable.js';
import { endOf, joinCandles, partsOf } from './candle-intervals.js';
import type { StreamGap } from './polled-events.js';

/** An item of a series of candles. Switch on `kind`. */
export type CandleSeriesItem =
  | {
      /** Discriminates the items: a candle that does not change any more. Each comes once, oldest first. */
      readonly kind: 'closed';
      /** The candle. */
      readonly candle: Candle;
    }
  | {
      /** Discriminates the items: the candle of the interval that has not ended. It comes again when it has changed. */
      readonly kind: 'current';
      /** The candle so far. */
      readonly candle: Candle;
      /** The candle counts the trades before this time, Unix seconds. */
      readonly through: number;
    }
  | StreamGap;

/** The exchange lists at most this many candles. */
export const maxCandles = 1440;

const byTime = (one: Candle, other: Candle) => one.time - other.time;

/** Knows up to which candle a series was emitted. */
export class CandleSeries {
  #isStarted = false;
  /** Time of the newest closed candle, Unix seconds. */
  #last: number | undefined;
  /** Candles from this time on are not done, Unix seconds. */
  #next: number | undefined;
  /** The last current candle, to see whether it has changed. */
  #current: string | undefined;
  #isCurrentListed = false;
  #lastUnreadable = 0;

  /** @param history how many candles of the first list are items */
  constructor(
    private readonly interval: CandleInterval,
    private readonly history: number,
  ) {}

  /** What to request next: the newest candles at first, and later all candles after the last one. */
  request(): { readonly start?: number; readonly limit: number } {
    if (!this.#isStarted) return { limit: Math.min(maxCandles, this.history + 2) };
    return { ...(this.#next === undefined ? {} : { start: this.#next }), limit: maxCandles };
  }

  /** The request for the parts of the current candle; `undefined` when it cannot be known. */
  partsRequest(): { readonly interval: CandleInterval; readonly start: number } | undefined {
    const interval = partsOf[this.interval];
    if (interval === undefined || this.#last === undefined || this.#isCurrentListed) return undefined;
    return { interval, start: endOf(this.#last, this.interval) };
  }

  /** The items of a list; `readAt` is when it was requested, Unix ms. */
  add(listed: readonly Candle[], readAt: number): CandleSeriesItem[] {
    const sorted = listed.filter(({ time }) => this.#next === undefined || time >= this.#next).sort(byTime);
    const fresh = sorted.filter(({ time }, index) => time !== sorted[index - 1]?.time);
    const newest = fresh.at(-1);
    // The exchange lists closed candles only. If it listed the current one, too, it would have no later one beside it.
    const isClosed = newest === undefined || endOf(newest.time, this.interval) * 1000 <= readAt;
    const closed = isClosed ? fresh : fresh.slice(0, -1);
    const gap = this.#isStarted || this.history > 0 ? this.#gapIn(listed, fresh) : undefined;
    const emitted = this.#isStarted ? closed : closed.slice(closed.length - Math.min(closed.length, this.history));
    this.#isStarted = true;
    this.#isCurrentListed = !isClosed;
    this.#last = closed.at(-1)?.time ?? this.#last;
    if (newest !== undefined) this.#next = isClosed ? newest.time + 1 : newest.time;
    return [
      ...(gap === undefined ? [] : [gap]),
      ...emitted.map((candle): CandleSeriesItem => ({ kind: 'closed', candle })),
      ...(isClosed ? [] : this.#currentItems(newest, Math.floor(readAt / 1000))),
    ];
  }

  /** The current candle, made of its parts. */
  addParts(parts: readonly Candle[], interval: CandleInterval): CandleSeriesItem[] {
    const sorted = [...parts].sort(byTime);
    const newest = sorted.at(-1);
    const isPartial = unreadableIn(parts) !== undefined || parts.length >= maxCandles;
    if (newest === undefined || this.#last === undefined || isPartial) return [];
    // Where nothing was traded, an exchange may list no candles: the current one may begin later.
    let begin = endOf(this.#last, this.interval);
    while (endOf(begin, this.interval) <= newest.time) begin = endOf(begin, this.interval);
    const current = joinCandles(
      sorted.filter(({ time }) => time >= begin),
      begin,
    );
    return current === undefined ? [] : this.#currentItems(current, endOf(newest.time, interval));
  }

  #currentItems(candle: Candle, through: number): CandleSeriesItem[] {
    const content = JSON.stringify(candle);
    if (content === this.#current) return [];
    this.#current = content;
    return [{ kind: 'current', candle, through }];
  }

  #gapIn(listed: readonly Candle[], fresh: readonly Candle[]): StreamGap | undefined {
    const unreadable = unreadableIn(listed)?.count ?? 0;
    const isNew = unreadable > this.#lastUnreadable || (unreadable > 0 && fresh.length > 0);
    this.#lastUnreadable = unreadable;
    const [first, newest] = [fresh[0], fresh.at(-1)];
    if (first === undefined || newest === undefined) return undefined;
    const from = this.#last === undefined ? first.time : endOf(this.#last, this.interval);
    // An exchange that lists the newest candles of a long time leaves out the oldest.
    const isOverfull = listed.length + unreadable >= maxCandles && first.time > from;
    if (isOverfull) return { kind: 'gap', reason: 'overflow', from, to: first.time };
    return isNew ? { kind: 'gap', reason: 'unreadable', from, to: endOf(newest.time, this.interval) } : undefined;
  }
}
