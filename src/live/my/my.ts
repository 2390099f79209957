// exchange.live.my: the channels of the account, on a connection that is authorized by a token.
import { map, throwError, type Observable } from 'rxjs';
import { RequestError } from '../../errors/index.js';
import type { LiveExecutionItem } from '../../model/deal.js';
import type { AdlQuantile, Borrow, LivePosition } from '../../model/position.js';
import type { CollateralAssets, TradeBalance } from '../../model/balances.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { unreadableIn } from '../../model/unreadable.js';
import {
  adlQuantiles,
  balances,
  borrowEvents,
  borrows,
  deals,
  marginBalances,
  positionEvents,
  positions,
  type CollateralEvent,
  type Part,
  type RecordEvent,
} from '../channels/account.js';
import type { LiveState } from '../connection/index.js';
import type { Channel } from '../channel.js';
import {
  balancesQuery,
  marginBalancesQuery,
  privateConnection,
  timeQuery,
  type Connections,
  type Query,
} from '../connections.js';
import type { Account, AccountReads } from './account.js';
import { createExecutions, type ExecutionsParams } from './executions.js';
import { createOrders, type LiveOpenOrders, type OrdersParams } from './orders.js';
import type { LiveOrderItem } from './order-run.js';
import type { OrderChange } from './order-states.js';
import type { Order } from '../../model/order.js';
import { accountState, type AccountStatus, type AccountValue } from './account-state.js';
import { eventStream } from './event-stream.js';

/** What {@link My.balances} emits. */
export interface LiveBalances extends AccountStatus {
  /** The trade balance by asset; an asset that is missing has none. Immutable. */
  readonly balance: TradeBalance;
}

/** What {@link My.marginBalances} emits. */
export interface LiveMarginBalances extends AccountStatus {
  /** The assets of the collateral account by asset; an asset that is missing has no balance. Immutable. */
  readonly balance: CollateralAssets;
}

/** What {@link My.positions} emits. */
export interface LivePositions extends AccountStatus {
  /** Every open position, margin and futures: one that is missing is closed. Immutable. */
  readonly positions: readonly LivePosition[];
}

/** What {@link My.borrows} emits. */
export interface LiveBorrows extends AccountStatus {
  /** Every loan: one that is missing is repaid. Immutable. */
  readonly borrows: readonly Borrow[];
}

/** What {@link My.adlQuantiles} emits. */
export interface LiveAdlQuantiles extends AccountStatus {
  /** The futures markets in which you have a position. Immutable. */
  readonly quantiles: readonly AdlQuantile[];
}

/** An item of {@link My.positionEvents}. Switch on `kind`. */
export type PositionEventItem =
  | {
      /** Discriminates the items. */
      readonly kind: 'event';
      /** What happens to the position. */
      readonly event: CollateralEvent;
      /** The position. */
      readonly position: LivePosition;
    }
  | LiveGap;

/** An item of {@link My.borrowEvents}. Switch on `kind`. */
export type BorrowEventItem =
  | {
      /** Discriminates the items. */
      readonly kind: 'event';
      /** What happens to the loan. */
      readonly event: CollateralEvent;
      /** The loan. */
      readonly borrow: Borrow;
    }
  | LiveGap;

/**
 * The account's channels. All of them share one connection, which is authorized by a token of its own before anything
 * else is sent. It is another connection than that of market data: neither failure concerns the other.
 *
 * The streams end only with an error: {@link RequestError} without `credentials`, {@link AuthError} or
 * {@link ApiError} when the exchange issues no token to these credentials, and {@link LiveRefusedError} when it refuses
 * two tokens in a row, or the channel. Other failures are retried.
 */
export interface My {
  /** The trade balance: what spot orders spend. Whole from the first value, then at each change, and each minute. */
  balances(): Observable<LiveBalances>;
  /** The collateral balance with loans. Whole from the first value, then at each change, and each minute. */
  marginBalances(): Observable<LiveMarginBalances>;
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
  /** Every open position of the collateral account, each second. */
  positions(): Observable<LivePositions>;
  /** Margin calls and liquidations of positions, and a gap wherever one may be missing: the exchange repeats none. */
  positionEvents(): Observable<PositionEventItem>;
  /**
   * Every loan of the collateral account, at most every 1.5 s. No endpoint lists loans: it emits nothing before the
   * exchange pushes the list, and is `stale` after a lost connection until it does. `collateral.balanceSummary` has the
   * borrowed amount of each asset.
   */
  borrows(): Observable<LiveBorrows>;
  /** Margin calls and liquidations of loans, and a gap wherever one may be missing: the exchange repeats none. */
  borrowEvents(): Observable<BorrowEventItem>;
  /** The rank of your futures positions for automatic deleveraging, every 30 s. */
  adlQuantiles(): Observable<LiveAdlQuantiles>;
  /** The state of the account's connection: now, and each later one. Opens no connection. */
  readonly state$: Observable<LiveState>;
}

/** Assets of a balance: more than the exchange has, and about what a whole response may have. */
const maxAssets = 10_000;

/** Makes the channels of the account. */
export function createMy(
  connections: Connections,
  reads: AccountReads,
  { random, reportGap }: Pick<Account, 'random' | 'reportGap'>,
): My {
  const account: Account = { ...reads, readTime: () => connections.request(timeQuery), random, reportGap };

  /** The stream, unless the client has no credentials: then the error that an endpoint would have. */
  function ofAccount<Value>(name: string, stream$: Observable<Value>): Observable<Value> {
    if (reads.hasCredentials) return stream$;
    const issue = { field: 'credentials', message: 'are required: the channel is private' };
    return throwError(() => new RequestError(name, [issue], undefined, 'none'));
  }

  /** The balances of a wallet, by asset. */
  function balancesOf<Balance>(
    name: string,
    channel: Channel<Part<Readonly<Record<string, Balance>>>>,
    query: Query<Readonly<Record<string, Balance>>>,
  ): () => Observable<AccountStatus & { readonly balance: Readonly<Record<string, Balance>> }> {
    const state$ = accountState<Readonly<Record<string, Balance>>>({
      ...{ name, random, subscriptions: connections.subscriptionsOf(channel) },
      read: () => connections.request(query).pipe(map(wholeOf)),
      apply: (known, pushed) => {
        const state = { ...known.state, ...pushed.state };
        return Object.keys(state).length > maxAssets ? undefined : { state, isWhole: known.isWhole && pushed.isWhole };
      },
    });
    return () => ofAccount(name, state$.pipe(map(({ state, ...status }) => ({ ...status, balance: state }))));
  }

  /** A list that each push holds as a whole. */
  function listOf<Item>(
    name: string,
    channel: Channel<Part<readonly Item[]>>,
    read?: () => Observable<readonly Item[]>,
  ): Observable<AccountValue<readonly Item[]>> {
    const state$ = accountState<readonly Item[]>({
      ...{ name, random, subscriptions: connections.subscriptionsOf(channel) },
      read: read && (() => read().pipe(map(wholeOf))),
    });
    return ofAccount(name, state$);
  }

  /** Events that the exchange does not repeat. */
  function eventsOf<Item>(name: string, channel: Channel<RecordEvent<Item>>): Observable<RecordEvent<Item> | LiveGap> {
    return ofAccount(name, eventStream(connections, channel, name, reportGap));
  }

  const executionsOf = createExecutions(account, connections.subscriptionsOf(deals));
  const orders = createOrders(account, connections);
  const position$ = listOf('live.my.positions', positions, reads.readPositions);
  const borrow$ = listOf('live.my.borrows', borrows);
  const quantile$ = listOf('live.my.adlQuantiles', adlQuantiles, reads.readAdlQuantiles);
  const positionEvent$ = eventsOf('live.my.positionEvents', positionEvents);
  const borrowEvent$ = eventsOf('live.my.borrowEvents', borrowEvents);

  return {
    executions: (params) => ofAccount('live.my.executions', executionsOf(params)),
    orders: (params) => ofAccount('live.my.orders', orders.orders(params)),
    openOrders: (params) => ofAccount('live.my.openOrders', orders.openOrders(params)),
    follow: (order) => ofAccount('live.my.follow', orders.follow(order)),
    balances: balancesOf('live.my.balances', balances, balancesQuery),
    marginBalances: balancesOf('live.my.marginBalances', marginBalances, marginBalancesQuery),
    positions: () => position$.pipe(map(({ state, ...status }) => ({ ...status, positions: state }))),
    positionEvents: () =>
      positionEvent$.pipe(
        map((one) => ('kind' in one ? one : { kind: 'event', event: one.event, position: one.record })),
      ),
    borrows: () => borrow$.pipe(map(({ state, ...status }) => ({ ...status, borrows: state }))),
    borrowEvents: () =>
      borrowEvent$.pipe(map((one) => ('kind' in one ? one : { kind: 'event', event: one.event, borrow: one.record }))),
    adlQuantiles: () => quantile$.pipe(map(({ state, ...status }) => ({ ...status, quantiles: state }))),
    state$: connections.linkOf(privateConnection).state$,
  };
}

/** What was read, which lacks its unreadable records. */
function wholeOf<State extends object>(state: State): Part<State> {
  return { state, isWhole: unreadableIn(state) === undefined };
}
