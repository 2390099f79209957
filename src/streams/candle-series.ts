// The candles of a market, put together from lists of them: each closed candle once, in order, and the current one.
import { candleSeconds, type Candle, type CandleInterval } from '../model/candle.js';
import { decimal } from '../model/decimal.js';
import { unreadableIn } from '../model/unreadable.js';
import { beginOf, endOf, joinCandles, partsOf } from './candle-intervals.js';
import type { StreamGap } from '../model/stream-gap.js';

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

/** By how much the clock of this machine, and a pause of trading, may hold back the newest credible time. */
const maxAheadSeconds = 3600;

/** A candle that is missing may still be listed until this many newer ones are closed. */
const maxLate = 10;

const byTime = (one: Candle, other: Candle) => one.time - other.time;

/** Knows up to which candle a series was emitted. */
export class CandleSeries {
  #isStarted = false;
  /** Time of the newest closed candle, Unix seconds. */
  #last: number | undefined;
  /** Times of the last closed candles, oldest first, Unix seconds: those between them are missing so far. */
  #closed: readonly number[] = [];
  /** Candles from this time on are not done, Unix seconds. */
  #next: number | undefined;
  /** The last current candle, and as text, to see whether it has changed. */
  #shown: Candle | undefined;
  #current: string | undefined;
  /** The newest listed candle, when it has not ended by this machine's clock: the current one, if the clock is right. */
  #open: Candle | undefined;
  /** The last candle of the live connection; `undefined` while that is down. */
  #live: Candle | undefined;
  /** Time of the first candle of the live connection, Unix seconds. */
  #liveSince: number | undefined;
  /** Whether the open candle, if it has ended after all, is from before the subscription and no item. */
  #isOpenEarlier = false;
  #lastUnreadable = 0;

  /** @param history how many candles of the first list are items */
  constructor(
    private readonly interval: CandleInterval,
    private readonly history: number,
  ) {}

  /** What to request next: the newest candles at first, and later all after the last one, or from a missing one on. */
  request(): { readonly start?: number; readonly limit: number } {
    if (!this.#isStarted) return { limit: Math.min(maxCandles, this.history + 2) };
    const start = this.#firstMissing() ?? this.#next;
    return { ...(start === undefined ? {} : { start }), limit: maxCandles };
  }

  /** The request for the parts of the current candle; `undefined` when it cannot be known. */
  partsRequest(): { readonly interval: CandleInterval; readonly start: number } | undefined {
    const interval = partsOf[this.interval];
    const start = this.#open?.time ?? this.#lastEnd();
    if (interval === undefined || start === undefined) return undefined;
    return this.#live !== undefined && this.#live.time >= start ? undefined : { interval, start };
  }

  /**
   * The interval that has not ended, by this machine's clock or the live candle, and whether closed candles before it are
   * still to be listed. `now` is Unix ms.
   */
  awaited(now: number): { readonly current: number; readonly endsAt: number; readonly isBehind: boolean } {
    const expected = this.#lastEnd() ?? this.#liveSince ?? 0;
    const current = beginOf(Math.max(now / 1000, this.#live?.time ?? 0), expected, this.interval);
    return { current, endsAt: endOf(current, this.interval), isBehind: !this.#isStarted || current > expected };
  }

  /** The items of a list; `readAt` is when it was requested, Unix ms. */
  add(listed: readonly Candle[], readAt: number): CandleSeriesItem[] {
    const credible = this.#credible(listed, readAt);
    const sorted = credible.filter(({ time }) => this.#next === undefined || time >= this.#next);
    const fresh = sorted.filter(({ time }, index) => time !== sorted[index - 1]?.time);
    const newest = fresh.at(-1);
    // The exchange lists closed candles only. If it listed the current one, too, it would have no later one beside it.
    const isClosed = newest === undefined || endOf(newest.time, this.interval) * 1000 <= readAt;
    const closed = isClosed ? fresh : fresh.slice(0, -1);
    const unreadable = (unreadableIn(listed)?.count ?? 0) + listed.length - credible.length;
    const gap = this.#isStarted || this.history > 0 ? this.#gapIn(listed, fresh, unreadable) : undefined;
    const emitted = this.#isStarted ? closed : closed.slice(closed.length - Math.min(closed.length, this.history));
    this.#isOpenEarlier = !this.#isStarted && this.history === 0;
    this.#isStarted = true;
    this.#open = isClosed ? undefined : newest;
    this.#last = closed.at(-1)?.time ?? this.#last;
    const late = this.#lateOf(credible);
    // What is missing before a gap has been reported.
    if (gap !== undefined) this.#closed = [];
    this.#remember(gap === undefined ? [...late, ...closed] : closed.slice(-1));
    if (newest !== undefined) this.#next = isClosed ? newest.time + 1 : newest.time;
    return [
      ...late.map(({ time }): StreamGap => ({
        kind: 'gap',
        reason: 'late',
        from: time,
        to: endOf(time, this.interval),
      })),
      ...(gap === undefined ? [] : [gap]),
      ...emitted.map((candle): CandleSeriesItem => ({ kind: 'closed', candle })),
    ];
  }

  /** The current candle: the open one that is listed, or one made of its parts. `readAt` as in {@link add}. */
  addParts(parts: readonly Candle[], interval: CandleInterval, readAt: number): CandleSeriesItem[] {
    const sorted = this.#credible(parts, readAt);
    const newest = sorted.at(-1);
    const open = this.#open;
    if (open !== undefined && (newest === undefined || newest.time < endOf(open.time, this.interval)))
      return this.#currentItems(open, Math.floor(readAt / 1000));
    // The clock of this machine is behind: a part after the end of the candle shows that the candle is closed.
    const closed = this.#closeOpen();
    const isPartial = unreadableIn(parts) !== undefined || parts.length >= maxCandles || sorted.length < parts.length;
    const lastEnd = this.#lastEnd();
    if (newest === undefined || lastEnd === undefined || isPartial) return closed;
    // Where nothing was traded, an exchange may list no candles: the current one may begin later.
    const begin = beginOf(newest.time, lastEnd, this.interval);
    const current = joinCandles(
      sorted.filter(({ time }) => time >= begin),
      begin,
    );
    if (current === undefined || this.#isOlderThanShown(current)) return closed;
    return [...closed, ...this.#currentItems(current, endOf(newest.time, interval))];
  }

  /** The current candle as the live connection has it; `receivedAt` is Unix ms. The closed candles come first. */
  addLive(candle: Candle, receivedAt: number): CandleSeriesItem[] {
    const isClosed = this.#next !== undefined && candle.time < this.#next;
    if (isClosed || this.#credible([candle], receivedAt).length === 0) return [];
    this.#live = candle;
    this.#liveSince ??= candle.time;
    if (!this.#isStarted) return [];
    const open = this.#open;
    const closed = open !== undefined && candle.time >= endOf(open.time, this.interval) ? this.#closeOpen() : [];
    // The exchange makes it twice a second.
    const through = Math.floor(receivedAt / 1000) - 1;
    const end = endOf(candle.time, this.interval);
    return [...closed, ...this.#currentItems(candle, Math.min(end, Math.max(candle.time, through)))];
  }

  /** The live connection is down: the current candle is made of parts again. */
  leaveLive(): void {
    this.#live = this.#liveSince = undefined;
  }

  /** The open candle is closed after all. */
  #closeOpen(): CandleSeriesItem[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    this.#last = open.time;
    this.#remember([open]);
    this.#next = open.time + 1;
    return this.#isOpenEarlier ? [] : [{ kind: 'closed', candle: open }];
  }

  /** The volume of a candle only grows: one with less is from before. */
  #isOlderThanShown({ time, volume }: Candle): boolean {
    const shown = this.#shown;
    if (shown?.time !== time || shown.volume === undefined || volume === undefined) return false;
    return decimal(volume).isLessThan(shown.volume);
  }

  /** The listed candles that come too late to be items: newer ones were. */
  #lateOf(sorted: readonly Candle[]): readonly Candle[] {
    const [oldest] = this.#closed;
    if (oldest === undefined || this.#next === undefined) return [];
    const [first, next] = [oldest, this.#next];
    const late = sorted.filter(({ time }) => time > first && time < next && !this.#closed.includes(time));
    return late.filter(({ time }, index) => time !== late[index - 1]?.time);
  }

  #remember(closed: readonly Candle[]): void {
    const times = [...this.#closed, ...closed.map(({ time }) => time)];
    this.#closed = times.sort((one, other) => one - other).slice(-maxLate);
  }

  #firstMissing(): number | undefined {
    const [oldest] = this.#closed;
    const newest = this.#closed.at(-1);
    if (oldest === undefined || newest === undefined) return undefined;
    let time = oldest;
    while (time < newest && this.#closed.includes(time)) time = endOf(time, this.interval);
    return time < newest ? time : undefined;
  }

  #lastEnd(): number | undefined {
    return this.#last === undefined ? undefined : endOf(this.#last, this.interval);
  }

  /**
   * The candles by time, without those that are too far in the future to be true. This machine's clock and the candles
   * so far, each of which may follow the one before, say which time is credible.
   */
  #credible(listed: readonly Candle[], readAt: number): Candle[] {
    const sorted = [...listed].sort(byTime);
    const known = this.#next ?? (this.#isStarted ? 0 : (sorted[0]?.time ?? 0));
    const stepSeconds = candleSeconds[this.interval] + maxAheadSeconds;
    let newest = Math.max(readAt / 1000, known);
    const firstOdd = sorted.findIndex(({ time }) => {
      const isOdd = time > newest + stepSeconds;
      newest = Math.max(newest, time);
      return isOdd;
    });
    return firstOdd === -1 ? sorted : sorted.slice(0, firstOdd);
  }

  #currentItems(candle: Candle, through: number): CandleSeriesItem[] {
    const content = JSON.stringify(candle);
    if (content === this.#current) return [];
    this.#current = content;
    this.#shown = candle;
    return [{ kind: 'current', candle, through }];
  }

  #gapIn(listed: readonly Candle[], fresh: readonly Candle[], unreadable: number): StreamGap | undefined {
    const isNew = unreadable > this.#lastUnreadable || (unreadable > 0 && fresh.length > 0);
    this.#lastUnreadable = unreadable;
    const [first, newest] = [fresh[0], fresh.at(-1)];
    if (first === undefined || newest === undefined) return undefined;
    const from = this.#last === undefined ? first.time : endOf(this.#last, this.interval);
    // An exchange that lists the newest candles of a long time leaves out the oldest.
    const isOverfull = listed.length + (unreadableIn(listed)?.count ?? 0) >= maxCandles && first.time > from;
    if (isOverfull) return { kind: 'gap', reason: 'overflow', from, to: first.time };
    return isNew ? { kind: 'gap', reason: 'unreadable', from, to: endOf(newest.time, this.interval) } : undefined;
  }
}
