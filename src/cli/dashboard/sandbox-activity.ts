// Activity on the embedded exchange, for a dashboard without another exchange: a bot, deposits and withdrawals, outages.
import { ignoreElements, interval, merge, repeat, tap, timer, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { Sandbox } from '../../sandbox/index.js';
import { trade } from '../demo/bot.js';
import { market } from '../demo/bot.js';

const depositEveryMs = 4000;
const outageEveryMs = 20_000;
const bookEveryMs = 500;
/** The bot keeps its trades in memory: it starts again after this time. */
const botRunMs = 300_000;
const deposits = ['0.05', '-0.02', '0.1', '-0.08'];

/** Runs until unsubscribed; emits nothing. */
export function sandboxActivity(sandbox: Sandbox, exchange: Exchange): Observable<never> {
  const account = sandbox.account();
  const deposits$ = interval(depositEveryMs).pipe(
    tap((turn) => {
      account.deposit('BTC', deposits[turn % deposits.length] ?? '0', 'main');
      account.deposit('USDT', turn % 2 === 0 ? '250' : '-240.5', 'main');
    }),
  );
  const outages$ = interval(outageEveryMs).pipe(
    tap(() => {
      sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    }),
  );
  const book$ = exchange.live.orderBook({ market, limit: 1, everyMs: bookEveryMs });
  const bot$ = trade(exchange, book$, timer(botRunMs)).pipe(repeat());
  return merge(deposits$, outages$, bot$).pipe(ignoreElements());
}
