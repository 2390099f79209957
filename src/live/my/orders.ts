// `live.my.orders`, `openOrders` and `follow`: the orders of each market, for all of its subscribers.
import {
  combineLatest,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  map,
  merge,
  mergeMap,
  Observable,
  share,
  startWith,
  Subject,
  Subscription,
  timer,
} from 'rxjs';
import { optionsOf, parse } from '../../errors/index.js';
import type { LiveOrder } from '../../model/live-order.js';
import type { Order } from '../../model/order.js';
import { ordersExecuted, ordersPending, otoOrdersUpdate, readOtoChange } from '../channels/orders.js';
import type { KeySubscriptions, PushItem } from '../channel.js';
import { privateConnection, type Connections } from '../connections.js';
import { aMarket, someMarkets } from '../markets.js';
import { cached, unique } from '../values.js';
import type { Account } from './account.js';
import type { AccountStatus } from './account-state.js';
import { OpenOrders } from './open-orders.js';
import type { LiveOrderItem, OrderChange, OtoOrderChange } from './order-change.js';
import { endOf, endOrModification } from './order-lookup.js';
import { OrderRun, type OpenOrdersState, type OrderUpdate } from './order-run.js';
import type { SeenOrder } from './order-states.js';

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
  const streamOf = cached((market: string) => new OrderStream(account, channels, market));
  const streamsOf = (name: string, params: OrdersParams) =>
    unique(parse(name, ordersParams, params).markets).map(streamOf);
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

/** The channels of orders. */
export interface OrderChannels {
  readonly pending: KeySubscriptions<SeenOrder>;
  readonly executed: KeySubscriptions<SeenOrder>;
  /** The changes of conditional orders of all markets. */
  readonly otos$: Observable<PushItem<OtoOrderChange>>;
}

/** A followed order that was placed just now is pushed within this time: else it may have ended before. */
const followMs = 1000;

export class OrderStream {
  readonly #account: Account;
  readonly #market: string;
  readonly #updates$: Observable<OrderUpdate>;
  #run: OrderRun | undefined;

  constructor(account: Account, { pending, executed, otos$ }: OrderChannels, market: string) {
    this.#account = account;
    this.#market = market;
    this.#updates$ = new Observable<OrderUpdate>((subscriber) => {
      const run = new OrderRun(account, market, subscriber);
      this.#run = run;
      run.follow(pending);
      run.follow(executed);
      const otos = otos$.subscribe((pushed) => {
        run.onOto(pushed);
      });
      return () => {
        // A subscriber may have come back inside of the error of this run.
        if (this.#run === run) this.#run = undefined;
        run.end();
        otos.unsubscribe();
      };
    }).pipe(share());
  }

  /** The changes since the subscription. */
  get items$(): Observable<LiveOrderItem> {
    return this.#updates$.pipe(
      // An order that is pushed before the first list may end before it, too.
      mergeMap(({ items, isFirst }) => items.filter(({ kind }) => !isFirst || kind !== 'opened')),
    );
  }

  /** The open orders, at each change; a late subscriber gets them at once. */
  get open$(): Observable<OpenOrdersState> {
    return defer(() =>
      this.#updates$.pipe(
        startWith(undefined),
        map(() => this.#run?.current),
        filter((current) => current !== undefined),
        distinctUntilChanged(isSameState),
      ),
    );
  }

  /** The changes of one order, and of what it is modified to, to its end. */
  follow(placed: Order): Observable<OrderChange> {
    return new Observable((subscriber) => {
      let id = placed.order_id;
      /** The order that the followed one has replaced. */
      let replaced: number | undefined;
      let lookup = Subscription.EMPTY;
      const error = (failure: unknown) => {
        subscriber.error(failure);
      };
      const lookUp = (change$: Observable<OrderChange>) => {
        lookup.unsubscribe();
        const next = (change: OrderChange) => {
          take(change, true);
        };
        // First: what is found may start another lookup.
        lookup = new Subscription();
        subscriber.add(lookup);
        lookup.add(change$.subscribe({ next, error }));
      };
      /** An order that is not known to be open, and whose end is not known, may have ended before it was pushed. */
      const lookUpEnd = () => {
        const run = this.#run;
        if (run === undefined || subscriber.closed || run.states.has(id)) return;
        const end$ = endOf(this.#account, this.#market, id);
        const soon$ = timer(followMs).pipe(mergeMap(() => (run.states.has(id) ? EMPTY : end$)));
        lookUp(run.states.isForgotten(id) ? end$ : soon$);
      };
      const take = (change: OrderChange, isFinal = false) => {
        const { order, kind } = change;
        const isNext = kind === 'modified' && change.replaces === id;
        // A modification of several that came together may have been found already.
        const isKnown = kind === 'modified' && change.replaces === replaced;
        if (isKnown || (!isNext && order.order_id !== id)) return;
        // A modification whose new order was not pushed looks like a cancel.
        if (kind === 'ended' && !isFinal) {
          lookUp(endOrModification(this.#account, order, change.via));
          return;
        }
        lookup.unsubscribe();
        subscriber.next(change);
        if (kind === 'ended') subscriber.complete();
        if (!isNext) return;
        [replaced, id] = [id, order.order_id];
        // The order that replaces it may have ended before its predecessor was known to.
        for (const later of this.#run?.states.changesSince(order) ?? []) take(later);
        lookUpEnd();
      };
      subscriber.add(
        this.#updates$.subscribe({
          next: ({ items }) => {
            for (const item of items) {
              if (item.kind === 'gap' || item.kind === 'oto') continue;
              // Other subscribers have had an end that was reported before the modification, or instead of it.
              take(item.kind === 'modified' ? item : (this.#run?.states.modificationOf(id) ?? item));
            }
          },
          error,
        }),
      );
      // Pushes may have come before the response to the request that placed the order.
      for (const change of this.#run?.states.changesSince(placed) ?? []) take(change);
      lookUpEnd();
    });
  }
}

function isSameState(one: OpenOrdersState, other: OpenOrdersState): boolean {
  return (
    one.status === other.status &&
    one.orders === other.orders &&
    one.unknown.length === other.unknown.length &&
    one.unknown.every((id, index) => other.unknown[index] === id)
  );
}
