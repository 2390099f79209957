// The options of a client. Options that cannot work are refused when the client is made, not when it trades.
import * as v from 'valibot';
import type { ClientRegistry } from './client-registry.js';
import type { Credentials } from '../auth/index.js';
import {
  aFunction,
  anything,
  countOrInfinity,
  durationAbove0,
  durationFrom0,
  optionsOf,
  parse,
  RequestError,
  rule,
  trueOrFalse,
  unquoted,
  withMethods,
} from '../errors/index.js';
import type { LimitWindow } from '../endpoint/index.js';
import { aProxy, isLoopback, type Fetch, type Transport } from '../http/index.js';
import { liveOptions, type LiveOptions, type WebSocketClass } from '../live/index.js';
import { retryPolicyRules, type AbsencePremises, type RetryPolicy } from '../call/index.js';
import { isRecord } from '../model/map.js';
import { limitOverrides, type Scheduler } from '../scheduler/index.js';

/**
 * The addresses of the exchange: for `baseUrl`.
 *
 * @example
 * ```ts
 * import { baseUrls, createExchange } from 'exchange-rx';
 *
 * const exchange = createExchange({ baseUrl: baseUrls.global });
 * ```
 */
export const baseUrls = {
  global: 'https://whitebit.com',
  /** For accounts of the European Union. The same paths. */
  eu: 'https://whitebit.eu',
} as const;

/** Options of a client. */
export interface ClientOptions extends AbsencePremises {
  /**
   * The base address: one of {@link baseUrls}, or another one, which may have a port and a path. Plain http is accepted
   * for loopback addresses only.
   */
  readonly baseUrl: string;
  /** The key that signs private requests. Public endpoints need none. */
  readonly credentials?: Credentials;
  /**
   * How requests are sent: {@link undiciTransport} with other options, {@link kyTransport} with your own ky instance,
   * or a {@link Transport} of your own. Not together with `fetch`. Default: on Node, undici on at most `maxInFlight` and
   * `urgentInFlight` connections that are kept; on other platforms, ky on the platform's `fetch`.
   */
  readonly transport?: Transport;
  /** Sends requests by ky over this `fetch`. Not together with `transport`. The sandbox brings its own. */
  readonly fetch?: Fetch;
  /**
   * The bound on making a connection, milliseconds, above 0. It applies to the default transport on Node: a `transport`
   * or `fetch` of your own has its own. Default 5000.
   */
  readonly connectTimeoutMs?: number;
  /**
   * The HTTP proxy that requests and the live connection go through: its address, such as `http://127.0.0.1:3128`, which
   * may have a user name and password; or `'environment'` for the proxies of the variables `HTTP_PROXY`, `HTTPS_PROXY`
   * and `NO_PROXY`. Over https the proxy sees the exchange's host name only. Clients of different proxies share no rate
   * limits. For the default transport on Node: not together with `transport`, `fetch` or `webSocket`. Default: no proxy,
   * whatever the environment says.
   */
  readonly proxy?: string;
  /**
   * Limits that replace the endpoints' own, by name. Not together with `scheduler`. They apply to all clients of the process
   * with the same address. A client with other limits than another one's is refused: give both one `scheduler`.
   */
  readonly limits?: Readonly<Record<string, LimitWindow>>;
  /**
   * A scheduler to share with other clients behind the same IP address. Default: the one that all clients of the
   * process with this base address share.
   */
  readonly scheduler?: Scheduler;
  /**
   * Clients of the same registry share the scheduler of a base address, and the nonces of a key. Default: the registry
   * of the process.
   */
  readonly registry?: ClientRegistry;
  /**
   * How many requests may be in flight at once, 1 or more; further requests wait, the most urgent first. Default 256:
   * at 100 ms a response, 2560 requests a second.
   */
  readonly maxInFlight?: number;
  /**
   * How many urgent requests (cancels, kill switches, lookups of orders, pings of `watchHealth`) may be in flight
   * beyond `maxInFlight`, 0 or more, on connections of their own: a cancel does not wait behind orders that hang. Reads
   * (lookups, pings) use at most half of them. Default: an eighth of `maxInFlight`, and at least 8.
   */
  readonly urgentInFlight?: number;
  /** The bound on an attempt, from sending to the end of the response, milliseconds, above 0. Default 10000. */
  readonly timeoutMs?: number;
  /** The bound on a call, with all its waits and attempts, milliseconds, above 0. Default 60000. */
  readonly callTimeoutMs?: number;
  /**
   * How transient failures are retried: of reads and settings after 503, 429, lost connections and time-outs; of orders
   * when the order is known, or proven, not to exist. `false` sends every request once. Default: up to 4 retries within
   * 30 s. A budget of 50 retries, to which each request adds a tenth, bounds those of all calls together, except urgent
   * ones, modifications, closes, and retries with a new nonce.
   */
  readonly retry?: RetryPolicy | false;
  /**
   * Checks every order, and every modification of an order, against its market's rules (`check` of `exchange.market`) before it is
   * sent. The markets are read when the first order is placed, refreshed in the background when they are a minute old,
   * and used for an hour at most.
   * Default false.
   */
  readonly checkOrders?: boolean;
  /**
   * Allows calls that move money out of the account, or redirect income: withdrawals, refunds, codes. Without it, they fail
   * with {@link RequestError}. Default false.
   */
  readonly allowWithdrawals?: boolean;
  /**
   * How long an order, a transfer or a withdrawal whose response was lost is looked up, milliseconds; 0: it is not looked
   * up, and its outcome is `unknown`. Default 30000.
   */
  readonly lookupTimeoutMs?: number;
  /**
   * Warns, by a warning of the process, once for each place in the program: of a call that would change something and was
   * never subscribed, so that it sent nothing; and of a list with as many items as the exchange lists by default, where
   * the call had no `limit`. Default true.
   */
  readonly warnings?: boolean;
  /** The live connection of `exchange.live`: its address and its times. */
  readonly live?: LiveOptions;
  /**
   * The class of the live connection's WebSockets: the standard `WebSocket`, that of the package `ws`, or a subclass,
   * such as one that connects through a proxy. The sandbox brings its own. Default: on Node, that of `ws`; on other
   * platforms, the platform's own.
   */
  readonly webSocket?: WebSocketClass;
  /**
   * The local clock, Unix ms. Default: a clock that continues when the machine's is set. The exchange's own clock is
   * learned from its responses.
   */
  readonly now?: () => number;
}

/** No part of a key is quoted, wherever it was put by mistake. */
const keyAndSecret = optionsOf<Credentials>(
  {
    apiKey: unquoted(isHeaderText, 'must be a non-empty string of visible ASCII characters'),
    apiSecret: unquoted((value) => typeof value === 'string' && value !== '', 'must be a non-empty string'),
  },
  ['apiKey', 'apiSecret'],
);
const noCredentials = unquoted<Credentials>(() => false, 'must be an object with apiKey and apiSecret');

const retryPolicy = optionsOf<RetryPolicy>(retryPolicyRules);
const noRetry = rule<false>((value) => value === false, 'must be an object, or false');

const clientOptions = optionsOf<ClientOptions>(
  {
    baseUrl: anything(),
    credentials: v.lazy((value) => (isRecord(value) ? keyAndSecret : noCredentials)),
    transport: withMethods('a transport: undiciTransport() makes one', 'send'),
    fetch: aFunction(),
    connectTimeoutMs: durationAbove0,
    proxy: aProxy,
    limits: limitOverrides,
    scheduler: withMethods('a scheduler: createScheduler() makes one', 'acquire'),
    registry: withMethods('a ClientRegistry', 'scheduler', 'usedNonces'),
    maxInFlight: countOrInfinity(1),
    urgentInFlight: countOrInfinity(0),
    timeoutMs: durationAbove0,
    callTimeoutMs: durationAbove0,
    retry: v.lazy((value) => (isRecord(value) ? retryPolicy : noRetry)),
    checkOrders: trueOrFalse,
    allowWithdrawals: trueOrFalse,
    settleMs: v.lazy((value) => (value === Number.POSITIVE_INFINITY ? anything<number>() : durationFrom0)),
    historyLagMs: durationFrom0,
    lookupTimeoutMs: durationFrom0,
    warnings: trueOrFalse,
    live: liveOptions,
    webSocket: aFunction(),
    now: aFunction(),
  },
  ['baseUrl'],
);

export function parseOptions(given: ClientOptions): ClientOptions {
  const options = parse('createExchange', clientOptions, given);
  const { limits, scheduler, transport, fetch, proxy } = options;
  if (transport !== undefined && fetch !== undefined)
    throw refused('fetch', 'is the short form of transport: give one of them');
  const ownConnection = (['transport', 'fetch', 'webSocket'] as const).find((name) => options[name] !== undefined);
  if (proxy !== undefined && ownConnection !== undefined)
    throw refused('proxy', `cannot be combined with ${ownConnection}, which makes its own connections`);
  if (limits !== undefined && scheduler !== undefined)
    throw refused('limits', 'belong to the scheduler when one is given');
  return { ...options, baseUrl: checkBaseUrl(options.baseUrl) };
}

/** The base address without a trailing slash; throws {@link RequestError}. */
export function checkBaseUrl(text: unknown): string {
  const field = 'baseUrl';
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw refused(field, 'must be a URL such as "https://exchange.example"');
  if (url.username !== '' || url.password !== '') throw refused(field, 'must not contain a user name or password');
  // `search` and `hash` do not show an empty query or fragment, which would swallow the path all the same.
  if (/[?#]/.test(url.href)) throw refused(field, 'must not have a query or fragment');
  if (/\/api\/v4\/?$/.test(url.pathname)) throw refused(field, 'must not end in /api/v4: each call adds its path');
  if (url.port === '0') throw refused(field, 'must not have port 0');
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  if (!secure) throw refused(field, 'must be https (plain http is for loopback addresses only)');
  return url.href.replace(/\/+$/, '');
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

function refused(field: string, message: string): RequestError {
  return new RequestError('createExchange', [{ field, message }]);
}
