// A client process of the soak test of an account: it trades, and writes down what the live connection reports.
import { createExchange, type ClientOptions } from 'exchange-rx';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { catchError, EMPTY, filter, firstValueFrom, lastValueFrom, Subscription } from 'rxjs';
import { isLive, liveAccount, viewOfLive, type LiveAccount } from '../support/account-view.js';
import { givenOptions, sendToParent } from '../support/children.js';
import { randomRequest, tradedMarkets } from '../support/random-orders.js';
import { measureUsage } from './usage.js';

export interface AccountClientOptions {
  readonly client: ClientOptions;
  readonly seconds: number;
  /** A line for each execution and for each end of an order. A list of them in memory would hide a leak. */
  readonly file: string;
}

const warmUpMs = 3000;
/** Runs of any length end about 2000 orders, which are remembered by 1 MB, so that a growth of 5 MB is a leak. */
const maxRequests = 3000;
const minPauseMs = 200;

const { client, seconds, file } = givenOptions() as AccountClientOptions;
const pauseMs = Math.max(minPauseMs, (seconds * 1000) / maxRequests);
const exchange = createExchange(client);
const { my } = exchange.live;
const watching = new Subscription();
let lost = 0;
const gaps: Record<string, number> = {};
let account: LiveAccount | undefined;

const write = (kind: string, key: string | number) => {
  appendFileSync(file, `${kind} ${key}\n`);
};
const account$ = liveAccount(exchange, tradedMarkets);
watching.add(
  exchange.events$.subscribe((event) => {
    if (event.type === 'live-connection' && event.state.status === 'waiting') lost += 1;
    if (event.type === 'live-gap') gaps[event.reason] = (gaps[event.reason] ?? 0) + 1;
  }),
);
watching.add(
  my.executions().subscribe((item) => {
    if (item.kind === 'execution') write('execution', `${item.execution.id}/${item.execution.order_id}`);
  }),
);
watching.add(
  my.orders({ markets: tradedMarkets }).subscribe((item) => {
    if (item.kind === 'ended') write('ended', item.order.order_id);
    if (item.kind === 'modified') write('replaced', item.before.order_id);
  }),
);
watching.add(
  account$.subscribe((value) => {
    account = value;
  }),
);
await firstValueFrom(account$.pipe(filter(isLive)));

let requests = 0;
let failed = 0;
const over = new AbortController();
const trading = (async () => {
  while (!over.signal.aborted) {
    requests += 1;
    const request$ = randomRequest(exchange, Math.random, account?.openOrders.orders ?? []);
    // A stale map has orders that have ended, which cannot be modified or canceled.
    const counted$ = request$.pipe(
      catchError(() => {
        failed += 1;
        return EMPTY;
      }),
    );
    await lastValueFrom(counted$, { defaultValue: undefined });
    await sleep(pauseMs);
  }
})();

const usage = await measureUsage(warmUpMs, seconds);
over.abort();
await trading;

/** What a client responds to a later message: no view while a value is stale. */
const viewNow = () => ({ view: account !== undefined && isLive(account) ? viewOfLive(account) : undefined });
export type AccountClientView = ReturnType<typeof viewNow>;

process.on('message', ({ isOver = false }: { readonly isOver?: boolean }) => {
  if (isOver) {
    // Nothing may be left that keeps the process alive.
    watching.unsubscribe();
    process.disconnect();
    return;
  }
  sendToParent(viewNow());
});
/** Requests that changed an order, those that failed, connections that were lost, and gaps by their reasons. */
const report = { requests, failed, lost, gaps, ...usage };
export type AccountClientReport = typeof report;
sendToParent(report);
