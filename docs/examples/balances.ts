// Balances for a dashboard: one poll for any number of views, told when something changed, early after an order of ours.
import { createExchange, watchBalance } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { Subject, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

const ordered$ = new Subject<void>();
const hidden$ = new Subject<boolean>();
const balance$ = watchBalance(exchange, { everyMs: 5000, refreshOn: ordered$, pauseWhile: hidden$ });

const page$ = timer(500); // the page is closed: the last to leave stops the polls
balance$.pipe(takeUntil(page$)).subscribe(({ stale, error }) => {
  if (stale) console.log('may be old:', error?.message);
});
balance$.pipe(takeUntil(page$)).subscribe(({ balance, changes }) => {
  for (const { asset, before, after, delta } of changes) console.log(asset, before, '→', after, `(${delta})`);
  if (changes.length === 0) console.log(Object.entries(balance).map(([asset, { main_balance }]) => `${asset} ${main_balance}`).join(', '));
});

setTimeout(() => {
  sandbox.account().deposit('BTC', '0.25', 'main');
  ordered$.next(); // polls at once
  hidden$.next(true); // nobody looks: this poll is the last until `false`
}, 100);
