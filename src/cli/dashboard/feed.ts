// What the dashboard shows, from the client's streams: only what the page needs leaves here.
import { catchError, concat, concatMap, defer, EMPTY, forkJoin, map, merge, of, share, tap, throwError, type Observable } from 'rxjs';
import { isExchangeError, RequestError } from '../../errors.js';
import type { SessionEvent } from '../../events.js';
import type { Exchange } from '../../exchange.js';
import type { Order } from '../../model/order.js';
import { poll } from '../../operators/index.js';
import type { GroupUsage } from '../../scheduler/index.js';
import { watchBalance, watchHealth, type BalanceUpdate, type Health } from '../../streams/index.js';
import type { About, BalancePoint, HealthPoint, History, LimitUsage, Message, OrderRow } from './messages.js';
import { remember } from './remember.js';

/** The messages of a dashboard. */
export interface Feed {
  /** First the history, then what happens. */
  readonly messages$: Observable<Message>;
  /** What happens; as long as anyone is subscribed, the history is kept. */
  readonly live$: Observable<Message>;
}

const ordersEveryMs = 3000;
const balanceEveryMs = 3000;
const mostOrders = 20;

export function createFeed(exchange: Exchange, about: About): Feed {
  let history: History = { about, health: [], balances: [], usage: [], orders: [], problems: [] };
  const account$ = about.account ? merge(balances(exchange), orders(exchange)) : EMPTY;
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
  return watchBalance(exchange, { everyMs: balanceEveryMs }).pipe(map((update) => ({ type: 'balance', balance: balancePoint(update) })));
}

function balancePoint({ balance, changes, stale }: BalanceUpdate): BalancePoint {
  const assets = Object.entries(balance).map(([asset, { main_balance }]) => [asset, main_balance] as const);
  const deltas = changes.map(({ asset, delta }) => [asset, delta] as const);
  return { at: Date.now(), assets: Object.fromEntries(assets), deltas: Object.fromEntries(deltas), stale };
}

function usage({ scheduler }: Exchange): Observable<Message> {
  return scheduler.usage$.pipe(map((groups) => ({ type: 'usage', usage: groups.map(limitUsage) })));
}

function limitUsage({ queued, closedUntil, ...group }: GroupUsage): LimitUsage {
  const waiting = Object.values(queued).reduce((sum, count) => sum + count, 0);
  return { ...group, queued: waiting, closedUntil: closedUntil ?? null };
}

/** The open orders and those that have ended, the newest first. A round that fails is told by `events$`, and the next one comes. */
function orders({ spot }: Exchange): Observable<Message> {
  const options = { priority: 'background', retry: false } as const;
  const round$ = defer(() => forkJoin([spot.openOrders({ limit: mostOrders }, options), spot.orderHistory({ limit: mostOrders }, options)]));
  return round$.pipe(
    map(([open, ended]): Message => {
      // One that ends between the two answers is in both: it has ended.
      const rows = new Map([...open.map(orderRow), ...Object.values(ended).flat().map(orderRow)].map((row) => [row.id, row]));
      return { type: 'orders', orders: [...rows.values()].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, mostOrders) };
    }),
    catchError((error: unknown) => (isExchangeError(error) && !(error instanceof RequestError) ? EMPTY : throwError(() => error))),
    poll({ everyMs: ordersEveryMs }),
  );
}

type ListedOrder = Pick<Order, 'order_id' | 'market' | 'side' | 'type' | 'timestamp' | 'amount' | 'deal_stock' | 'deal_money' | 'status'>;

/** What a response leaves out stays empty. */
function orderRow({ order_id, market, side, type = '', timestamp = 0, amount = '', deal_stock = '', deal_money = '', status = '' }: ListedOrder): OrderRow {
  return { id: order_id, at: timestamp * 1000, market, side, type, amount, filled: deal_stock, total: deal_money, status };
}

function problems({ events$ }: Exchange): Observable<Message> {
  return events$.pipe(
    concatMap((event) => {
      const problem = describeProblem(event);
      return problem === undefined ? EMPTY : of<Message>({ type: 'problem', problem: { at: Date.now(), ...problem } });
    }),
  );
}

function describeProblem(event: SessionEvent): { readonly endpoint: string; readonly text: string } | undefined {
  switch (event.type) {
    case 'response':
      if (event.result !== 'error') return undefined;
      return { endpoint: event.endpoint, text: `${event.kind ?? 'failed'}${event.status === undefined ? '' : `, HTTP ${event.status}`}` };
    case 'wait':
      return event.kind === undefined ? undefined : { endpoint: event.endpoint, text: `${event.kind}: not sent` };
    case 'order':
      return { endpoint: event.endpoint, text: `${event.progress}: order ${event.client_order_id}` };
    case 'unreadable':
      return { endpoint: event.endpoint, text: `${event.count} records could not be read: ${event.sample}` };
    case 'limit':
      return { endpoint: event.group, text: `429: closed for ${Math.round(event.closedForMs / 1000)} s` };
    case 'sharing':
      return { endpoint: 'shared limits', text: `${event.state}: ${event.reason}` };
    case 'request':
    case 'retry':
      return undefined;
  }
}
