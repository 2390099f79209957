// The market data of the demo: the live order book, and the last candles.
import { catchError, combineLatest, map, of, share, startWith, throwError, type Observable } from 'rxjs';
import { isExchangeError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import type { LiveOrderBook } from '../../live/index.js';
import type { CandleInterval } from '../../model/candle.js';
import { candlesView, type CandlesView } from '../market/candle-view.js';

export const market = 'BTC_USDT';
/** Candles of the chart. */
const shownCandles = 20;
/** Of the book; the screen shows 4 of them. */
const levels = 5;
const bookEveryMs = 100;

export interface MarketView extends Pick<CandlesView, 'interval' | 'candles'> {
  /** `undefined` before the first one. */
  readonly book: LiveOrderBook | undefined;
}

/** Subscribers share the live connection. An exchange that refuses the market shows nothing of it. */
export function watchMarket(exchange: Exchange, interval: CandleInterval): Observable<MarketView> {
  const book$ = exchange.live.orderBook({ market, limit: levels, everyMs: bookEveryMs });
  return combineLatest([
    book$.pipe(nothingWhenRefused, startWith(undefined)),
    candlesView(exchange, market, interval, shownCandles).pipe(nothingWhenRefused, startWith(undefined)),
  ]).pipe(
    map(([book, view]): MarketView => ({ interval, book, candles: view?.candles ?? [] })),
    share(),
  );
}

function nothingWhenRefused<Value>(source: Observable<Value>): Observable<Value | undefined> {
  return source.pipe(
    catchError((error: unknown) =>
      isExchangeError(error) && error.kind === 'live-refused' ? of(undefined) : throwError(() => error),
    ),
  );
}
