// The client: the endpoints of every group, bound to one client.
import { merge, Subject, type Observable } from 'rxjs';
import type { BulkOrderEndpoint, CallArguments, Endpoint, OrderEndpoint } from './endpoints/define-endpoint.js';
import {
  baseUrlOf,
  checkOptions,
  createClientWithPushes,
  type CallOptions,
  type Client,
  type ClientOptions,
} from './client/index.js';
import { tryOr } from './errors/index.js';
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
import type { Order } from './model/order.js';
import type { BulkOrderObservable, OrderObservable } from './orders/index.js';
import {
  createLive,
  liveUrlOf,
  openWsSocket,
  standardSockets,
  type Live,
  type LiveEvent,
  type OpenSocket,
  type WebSocketClass,
} from './live/index.js';
import { liveReadsOf } from './live-reads.js';

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
  const { serverTime, markets } = publicEndpoints;
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
      ...liveReadsOf(client),
      hasCredentials: options.credentials !== undefined,
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
