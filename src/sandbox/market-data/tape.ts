// The tape of one market: all its trades, from which tickers and candles are computed.
import { CandleSeries } from './candle-series.js';
import type { Past } from './past.js';
import { stillCandle, type Candle, type MarketTrade, type NewTrade } from './trade.js';
import type { Decimal } from '../../model/decimal.js';

/** The newest trades of a market are kept: this number, and at most twice as many. */
const keptTrades = 10_000;
/** A week of minutes, and a year of hours. */
const keptMinutes = 10_080;
const keptHours = 8760;
const secondsPerDay = 86_400;

export class Tape {
  minutes: CandleSeries;
  hours: CandleSeries;
  last: MarketTrade;
  #trades: MarketTrade[] = [];
  /** Adding 1440 minutes takes a millisecond, and clients poll tickers. */
  #day: { readonly minute: number; readonly trade: MarketTrade; readonly statistics: DayStatistics } | undefined;

  /** The first one after the past. */
  readonly #opening: MarketTrade;
  /** The past that is not among the kept trades yet. */
  #past: Past | undefined;

  /** `nextId` numbers the trades. A market opens with a trade, so that it always has a last price. */
  constructor(
    readonly nextId: () => number,
    opening: NewTrade,
    past?: Past,
  ) {
    this.#past = past;
    this.minutes = new CandleSeries(60, keptMinutes, past);
    this.hours = new CandleSeries(3600, keptHours, past);
    this.#opening = this.record(opening);
    this.last = this.#opening;
  }

  restart(opening: NewTrade): void {
    this.#trades = [];
    this.#past = undefined;
    this.minutes = new CandleSeries(60, keptMinutes);
    this.hours = new CandleSeries(3600, keptHours);
    this.last = { ...opening, id: this.nextId(), money: opening.amount.multipliedBy(opening.price) };
  }

  /** The kept trades, oldest first. */
  get trades(): readonly MarketTrade[] {
    if (this.#past !== undefined) {
      this.#trades = [...this.#past.trades(keptTrades), ...this.#trades];
      this.#past = undefined;
    }
    return this.#trades;
  }

  get ownTrades(): readonly MarketTrade[] {
    return this.#trades.slice(Math.max(0, this.#trades.indexOf(this.#opening)));
  }

  /** The last price at a time, Unix milliseconds. Before the kept trades, that of the minute before. */
  priceAt(at = this.last.at): Decimal | undefined {
    if (at >= this.last.at) return this.last.price;
    const trade = this.ownTrades.findLast((one) => one.at <= at);
    const { seconds } = this.minutes;
    return trade?.price ?? this.minutes.closeBefore(Math.floor(at / 1000 / seconds) * seconds);
  }

  day(now: number): DayStatistics {
    const trade = this.last;
    const minute = Math.floor(now / 60_000);
    if (this.#day?.minute !== minute || this.#day.trade !== trade) {
      const statistics = this.period(secondsPerDay, now);
      const { last, open } = statistics;
      const change = last.minus(open).dividedBy(open).shiftedBy(2).decimalPlaces(percentPlaces);
      this.#day = { minute, trade, statistics: { ...statistics, change } };
    }
    return this.#day.statistics;
  }

  /** The statistics of the trades of the last `seconds`, in whole minutes or hours from a minute and a week on. */
  period(seconds: number, now: number): Statistics {
    const { price } = this.last;
    if (seconds < this.minutes.seconds) {
      const moment = new CandleSeries(this.minutes.seconds);
      for (const trade of this.trades) if (trade.at > now - seconds * 1000) moment.add({ ...trade, at: 0 });
      return statisticsOf(moment.between(0, moment.seconds), price);
    }
    const series = seconds > keptMinutes * this.minutes.seconds ? this.hours : this.minutes;
    const count = Math.min(Math.round(seconds / series.seconds), 2 * keptHours);
    const slot = Math.floor(now / 1000 / series.seconds);
    return statisticsOf(series.between((slot - count + 1) * series.seconds, (slot + 1) * series.seconds), price);
  }

  today(now: number): Statistics {
    const midnight = Math.floor(now / 1000 / secondsPerDay) * secondsPerDay;
    return statisticsOf(this.minutes.between(midnight, now / 1000 + this.minutes.seconds), this.last.price);
  }

  /** `id` is that of a recorded trade. */
  record(match: NewTrade & { readonly id?: number }): MarketTrade {
    const money = match.amount.multipliedBy(match.price);
    const trade: MarketTrade = { ...match, id: match.id ?? this.nextId(), money };
    this.#trades.push(trade);
    if (this.#trades.length > 2 * keptTrades) {
      this.#past = undefined;
      this.#trades = this.#trades.slice(-keptTrades);
    }
    this.minutes.add(trade);
    this.hours.add(trade);
    this.last = trade;
    return trade;
  }
}

const percentPlaces = 2;

/** Without a trade, `open`, `high` and `low` are the last price. */
export interface Statistics extends Pick<Candle, 'open' | 'high' | 'low' | 'stock' | 'money'> {
  /** Price of the last trade, however old it is. */
  readonly last: Decimal;
}

export interface DayStatistics extends Statistics {
  /** The last price against that of the first trade of the 24 hours, percent. */
  readonly change: Decimal;
}

function statisticsOf(candle: Candle | undefined, last: Decimal): Statistics {
  const { open, high, low, stock, money } = candle ?? stillCandle(0, last);
  return { last, open, high, low, stock, money };
}
