// The client: the endpoints of every group, bound to one client.
import { merge, Subject } from 'rxjs';
import { jitterOf } from './call/index.js';
import type { Bound, CallArguments, Endpoint, OrderKey, OrderSearch, PagedList } from './endpoint/index.js';
import {
  baseUrlOf,
  parseOptions,
  createClientWithPushes,
  redactorOf,
  type CallOptions,
  type Client,
  type ClientOptions,
  type FindOptions,
} from './client/index.js';
import {
  account,
  allRateLimits,
  collateral,
  mining,
  oauth,
  orders,
  public as publicEndpoints,
  spot,
  subAccounts,
} from './endpoints/index.js';
import type { Order } from './model/order.js';
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
import { isDebugged, logEvents } from './debug-log.js';
import { liveReadsOf } from './live-reads.js';

/** Options of {@link createExchange}. */
export interface ExchangeOptions extends ClientOptions {}

/** A member of a group of endpoints, whatever its parameters are. */
type Member = Endpoint | PagedList | OrderSearch;

/** The methods of `exchange.public`. */
export interface PublicEndpoints extends Bound<typeof publicEndpoints, CallOptions> {}

/** The methods of `exchange.spot`. */
export interface SpotEndpoints extends Bound<typeof spot, CallOptions> {}

/** The methods of `exchange.orders`. */
export interface OrdersEndpoints extends Bound<typeof orders, CallOptions, FindOptions> {}

/** The methods of `exchange.collateral`. */
export interface CollateralEndpoints extends Bound<typeof collateral, CallOptions> {}

/** The methods of `exchange.account`. */
export interface AccountEndpoints extends Bound<typeof account, CallOptions> {}

/** The methods of `exchange.subAccounts`. */
export interface SubAccountsEndpoints extends Bound<typeof subAccounts, CallOptions> {}

/** The methods of `exchange.mining`. */
export interface MiningEndpoints extends Bound<typeof mining, CallOptions> {}

/** The methods of `exchange.oauth`. */
export interface OauthEndpoints extends Bound<typeof oauth, CallOptions> {}

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
 * With `DEBUG=exchange-rx` in the environment, the client prints its events to stderr, one line each.
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
export function createExchange(given: ExchangeOptions): Exchange {
  const options = parseOptions('createExchange', given);
  const { live = {}, webSocket } = options;
  const { serverTime, markets } = publicEndpoints;
  const pushedOrders = new Subject<Order>();
  const redactor = redactorOf(options);
  const client = createClientWithPushes(
    options,
    { serverTime, markets, rateLimits: allRateLimits() },
    pushedOrders,
    redactor,
  );
  const liveEvents = new Subject<LiveEvent>();

  function bind<Group extends Readonly<Record<string, Member>>>(group: Group): Bound<Group, CallOptions, FindOptions>;
  function bind(group: Readonly<Record<string, Member>>) {
    return Object.fromEntries(Object.entries(group).map(([name, member]) => [name, methodOf(client, member)]));
  }

  const events$ = merge(client.events$, liveEvents);
  if (isDebugged(process.env['DEBUG'])) logEvents(events$);

  return {
    ...client,
    events$,
    live: createLive({
      open: socketsOf(webSocket),
      options: { ...live, url: live.url ?? liveUrlOf(baseUrlOf(options)) },
      ...{ random: randomOf(options), redactor, events: liveEvents },
      reads: {
        ...liveReadsOf(client),
        hasCredentials: options.credentials !== undefined,
        onOrderPushed: (order) => {
          pushedOrders.next(order);
        },
        historyLagMs: options.historyLagMs,
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

/** A member of a group as a function of the client. */
function methodOf(client: Client, member: Member) {
  if ('pagesOf' in member) return (...args: CallArguments<never, CallOptions>) => client.listAll(member, ...args);
  if ('finds' in member)
    return (key: OrderKey, options?: FindOptions) => client.findOrder<unknown>(member, key, options);
  return (...args: CallArguments<never, CallOptions>) => client.call(member, ...args);
}

function socketsOf(webSocket: WebSocketClass | undefined): OpenSocket {
  if (webSocket !== undefined) return standardSockets(webSocket);
  const { bun, deno } = process.versions;
  return bun === undefined && deno === undefined ? openWsSocket : standardSockets(globalThis.WebSocket);
}

function randomOf({ retry }: ClientOptions): () => number {
  const random = retry === false ? undefined : retry?.random;
  return () => jitterOf(random);
}
