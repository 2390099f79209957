// The demo on another exchange: read-only, it never places an order.
import { combineLatest, lastValueFrom, map, share, takeUntil, type Observable } from 'rxjs';
import { createExchange, type ExchangeOptions } from '../../exchange.js';
import { watchBalance, watchHealth } from '../../streams/index.js';
import { formatMs, text, type Terminal } from '../terminal/index.js';
import { watchMarket } from './market.js';
import { percentile, requestStatistics } from './request-statistics.js';
import { show } from './view.js';

/** Shows health, balance and a market until `stop$` emits, then prints the number of requests and their latencies. */
export async function watchReadOnly(
  options: ExchangeOptions,
  terminal: Terminal,
  stop$: Observable<unknown>,
): Promise<void> {
  const exchange = createExchange(options);
  const statistics$ = requestStatistics(exchange.events$).pipe(takeUntil(stop$), share());
  const statistics = lastValueFrom(statistics$);
  const views$ = combineLatest({
    health: watchHealth(exchange),
    balance: watchBalance(exchange),
    statistics: statistics$,
    market: watchMarket(exchange, '1m'),
  }).pipe(takeUntil(stop$));
  const drawing = show(terminal, views$);
  const marketCount = lastValueFrom(exchange.public.markets().pipe(map((markets) => markets.length)));

  try {
    const [markets, { latencies, requests }] = await Promise.all([marketCount, statistics]);
    const count = Object.values(requests).reduce((sum, sent) => sum + sent, 0);
    terminal.writeLine(
      text`${markets} markets, ${count} requests, latency p50 ${formatMs(percentile(latencies, 0.5))}, p99 ${formatMs(percentile(latencies, 0.99))}`,
    );
  } finally {
    drawing.unsubscribe();
  }
}
