// The candle that is being made, from the live connection; the closed ones are polled when an interval has ended.
import { BehaviorSubject, concat, map, of, switchMap, timer, type Observable } from 'rxjs';
import { maxTimerMs } from '../errors/index.js';
import { valuesEvery, type Live } from '../live/index.js';
import type { Candle, CandleInterval } from '../model/candle.js';
import type { CandleSeries, CandleSeriesItem } from './candle-series.js';
import { unlessRefused, type Interruption } from './live-or-polls.js';

export interface CandlePush {
  readonly candle: Candle;
  /** Unix ms. */
  readonly receivedAt: number;
}

interface CandleParams {
  readonly market: string;
  readonly interval: CandleInterval;
  readonly everyMs: number;
}

export function liveCandlesOf(
  live: Live,
  { market, interval, everyMs }: CandleParams,
): Observable<CandlePush | Interruption> {
  return live.candles({ market, interval }).pipe(
    valuesEvery(everyMs),
    map(({ market: _, status, receivedAt, ...candle }): CandlePush | Interruption =>
      status === 'stale' ? 'interrupted' : { candle, receivedAt },
    ),
    unlessRefused,
  );
}

/** Polls for the candle of an interval: an exchange may list none where nothing was traded. */
const maxPolls = 5;

/** Knows when the live connection is enough for a series, and when closed candles must be polled. */
export class CandleFeed {
  /** The last candle; `undefined` while the live connection is down. */
  #last: CandlePush | undefined;
  /** The interval that has not ended, and how many polls there were since it began. */
  #current: number | undefined;
  #polls = 0;
  /** For how long no closed candle is due, milliseconds. */
  readonly #enoughForMs = new BehaviorSubject(0);

  constructor(private readonly series: CandleSeries) {}

  get isEnough$(): Observable<boolean> {
    return this.#enoughForMs.pipe(
      switchMap((ms) =>
        ms === 0 ? of(false) : concat(of(true), timer(Math.min(ms, maxTimerMs)).pipe(map(() => false))),
      ),
    );
  }

  addPush(push: CandlePush | Interruption): CandleSeriesItem[] {
    this.#last = typeof push === 'string' ? undefined : push;
    if (this.#last === undefined) this.series.leaveLive();
    const items = this.#lastItems();
    this.#update(0);
    return items;
  }

  /** The items after the series has got a list of closed candles. */
  afterList(): CandleSeriesItem[] {
    const items = this.#lastItems();
    this.#update(1);
    return items;
  }

  #lastItems(): CandleSeriesItem[] {
    return this.#last === undefined ? [] : this.series.addLive(this.#last.candle, this.#last.receivedAt);
  }

  #update(polls: 0 | 1): void {
    const now = Date.now();
    const { current, endsAt, isBehind } = this.series.awaited(now);
    this.#polls = polls + (current === this.#current ? this.#polls : 0);
    this.#current = current;
    const isDue = isBehind && this.#polls < maxPolls;
    this.#enoughForMs.next(this.#last === undefined || isDue ? 0 : Math.max(1, endsAt * 1000 - now));
  }
}
