// The demo on another exchange: only what reads. It has no way to place an order.
import { combineLatest, lastValueFrom, map, share, takeUntil, type Observable } from 'rxjs';
import { createExchange, type ExchangeOptions } from '../../exchange.js';
import { watchBalance, watchHealth } from '../../streams/index.js';
import { percentile, wireStatistics } from './statistics.js';
import { formatMs } from '../report.js';
import { writeLine } from '../terminal.js';
import { text } from '../text.js';
import { show } from './view.js';

/** Shows health and balances until `stop$` emits, then what it saw. */
export async function readOnly(options: ExchangeOptions, stop$: Observable<unknown>): Promise<void> {
  const exchange = createExchange(options);
  const statistics$ = wireStatistics(exchange.events$).pipe(takeUntil(stop$), share());
  const statistics = lastValueFrom(statistics$);
  const pictures$ = combineLatest({
    health: watchHealth(exchange),
    balance: watchBalance(exchange),
    statistics: statistics$,
  }).pipe(takeUntil(stop$));
  const drawing = show(pictures$);
  const marketCount = lastValueFrom(exchange.public.markets().pipe(map((markets) => markets.length)));

  try {
    const [markets, { latencies, requests }] = await Promise.all([marketCount, statistics]);
    const count = Object.values(requests).reduce((sum, one) => sum + one, 0);
    writeLine(
      text`${markets} markets, ${count} requests, latency p50 ${formatMs(percentile(latencies, 0.5))}, p99 ${formatMs(percentile(latencies, 0.99))}`,
    );
  } finally {
    drawing.unsubscribe();
  }
}
