// The client: the endpoints of every group, bound to one client.
import { inspect } from 'node:util';
import { merge, Subject } from 'rxjs';
import { jitterOf } from './call/index.js';
import type { Bound } from './endpoint/index.js';
import {
  parseOptions,
  createClient,
  type CallOptions,
  type Client,
  type ClientOptions,
  type FindOptions,
  type InnerClient,
  type Member,
} from './client/index.js';
import { allRateLimits, groups } from './endpoints/index.js';
import { Redactor } from './http/index.js';
import type { Order } from './model/order.js';
import { defaultHistoryLagMs } from './orders/index.js';
import {
  createLive,
  liveUrlOf,
  standardSockets,
  wsSockets,
  type Live,
  type LiveEvent,
  type OpenSocket,
} from './live/index.js';
import { isDebugged, logEvents } from './debug-log.js';
import { liveReadsOf } from './live-reads.js';

/** Options of {@link createExchange}. */
export interface ExchangeOptions extends ClientOptions {}

/** The name of a group of endpoints. */
export type GroupName = keyof typeof groups;

/** The methods of `exchange.public`. */
export interface PublicEndpoints extends Bound<typeof groups.public, CallOptions> {}

/** The methods of `exchange.spot`. */
export interface SpotEndpoints extends Bound<typeof groups.spot, CallOptions> {}

/** The methods of `exchange.orders`. */
export interface OrdersEndpoints extends Bound<typeof groups.orders, CallOptions, FindOptions> {}

/** The methods of `exchange.collateral`. */
export interface CollateralEndpoints extends Bound<typeof groups.collateral, CallOptions> {}

/** The methods of `exchange.account`. */
export interface AccountEndpoints extends Bound<typeof groups.account, CallOptions> {}

/** The methods of `exchange.subAccounts`. */
export interface SubAccountsEndpoints extends Bound<typeof groups.subAccounts, CallOptions> {}

/** The methods of `exchange.mining`. */
export interface MiningEndpoints extends Bound<typeof groups.mining, CallOptions> {}

/** The methods of `exchange.convert`. */
export interface ConvertEndpoints extends Bound<typeof groups.convert, CallOptions> {}

/** The methods of `exchange.lending`. */
export interface LendingEndpoints extends Bound<typeof groups.lending, CallOptions> {}

/** The methods of `exchange.apiKeys`. */
export interface ApiKeysEndpoints extends Bound<typeof groups.apiKeys, CallOptions> {}

/** The methods of `exchange.compliance`. */
export interface ComplianceEndpoints extends Bound<typeof groups.compliance, CallOptions> {}

/** The methods of `exchange.oauth`. */
export interface OauthEndpoints extends Bound<typeof groups.oauth, CallOptions> {}

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
  /** Conversions between assets of the spot balance. */
  readonly convert: ConvertEndpoints;
  /** Investments that earn interest, and the credit line. For partners of the exchange. */
  readonly lending: LendingEndpoints;
  /** The API keys of sub-accounts. */
  readonly apiKeys: ApiKeysEndpoints;
  /** The travel rule, and checks of addresses. */
  readonly compliance: ComplianceEndpoints;
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
  const options = parseOptions(given);
  const { baseUrl, live = {}, credentials } = options;
  const { serverTime, markets } = groups.public;
  const pushedOrders = new Subject<Order>();
  const redactor = new Redactor(credentials === undefined ? [] : [credentials.apiKey, credentials.apiSecret]);
  const parts = { serverTime, markets, rateLimits: allRateLimits(), pushedOrders$: pushedOrders };
  const inner = createClient(options, parts, redactor);
  const { methodOf: _, ...client } = inner;
  const liveEvents = new Subject<LiveEvent>();

  const events$ = merge(client.events$, liveEvents);
  if (isDebugged(process.env['DEBUG'])) logEvents(events$);

  return {
    ...client,
    events$,
    live: createLive({
      open: socketsOf(options),
      ...live,
      url: live.url ?? liveUrlOf(baseUrl),
      random: randomOf(options),
      redactor,
      events: liveEvents,
      reads: {
        ...liveReadsOf(client),
        hasCredentials: credentials !== undefined,
        onOrderPushed: (order) => {
          pushedOrders.next(order);
        },
        historyLagMs: options.historyLagMs ?? defaultHistoryLagMs,
      },
    }),
    ...boundGroups(inner),
    ...{ [inspect.custom]: () => `Exchange ${baseUrl} { live, ${Object.keys(groups).join(', ')} }` },
  };
}

function boundGroups(client: InnerClient): Pick<Exchange, GroupName>;
function boundGroups(client: InnerClient) {
  return bindGroups((member) => client.methodOf(member));
}

/** Makes every member of every group a method. */
export function bindGroups(bind: (member: Member) => object): object {
  const bindGroup = (group: Readonly<Record<string, Member>>) =>
    Object.fromEntries(Object.entries(group).map(([name, member]) => [name, named(bind(member), member.name)]));
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, bindGroup(group)]));
}

/** The name shows where a method is printed. */
function named(method: object, name: string): object {
  return Object.defineProperty(method, 'name', { value: name });
}

function socketsOf({ webSocket, proxy }: ClientOptions): OpenSocket {
  if (webSocket !== undefined) return standardSockets(webSocket);
  const { bun, deno } = process.versions;
  return bun === undefined && deno === undefined ? wsSockets(proxy) : standardSockets(globalThis.WebSocket);
}

function randomOf({ retry }: ClientOptions): () => number {
  const random = retry === false ? undefined : retry?.random;
  return () => jitterOf(random);
}
