// The one pipeline that every request takes: check, permit, sign, send, read, retry.
import { catchError, concat, defer, EMPTY, merge, retry, Subject, throwError, timeout, timer, type Observable } from 'rxjs';
import { randomUUID } from 'node:crypto';
import { attemptOnce, type AttemptContext } from './attempt.js';
import { createNonces, createSign, ExchangeClock, furthestAheadMs, nonceWindowMs, steadyClock, type Credentials, type Nonce } from './auth/index.js';
import { checkRequest } from './check-request.js';
import type { Call, CallArguments, Endpoint, OrderKey, OrderLookUp, Safety, WireFields } from './endpoint.js';
import { AuthError, isExchangeError, RequestError, TimeoutError, type Outcome } from './errors.js';
import type { SessionEvent } from './events.js';
import { createSend, type Fetch, type Signer } from './http/index.js';
import { oneOrder, type OrderProgress } from './one-order.js';
import { isTransient, isTransientAndNotExecuted, RetryBudget, retryDelayMs, retryWith } from './operators/index.js';
import { baseUrlOf, checkOptions, checkTimeout, type SessionOptions } from './options.js';
import { createScheduler, InFlight, type Priority } from './scheduler/index.js';

/** Options of one call. */
export interface CallOptions {
  /** The longest an attempt may take, milliseconds. Default: the client's. */
  readonly timeoutMs?: number;
  /** The longest the call may take, with all its waits and attempts, milliseconds. Default: the client's. */
  readonly callTimeoutMs?: number;
  /** `false`: the request is sent once. Default: repeated as the endpoint's safety and the client's `retry` say. */
  readonly retry?: false;
  /** Who comes first when the limit is reached: see {@link Priority}. Default: the endpoint's own, which is `urgent` for cancels and else `normal`. */
  readonly priority?: Priority;
  /**
   * How long the request is worth waiting for a permit, milliseconds, 0 or more: then {@link ExpiredError}, and nothing was sent. Default: for
   * ever. Each attempt waits anew.
   */
  readonly expiresInMs?: number;
}

/** A client without any endpoint of its own: give one to `call`. */
export interface Session {
  /**
   * Calls an endpoint. The parameters are read now; the request is made at subscription, and again at each new one (an order excepted:
   * an observable of it places one order at most). Emits the output and completes, or ends with an error of {@link AnyExchangeError}.
   *
   * @example
   * ```ts
   * import { ping, type Exchange } from 'exchange-rx';
   *
   * const pong$ = (exchange: Exchange) => exchange.call(ping);
   * ```
   */
  call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  /**
   * Finds what became of an order that was placed before, by this program or by one that has ended. Emits the order and completes; or fails
   * with {@link NotPlacedError} when it is proven that there is none and that none can come of a request that is still on its way, or with
   * `outcome: 'unknown'` when that could not be found out within `decideWithinMs`. Sends no order.
   */
  resumeOrder<Output>(lookUp: OrderLookUp<Output>, key: OrderKey): Observable<Output>;
  /** What happens on the wire and to the limits, for logs and metrics. Hot. */
  readonly events$: Observable<SessionEvent>;
}

/** What a caller of {@link createSession} can add to its pipeline. */
export interface SessionHooks {
  /** A last check of an order's fields before it asks for a permit: completes to let it pass, or fails. */
  readonly beforeOrder?: (endpoint: Endpoint, fields: WireFields) => Observable<never>;
}

/** How often, how long and how urgently one call may try. */
interface CallLimits {
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
  readonly repeat: boolean;
  readonly priority: Priority;
  readonly expiresInMs: number | undefined;
}

const defaultTimeoutMs = 10_000;
const defaultCallTimeoutMs = 60_000;
const defaultMaxInFlight = 256;
/** A nonce that was refused was never executed: the request is signed again at once. */
const mostNonces = 3;
/** A look-up that hangs must not keep an order from being found by the next. */
const lookUpTimeoutMs = 3000;
const defaultHistoryLagMs = 2000;
const defaultDecideWithinMs = 20_000;
/** By how much the exchange's clock may be misjudged. */
const clockToleranceMs = 2000;

/** Makes a client without endpoints, for programs that bundle only those they use. Throws {@link RequestError} for bad options. */
export function createSession(options: SessionOptions, { beforeOrder = () => EMPTY }: SessionHooks = {}): Session {
  checkOptions(options);
  const { limits = {}, scheduler = createScheduler({ limits }), fetch = globalThis.fetch, now = steadyClock(), retry: policy = {} } = options;
  const events = new Subject<SessionEvent>();
  const clock = new ExchangeClock(now);
  const signing = options.credentials === undefined ? undefined : createSigning(options.credentials, fetch, clock, options);
  const inFlight = new InFlight(options.maxInFlight ?? defaultMaxInFlight);
  const budget = new RetryBudget(policy === false ? {} : policy.budget);
  let identifiersAreTaken = true;
  const context: AttemptContext = {
    baseUrl: baseUrlOf(options),
    scheduler,
    inFlight,
    signedInFlight: signing === undefined ? inFlight : inFlight.paced(signing.nonces, options.nonce === 'increasing' ? 1 : undefined),
    send: createSend(fetch),
    signer: signing?.signer ?? refuseToSign,
    clock,
    emit: (event) => {
      events.next(event);
    },
  };

  /** One attempt of a call; a nonce that was refused is replaced at once. */
  function attemptOf<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, { timeoutMs, priority, expiresInMs }: CallLimits) {
    const about = { endpoint: endpoint.name, group: endpoint.group.name };
    let attempt = 0;
    const tellRetry = (error: unknown, delayMs: number) => {
      if (isExchangeError(error)) events.next({ type: 'retry', ...about, attempt, delayMs, kind: error.kind, outcome: error.outcome });
    };
    const send = (onSent?: (nonce: Nonce | undefined) => void) =>
      defer(() => {
        attempt += 1;
        budget.earn();
        return attemptOnce(context, { endpoint, fields, attempt, timeoutMs, priority, expiresInMs, onSent });
      }).pipe(
        retry({
          count: mostNonces - 1,
          delay: (error: unknown) => {
            if (!(error instanceof AuthError && error.reason === 'nonce')) return throwError(() => error);
            tellRetry(error, 0);
            return timer(0);
          },
        }),
      );
    return { send, tellRetry };
  }

  function callOnce<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: CallLimits): Observable<Output> {
    return defer(() => {
      let sent = false;
      const { send, tellRetry } = attemptOf(endpoint, fields, limits);
      const attempt$ = send(() => {
        sent = true;
      });
      const when = repeatedAfter(endpoint.safety);
      const onRetry = ({ error, delayMs }: { readonly error: unknown; readonly delayMs: number }) => {
        tellRetry(error, delayMs);
      };
      const repeated$ = !limits.repeat || policy === false ? attempt$ : attempt$.pipe(retryWith({ ...policy, when, budget, onRetry }));
      const outcome = (): Outcome => (sent ? 'unknown' : 'not-sent');
      return repeated$.pipe(
        timeout({
          first: limits.callTimeoutMs,
          with: () => throwError(() => new TimeoutError(endpoint.name, limits.callTimeoutMs, 'call', outcome())),
        }),
      );
    });
  }

  function placeOnce<Output>(endpoint: Endpoint<never, Output>, order: OrderFields, limits: CallLimits): Observable<Output> {
    const { client_order_id, market } = order;
    const { send, tellRetry } = attemptOf(endpoint, order, limits);
    const { lookUp } = endpoint;
    let retries = 0;
    let firstFailedAt: number | undefined;

    return oneOrder<Output>({
      ...lookingUp(endpoint.name, lookUp, { market, client_order_id }, limits),
      send: (onSent) => concat(beforeOrder(endpoint, order), send(onSent)),
      isIdentified(output) {
        const isIdentified = isRecord(output) && output['client_order_id'] === client_order_id;
        identifiersAreTaken &&= isIdentified;
        return isIdentified;
      },
      retryAfterMs(error) {
        if (!limits.repeat || policy === false) return undefined;
        if (!isTransientAndNotExecuted(error) && error.kind !== 'not-placed') return undefined;
        const { maxRetries = 4, maxTotalMs = 30_000 } = policy;
        firstFailedAt ??= performance.now();
        if (retries >= maxRetries || performance.now() - firstFailedAt > maxTotalMs || !budget.spend()) return undefined;
        retries += 1;
        const delayMs = retryDelayMs(policy, retries, error);
        tellRetry(error, delayMs);
        return delayMs;
      },
    }).pipe(catchError((error: unknown) => throwError(() => aboutOrder(error, client_order_id))));
  }

  /** How an order is looked for. */
  function lookingUp<Output>(endpoint: string, lookUp: OrderLookUp<Output> | undefined, key: OrderKey, { timeoutMs, callTimeoutMs }: CallLimits) {
    const call: Call = (other, params) =>
      session.call(other, params, { retry: false, priority: 'urgent', timeoutMs: Math.min(timeoutMs, lookUpTimeoutMs) });
    return {
      endpoint,
      clock,
      find: (sentAt: number) => lookUp?.find(call, key, () => clock.toExchange(sentAt) - clockToleranceMs) ?? EMPTY,
      readClock: () => lookUp?.readClock(call) ?? EMPTY,
      canProveAbsence: () => lookUp !== undefined && identifiersAreTaken,
      report(progress: OrderProgress) {
        events.next({ type: 'order', endpoint, client_order_id: key.client_order_id, progress });
      },
      timing: {
        historyLagMs: options.historyLagMs ?? defaultHistoryLagMs,
        decideWithinMs: options.decideWithinMs ?? defaultDecideWithinMs,
        callTimeoutMs,
      },
    };
  }

  function limitsOf(callOptions: CallOptions, priority?: Priority): CallLimits {
    return {
      timeoutMs: callOptions.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs,
      callTimeoutMs: callOptions.callTimeoutMs ?? options.callTimeoutMs ?? defaultCallTimeoutMs,
      repeat: callOptions.retry !== false,
      priority: callOptions.priority ?? priority ?? 'normal',
      expiresInMs: callOptions.expiresInMs,
    };
  }

  const session: Session = {
    events$: merge(events, scheduler.events$),

    call(endpoint, ...[params = {}, callOptions = {}]) {
      const limits = limitsOf(callOptions, endpoint.priority);
      let fields: WireFields;
      try {
        checkTimeout(endpoint.name, 'timeoutMs', limits.timeoutMs);
        checkTimeout(endpoint.name, 'callTimeoutMs', limits.callTimeoutMs);
        fields = checkRequest(endpoint, params);
        if (endpoint.authentication === 'signed' && signing === undefined) refuseToSign(endpoint.name);
      } catch (error) {
        return throwError(() => error);
      }
      return endpoint.safety === 'order' ? placeOnce(endpoint, orderFields(fields), limits) : callOnce(endpoint, fields, limits);
    },

    resumeOrder(lookUp, key) {
      return defer(() => {
        const name = 'resumeOrder';
        const road = lookingUp(name, lookUp, key, limitsOf({}));
        const nothingToSend = () => throwError(() => new RequestError(name, [{ field: 'client_order_id', message: 'is all there is to look for' }]));
        // Whoever sent it made its nonce before now, and not further ahead than nonces are made.
        const earlier = { sentAt: 0, executableUntil: clock.now() + furthestAheadMs + nonceWindowMs };
        return oneOrder({ ...road, send: nothingToSend, isIdentified: () => true, retryAfterMs: () => undefined }, earlier);
      }).pipe(catchError((error: unknown) => throwError(() => aboutOrder(error, key.client_order_id))));
    },
  };
  return session;
}

/** After which errors a request may be sent again. */
function repeatedAfter(safety: Exclude<Safety, 'order'> | Safety): (error: unknown) => boolean {
  return safety === 'read' || safety === 'set' ? isTransient : isTransientAndNotExecuted;
}

function createSigning(credentials: Credentials, transport: Fetch, clock: ExchangeClock, { nonce = 'window', nonceLane: lane }: SessionOptions) {
  const sign = createSign(credentials);
  const nonces = createNonces({ apiKey: credentials.apiKey, transport, now: () => clock.now(), mode: nonce, lane });
  const nonceWindow = nonce === 'window';
  const signer = (endpoint: string): Signer => ({
    sign,
    nonce: () => {
      if (nonces.free() === 0) throw new RequestError(endpoint, [{ field: 'nonce', message: 'is not free: more than one request a millisecond' }]);
      return { nonce: nonces.next(), nonceWindow };
    },
  });
  return { nonces, signer };
}

function refuseToSign(endpoint: string): never {
  throw new RequestError(endpoint, [{ field: 'credentials', message: 'are required: the endpoint is private' }]);
}

/** The fields of an order, by which it is found again. */
interface OrderFields extends WireFields {
  readonly market: string;
  readonly client_order_id: string;
}

/** An order without an identifier could not be found again, so it is given one: 32 characters, as the exchange advises. */
function orderFields(fields: WireFields): OrderFields {
  const { market, client_order_id } = fields;
  const identifier = typeof client_order_id === 'string' ? client_order_id : randomUUID().replaceAll('-', '');
  return { ...fields, market: String(market), client_order_id: identifier };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function aboutOrder(error: unknown, client_order_id: string): unknown {
  if (isExchangeError(error)) error.client_order_id = client_order_id;
  return error;
}
