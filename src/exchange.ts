// The client: the endpoints of every group, bound to one client.
import {
  catchError,
  concat,
  EMPTY,
  expand,
  from,
  map,
  merge,
  mergeMap,
  Subject,
  throwError,
  toArray,
  type Observable,
} from 'rxjs';
import type { BulkOrderEndpoint, CallArguments, Endpoint, OrderEndpoint } from './endpoints/define-endpoint.js';
import {
  baseUrlOf,
  checkOptions,
  createClientWithPushes,
  type CallOptions,
  type Client,
  type ClientOptions,
} from './client/index.js';
import { ApiError, tryOr } from './errors/index.js';
import {
  allRateLimits,
  type AccountEndpoints,
  type CollateralEndpoints,
  type MiningEndpoints,
  type OauthEndpoints,
  type OrdersEndpoints,
  type PublicEndpoints,
  type SpotEndpoints,
  type SubAccountsEndpoints,
} from './endpoints/index.js';
import * as account from './endpoints/account/index.js';
import * as collateral from './endpoints/collateral/index.js';
import * as mining from './endpoints/mining/index.js';
import * as oauth from './endpoints/oauth/index.js';
import * as orders from './endpoints/orders/index.js';
import * as publicEndpoints from './endpoints/public/index.js';
import * as spot from './endpoints/spot/index.js';
import * as subAccounts from './endpoints/sub-accounts/index.js';
import { executionPageOf } from './model/execution.js';
import { orderOfHistory, type HistoricalOrder, type Order } from './model/order.js';
import { maxOffset, maxPageSize } from './model/paging.js';
import { unreadableIn } from './model/unreadable.js';
import type { BulkOrderObservable, OrderObservable } from './orders/index.js';

import {
  createLive,
  liveUrlOf,
  openWsSocket,
  standardSockets,
  type Live,
  type LiveEvent,
  type LiveOrder,
  type OpenSocket,
  type OrderReads,
  type WebSocketClass,
} from './live/index.js';

/** Options of {@link createExchange}. */
export interface ExchangeOptions extends ClientOptions {}

/**
 * The members of a group as functions of one client: parameters and options in, an observable of the output out. A
 * member is an endpoint, or a function that calls endpoints of its client.
 */
type Bound<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends OrderEndpoint<infer Params, infer Output>
    ? (...args: CallArguments<Params, CallOptions>) => OrderObservable<Output>
    : Group[Name] extends BulkOrderEndpoint<infer Params, infer Output>
      ? (...args: CallArguments<Params, CallOptions>) => BulkOrderObservable<Output>
      : Group[Name] extends Endpoint<infer Params, infer Output>
        ? (...args: CallArguments<Params, CallOptions>) => Observable<Output>
        : Group[Name] extends (client: Caller, ...args: infer Args) => Observable<infer Output>
          ? (...args: Args) => Observable<Output>
          : never;
};

/** What a function of a group needs of the client. */
type Caller = Pick<Client, 'call' | 'findOrder'>;

/** A function of a group, whatever its parameters are. */
type GroupFunction = (client: Caller, ...args: never[]) => Observable<unknown>;

/**
 * A client of the exchange, made by {@link createExchange}: a function for each endpoint, by group, and what all of
 * them share.
 */
export interface Exchange extends Client {
  /** Market data in real time, which needs no credentials, and the account in real time, which does. */
  readonly live: Live;
  /** Market data. Needs no credentials. */
  readonly public: PublicEndpoints;
  /** Spot trading. */
  readonly spot: SpotEndpoints;
  /** Orders, spot and collateral, wherever they were placed: lists, lookup, cancels, kill switch. */
  readonly orders: OrdersEndpoints;
  /** Collateral trading: margin and futures. */
  readonly collateral: CollateralEndpoints;
  /** The main account. {@link watchBalance} watches its balance. */
  readonly account: AccountEndpoints;
  /** The sub-accounts of the main account. */
  readonly subAccounts: SubAccountsEndpoints;
  /** The mining pool. */
  readonly mining: MiningEndpoints;
  /** OAuth 2.0, for applications that act for their users. Needs no credentials of an account. */
  readonly oauth: OauthEndpoints;
}

/**
 * Makes a client of the exchange. Throws {@link RequestError} for an invalid option.
 *
 * The exchange counts requests by IP address, so the clients of a process with the same base address share their rate
 * limits, unless a client has another `scheduler`.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 *
 * const exchange = createExchange({
 *   baseUrl: 'https://exchange.example',
 *   credentials: {
 *     apiKey: process.env['EXCHANGE_API_KEY'] ?? 'key',
 *     apiSecret: process.env['EXCHANGE_API_SECRET'] ?? 'secret',
 *   },
 *   checkOrders: true,
 * });
 * ```
 */
export function createExchange(options: ExchangeOptions): Exchange {
  checkOptions('createExchange', options);
  const { live = {}, webSocket } = options;
  const { serverTime, markets, recentTrades } = publicEndpoints;
  const pushedOrders = new Subject<Order>();
  const client = createClientWithPushes(options, { serverTime, markets, rateLimits: allRateLimits() }, pushedOrders);
  const liveEvents = new Subject<LiveEvent>();

  function bind<Group extends Readonly<Record<string, Endpoint | GroupFunction>>>(group: Group): Bound<Group>;
  function bind(group: Readonly<Record<string, Endpoint | GroupFunction>>) {
    return Object.fromEntries(
      Object.entries(group).map(([name, member]) => [
        name,
        typeof member === 'function'
          ? (...args: never[]) => member(client, ...args)
          : (...args: CallArguments<never, CallOptions>) => client.call(member, ...args),
      ]),
    );
  }

  return {
    ...client,
    events$: merge(client.events$, liveEvents),
    live: createLive({
      url: live.url ?? liveUrlOf(baseUrlOf(options)),
      open: socketsOf(webSocket),
      options: live,
      random: randomOf(options),
      readRecentTrades: (market) =>
        client.call(recentTrades, { market }, { priority: 'background', callTimeoutMs: recentTradesTimeoutMs }).pipe(
          map((page) => ({
            // The name of the amount says the opposite, see `Trade`. The newest trade is listed first.
            trades: page
              .toReversed()
              .map(({ tradeID: id, trade_timestamp: time, price, quote_volume: amount, ...trade }) => ({
                ...{ id, time, price, amount },
                ...(trade.type === undefined ? {} : { type: trade.type }),
                ...(trade.rpi === undefined ? {} : { rpi: trade.rpi }),
              })),
            unreadable: unreadableIn(page)?.count ?? 0,
          })),
        ),
      readPositions: () => client.call(collateral.openPositions, everyMarket, { priority: 'background' }),
      readAdlQuantiles: () => client.call(collateral.adlQuantiles, { priority: 'background' }),
      hasCredentials: options.credentials !== undefined,
      readToken: () =>
        client
          .call(account.websocketToken, { callTimeoutMs: tokenTimeoutMs })
          .pipe(map(({ websocket_token }) => websocket_token)),
      readExecutions: (query, isUrgent) =>
        client
          .call(orders.dealsByMarket, query, {
            priority: isUrgent ? 'normal' : 'background',
            callTimeoutMs: executionsTimeoutMs,
          })
          .pipe(map(executionPageOf)),
      orderReads: orderReadsOf(client),
      onOrderPushed: (order) => {
        pushedOrders.next(order);
      },
      historyLagMs: options.historyLagMs,
      isReported: () => liveEvents.observed,
      report: (event) => {
        liveEvents.next(event);
      },
    }),
    public: bind(publicEndpoints),
    spot: bind(spot),
    orders: bind(orders),
    collateral: bind(collateral),
    account: bind(account),
    subAccounts: bind(subAccounts),
    mining: bind(mining),
    oauth: bind(oauth),
  };
}

/** Subscribers get the trades after a reconnection when those in between are read, or after this time. */
const recentTradesTimeoutMs = 10_000;

/** Executions that are pushed after a reconnection wait for a page of the history for this time. */
const executionsTimeoutMs = 10_000;
const everyMarket: collateral.OpenPositionsParams = {};

/** The exchange issues 10 tokens a minute: a connection may wait that long for its own. */
const tokenTimeoutMs = 120_000;

/** Subscribers get the orders after a reconnection when they are read. A read that takes longer is retried. */
const ordersTimeoutMs = 30_000;
/** Maximum number of orders in a response of the history. */
const historyPage = 500;

/** How the live connection reads the orders that pushes may have missed. */
function orderReadsOf(client: Client): OrderReads {
  const background = { priority: 'background', callTimeoutMs: ordersTimeoutMs } as const;
  const history = (params: orders.HistoryParams) =>
    client.call(orders.history, params, background).pipe(
      map((byMarket) => ({ orders: Object.values(byMarket).flat(), unreadable: unreadableIn(byMarket)?.count ?? 0 })),
      catchError((error: unknown) =>
        error instanceof ApiError && error.reason === 'order-not-found' ? EMPTY : throwError(() => error),
      ),
    );
  const endedOrder = (order: HistoricalOrder): LiveOrder => ({ ...orderOfHistory(order), mtime: order.ftime });
  return {
    openOrders: (page) => client.call(orders.open, page, background),
    endedOrder: (key) => history(key).pipe(mergeMap((found) => from(found.orders.map(endedOrder)))),
    ordersOf: (key) =>
      concat(
        client.call(orders.open, key, background).pipe(
          mergeMap((open) => from(open)),
          map((order) => ({ order, via: 'request' }) as const),
        ),
        history(key).pipe(
          mergeMap((found) => from(found.orders)),
          map((order) => ({ order: endedOrder(order), via: 'request', hasEnded: true }) as const),
        ),
      ),
    endedOrders: ({ market, from: since }) => {
      // A server that keeps to the former maximum has more, although a page is shorter than requested.
      const pageAt = (offset: number) =>
        history({ market, startDate: Math.max(0, Math.floor(since)), limit: historyPage, offset }).pipe(
          map(({ orders: found, unreadable }) => ({ found, unreadable, next: offset + found.length + unreadable })),
          map((page) => ({ ...page, isLast: page.next - offset < maxPageSize })),
        );
      // Orders that end meanwhile are before the others: a later page may list an order again, and leaves none out.
      return pageAt(0).pipe(
        expand(({ isLast, next }) => (isLast || next > maxOffset ? EMPTY : pageAt(next))),
        toArray(),
        map((pages) => ({
          orders: pages.flatMap(({ found }) => found.map(endedOrder)),
          isWhole: (pages.at(-1)?.isLast ?? true) && pages.every(({ unreadable }) => unreadable === 0),
        })),
      );
    },
  };
}

function socketsOf(webSocket: WebSocketClass | undefined): OpenSocket {
  if (webSocket !== undefined) return standardSockets(webSocket);
  const { bun, deno } = process.versions;
  return bun === undefined && deno === undefined ? openWsSocket : standardSockets(globalThis.WebSocket);
}

function randomOf({ retry }: ClientOptions): () => number {
  const random: () => unknown = (retry === false ? undefined : retry?.random) ?? Math.random;
  return () => {
    const share = tryOr(random, undefined);
    return typeof share === 'number' && share >= 0 && share <= 1 ? share : 1;
  };
}
