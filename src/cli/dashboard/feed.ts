// The dashboard's messages, from the client's streams. Only fields that the page shows leave this file.
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  forkJoin,
  map,
  merge,
  of,
  share,
  tap,
  throwError,
  type Observable,
} from 'rxjs';
import { isExchangeError, RequestError } from '../../errors/index.js';
import type { ClientEvent } from '../../client/index.js';
import type { Exchange } from '../../exchange.js';
import type { Order } from '../../model/order.js';
import { poll } from '../../operators/index.js';
import type { RateLimitUsage } from '../../scheduler/index.js';
import { watchBalance, watchHealth, type BalanceChange, type BalanceUpdate, type Health } from '../../streams/index.js';
import { isNonZero } from '../terminal/index.js';
import { appendMessage } from './history.js';
import { liveBook } from './live-book.js';
import type { About, AssetRow, BalancePoint, HealthPoint, History, LimitUsage, Message, OrderRow } from './messages.js';
import { pageAmount, pageName, pageText } from './page-text.js';

export interface Feed {
  /** The history, then live messages. */
  readonly messages$: Observable<Message>;
  /** Live messages. The history is kept while this has a subscriber. */
  readonly live$: Observable<Message>;
}

const ordersEveryMs = 3000;
const balanceEveryMs = 3000;
const maxOrders = 20;
/** Assets on the page: those that changed last, then those with a non-zero amount. */
const maxAssets = 100;

/** @param market whose live order book the page shows; none without it */
export function createFeed(exchange: Exchange, about: About, market?: string): Feed {
  let history: History = { about, health: [], balances: [], usage: [], orders: [], problems: [] };
  const account$ = about.account ? merge(balances(exchange), listOrders(exchange)) : EMPTY;
  const book$ =
    market === undefined ? EMPTY : liveBook(exchange, market).pipe(map((book): Message => ({ type: 'book', book })));
  const live$ = merge(health(exchange), usage(exchange), account$, problems(exchange), book$).pipe(
    tap((message) => {
      history = appendMessage(history, message);
    }),
    share(),
  );
  return { live$, messages$: defer(() => concat(of<Message>({ type: 'history', history }), live$)) };
}

function health(exchange: Exchange): Observable<Message> {
  return watchHealth(exchange).pipe(map((update) => ({ type: 'health', health: healthPoint(update) })));
}

function healthPoint({ state, reason, since, latency, successRatio }: Health): HealthPoint {
  const { lastMs, p50Ms, p99Ms } = latency;
  const latencies = { latencyMs: lastMs ?? null, p50Ms: p50Ms ?? null, p99Ms: p99Ms ?? null };
  return { at: Date.now(), state, since, ...latencies, successRatio, ...(reason === undefined ? {} : { reason }) };
}

function balances(exchange: Exchange): Observable<Message> {
  return defer(() => {
    const lastChanges = new Map<string, string>();
    return watchBalance(exchange, { everyMs: balanceEveryMs }).pipe(
      map((update): Message => {
        recordChanges(lastChanges, update.changes);
        return { type: 'balance', balance: balancePoint(update, lastChanges) };
      }),
    );
  });
}

/** Records the last change of each asset, newest last, for at most {@link maxAssets} assets. */
function recordChanges(lastChanges: Map<string, string>, changes: readonly BalanceChange[]): void {
  for (const { asset, delta } of changes.slice(0, maxAssets)) {
    lastChanges.delete(asset);
    lastChanges.set(asset, delta);
  }
  for (const asset of lastChanges.keys()) {
    if (lastChanges.size <= maxAssets) break;
    lastChanges.delete(asset);
  }
}

function balancePoint(
  { balance, staleAssets, stale }: BalanceUpdate,
  lastChanges: ReadonlyMap<string, string>,
): BalancePoint {
  const known = Object.keys(balance);
  const all = new Set([...known, ...staleAssets, ...lastChanges.keys()]);
  const held = known.filter((asset) => isNonZero(balance[asset]?.main_balance ?? ''));
  const byRank = [[...lastChanges.keys()].reverse(), held, staleAssets, known].flatMap((assets) =>
    assets.slice(0, maxAssets),
  );
  const shown = new Set([...new Set(byRank)].slice(0, maxAssets));
  const notRead = new Set(staleAssets);
  const row = (asset: string): AssetRow => {
    const isStale = notRead.has(asset);
    // The exchange omits assets with a zero balance.
    const amount = Object.hasOwn(balance, asset) ? balance[asset]?.main_balance : isStale ? undefined : '0';
    return {
      asset: pageName(asset),
      amount: amount === undefined ? null : pageAmount(amount),
      change: pageAmount(lastChanges.get(asset) ?? ''),
      stale: isStale,
    };
  };
  // In the order of the exchange, so that rows stay in place when amounts change.
  const assets = [...all].filter((asset) => shown.has(asset)).map(row);
  return { at: Date.now(), assets, notShown: all.size - assets.length, notRead: notRead.size, stale };
}

function usage({ scheduler }: Exchange): Observable<Message> {
  return scheduler.usage$.pipe(map((limits) => ({ type: 'usage', usage: limits.map(limitUsage) })));
}

function limitUsage({ queued, coolDownUntil, ...rateLimit }: RateLimitUsage): LimitUsage {
  const allQueued = Object.values(queued).reduce((sum, count) => sum + count, 0);
  return { ...rateLimit, queued: allQueued, coolDownUntil: coolDownUntil ?? null };
}

/** Open and ended orders, newest first. `events$` reports a failed poll, and the next poll follows. */
function listOrders({ orders }: Exchange): Observable<Message> {
  const options = { retry: false } as const;
  const poll$ = defer(() =>
    forkJoin([orders.open({ limit: maxOrders }, options), orders.history({ limit: maxOrders }, options)]),
  );
  return poll$.pipe(
    map(([open, ended]): Message => {
      // An order that ends between the two responses is in both lists: its entry in the history replaces the open one.
      const listed = new Map(
        [...open, ...Object.values(ended).flat()].map((order): [number, ListedOrder] => [order.order_id, order]),
      );
      const newest = [...listed.values()]
        .sort((a, b) => (timeOf(b.timestamp) ?? 0) - (timeOf(a.timestamp) ?? 0) || b.order_id - a.order_id)
        .slice(0, maxOrders);
      return { type: 'orders', orders: newest.map(orderRow) };
    }),
    catchError((error: unknown) =>
      isExchangeError(error) && !(error instanceof RequestError) ? EMPTY : throwError(() => error),
    ),
    poll({ everyMs: ordersEveryMs }),
  );
}

type ListedOrder = Pick<
  Order,
  'order_id' | 'market' | 'side' | 'type' | 'timestamp' | 'amount' | 'deal_stock' | 'deal_money' | 'status'
>;

/** Fields that a response omits are empty. */
function orderRow({
  order_id,
  market,
  side,
  type = '',
  timestamp,
  amount = '',
  deal_stock = '',
  deal_money = '',
  status = '',
}: ListedOrder): OrderRow {
  return {
    id: order_id,
    at: timeOf(timestamp),
    market: pageName(market),
    side: pageName(side),
    type: pageName(type),
    amount: pageAmount(amount),
    filled: pageAmount(deal_stock),
    total: pageAmount(deal_money),
    status: pageName(status),
  };
}

/** Unix ms of Unix seconds; `null` for a time that a Date cannot hold. */
function timeOf(seconds: number | undefined): number | null {
  const at = new Date((seconds ?? NaN) * 1000).getTime();
  return Number.isNaN(at) ? null : at;
}

function problems({ events$ }: Exchange): Observable<Message> {
  return events$.pipe(
    concatMap((event) => {
      const problem = describeProblem(event);
      if (problem === undefined) return EMPTY;
      return of<Message>({
        type: 'problem',
        problem: { at: Date.now(), endpoint: pageText(problem.endpoint), text: pageText(problem.text) },
      });
    }),
  );
}

function describeProblem(event: ClientEvent): { readonly endpoint: string; readonly text: string } | undefined {
  switch (event.type) {
    case 'response':
      if (event.result !== 'error') return undefined;
      return {
        endpoint: event.endpoint,
        text: `${event.kind ?? 'failed'}${event.status === undefined ? '' : `, HTTP ${event.status}`}`,
      };
    case 'wait':
      return event.kind === undefined ? undefined : { endpoint: event.endpoint, text: `${event.kind}: not sent` };
    case 'order':
      return { endpoint: event.endpoint, text: `${event.progress}: order ${event.client_order_id}` };
    case 'unreadable':
      return { endpoint: event.endpoint, text: `${event.count} records could not be read: ${event.sample}` };
    case 'limit':
      return { endpoint: event.rateLimit, text: `429: cooling down for ${Math.round(event.coolDownMs / 1000)} s` };
    case 'sharing':
      return { endpoint: 'shared limits', text: `${event.state}: ${event.reason}` };
    case 'request':
    case 'retry':
    case 'live-connection':
    case 'live-gap':
      return undefined;
  }
}
