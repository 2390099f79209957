// `live.my.orders`, `openOrders` and `follow`: their parameters, and where the orders come from.
import { combineLatest, map, merge, Subject, type Observable } from 'rxjs';
import { optionsOf, parse } from '../../errors/index.js';
import type { LiveOrder } from '../../model/live-order.js';
import type { Order } from '../../model/order.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { ordersExecuted, ordersPending, otoOrdersUpdate, readOtoChange } from '../channels/orders.js';
import { privateConnection, type Connections } from '../connections.js';
import type { PushItem } from '../channel.js';
import { aMarket, someMarkets } from '../market-rules.js';
import { timeOfAccountQuery, type Query } from '../queries.js';
import { refusedBy } from '../state-stream.js';
import type { AccountStatus } from './account-state.js';
import { JoinedOrders } from './open-orders.js';
import type { LiveOrderItem, OrderChange, OtoOrderChange } from './order-change.js';
import type { OrderReads } from './order-check.js';
import type { OpenOrdersState } from './order-run.js';
import { OrderStream } from './order-stream.js';

/** Parameters of {@link My.orders} and {@link My.openOrders}. */
export interface OrdersParams {
  /** The markets, `BASE_QUOTE`: at least one. */
  readonly markets: readonly string[];
}

/** The open orders of the account, as {@link My.openOrders} emits them. */
export interface LiveOpenOrders extends AccountStatus {
  /** The open orders by `order_id`. Immutable: a `ReadonlyMap`, not a `Map`. */
  readonly orders: ReadonlyMap<number, LiveOrder>;
  /**
   * Orders among them that may have ended: neither the open orders nor the history of the exchange show them. They are
   * looked up again until the history does.
   */
  readonly unknown: readonly number[];
}

export interface OrdersContext {
  readonly connections: Connections;
  /** Random numbers from 0 to 1, for the jitter of audits and retries. */
  readonly random: () => number;
  /** Sends a query on the connection that it needs. */
  readonly request: <Params, Output>(query: Query<Params, Output>, params: Params) => Observable<Output>;
  readonly reportGap: (gap: LiveGap) => void;
  readonly orderReads: OrderReads;
  /** How long an order may be missing from the history after it ended, milliseconds. Default 2000. */
  readonly historyLagMs: number | undefined;
  /** Every order that is pushed. */
  readonly onOrderPushed: (order: Order) => void;
}

/** The channels of the account's orders. */
export interface LiveOrders {
  orders(params: OrdersParams): Observable<LiveOrderItem>;
  openOrders(params: OrdersParams): Observable<LiveOpenOrders>;
  follow(order: Order): Observable<OrderChange>;
}

/** How long the history may lag behind the connection, milliseconds. */
export const defaultHistoryLagMs = 2000;
const ordersParams = optionsOf<OrdersParams>({ markets: someMarkets }, ['markets']);

export function createOrders(context: OrdersContext): LiveOrders {
  const {
    connections,
    request,
    random,
    reportGap,
    orderReads,
    historyLagMs = defaultHistoryLagMs,
    onOrderPushed,
  } = context;
  const source = {
    pending: connections.subscriptionsOf(ordersPending),
    executed: connections.subscriptionsOf(ordersExecuted),
    otos$: otoChanges(connections),
    reads: orderReads,
    readTime: () => request(timeOfAccountQuery, undefined),
    refusedError: refusedBy('live.my.orders'),
    ...{ random, reportGap, historyLagMs, onPush: onOrderPushed },
  };
  const streams = new Map<string, OrderStream>();
  const streamOf = (market: string) => {
    const stream = streams.get(market) ?? new OrderStream(source, market);
    streams.set(market, stream);
    return stream;
  };
  const streamsOf = (name: string, params: OrdersParams) =>
    [...new Set(parse(name, ordersParams, params).markets)].map(streamOf);
  return {
    orders: (params) => merge(...streamsOf('live.my.orders', params).map((stream) => stream.items$)),
    openOrders: (params) =>
      combineLatest(streamsOf('live.my.openOrders', params).map((stream) => stream.open$)).pipe(map(joined)),
    follow: (order) => {
      parse('live.my.follow', aMarket, order.market, 'order');
      return streamOf(order.market).follow(order);
    },
  };
}

function joined(states: readonly OpenOrdersState[]): LiveOpenOrders {
  const parts = states.map(({ orders }) => orders);
  const [first, ...others] = parts;
  return {
    status: states.every(({ status }) => status === 'live') ? 'live' : 'stale',
    receivedAt: Date.now(),
    orders: first !== undefined && others.length === 0 ? first : new JoinedOrders(parts),
    unknown: states.flatMap(({ unknown }) => unknown),
  };
}

/** They are pushed to the subscribers of `ordersPending`, and have no subscription of their own. */
function otoChanges(connections: Connections): Observable<PushItem<OtoOrderChange>> {
  const changes = new Subject<PushItem<OtoOrderChange>>();
  const nothing = () => undefined;
  connections.linkOf(privateConnection).add({
    update: otoOrdersUpdate,
    onPush: (params) => {
      changes.next(readOtoChange(params));
    },
    ...{ onOpen: nothing, onDown: nothing, onSecond: nothing, onCaughtUp: nothing },
  });
  return changes;
}
