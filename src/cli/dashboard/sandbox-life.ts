// Life for a dashboard that has no exchange to show: a bot that trades, deposits and withdrawals, and a 503 now and
// then.
import { ignoreElements, interval, merge, repeat, tap, timer, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { Sandbox } from '../../sandbox/index.js';
import { trade } from '../demo/strategy.js';

const depositEveryMs = 4000;
const outageEveryMs = 20_000;
/** The bot keeps its trades: it begins anew from time to time. */
const botMemoryMs = 300_000;
const deposits = ['0.05', '-0.02', '0.1', '-0.08'];

/** As long as it is subscribed to; emits nothing. */
export function sandboxLife(sandbox: Sandbox, exchange: Exchange): Observable<never> {
  const account = sandbox.account();
  const deposits$ = interval(depositEveryMs).pipe(
    tap((turn) => {
      account.deposit('BTC', deposits[turn % deposits.length] ?? '0', 'main');
      account.deposit('USDT', turn % 2 === 0 ? '250' : '-240.5', 'main');
    }),
  );
  const outages$ = interval(outageEveryMs).pipe(
    tap(() => {
      sandbox.unavailable({ path: '/api/v4/main-account/balance', times: 1 });
    }),
  );
  const bot$ = trade(exchange, timer(botMemoryMs)).pipe(repeat());
  return merge(deposits$, outages$, bot$).pipe(ignoreElements());
}
