// The one pipeline that every request takes: check, permit, sign, send, read, retry.
import { defer, merge, Subject, throwError, timeout, type Observable } from 'rxjs';
import type { AttemptContext } from './attempt.js';
import { createAttempts } from './attempts.js';
import { createNonces, createSign, ExchangeClock, steadyClock, type Credentials } from './auth/index.js';
import { callLimits, type CallLimits, type CallOptions } from './call-limits.js';
import { checkRequest } from './check-request.js';
import type { CallArguments, Endpoint, OrderKey, OrderLookUp, Safety, WireFields } from './endpoint.js';
import { RequestError, TimeoutError } from './errors.js';
import type { SessionEvent } from './events.js';
import { createSend, leanFetch, type Signer } from './http/index.js';
import { isTransient, isTransientAndNotExecuted, RetryBudget, retryWith, type Retry } from './operators/index.js';
import { aFunction, checkByRules, type OptionRules } from './option-rules.js';
import { OrderCalls } from './order-calls.js';
import { baseUrlOf, checkOptions, type SessionOptions } from './options.js';
import { createScheduler, InFlight, type Scheduler } from './scheduler/index.js';
import { SynchronousEnds } from './synchronous-ends.js';

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
   * `outcome: 'unknown'` when that could not be found out within `decideWithinMs`, or cannot be: its `cause` says why. Sends no order.
   */
  resumeOrder<Output>(lookUp: OrderLookUp<Output>, key: OrderKey): Observable<Output>;
  /** What happens on the wire and to the limits, for logs and metrics. Hot. */
  readonly events$: Observable<SessionEvent>;
  /** What grants its permits: see its `usage$`, and give it to other clients behind the same address. */
  readonly scheduler: Scheduler;
}

/** What a caller of {@link createSession} can add to its pipeline. */
export interface SessionHooks {
  /** A last check of an order's fields before it asks for a permit: completes to let it pass, or fails. */
  readonly beforeOrder?: (endpoint: Endpoint, fields: WireFields) => Observable<never>;
}

const hookRules: OptionRules<SessionHooks> = { beforeOrder: aFunction };

const defaultMaxInFlight = 256;
const defaultConnectTimeoutMs = 5000;

/**
 * Makes a client without endpoints, for programs that bundle only those they use. Throws {@link RequestError} for bad options.
 *
 * @example
 * ```ts
 * import { createSession, ping } from 'exchange-rx';
 *
 * const session = createSession({ baseUrl: 'https://exchange.example' });
 * const pong$ = session.call(ping);
 * ```
 */
export function createSession(options: SessionOptions, hooks: SessionHooks = {}): Session {
  checkOptions('createSession', options);
  checkByRules('createSession', hooks, hookRules);
  const { beforeOrder } = hooks;
  const { limits = {}, scheduler = createScheduler({ limits }), now = steadyClock(), retry: policy = {} } = options;
  const { maxInFlight = defaultMaxInFlight, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const fetch = options.fetch ?? leanFetch({ connections: maxInFlight, connectTimeoutMs });
  const events = new Subject<SessionEvent>();
  const clock = new ExchangeClock(now);
  const signing = options.credentials === undefined ? undefined : createSigning(options.credentials, clock, options);
  const inFlight = new InFlight(maxInFlight);
  const budget = new RetryBudget(policy === false ? {} : policy.budget);
  const context: AttemptContext = {
    baseUrl: baseUrlOf(options),
    scheduler,
    inFlight,
    signedInFlight: signing === undefined ? inFlight : inFlight.paced(signing.nonces, options.nonce === 'increasing' ? 1 : undefined),
    send: createSend(fetch),
    connectTimeoutMs,
    signer: signing?.signer ?? refuseToSign,
    clock,
  };
  const emit = (event: SessionEvent) => {
    events.next(event);
  };

  const attempts = createAttempts(context, budget, emit);
  const orders = new OrderCalls({
    options,
    clock,
    budget,
    attempts,
    beforeOrder,
    emit,
    call: (endpoint, params, callOptions) => session.call(endpoint, params, callOptions),
  });

  /** A call that is no order: attempts, as the endpoint's safety allows. */
  function callOnce<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: CallLimits): Observable<Output> {
    const { callTimeoutMs } = limits;
    return defer(() => {
      let isSent = false;
      const { send, tellRetry } = attempts.of(endpoint, fields, limits);
      const attempt$ = send(() => {
        isSent = true;
      });
      const onRetry = ({ error, delayMs }: Retry) => {
        tellRetry(error, delayMs);
      };
      const retried = { ...(policy === false ? {} : policy), when: repeatedAfter(endpoint.safety), budget, onRetry };
      const late = () => new TimeoutError(endpoint.name, callTimeoutMs, 'call', isSent ? 'unknown' : 'not-sent');
      return (limits.repeat ? attempt$.pipe(retryWith(retried)) : attempt$).pipe(timeout({ first: callTimeoutMs, with: () => throwError(late) }));
    });
  }

  const ends = new SynchronousEnds();
  const session: Session = {
    events$: merge(events, scheduler.events$),
    scheduler,

    call(endpoint, ...[params = {}, callOptions = {}]) {
      try {
        const limits = callLimits(endpoint, callOptions, options);
        const fields = checkRequest(endpoint, params);
        if (endpoint.authentication === 'signed' && signing === undefined) refuseToSign(endpoint.name);
        return ends.spread(endpoint.safety === 'order' ? orders.place(endpoint, fields, limits) : callOnce(endpoint, fields, limits));
      } catch (error) {
        return ends.spread(throwError(() => error));
      }
    },

    resumeOrder: (lookUp, key) => ends.spread(orders.resume(lookUp, key, callLimits({ name: 'resumeOrder' }, {}, options))),
  };
  return session;
}

/** After which errors a request may be sent again. */
function repeatedAfter(safety: Safety): (error: unknown) => boolean {
  return safety === 'read' || safety === 'set' ? isTransient : isTransientAndNotExecuted;
}

/** What all clients without a `fetch` of their own send with, as far as nonces are concerned. */
const network = {};

function createSigning(credentials: Credentials, clock: ExchangeClock, { fetch, nonce = 'window', nonceLane: lane }: SessionOptions) {
  const transport: object = fetch ?? network;
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
