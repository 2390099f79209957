// `live.my.orders`, `openOrders` and `follow`: the orders of each market, for all of its subscribers.
import {
  combineLatest,
  defer,
  distinctUntilChanged,
  EMPTY,
  expand,
  filter,
  map,
  merge,
  mergeMap,
  Observable,
  of,
  retry,
  share,
  startWith,
  Subject,
  switchMap,
  take,
  takeWhile,
  tap,
  throwIfEmpty,
  timeout,
  timer,
  toArray,
} from 'rxjs';
import { backoff } from '../../call/index.js';
import { parse } from '../../errors/index.js';
import type { LiveOrder } from '../../model/live-order.js';
import type { Order } from '../../model/order.js';
import {
  ordersExecuted,
  ordersPending,
  otoOrdersUpdate,
  readOtoChange,
  type OtoOrderChange,
} from '../channels/account.js';
import type { PushItem } from '../channel.js';
import { isLasting } from '../connection/index.js';
import { privateConnection, type Connections } from '../connections.js';
import { aMarket } from '../markets.js';
import { cached, marketsParams, unique, type MarketsParams } from '../values.js';
import type { Account } from './account.js';
import {
  OrderRun,
  type LiveOpenOrders,
  type LiveOrderItem,
  type OpenOrdersState,
  type OrderChannels,
} from './order-run.js';
import type { OrderChange } from './order-states.js';
import { compareAge, isReplacedBy, knownOrder, mayBeReplaced } from './order-version.js';

/** Parameters of {@link My.orders} and {@link My.openOrders}. */
export interface OrdersParams extends MarketsParams {}

export function createOrders(account: Account, connections: Connections) {
  const channels: OrderChannels = {
    pending: connections.subscriptionsOf(ordersPending),
    executed: connections.subscriptionsOf(ordersExecuted),
    otos$: otoChanges(connections),
  };
  const streamOf = cached((market: string) => new OrderStream(account, channels, market));
  const streamsOf = (name: string, params: OrdersParams) =>
    unique(parse(name, marketsParams, params).markets).map(streamOf);
  return {
    orders: (params: OrdersParams) => merge(...streamsOf('live.my.orders', params).map((stream) => stream.items$)),
    openOrders: (params: OrdersParams) =>
      combineLatest(streamsOf('live.my.openOrders', params).map((stream) => stream.open$)).pipe(map(joined)),
    follow: (order: Order) => {
      parse('live.my.follow', aMarket, order.market, 'order');
      return streamOf(order.market).follow(order);
    },
  };
}

const noOrders: readonly LiveOrder[] = [];

function joined(states: readonly OpenOrdersState[]): LiveOpenOrders {
  return {
    status: states.every(({ status }) => status === 'live') ? 'live' : 'stale',
    receivedAt: Date.now(),
    // Of thousands of orders at each change: `flatMap` takes a hundred times as long.
    orders: noOrders.concat(...states.map(({ orders }) => orders)),
    unknown: states.flatMap(({ unknown }) => unknown),
  };
}

function otoChanges(connections: Connections): Observable<PushItem<OtoOrderChange>> {
  const changes = new Subject<PushItem<OtoOrderChange>>();
  connections.linkOf(privateConnection).add({
    update: otoOrdersUpdate,
    onPush: (params) => {
      changes.next(readOtoChange(params));
    },
  });
  return changes;
}

/** A followed order that was placed just now is pushed within this time. */
const followMs = 1000;

export class OrderStream {
  readonly #account: Account;
  readonly #updates$: Observable<readonly LiveOrderItem[]>;
  #run: OrderRun | undefined;

  constructor(account: Account, channels: OrderChannels, market: string) {
    this.#account = account;
    this.#updates$ = new Observable<readonly LiveOrderItem[]>((subscriber) => {
      const run = new OrderRun(account, channels, market, subscriber);
      this.#run = run;
      return () => {
        // A subscriber may have come back inside of the error of this run.
        if (this.#run === run) this.#run = undefined;
      };
    }).pipe(share());
  }

  get items$(): Observable<LiveOrderItem> {
    return this.#updates$.pipe(mergeMap((items) => items));
  }

  /** The open orders, at each change; a late subscriber gets them at once. */
  get open$(): Observable<OpenOrdersState> {
    return this.#updates$.pipe(
      startWith(undefined),
      map(() => this.#run?.openOrders),
      filter((openOrders) => openOrders !== undefined),
      distinctUntilChanged(isSameState),
    );
  }

  follow(placed: LiveOrder): Observable<OrderChange> {
    return this.#changesOf(placed).pipe(
      expand((change) => (change.kind === 'modified' ? this.#changesOf(change.order) : EMPTY)),
    );
  }

  /** The changes of an order until it ends or is modified. */
  #changesOf(placed: LiveOrder): Observable<OrderChange> {
    const { order_id, market } = placed;
    return defer(() => {
      let last = placed;
      return this.#updates$.pipe(
        // Pushes may have come before the response to the request that placed the order.
        startWith(undefined),
        map(() => this.#run?.states.changeSince(last)),
        filter((change, index) => index === 0 || (change !== undefined && change.order !== last)),
        tap((change) => {
          last = change?.order ?? last;
        }),
      );
    }).pipe(
      switchMap((change) => {
        // An order that is not pushed soon may have ended before.
        if (change === undefined) return timer(followMs).pipe(mergeMap(() => this.#endOfUnknown(market, order_id)));
        // A modification whose new order was not pushed looks like a cancel.
        return change.kind === 'ended' ? endOrModification(this.#account, change.order) : of(change);
      }),
      takeWhile(({ kind }) => kind !== 'ended' && kind !== 'modified', true),
    );
  }

  #endOfUnknown(market: string, id: number): Observable<OrderChange> {
    return this.#run?.states.has(id) === true ? EMPTY : endOf(this.#account, market, id);
  }
}

function isSameState(one: OpenOrdersState, other: OpenOrdersState): boolean {
  return one.status === other.status && one.orders === other.orders && String(one.unknown) === String(other.unknown);
}

const minRetryMs = 1000;
const maxRetryMs = 60_000;
/** The bound on the lookup of the order that may have replaced a canceled one. */
const maxReplacementMs = 20_000;

/** The end of an order, or its modification. Read until the history has it. */
function endOf(account: Account, market: string, order_id: number): Observable<OrderChange> {
  const ended$ = account.orderReads.endedOrder({ market, order_id }).pipe(throwIfEmpty(), take(1));
  return untilRead(account, ended$).pipe(mergeMap((ended) => endOrModification(account, ended)));
}

/** The end of an order that has ended; or its modification, where the exchange has the order that replaced it. */
function endOrModification(account: Account, ended: LiveOrder): Observable<OrderChange> {
  const known = knownOrder(ended, true);
  const { market, client_order_id } = ended;
  const end: OrderChange = { kind: 'ended', order: known.order };
  if (!mayBeReplaced(known)) return of(end);
  const sameIdentifier$ = account.orderReads.ordersOf({ market, client_order_id }).pipe(toArray());
  return untilRead(account, sameIdentifier$).pipe(
    map((all): OrderChange => {
      const orders = all.map(({ order }) => order).toSorted(compareAge);
      // An identifier may be used again: the history has the orders that had it before.
      const order = orders.find((one) => isReplacedBy(known, knownOrder(one, false)));
      return order === undefined ? end : { kind: 'modified', order, before: known.order };
    }),
    // A program that waits for the end of its order, to stop, must not wait for an outage to end.
    timeout({ first: maxReplacementMs, with: () => of(end) }),
  );
}

function untilRead<Value>({ random }: Account, read$: Observable<Value>): Observable<Value> {
  return read$.pipe(
    retry({
      delay: (error: unknown, failures) => {
        if (isLasting(error)) throw error;
        return timer(minRetryMs + random() * backoff(failures, minRetryMs, maxRetryMs));
      },
    }),
  );
}
