// The one pipeline that every request takes: check, permit, sign, send, read, retry.
import { catchError, concat, defer, EMPTY, merge, Subject, throwError, type Observable } from 'rxjs';
import { randomUUID } from 'node:crypto';
import { attemptOnce, type AttemptContext } from './attempt.js';
import { createNonces, createSign } from './auth/index.js';
import { checkRequest } from './check-request.js';
import type { CallArguments, Endpoint, WireFields } from './endpoint.js';
import { isExchangeError, RequestError, TransportError, type ExchangeError } from './errors.js';
import type { SessionEvent } from './events.js';
import { createSend, type Signer } from './http/index.js';
import { oneOrder } from './one-order.js';
import { retryOn503, type RetryOn503 } from './operators/index.js';
import { baseUrlOf, checkOptions, checkTimeout, type SessionOptions } from './options.js';
import { createScheduler, InFlight, type Priority } from './scheduler/index.js';

/** Options of one call. */
export interface CallOptions {
  /** The longest an attempt may take, milliseconds. Default: the client's. */
  readonly timeoutMs?: number;
  /** `false`: the call is one attempt, not repeated after HTTP 503. Default: as the endpoint's safety and the client's `retry` say. */
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
  /** What happens on the wire and to the limits, for logs and metrics. Hot. */
  readonly events$: Observable<SessionEvent>;
}

/** What a caller of {@link createSession} can add to its pipeline. */
export interface SessionHooks {
  /** A last check of an order's fields before it asks for a permit: completes to let it pass, or fails. */
  readonly beforeOrder?: (endpoint: Endpoint, fields: WireFields) => Observable<never>;
}

/** How often, how long and how urgently one call may try. */
interface AttemptLimits {
  readonly timeoutMs: number;
  readonly repeat: boolean;
  readonly priority: Priority;
  readonly expiresInMs: number | undefined;
}

const defaultTimeoutMs = 10_000;
const defaultMaxInFlight = 256;

/** Makes a client without endpoints, for programs that bundle only those they use. Throws {@link RequestError} for bad options. */
export function createSession(options: SessionOptions, { beforeOrder = () => EMPTY }: SessionHooks = {}): Session {
  checkOptions(options);
  const { limits = {}, scheduler = createScheduler({ limits }), fetch = globalThis.fetch, now = Date.now, retry = {} } = options;
  const events = new Subject<SessionEvent>();
  const signer = options.credentials === undefined ? undefined : createSigner(options.credentials, now);
  const context: AttemptContext = {
    baseUrl: baseUrlOf(options),
    scheduler,
    inFlight: new InFlight(options.maxInFlight ?? defaultMaxInFlight),
    send: createSend(fetch),
    signer: signer ?? refuseToSign,
    now,
    emit: (event) => {
      events.next(event);
    },
  };

  /** One try after another, as the endpoint's safety allows. */
  function attempts<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: AttemptLimits, onSent?: () => void) {
    const about = { endpoint: endpoint.name, group: endpoint.group.name };
    return defer(() => {
      let attempt = 0;
      const attempt$ = defer(() => {
        attempt += 1;
        const { timeoutMs, priority, expiresInMs } = limits;
        return attemptOnce(context, { endpoint, fields, attempt, timeoutMs, priority, expiresInMs, onSent });
      });
      if (endpoint.safety !== 'read' || !limits.repeat || retry === false) return attempt$;
      const onRetry = ({ delayMs }: RetryOn503) => {
        events.next({ type: 'retry', ...about, attempt, delayMs, kind: 'unavailable' });
      };
      return attempt$.pipe(retryOn503({ ...retry, onRetry }));
    });
  }

  return {
    events$: merge(events, scheduler.events$),

    call(endpoint, ...[params = {}, callOptions = {}]) {
      const limits: AttemptLimits = {
        timeoutMs: callOptions.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs,
        repeat: callOptions.retry !== false,
        priority: callOptions.priority ?? endpoint.priority ?? 'normal',
        expiresInMs: callOptions.expiresInMs,
      };
      let fields: WireFields;
      try {
        checkTimeout(endpoint.name, limits.timeoutMs);
        fields = checkRequest(endpoint, params);
        if (endpoint.authentication === 'signed' && signer === undefined) refuseToSign(endpoint.name);
      } catch (error) {
        return throwError(() => error);
      }
      if (endpoint.safety !== 'order') return attempts(endpoint, fields, limits);

      const client_order_id = orderIdOf(fields);
      const order = { ...fields, client_order_id };
      return oneOrder(
        (onSent) => concat(beforeOrder(endpoint, order), attempts(endpoint, order, limits, onSent)),
        () => interruptedOrder(endpoint.name),
      ).pipe(catchError((error: unknown) => throwError(() => aboutOrder(error, client_order_id))));
    },
  };
}

function createSigner(credentials: NonNullable<SessionOptions['credentials']>, now: () => number) {
  const sign = createSign(credentials);
  const nonces = createNonces(now);
  return (endpoint: string): Signer => ({
    sign,
    nonce: () => {
      const nonce = nonces.next();
      if (nonce === undefined) throw new RequestError(endpoint, [{ field: 'nonce', message: 'is not free: more than one request a millisecond' }]);
      return nonce;
    },
  });
}

function refuseToSign(endpoint: string): never {
  throw new RequestError(endpoint, [{ field: 'credentials', message: 'are required: the endpoint is private' }]);
}

/** An order without an identifier could not be found again, so it is given one: 32 characters, as the exchange advises. */
function orderIdOf({ client_order_id }: WireFields): string {
  return typeof client_order_id === 'string' ? client_order_id : randomUUID().replaceAll('-', '');
}

function interruptedOrder(endpoint: string): ExchangeError {
  return new TransportError('unsubscribed while the request was on the wire', { endpoint, outcome: 'unknown' });
}

function aboutOrder(error: unknown, client_order_id: string): unknown {
  if (isExchangeError(error)) error.client_order_id = client_order_id;
  return error;
}
