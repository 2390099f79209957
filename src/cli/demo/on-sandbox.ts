// The demo on the embedded exchange: health, balances and a bot, with a few 503s on the way, and a summary that
// reconciles.
import { combineLatest, lastValueFrom, share, Subject, takeUntil, timer, type Observable } from 'rxjs';
import { createExchange } from '../../exchange.js';
import { createSandbox, type Sandbox } from '../../sandbox/index.js';
import { watchBalance, watchHealth } from '../../streams/index.js';
import { writeLine } from '../terminal.js';
import { reconcile } from './reconcile.js';
import { wireStatistics } from './statistics.js';
import { trade } from './strategy.js';
import { summarize } from './summary.js';
import { show } from './view.js';

/** Trades until `stop$` emits, then prints the summary; whether the books agreed. */
export async function tradeOnSandbox(stop$: Observable<unknown>): Promise<boolean> {
  const sandbox = createSandbox({ seed: 42 });
  const server = await sandbox.listen();
  const exchange = createExchange({ ...server.clientOptions(), checkOrders: true });
  const before = sandbox.ledger.balances();
  const done$ = new Subject<void>();

  const outages = timer(500, 2000)
    .pipe(takeUntil(done$))
    .subscribe((round) => {
      disturb(sandbox, round);
    });
  const bot$ = trade(exchange, stop$).pipe(share());
  const statistics$ = wireStatistics(exchange.events$).pipe(takeUntil(done$), share());
  const statistics = lastValueFrom(statistics$);
  const drawing = show(
    combineLatest({
      health: watchHealth(exchange, { everyMs: 250 }),
      balance: watchBalance(exchange, { everyMs: 1000 }),
      statistics: statistics$,
      bot: bot$,
    }).pipe(takeUntil(done$)),
  );

  try {
    const bot = await lastValueFrom(bot$);
    drawing.unsubscribe();
    done$.next();
    const orders = bot.trades.flatMap((one) => (one.kind === 'order' ? [one.order] : []));
    const after = sandbox.ledger.balances();
    const assets = reconcile(before.trade, after.trade, orders);
    const mainUnchanged = JSON.stringify(before.main) === JSON.stringify(after.main);
    writeLine(summarize(bot, await statistics, assets, mainUnchanged));
    return mainUnchanged && assets.every(({ agrees }) => agrees);
  } finally {
    outages.unsubscribe();
    drawing.unsubscribe();
    done$.complete();
    await server.close();
  }
}

/**
 * The exchange is away for a moment: for reads, for orders that were executed all the same, and once for one that was
 * not.
 */
function disturb(sandbox: Sandbox, round: number): void {
  const order = '/api/v4/order/stock_market';
  if (round % 3 === 0) sandbox.unavailable({ path: '/api/v4/main-account/balance', times: 2 });
  else sandbox.unavailable({ path: order, times: 1, executed: round !== 2 });
}
