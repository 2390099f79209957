// The one pipeline that every request takes: check, permit, sign, send, read, retry.
import { defer, EMPTY, merge, NEVER, share, Subject, throwError, type Observable } from 'rxjs';
import { Call, type ClientContext } from './attempt.js';
import { createSigning, ExchangeClock, readUntilConfirmed, requireSigning, steadyClock } from '../auth/index.js';
import {
  callLimits,
  findLimits,
  onlyOptions,
  type CallLimits,
  type CallOptions,
  type FindOptions,
} from './call-options.js';
import { checkRequest } from './check-request.js';
import { processRegistry } from './client-registry.js';
import {
  hasNoParameters,
  placesOrders,
  type BulkOrderEndpoint,
  type Call as CallEndpoint,
  type CallArguments,
  type Endpoint,
  type OrderEndpoint,
  type OrderKey,
  type OrderLookup,
} from '../endpoints/define-endpoint.js';
import {
  RequestError,
  toExchangeError,
  isPromise,
  readProperty,
  tryOr,
  anObject,
  withMethods,
  checkByRules,
  type OptionRules,
} from '../errors/index.js';
import type { ClientEvent } from './events.js';
import {
  createSend,
  fetchTransport,
  kyTransport,
  RecentSecrets,
  undiciTransport,
  type Fetch,
  type Transport,
  type UndiciTransportOptions,
} from '../http/index.js';
import type { Market } from '../model/market.js';
import type { Order } from '../model/order.js';
import { RetryBudget } from '../operators/index.js';
import { SynchronousErrors } from '../errors/index.js';
import {
  aboutOrder,
  bulkResults,
  identifierOf,
  identifiersOf,
  lookupOptions,
  Orders,
  type BulkOrderObservable,
  type OrderObservable,
  type UndecidedOrder,
} from '../orders/index.js';
import { baseUrlOf, checkOptions, type ClientOptions } from './options.js';
import { LatestCalls, plainCall } from './plain-call.js';
import {
  defineRateLimits,
  InFlight,
  type LimitOverrides,
  type LimitWindow,
  type RateLimit,
  type Scheduler,
} from '../scheduler/index.js';

/** A client without any endpoint of its own: give one to `call`. */
export interface Client {
  /**
   * Calls an endpoint. The parameters are read now. Each subscription sends a request, except for an order: its
   * observable places at most one order. Emits the output and completes, or ends with an {@link AnyExchangeError}.
   *
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   * import * as endpoints from 'exchange-rx/endpoints';
   *
   * const pong$ = (exchange: Exchange) => exchange.call(endpoints.public.ping);
   * ```
   */
  call<Params extends object, Output>(
    endpoint: OrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): OrderObservable<Output>;
  /** Calls an endpoint that places several orders by one request: each of them at most once. */
  call<Params extends object, Output>(
    endpoint: BulkOrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): BulkOrderObservable<Output>;
  /** Calls an endpoint that places no order. */
  call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  /**
   * Looks up an order that was placed before, by this program or by one that has ended. Emits the order and completes;
   * or fails with {@link NotPlacedError} when it is proven that the order does not exist and that no request in flight
   * can create it. Fails with `outcome: 'unknown'` and the reason in its message when that could not be proven within
   * `lookupTimeoutMs`, or cannot be proven. Sends no order.
   */
  findOrder<Output>(lookup: OrderLookup<Output>, key: OrderKey, options?: FindOptions): Observable<Output>;
  /**
   * The orders of unknown outcome: their responses were lost, or their subscribers unsubscribed. Emits the list at
   * subscription and at each change. An order leaves the list when it is found or proven absent. To determine its
   * outcome, subscribe to its observable again, or use {@link Client.findOrder}.
   */
  readonly undecided$: Observable<readonly UndecidedOrder[]>;
  /** Requests, responses, retries, orders in doubt and limits, for logs and metrics. Hot. */
  readonly events$: Observable<ClientEvent>;
  /**
   * Grants the client's permits: see its `usage$`, and pass it to other clients behind the same IP address. A permit
   * that you acquire from it also waits until one more request of this client may be in flight.
   */
  readonly scheduler: Scheduler;
}

/** The endpoints that a client calls by itself. */
export interface ClientEndpoints {
  /**
   * Reads the exchange's clock: `endpoints.public.serverTime`. It is called after a nonce was rejected for its age, and
   * to prove that an order does not exist. Without it, a call of an order endpoint with a `lookup` fails.
   */
  readonly serverTime?: Endpoint;
  /**
   * Lists the markets: `endpoints.public.markets`. `checkOrders` requires it. In a market that the exchange does not
   * list, the absence of an order is never proven. Default: every market counts as listed.
   */
  readonly markets?: Endpoint<never, readonly Market[]>;
  /**
   * The rate limits of the endpoints that the client calls: `limits`, and the options of its `scheduler`, may have no
   * other names. Without it, every name is accepted.
   */
  readonly rateLimits?: readonly RateLimit[];
}

const endpointRules: OptionRules<ClientEndpoints> = {
  serverTime: anObject,
  markets: anObject,
  rateLimits: withMethods('an array of rate limits', 'find'),
};

const defaultMaxInFlight = 256;
/** The default of `urgentInFlight` is this part of `maxInFlight`, and at least the minimum. */
const urgentPart = 1 / 8;
const minUrgentInFlight = 8;
const defaultConnectTimeoutMs = 5000;
/** Reading the clock must not delay the request whose nonce was rejected. */
const clockTimeoutMs = 3000;

/**
 * Makes a client without groups of endpoints, for programs that bundle only the endpoints they use. Throws
 * {@link RequestError} for invalid options.
 *
 * @example
 * ```ts
 * import { createClient } from 'exchange-rx';
 * import * as endpoints from 'exchange-rx/endpoints';
 *
 * const { serverTime } = endpoints.public;
 * const client = createClient({ baseUrl: 'https://exchange.example' }, { serverTime });
 * const pong$ = client.call(endpoints.public.ping);
 * ```
 */
export function createClient(options: ClientOptions, endpoints: ClientEndpoints = {}): Client {
  return createClientWithPushes(options, endpoints, NEVER);
}

/**
 * The same with the orders that a live connection pushes: an order of the client that is among them was placed, so a
 * lost response is noticed at once.
 */
export function createClientWithPushes(
  options: ClientOptions,
  endpoints: ClientEndpoints,
  pushedOrders$: Observable<Order>,
): Client {
  checkOptions('createClient', options);
  checkByRules('createClient', endpoints, endpointRules);
  const { checkOrders = false, nonce = 'window', settleMs, historyLagMs, lookupTimeoutMs } = options;
  if (checkOrders && endpoints.markets === undefined) throw missingEndpoint('createClient', 'checkOrders', 'markets');
  const context = createContext(options, endpoints, (endpoint, callOptions) =>
    callWith(endpoint, {}, () => callOptions),
  );
  const { clock, events, scheduler, signing, inFlight, signedInFlight } = context;
  /** The rate limits of signed requests: a permit of one of them also waits for a nonce. */
  const signedLimits = new Set<string>();
  const latest = new LatestCalls();
  const ends = new SynchronousErrors();
  const orders = new Orders<CallLimits>(
    { clock, errors: ends, nonce, settleMs, historyLagMs, lookupTimeoutMs, checkOrders, markets: endpoints.markets },
    {
      createCall: (endpoint, fields, limits, isOfAnother) => new Call(context, endpoint, fields, limits, isOfAnother),
      call: (endpoint, params, callOptions) => callWith(endpoint, params, () => callOptions ?? {}),
      readClock: () => context.clock$,
      report: (event) => {
        events.next(event);
      },
    },
  );

  pushedOrders$.subscribe((order) => {
    orders.onPushed(order);
  });

  const lookUp: CallEndpoint = (endpoint, params) =>
    callWith(endpoint, params, () => lookupOptions(options.timeoutMs ?? Number.POSITIVE_INFINITY));

  function call<Params extends object, Output>(
    endpoint: OrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): OrderObservable<Output>;
  function call<Params extends object, Output>(
    endpoint: BulkOrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): BulkOrderObservable<Output>;
  function call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  function call(endpoint: Endpoint, ...args: readonly (object | undefined)[]): Observable<unknown> {
    const [first = {}, second = {}] = args;
    // A user's schema may throw when it is read.
    return tryOr(() => hasNoParameters(endpoint), false)
      ? callWith(endpoint, {}, () => onlyOptions(endpoint.name, first, args[1]))
      : callWith(endpoint, first, () => second);
  }

  function callWith<Output>(
    endpoint: Endpoint<never, Output>,
    params: object,
    readOptions: () => CallOptions,
  ): Observable<Output>;
  function callWith(
    endpoint: Endpoint | BulkOrderEndpoint,
    params: object,
    readOptions: () => CallOptions,
  ): Observable<unknown> {
    try {
      const limits = callLimits(endpoint, readOptions(), options);
      const fields = checkRequest(endpoint, params);
      if (endpoint.authentication === 'signed') {
        requireSigning(signing, endpoint.name);
        for (const { name } of endpoint.rateLimits) signedLimits.add(name);
      }
      if (!placesOrders(endpoint)) return ends.spread(plainCall(context, latest, endpoint, fields, limits, lookUp));
      if ((endpoint.item ?? endpoint).lookup !== undefined && endpoints.serverTime === undefined)
        throw missingEndpoint(endpoint.name, 'endpoint', 'serverTime');
      if (isBulk(endpoint)) {
        const items = orders.placeAll(endpoint, fields, limits);
        const client_order_ids = items.map(({ client_order_id }) => client_order_id);
        return Object.assign(bulkResults(endpoint.name, items), { client_order_ids });
      }
      const { order$, client_order_id } = orders.place(endpoint, fields, limits);
      return Object.assign(order$, { client_order_id });
    } catch (thrown) {
      const name = readProperty(endpoint, 'name');
      if (typeof name !== 'string') {
        const issue = { field: 'endpoint', message: 'must be an endpoint, such as endpoints.public.ping' };
        return ends.spread(throwError(() => new RequestError('call', [issue], thrown)));
      }
      const error = toExchangeError(thrown, name, 'not-executed');
      if (endpoint.safety === 'orders') {
        const client_order_ids = identifiersOf(params);
        return Object.assign(ends.spread(throwError(() => error)), { client_order_ids });
      }
      if (endpoint.safety !== 'order') return ends.spread(throwError(() => error));
      const client_order_id = identifierOf(params);
      return Object.assign(ends.spread(throwError(() => aboutOrder(error, client_order_id))), { client_order_id });
    }
  }

  const client: Client = {
    call,
    findOrder: (lookup, key, findOptions = {}) => {
      try {
        const limits = findLimits(lookup.name, findOptions, options);
        context.lastCall += 1;
        return ends.spread(orders.find(lookup, key, limits, context.lastCall));
      } catch (thrown) {
        const name = readProperty(lookup, 'name');
        const issues =
          thrown instanceof RequestError ? thrown.issues : [{ field: 'lookup', message: 'is not a lookup' }];
        // Invalid options say nothing about the order.
        const error = new RequestError(typeof name === 'string' ? name : 'findOrder', issues, thrown, 'none');
        return ends.spread(throwError(() => aboutOrder(error, readProperty(key, 'client_order_id'))));
      }
    },
    undecided$: orders.undecided$,
    events$: merge(events, scheduler.events$),
    scheduler: {
      acquire: (rateLimit, acquireOptions) =>
        scheduler.acquire(rateLimit, {
          inFlight: [rateLimit].flat().some(({ name }) => signedLimits.has(name)) ? signedInFlight : inFlight,
          ...acquireOptions,
        }),
      usage$: scheduler.usage$,
      events$: scheduler.events$,
      endCoolDown: (group) => {
        scheduler.endCoolDown(group);
      },
    },
  };
  return client;
}

function isBulk(endpoint: Endpoint | BulkOrderEndpoint): endpoint is BulkOrderEndpoint {
  return endpoint.safety === 'orders' && endpoint.item !== undefined;
}

/** What all calls of a client share, made of its options. */
function createContext(
  options: ClientOptions,
  { serverTime, rateLimits = [] }: ClientEndpoints,
  callClock: (endpoint: Endpoint, options: CallOptions) => Observable<unknown>,
) {
  const {
    registry = processRegistry,
    retry = {},
    credentials,
    now,
    nonce: mode = 'window',
    nonceShard: shard,
  } = options;
  const { maxInFlight = defaultMaxInFlight, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const { urgentInFlight = Math.max(minUrgentInFlight, Math.floor(maxInFlight * urgentPart)) } = options;
  const baseUrl = baseUrlOf(options);
  const sentBy = options.transport ?? options.fetch;
  const scheduler = options.scheduler ?? registry.scheduler(sentBy, baseUrl, limitsOf(options, rateLimits), rateLimits);
  defineRateLimits(scheduler, rateLimits, options.scheduler === undefined);
  // The connections are the client's own: with those of another client, its orders could keep a cancel of this one
  // back.
  const transport =
    options.transport ?? transportOf(options.fetch, { connections: maxInFlight + urgentInFlight, connectTimeoutMs });
  const clock = new ExchangeClock(now === undefined ? steadyClock() : clockOf(now));
  const signing =
    credentials === undefined
      ? undefined
      : createSigning({
          credentials,
          clock,
          used: registry.usedNonces(sentBy, baseUrl, credentials.apiKey),
          mode,
          shard,
          isOwnClock: now !== undefined,
        });
  const inFlight = new InFlight(maxInFlight, { urgent: urgentInFlight });
  const signedInFlight =
    signing === undefined ? inFlight : inFlight.paced(signing.nonces, mode === 'increasing' ? 1 : undefined);
  const reading$ = defer(() =>
    serverTime === undefined ? EMPTY : callClock(serverTime, lookupOptions(options.timeoutMs ?? clockTimeoutMs)),
  );
  const context: ClientContext & { readonly events: Subject<ClientEvent> } = {
    baseUrl,
    scheduler,
    inFlight,
    signedInFlight,
    send: createSend(transport),
    connectTimeoutMs,
    signing,
    clock,
    clock$: readUntilConfirmed(clock, reading$).pipe(share()),
    secrets: new RecentSecrets(credentials?.apiKey),
    retryPolicy: retry === false ? {} : retry,
    budget: new RetryBudget(retry === false ? {} : retry.budget),
    events: new Subject<ClientEvent>(),
    lastCall: 0,
  };
  return context;
}

/** The limits that replace the endpoints' own. */
function limitsOf({ limits }: ClientOptions, rateLimits: readonly RateLimit[]): LimitOverrides | undefined {
  if (limits !== 'published') return limits;
  const wider = rateLimits.flatMap(({ name, published }): [string, LimitWindow][] =>
    published === undefined ? [] : [[name, published]],
  );
  if (wider.length > 0) return Object.fromEntries(wider);
  const message =
    "'published' requires the rate limits of the endpoints: createClient(options, { rateLimits: allRateLimits() })";
  throw new RequestError('createClient', [{ field: 'limits', message }]);
}

function transportOf(fetch: Fetch | undefined, options: UndiciTransportOptions): Transport {
  if (fetch !== undefined) return fetchTransport(fetch);
  // Bun and Deno have a version of Node, too.
  const { bun, deno } = process.versions;
  return bun === undefined && deno === undefined ? undiciTransport(options) : kyTransport();
}

function missingEndpoint(where: string, field: string, name: keyof ClientEndpoints): RequestError {
  const message = `requires the endpoint ${name}: createClient(options, { ${name}: endpoints.public.${name} })`;
  return new RequestError(where, [{ field, message }]);
}

/** A user's clock that throws, or returns no number, counts as `NaN`, for which no nonce is made. */
function clockOf(now: () => unknown): () => number {
  return () => {
    const time = tryOr(now, undefined);
    if (typeof time === 'number') return time;
    isPromise(time);
    return Number.NaN;
  };
}
