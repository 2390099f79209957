// A client process of the soak test of an account: it trades, and writes down what the live connection reports.
import { createExchange, type ClientOptions } from 'exchange-rx';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { catchError, EMPTY, filter, firstValueFrom, lastValueFrom, Subscription } from 'rxjs';
import { isLive, liveAccount, viewOfLive, type AccountView, type LiveAccount } from '../support/account-view.js';
import { givenOptions, sendToParent } from '../support/children.js';
import { randomRequest, tradedMarkets } from '../support/random-orders.js';
import { measureUsage, type Usage } from './usage.js';

export interface AccountClientOptions {
  readonly client: ClientOptions;
  readonly seconds: number;
  /** A line for each execution and for each end of an order. A list of them in memory would hide a leak. */
  readonly file: string;
}

/** What a client reports after it has traded. */
export interface AccountClientReport extends Usage {
  /** Requests that placed, modified or canceled an order, and those of them that failed. */
  readonly requests: number;
  readonly failed: number;
  /** Connections that were lost. */
  readonly lost: number;
  /** Gaps by their reasons. */
  readonly gaps: Readonly<Record<string, number>>;
}

/** What a client responds to a later message. */
export interface AccountClientView {
  /** `undefined` while a value is stale. */
  readonly view: AccountView | undefined;
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

process.on('message', ({ isOver = false }: { readonly isOver?: boolean }) => {
  if (isOver) {
    // Nothing may be left that keeps the process alive.
    watching.unsubscribe();
    process.disconnect();
    return;
  }
  const now: AccountClientView = { view: account !== undefined && isLive(account) ? viewOfLive(account) : undefined };
  sendToParent(now);
});
const report: AccountClientReport = { requests, failed, lost, gaps, ...usage };
sendToParent(report);
