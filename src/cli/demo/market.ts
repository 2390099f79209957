// The market data of the demo: the order book, and the last candles.
import { combineLatest, map, scan, share, startWith, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { Candle, CandleInterval } from '../../model/candle.js';
import { watchCandles, watchOrderBook, type CandleItem, type OrderBookUpdate } from '../../streams/index.js';
import { shownLevels } from '../market/book-table.js';
import { withCandle } from '../market/candle-chart.js';

export const market = 'BTC_USDT';
/** Candles of the chart. */
const shownCandles = 20;

export interface MarketView {
  readonly interval: CandleInterval;
  readonly book: OrderBookUpdate;
  /** Oldest first; the last one may not have ended. */
  readonly candles: readonly Candle[];
}

/** Subscribers share the polls. */
export function watchMarket(exchange: Pick<Exchange, 'public'>, interval: CandleInterval): Observable<MarketView> {
  const candles$ = watchCandles(exchange, market, interval, { history: shownCandles }).pipe(
    scan(withItem, []),
    startWith([]),
  );
  return combineLatest({ book: watchOrderBook(exchange, market, { limit: shownLevels }), candles: candles$ }).pipe(
    map((view) => ({ interval, ...view })),
    share(),
  );
}

function withItem(candles: readonly Candle[], item: CandleItem): readonly Candle[] {
  return item.kind === 'closed' || item.kind === 'current' ? withCandle(candles, item.candle, shownCandles) : candles;
}
