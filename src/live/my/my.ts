// exchange.live.my: the channels of the account, on a connection that is authorized by a token.
import { map, Observable, share, throwError } from 'rxjs';
import { RequestError } from '../../errors/index.js';
import type { LiveExecutionItem } from '../../model/deal.js';
import type { AdlQuantile, Borrow, LivePosition } from '../../model/position.js';
import type { CollateralAssets, TradeBalance } from '../../model/balances.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { unreadableIn } from '../../model/unreadable.js';
import * as channels from '../channels/account.js';
import type { CollateralEventItem, Part } from '../channels/account.js';
import type { LiveState } from '../connection/index.js';
import { everyKey, type Channel, type KeySubscriptions } from '../channel.js';
import {
  balancesQuery,
  marginBalancesQuery,
  privateConnection,
  sendQuery,
  timeQuery,
  type Connections,
} from '../connections.js';
import { gapOf } from '../recovery/index.js';
import type { Account } from './account.js';
import { executionStream, type ExecutionsParams } from './executions.js';
import { createOrders, type OrdersParams } from './orders.js';
import type { LiveOpenOrders, LiveOrderItem } from './order-run.js';
import type { OrderChange } from './order-states.js';
import type { Order } from '../../model/order.js';
import { accountState, type AccountValue, type Apply } from './account-state.js';

/**
 * The account's channels. All of them share one connection, which is authorized by a token of its own before anything
 * else is sent. It is another connection than that of market data: neither failure concerns the other.
 *
 * The streams end only with an error: {@link RequestError} without `credentials`, {@link AuthError} or
 * {@link ApiError} when the exchange issues no token to these credentials, and {@link LiveRefusedError} when it refuses
 * two tokens in a row, or the channel. Other failures are retried.
 */
export interface My {
  /**
   * The trade balance by asset: what spot orders spend. Whole from the first value, then at each change, and each minute.
   * An asset that is missing has none.
   */
  balances(): Observable<AccountValue<TradeBalance>>;
  /** The assets of the collateral account, with loans, by asset. Whole from the first value, as {@link balances} is. */
  marginBalances(): Observable<AccountValue<CollateralAssets>>;
  /**
   * Every execution of the account, each once to each subscriber, across lost connections and restarts: what was not
   * pushed is read over REST. Those since `since` in the order of their times, then as they come; a `gap` where some may
   * be missing, and another one when they follow.
   */
  executions(params?: ExecutionsParams): Observable<LiveExecutionItem>;
  /**
   * The changes of the account's orders, spot and collateral: each order's in their order, none twice, and none older
   * than the one before. What pushes have missed is read over REST, at a reconnection and once a minute: a `gap` and the
   * missing changes. Orders that were open before the subscription appear when they change.
   */
  orders(params: OrdersParams): Observable<LiveOrderItem>;
  /** The open orders, spot and collateral: whole from the first value, then at each change. */
  openOrders(params: OrdersParams): Observable<LiveOpenOrders>;
  /**
   * The changes of one order since it was in this state, to its end; then completes. An end before the subscription is
   * looked up. What the order is modified to is followed, too. {@link followOrder} is the operator for it.
   */
  follow(order: Order): Observable<OrderChange>;
  /** Every open position of the collateral account, margin and futures, each second: one that is missing is closed. */
  positions(): Observable<AccountValue<readonly LivePosition[]>>;
  /** Margin calls and liquidations of positions, and a gap wherever one may be missing: the exchange repeats none. */
  positionEvents(): Observable<CollateralEventItem<LivePosition>>;
  /**
   * Every loan of the collateral account, at most every 1.5 s: one that is missing is repaid. No endpoint lists loans: it emits nothing before the
   * exchange pushes the list, and is `stale` after a lost connection until it does. `collateral.balanceSummary` has the
   * borrowed amount of each asset.
   */
  borrows(): Observable<AccountValue<readonly Borrow[]>>;
  /** Margin calls and liquidations of loans, and a gap wherever one may be missing: the exchange repeats none. */
  borrowEvents(): Observable<CollateralEventItem<Borrow>>;
  /** The rank of your futures positions for automatic deleveraging, every 30 s. */
  adlQuantiles(): Observable<AccountValue<readonly AdlQuantile[]>>;
  /** The state of the account's connection: now, and each later one. Opens no connection. */
  readonly state$: Observable<LiveState>;
}

/** Assets of a balance: more than the exchange has, and about what a whole response may have. */
const maxAssets = 10_000;

export function createMy(connections: Connections, reads: Omit<Account, 'readTime'>): My {
  const link = connections.linkOf(privateConnection);
  const account: Account = { ...reads, readTime: () => sendQuery(link, timeQuery) };
  const { hasCredentials, random, reportGap } = account;

  /** The stream, unless the client has no credentials: then the error that an endpoint would have. */
  function ofAccount<Value>(name: string, stream$: Observable<Value>): Observable<Value> {
    const issue = { field: 'credentials', message: 'are required: the channel is private' };
    const failed$ = throwError(() => new RequestError(`live.my.${name}`, [issue], undefined, 'none'));
    return hasCredentials ? stream$ : failed$;
  }

  /** A value of which each push is whole, or, with `apply`, a change. */
  function valueOf<State extends object>(
    channel: Channel<Part<State>>,
    read?: () => Observable<State>,
    apply?: Apply<State>,
  ): () => Observable<AccountValue<State>> {
    // What was read lacks its unreadable records.
    const readPart =
      read && (() => read().pipe(map((state) => ({ state, isWhole: unreadableIn(state) === undefined }))));
    const value$ = accountState(connections.subscriptionsOf(channel), random, readPart, apply);
    return () => ofAccount(channel.name, value$);
  }

  function eventsOf<Item>(channel: Channel<CollateralEventItem<Item>>): () => Observable<CollateralEventItem<Item>> {
    const event$ = eventStream(connections.subscriptionsOf(channel), channel.name, reportGap);
    return () => ofAccount(channel.name, event$);
  }

  const executions = connections.subscriptionsOf(channels.deals);
  const orders = createOrders(account, connections);
  return {
    executions: (params) => ofAccount('executions', executionStream(account, executions, params)),
    orders: (params) => ofAccount('orders', orders.orders(params)),
    openOrders: (params) => ofAccount('openOrders', orders.openOrders(params)),
    follow: (order) => ofAccount('follow', orders.follow(order)),
    balances: valueOf(channels.balances, () => sendQuery(link, balancesQuery), withAssets),
    marginBalances: valueOf(channels.marginBalances, () => sendQuery(link, marginBalancesQuery), withAssets),
    positions: valueOf(channels.positions, reads.readPositions),
    positionEvents: eventsOf(channels.positionEvents),
    borrows: valueOf(channels.borrows),
    borrowEvents: eventsOf(channels.borrowEvents),
    adlQuantiles: valueOf(channels.adlQuantiles, reads.readAdlQuantiles),
    state$: link.state$,
  };
}

function withAssets<Balance>(
  known: Part<Readonly<Record<string, Balance>>>,
  pushed: Part<Readonly<Record<string, Balance>>>,
): Part<Readonly<Record<string, Balance>>> | undefined {
  const state = { ...known.state, ...pushed.state };
  return Object.keys(state).length > maxAssets ? undefined : { state, isWhole: known.isWhole && pushed.isWhole };
}

/** Events that the exchange does not repeat, as they come, with a gap wherever some may be missing. */
function eventStream<Event>(
  subscriptions: KeySubscriptions<Event>,
  channel: string,
  reportGap: (gap: LiveGap) => void,
): Observable<Event | LiveGap> {
  return new Observable<Event | LiveGap>((subscriber) => {
    /** When the last event, confirmation or gap was; Unix seconds. Nothing is missing before the first of them. */
    let since: number | undefined;
    let reason: LiveGap['reason'] | undefined;
    const emitGap = (why: LiveGap['reason'] | undefined) => {
      const now = Date.now() / 1000;
      const from = since ?? now;
      since = now;
      if (why === undefined) return;
      const gap = gapOf(channel, undefined, { reason: why, from, filled: false }, now);
      reportGap(gap);
      subscriber.next(gap);
    };
    return subscriptions.follow(everyKey, {
      subscriber,
      // At once, because the next event may never come.
      onSubscribed() {
        emitGap(reason);
        reason = undefined;
      },
      onItem(event) {
        // More may be missing until the confirmation, which reports another gap.
        emitGap(reason);
        subscriber.next(event);
      },
      onInterrupted(interruption) {
        // The pushes after an unreadable one are not affected.
        if (interruption === 'unreadable') emitGap(interruption);
        else if (since !== undefined) reason ??= interruption;
      },
    });
  }).pipe(share());
}
