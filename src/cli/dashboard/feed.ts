// What the dashboard shows, from the client's streams: only what the page needs leaves here.
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
import { isHeld } from '../amounts.js';
import type { About, AssetRow, BalancePoint, HealthPoint, History, LimitUsage, Message, OrderRow } from './messages.js';
import { remember } from './remember.js';
import { shownAmount, shownName, shownText } from './shown-text.js';

/** The messages of a dashboard. */
export interface Feed {
  /** First the history, then what happens. */
  readonly messages$: Observable<Message>;
  /** What happens; as long as anyone is subscribed, the history is kept. */
  readonly live$: Observable<Message>;
}

const ordersEveryMs = 3000;
const balanceEveryMs = 3000;
const maxOrders = 20;
/** Of an account with more, those that changed last come first, then those of which there is something. */
const maxAssets = 100;

export function createFeed(exchange: Exchange, about: About): Feed {
  let history: History = { about, health: [], balances: [], usage: [], orders: [], problems: [] };
  const account$ = about.account ? merge(balances(exchange), listOrders(exchange)) : EMPTY;
  const live$ = merge(health(exchange), usage(exchange), account$, problems(exchange)).pipe(
    tap((message) => {
      history = remember(history, message);
    }),
    share(),
  );
  return { live$, messages$: defer(() => concat(of<Message>({ type: 'history', history }), live$)) };
}

function health(exchange: Exchange): Observable<Message> {
  return watchHealth(exchange).pipe(map((seen) => ({ type: 'health', health: healthPoint(seen) })));
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
        noteChanges(lastChanges, update.changes);
        return { type: 'balance', balance: balancePoint(update, lastChanges) };
      }),
    );
  });
}

/** Keeps the last change of assets, the newest last, of as many as are shown. */
function noteChanges(lastChanges: Map<string, string>, changes: readonly BalanceChange[]): void {
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
  const held = known.filter((asset) => isHeld(balance[asset]?.main_balance ?? ''));
  const byRank = [[...lastChanges.keys()].reverse(), held, staleAssets, known].flatMap((assets) =>
    assets.slice(0, maxAssets),
  );
  const shown = new Set([...new Set(byRank)].slice(0, maxAssets));
  const notRead = new Set(staleAssets);
  const row = (asset: string): AssetRow => {
    const isStale = notRead.has(asset);
    // The exchange leaves out what is zero.
    const amount = Object.hasOwn(balance, asset) ? balance[asset]?.main_balance : isStale ? undefined : '0';
    return {
      asset: shownName(asset),
      amount: amount === undefined ? null : shownAmount(amount),
      change: shownAmount(lastChanges.get(asset) ?? ''),
      stale: isStale,
    };
  };
  // In the exchange's order, which stays when something changes.
  const assets = [...all].filter((asset) => shown.has(asset)).map(row);
  return { at: Date.now(), assets, notShown: all.size - assets.length, notRead: notRead.size, stale };
}

function usage({ scheduler }: Exchange): Observable<Message> {
  return scheduler.usage$.pipe(map((groups) => ({ type: 'usage', usage: groups.map(limitUsage) })));
}

function limitUsage({ queued, coolDownUntil, ...rateLimit }: RateLimitUsage): LimitUsage {
  const waiting = Object.values(queued).reduce((sum, count) => sum + count, 0);
  return { ...rateLimit, queued: waiting, closedUntil: coolDownUntil ?? null };
}

/**
 * The open orders and those that have ended, the newest first. A round that fails is told by `events$`, and the next
 * one comes.
 */
function listOrders({ orders }: Exchange): Observable<Message> {
  const options = { priority: 'background', retry: false } as const;
  const round$ = defer(() =>
    forkJoin([orders.open({ limit: maxOrders }, options), orders.history({ limit: maxOrders }, options)]),
  );
  return round$.pipe(
    map(([open, ended]): Message => {
      // One that ends between the two answers is in both: it has ended.
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

/** What a response leaves out stays empty. */
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
    market: shownName(market),
    side: shownName(side),
    type: shownName(type),
    amount: shownAmount(amount),
    filled: shownAmount(deal_stock),
    total: shownAmount(deal_money),
    status: shownName(status),
  };
}

/** The Unix ms of Unix seconds; `null` where no calendar has them. */
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
        problem: { at: Date.now(), endpoint: shownText(problem.endpoint), text: shownText(problem.text) },
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
      return { endpoint: event.rateLimit, text: `429: closed for ${Math.round(event.coolDownMs / 1000)} s` };
    case 'sharing':
      return { endpoint: 'shared limits', text: `${event.state}: ${event.reason}` };
    case 'request':
    case 'retry':
      return undefined;
  }
}
