// Balances for a dashboard: all views share one poll, and an order triggers the next poll at once.
import { createExchange, watchBalance } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { BehaviorSubject, NEVER, Subject, switchMap, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

const ordered$ = new Subject<void>();
const hidden$ = new BehaviorSubject(false);
const watched$ = watchBalance(exchange, { everyMs: 5000, refreshOn: ordered$ });
const balance$ = hidden$.pipe(switchMap((isHidden) => (isHidden ? NEVER : watched$))); // pauses while nobody looks

const closed$ = timer(500); // the page is closed: the last unsubscription stops the polls
balance$.pipe(takeUntil(closed$)).subscribe(({ stale, error }) => {
  if (stale) console.log('stale:', error?.message);
});
balance$.pipe(takeUntil(closed$)).subscribe(({ balance, changes }) => {
  for (const { asset, before, after, delta } of changes) console.log(asset, before, '→', after, `(${delta})`);
  if (changes.length > 0) return;
  for (const [asset, { main_balance }] of Object.entries(balance)) console.log(asset, main_balance);
});

setTimeout(() => {
  sandbox.account().deposit('BTC', '0.25', 'main');
  ordered$.next(); // polls at once
}, 100);
setTimeout(() => hidden$.next(true), 300); // the tab is hidden: no polls until `false`
