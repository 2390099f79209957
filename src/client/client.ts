// The one pipeline that every request takes: check, permit, sign, send, read, retry.
import {
  catchError,
  defer,
  EMPTY,
  finalize,
  first,
  ignoreElements,
  merge,
  of,
  Subject,
  share,
  throwError,
  timeout,
  type Observable,
} from 'rxjs';
import type { AttemptContext } from './attempt.js';
import { createAttempts, type CallAttempts } from './attempts.js';
import {
  createNonces,
  createSign,
  ExchangeClock,
  readUntilConfirmed,
  steadyClock,
  type Credentials,
} from '../auth/index.js';
import { callLimits, onlyOptions, type CallLimits, type CallOptions } from './call-options.js';
import { checkRequest } from './check-request.js';
import { processRegistry, type ClientRegistry } from './client-registry.js';
import {
  hasNoParameters,
  type CallArguments,
  type Endpoint,
  type OrderEndpoint,
  type OrderKey,
  type OrderLookup,
  type Safety,
  type WireFields,
} from '../endpoints/define-endpoint.js';
import {
  aFunction,
  checkByRules,
  isExchangeError,
  isPromise,
  type OptionRules,
  type Outcome,
  RequestError,
  tryOr,
  TimeoutError,
  toExchangeError,
  clearUnknownOutcome,
} from '../errors/index.js';
import type { ClientEvent } from './events.js';
import { createSend, undiciFetch, RecentSecrets, type Signer } from '../http/index.js';
import { isTransient, isTransientAndNotExecuted, RetryBudget } from '../operators/index.js';
import {
  aboutOrder,
  identifierOf,
  orderAttempts,
  orderFields,
  placeOrder,
  resumeOrder,
  withIdentifier,
  type OrderObservable,
  type OrderParts,
} from '../orders/order-calls.js';
import { OrderRegistry, type UndecidedOrder } from '../orders/order-registry.js';
import { baseUrlOf, checkOptions, type ClientOptions } from './options.js';
import { isExpiredNonce, isRefusedNonce, retryLoop } from '../operators/retry-loop.js';
import { InFlight, type RateLimit, type Scheduler } from '../scheduler/index.js';
import { SynchronousEnds } from '../operators/synchronous-ends.js';

/** A client without any endpoint of its own: give one to `call`. */
export interface Client {
  /**
   * Calls an endpoint. The parameters are read now; the request is made at subscription, and again at each new one (an
   * order excepted: an observable of it places one order at most). Emits the output and completes, or ends with an
   * error of {@link AnyExchangeError}.
   *
   * @example
   * ```ts
   * import { ping, type Exchange } from 'exchange-rx';
   *
   * const pong$ = (exchange: Exchange) => exchange.call(ping);
   * ```
   */
  call<Params extends object, Output>(
    endpoint: OrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): OrderObservable<Output>;
  /** Calls an endpoint that places no order. */
  call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  /**
   * Looks up an order that was placed before, by this program or by one that has ended. Emits the order and completes;
   * or fails with {@link NotPlacedError} when it is proven that the order does not exist and that no request in flight
   * can create it, or with `outcome: 'unknown'` when that could not be proven within `lookupTimeoutMs`, or cannot be:
   * its `cause` says why. Sends no order.
   */
  resumeOrder<Output>(lookUp: OrderLookup<Output>, key: OrderKey): Observable<Output>;
  /**
   * The orders that may have been placed and whose outcome is not known: their responses were lost, or their
   * subscribers left. Emits the list at subscription and at each change; an order leaves the list when it is found or
   * proven absent. To decide one, subscribe to its observable again, or {@link Client.resumeOrder}.
   */
  readonly undecided$: Observable<readonly UndecidedOrder[]>;
  /** What happens on the wire and to the limits, for logs and metrics. Hot. */
  readonly events$: Observable<ClientEvent>;
  /**
   * What grants its permits: see its `usage$`, and give it to other clients behind the same IP address. A permit that
   * is acquired from it is granted when there is room for one more request of this client, too.
   */
  readonly scheduler: Scheduler;
}

/** What a caller of {@link createClient} can add to its pipeline. */
export interface ClientHooks {
  /**
   * A last check of an order's fields before it asks for a permit: completes to let it pass, or fails. What it emits is
   * ignored. If it fails with what is no error of this package, the order ends in {@link RequestError}.
   */
  readonly beforeOrder?: (endpoint: Endpoint, fields: WireFields) => Observable<never>;
  /**
   * Whether the exchange lists a market: nothing is proven of an order in one that it does not. Default: every market
   * is taken to be listed.
   */
  readonly isListed?: (market: string) => Observable<boolean>;
  /**
   * Reads the exchange's clock, by an endpoint that has `exchangeTime`: after a nonce was refused for its age. Default:
   * it is read for orders only, by their lookup; of other requests, a local clock that is minutes wrong makes all be
   * refused.
   */
  readonly readClock?: () => Observable<unknown>;
}

const hookRules: OptionRules<ClientHooks> = { beforeOrder: aFunction, isListed: aFunction, readClock: aFunction };

const defaultMaxInFlight = 256;
/** The default of `urgentInFlight`: this part of `maxInFlight`, and so many at least. */
const urgentPart = 1 / 8;
const minUrgentInFlight = 8;
const defaultConnectTimeoutMs = 5000;

/**
 * Makes a client without endpoints, for programs that bundle only those they use. Throws {@link RequestError} for bad
 * options.
 *
 * @example
 * ```ts
 * import { createClient, ping } from 'exchange-rx';
 *
 * const client = createClient({ baseUrl: 'https://exchange.example' });
 * const pong$ = client.call(ping);
 * ```
 */
export function createClient(options: ClientOptions, hooks: ClientHooks = {}): Client {
  checkOptions('createClient', options);
  checkByRules('createClient', hooks, hookRules);
  const { readClock = () => EMPTY } = hooks;
  const { registry = processRegistry, retry: policy = {} } = options;
  const { maxInFlight = defaultMaxInFlight, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const { urgentInFlight = Math.max(minUrgentInFlight, Math.floor(maxInFlight * urgentPart)) } = options;
  const baseUrl = baseUrlOf(options);
  const scheduler = options.scheduler ?? registry.scheduler(options.fetch, baseUrl, options.limits);
  const fetch = options.fetch ?? undiciFetch({ connections: maxInFlight + urgentInFlight, connectTimeoutMs });
  const events = new Subject<ClientEvent>();
  const clock = new ExchangeClock(options.now === undefined ? steadyClock() : clockOf(options.now));
  const signing =
    options.credentials === undefined
      ? undefined
      : createSigning(options.credentials, clock, options, registry, baseUrl);
  const inFlight = new InFlight(maxInFlight, { urgent: urgentInFlight });
  const signedInFlight =
    signing === undefined ? inFlight : inFlight.paced(signing.nonces, options.nonce === 'increasing' ? 1 : undefined);
  /** The groups of requests that were signed: what waits for a permit of theirs waits for a nonce, too. */
  const signedGroups = new Set<string>();
  const budget = new RetryBudget(policy === false ? {} : policy.budget);
  const context: AttemptContext = {
    baseUrl,
    scheduler,
    inFlight,
    signedInFlight,
    send: createSend(fetch),
    connectTimeoutMs,
    signer: signing?.signer ?? refuseToSign,
    clock,
    secrets: new RecentSecrets(options.credentials?.apiKey),
  };
  const emit = (event: ClientEvent) => {
    events.next(event);
  };

  const attempts = createAttempts(context, budget, emit);
  const orders = new OrderRegistry();
  const latest = new LatestCalls();
  const orderParts: OrderParts = {
    options,
    clock,
    registry: orders,
    beforeOrder: beforeOrderOf(hooks),
    isListed: isListedOf(hooks),
    emit,
    call: (endpoint, params, callOptions) => callWith(endpoint, params, () => callOptions),
  };
  const clock$ = readUntilConfirmed(clock, defer(readClock)).pipe(share());
  /** By its age a nonce says that the clock was wrong. */
  const prepare = (error: unknown) => (isExpiredNonce(error) ? clock$ : EMPTY);

  /** The retry loop of one subscription. */
  function retried<Output>(
    { reportRetry, start }: CallAttempts<Output>,
    limits: CallLimits,
    when: (error: unknown) => boolean,
    isCurrent?: () => boolean,
  ) {
    const loop = retryLoop<Output>({
      ...(policy === false ? {} : policy),
      validForMs: limits.validForMs,
      budget,
      when: (error) => limits.repeat && when(error),
      isCurrent,
      onRetry: reportRetry,
      prepare,
    });
    return (source: Observable<Output>) =>
      defer(() => {
        start();
        return source.pipe(loop);
      });
  }

  /** A call that is no order: attempts, as the endpoint's safety allows. */
  function callOnce<Output>(
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: CallLimits,
  ): Observable<Output> {
    const { callTimeoutMs } = limits;
    const { safety } = endpoint;
    return defer(() => {
      let isSent = false;
      const own = attempts.of(endpoint, fields, limits);
      const setting =
        safety === 'idempotent' ? latest.start(`${endpoint.name} ${settingOf(endpoint, fields)}`) : undefined;
      const when = (error: unknown) => isRepeatedAfter(safety, error);
      const attempt$ = own.send(() => {
        isSent = true;
      });
      const late = () => {
        const error = new TimeoutError(endpoint.name, callTimeoutMs, 'call', isSent ? 'unknown' : 'not-executed');
        if (safety === 'read') clearUnknownOutcome(error);
        return error;
      };
      const typed = (error: unknown) =>
        throwError(() => toExchangeError(error, endpoint.name, isSent ? lostOutcome(safety) : 'not-executed'));
      const bound = timeout<Output, Observable<never>>({ first: callTimeoutMs, with: () => throwError(late) });
      const call$ = attempt$.pipe(retried(own, limits, when, setting?.isLatest), bound, catchError(typed));
      return setting === undefined ? call$ : call$.pipe(finalize(setting.end));
    });
  }

  function callOrder<Output>(
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: CallLimits,
  ): Observable<Output> {
    const { order, isGenerated } = orderFields(endpoint.name, fields);
    const own = orderAttempts(orders, attempts, endpoint, order, limits);
    let isSent = false;
    const send: typeof own.send = (onSent) =>
      own.send((nonce) => {
        isSent = true;
        onSent(nonce);
      });
    const placing = {
      endpoint,
      order,
      limits,
      call: own.call,
      send,
      retried: retried(own, limits, isOrderRepeatedAfter),
    };
    const typed = (error: unknown) =>
      throwError(() => aboutOrder(toExchangeError(error, endpoint.name, isSent ? 'unknown' : 'not-executed'), order));
    const order$ = placeOrder(orderParts, placing, isGenerated).pipe(catchError(typed));
    return withIdentifier(ends.spread(order$), order.client_order_id);
  }

  function call<Params extends object, Output>(
    endpoint: OrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): OrderObservable<Output>;
  function call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  function call(endpoint: Endpoint, ...args: readonly (object | undefined)[]): Observable<unknown> {
    const [first = {}, second = {}] = args;
    // The schema may be the user's own, and fail when it is read.
    return tryOr(() => hasNoParameters(endpoint), false)
      ? callWith(endpoint, {}, () => onlyOptions(endpoint.name, first, args[1]))
      : callWith(endpoint, first, () => second);
  }

  function callWith<Output>(
    endpoint: Endpoint<never, Output>,
    params: object,
    readOptions: () => CallOptions,
  ): Observable<Output> {
    try {
      const limits = callLimits(endpoint, readOptions(), options);
      const fields = checkRequest(endpoint, params);
      if (endpoint.authentication === 'signed') {
        if (signing === undefined) refuseToSign(endpoint.name);
        signedGroups.add(endpoint.rateLimit.name);
      }
      return endpoint.safety === 'order'
        ? callOrder(endpoint, fields, limits)
        : ends.spread(callOnce(endpoint, fields, limits));
    } catch (thrown) {
      const error = toExchangeError(thrown, endpoint.name, 'not-executed');
      if (endpoint.safety !== 'order') return ends.spread(throwError(() => error));
      const client_order_id = identifierOf(params);
      return withIdentifier(ends.spread(throwError(() => aboutOrder(error, { client_order_id }))), client_order_id);
    }
  }

  const ends = new SynchronousEnds();
  const client: Client = {
    events$: merge(events, scheduler.events$),
    scheduler: {
      acquire: (group: RateLimit, acquireOptions) =>
        scheduler.acquire(group, {
          inFlight: signedGroups.has(group.name) ? signedInFlight : inFlight,
          ...acquireOptions,
        }),
      usage$: scheduler.usage$,
      events$: scheduler.events$,
      endCoolDown: (group) => {
        scheduler.endCoolDown(group);
      },
    },

    call,

    resumeOrder: (lookUp, key) => {
      // Read now, once: of what cannot be read there is no order to look up.
      const { market, client_order_id, ...rest } = tryOr(() => ({ ...key }), { market: '', client_order_id: '' });
      const own = { ...rest, market, client_order_id };
      const typed = (error: unknown) =>
        throwError(() => aboutOrder(toExchangeError(error, 'resumeOrder', 'unknown'), own));
      const limits = callLimits({ name: 'resumeOrder' }, {}, options);
      return ends.spread(resumeOrder(orderParts, lookUp, own, limits, attempts.number()).pipe(catchError(typed)));
    },
    undecided$: orders.undecided$,
  };
  return client;
}

/** After which errors a request may be sent again. */
function isRepeatedAfter(safety: Safety, error: unknown): boolean {
  if (isRefusedNonce(error)) return true;
  return safety === 'read' || safety === 'idempotent' ? isTransient(error) : isTransientAndNotExecuted(error);
}

/**
 * After which errors an order may be sent again: each of them says, or was proven to say, that the order does not
 * exist.
 */
function isOrderRepeatedAfter(error: unknown): boolean {
  return (
    isRefusedNonce(error) || isTransientAndNotExecuted(error) || (isExchangeError(error) && error.kind === 'not-placed')
  );
}

/**
 * What a call sets; empty for all that the endpoint sets. An endpoint of the user's own may have a function that fails.
 */
function settingOf(endpoint: Endpoint, fields: WireFields): string {
  const refused = (why: string, cause?: unknown) =>
    new RequestError(
      endpoint.name,
      [{ field: 'params', message: `could not be sent: key() of the endpoint ${why}` }],
      cause,
    );
  let key: unknown;
  try {
    key = endpoint.key?.(fields) ?? '';
  } catch (cause) {
    // What it throws may quote what it was given.
    throw refused('failed', endpoint.confidential === true ? undefined : cause);
  }
  if (typeof key === 'string') return key;
  isPromise(key);
  throw refused('returned no string');
}

/** What a request that may have been sent has come to, where nothing else is known. */
function lostOutcome(safety: Safety): Outcome {
  return safety === 'read' ? 'none' : 'unknown';
}

/** A clock of the user's own that fails, or gives no number, shows no time: no nonce is made by it. */
function clockOf(now: () => unknown): () => number {
  return () => {
    const time = tryOr(now, undefined);
    if (typeof time === 'number') return time;
    isPromise(time);
    return Number.NaN;
  };
}

/** An order is not sent when its last check fails, whatever it fails with. What the check emits is not the order. */
function beforeOrderOf({ beforeOrder }: ClientHooks): ClientHooks['beforeOrder'] {
  if (beforeOrder === undefined) return undefined;
  return (endpoint, fields) =>
    defer(() => beforeOrder(endpoint, fields)).pipe(
      ignoreElements(),
      catchError((error: unknown) => {
        const issue = { field: 'beforeOrder', message: 'failed: the order was not sent' };
        return throwError(() => (isExchangeError(error) ? error : new RequestError(endpoint.name, [issue], error)));
      }),
    );
}

/** Fails where it is not told whether the market is listed. */
function isListedOf({ isListed = () => of(true) }: ClientHooks): NonNullable<ClientHooks['isListed']> {
  return (market) =>
    defer(() => isListed(market)).pipe(first((listed: unknown): listed is boolean => typeof listed === 'boolean'));
}

/** Which call of each key was made last, while one of them is under way. */
class LatestCalls {
  readonly #calls = new Map<string, { last: symbol; active: number }>();

  start(key: string): { readonly isLatest: () => boolean; readonly end: () => void } {
    const own = Symbol();
    const calls = this.#calls.get(key) ?? { last: own, active: 0 };
    calls.last = own;
    calls.active += 1;
    this.#calls.set(key, calls);
    return {
      isLatest: () => calls.last === own,
      end: () => {
        calls.active -= 1;
        if (calls.active === 0) this.#calls.delete(key);
      },
    };
  }
}

/**
 * Nonces that only increase are made by no response. A clock that goes on evenly does not count the hours that a
 * machine is suspended, in which another program of the key may go ahead: the later of both clocks is taken, unless the
 * user gave one.
 */
function clockOfIncreasing(clock: ExchangeClock, { now }: ClientOptions): () => number {
  return now === undefined ? () => Math.max(clock.local(), Date.now()) : clock.local;
}

function createSigning(
  credentials: Credentials,
  clock: ExchangeClock,
  options: ClientOptions,
  registry: ClientRegistry,
  baseUrl: string,
) {
  const { fetch, nonce = 'window', nonceShard: shard } = options;
  const sign = createSign(credentials);
  const used = registry.usedNonces(fetch, baseUrl, credentials.apiKey);
  const nonceWindow = nonce === 'window';
  const nonces = createNonces({
    used,
    now: nonceWindow ? () => clock.now() : clockOfIncreasing(clock, options),
    mode: nonce,
    shard,
  });
  const signer = (endpoint: string): Signer => ({
    sign,
    nonce: () => {
      if (nonces.free() === 0)
        throw new RequestError(endpoint, [
          { field: 'nonce', message: 'is not free: more than one request a millisecond' },
        ]);
      return { nonce: nonces.next(), nonceWindow };
    },
  });
  return { nonces, signer };
}

function refuseToSign(endpoint: string): never {
  throw new RequestError(endpoint, [{ field: 'credentials', message: 'are required: the endpoint is private' }]);
}
