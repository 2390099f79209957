// `live.my.orders`, `openOrders` and `follow`: their parameters, and where the orders come from.
import { combineLatest, map, merge, Subject, type Observable } from 'rxjs';
import { optionsOf, parse } from '../../errors/index.js';
import type { LiveOrder } from '../../model/live-order.js';
import type { Order } from '../../model/order.js';
import { ordersExecuted, ordersPending, otoOrdersUpdate, readOtoChange } from '../channels/orders.js';
import { privateConnection, type Connections } from '../connections.js';
import type { PushItem } from '../channel.js';
import { aMarket, someMarkets } from '../markets.js';
import type { Account } from './account.js';
import type { AccountStatus } from './account-state.js';
import { OpenOrders } from './open-orders.js';
import type { LiveOrderItem, OrderChange, OtoOrderChange } from './order-change.js';
import type { OpenOrdersState } from './order-run.js';
import { OrderStream, type OrderChannels } from './order-stream.js';

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

/** The channels of the account's orders. */
export interface LiveOrders {
  orders(params: OrdersParams): Observable<LiveOrderItem>;
  openOrders(params: OrdersParams): Observable<LiveOpenOrders>;
  follow(order: Order): Observable<OrderChange>;
}

const ordersParams = optionsOf<OrdersParams>({ markets: someMarkets }, ['markets']);

export function createOrders(account: Account, connections: Connections): LiveOrders {
  const channels: OrderChannels = {
    pending: connections.subscriptionsOf(ordersPending),
    executed: connections.subscriptionsOf(ordersExecuted),
    otos$: otoChanges(connections),
  };
  const streams = new Map<string, OrderStream>();
  const streamOf = (market: string) => {
    const stream = streams.get(market) ?? new OrderStream(account, channels, market);
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
  const [first, ...others] = states;
  return {
    status: states.every(({ status }) => status === 'live') ? 'live' : 'stale',
    receivedAt: Date.now(),
    orders:
      first !== undefined && others.length === 0 ? first.orders : new OpenOrders(states.map(({ orders }) => orders)),
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
