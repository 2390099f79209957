// The demo on the embedded exchange: a bot trades through injected outages, and the summary reconciles its orders with the
// exchange's ledger.
import { combineLatest, lastValueFrom, share, startWith, Subject, takeUntil, timer, type Observable } from 'rxjs';
import { createExchange } from '../../exchange.js';
import { createSandbox, type Sandbox } from '../../sandbox/index.js';
import { watchBalance, watchHealth } from '../../streams/index.js';
import type { Terminal } from '../terminal/index.js';
import { market, trade } from './bot.js';
import { reconcile } from './reconcile.js';
import { requestStatistics } from './request-statistics.js';
import { summarize } from './summary.js';
import { show } from './view.js';

/** The embedded exchange executes and lists orders at once: the proof that one does not exist takes seconds less. */
const premises = { settleMs: 500, historyLagMs: 0 };

export async function tradeOnSandbox(terminal: Terminal, stop$: Observable<unknown>): Promise<boolean> {
  const sandbox = createSandbox({ seed: 42 });
  const server = await sandbox.listen();
  const exchange = createExchange({ ...server.clientOptions(), ...premises, checkOrders: true });
  const before = sandbox.ledger.balances();
  const done$ = new Subject<void>();

  const outages = timer(500, 2000)
    .pipe(takeUntil(done$))
    .subscribe((round) => {
      injectOutage(sandbox, round);
    });
  const book$ = exchange.live.orderBook({ market, limit: 5, everyMs: 100 }).pipe(startWith(undefined), share());
  const bot$ = trade(exchange, book$, stop$).pipe(share());
  const statistics$ = requestStatistics(exchange.events$).pipe(takeUntil(done$), share());
  const statistics = lastValueFrom(statistics$);
  const drawing = show(
    terminal,
    combineLatest({
      health: watchHealth(exchange, { everyMs: 250 }),
      balance: watchBalance(exchange, { everyMs: 1000 }),
      statistics: statistics$,
      book: book$,
      bot: bot$,
    }).pipe(takeUntil(done$)),
  );

  try {
    const bot = await lastValueFrom(bot$);
    drawing.unsubscribe();
    done$.next();
    const orders = bot.trades.flatMap((result) => (result.kind === 'order' ? [result.order] : []));
    const after = sandbox.ledger.balances();
    const assets = reconcile(before.trade, after.trade, orders);
    const isMainUnchanged = JSON.stringify(before.main) === JSON.stringify(after.main);
    terminal.writeLine(summarize(bot, await statistics, assets, isMainUnchanged));
    return isMainUnchanged && assets.every(({ agrees }) => agrees);
  } finally {
    outages.unsubscribe();
    drawing.unsubscribe();
    done$.complete();
    await server.close();
  }
}

/** A 503 for two reads, for an order that is executed nevertheless, or, once, for an order that is not executed. */
function injectOutage(sandbox: Sandbox, round: number): void {
  const order = '/api/v4/order/stock_market';
  if (round % 3 === 0) sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance', times: 2 });
  else sandbox.fault({ kind: 'status', path: order, executed: round !== 2 });
}
