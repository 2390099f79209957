// The orders of a session: placed as one order each, looked for by its endpoints, and resumed after a restart.
import { catchError, concat, defer, EMPTY, finalize, mergeMap, of, tap, throwError, type Observable } from 'rxjs';
import type { SentOrder } from './absence-proof.js';
import type { Attempts } from './attempts.js';
import { furthestAheadMs, nonceWindowMs, type ExchangeClock } from './auth/index.js';
import type { CallLimits, CallOptions } from './call-limits.js';
import type { Endpoint, OrderKey, OrderLookUp, WireFields } from './endpoint.js';
import { ApiError, AuthError, isExchangeError, NotPlacedError, RequestError, TransportError, type AuthErrorReason, type ExchangeError } from './errors.js';
import type { SessionEvent } from './events.js';
import { createClientOrderId } from './model/client-order-id.js';
import { oneOrder, type OrderProgress } from './one-order.js';
import { isTransientAndNotExecuted, type RetryBudget } from './operators/index.js';
import type { RetryOptions, SessionOptions } from './options.js';
import { OrderIdentifiers } from './order-identifiers.js';
import { retryDelayMs } from './retry-policy.js';

/** What orders are placed and looked for with. */
export interface OrderParts {
  readonly options: SessionOptions;
  readonly clock: ExchangeClock;
  readonly budget: RetryBudget;
  readonly attempts: Attempts;
  readonly beforeOrder: ((endpoint: Endpoint, fields: WireFields) => Observable<never>) | undefined;
  readonly emit: (event: SessionEvent) => void;
  /** Calls another endpoint of the session, to look for an order. */
  readonly call: <Params extends object, Output>(endpoint: Endpoint<Params, Output>, params: Params, options: CallOptions) => Observable<Output>;
}

/** The fields of an order, by which it is found again. */
interface OrderFields extends WireFields, OrderKey {}

/** A look-up that hangs must not keep an order from being found by the next. */
const lookUpTimeoutMs = 3000;
const defaultHistoryLagMs = 2000;
const defaultDecideWithinMs = 20_000;
/** By how much the exchange's clock may be misjudged. */
const clockToleranceMs = 2000;

export class OrderCalls {
  readonly #parts: OrderParts;
  /** False when an answer did not bear the identifier that was sent: not finding an order by it is no proof then. */
  #identifiersAreTaken = true;
  /** The same of any endpoint, also of one whose orders are not looked for: it may be one of theirs that is asked for. */
  #allIdentifiersAreTaken = true;
  readonly #identifiers = new OrderIdentifiers();

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  /** One order, however often it is subscribed to. */
  place<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: CallLimits): Observable<Output> {
    const { attempts, beforeOrder, budget, options } = this.#parts;
    const isGenerated = typeof fields['client_order_id'] !== 'string';
    const order = orderFields(fields);
    const attempt = attempts.of(endpoint, order, limits);
    const policy: RetryOptions = options.retry === false || options.retry === undefined ? {} : options.retry;
    const { maxRetries = 4, maxTotalMs = 30_000 } = policy;
    let retries = 0;
    let firstFailedAt: number | undefined;

    const lookingUp = this.#lookingUp(endpoint.name, endpoint.lookUp, keyOf(order), limits, isGenerated);
    const isAnothers = (found: Output) => this.#identifiers.isAnothers(order, orderIdOf(found));
    const order$ = oneOrder<Output>({
      ...lookingUp,
      find: (sent) => lookingUp.find(sent).pipe(mergeMap((found) => (isAnothers(found) ? undecided(endpoint.name) : of(found)))),
      canProveAbsence: () => endpoint.lookUp !== undefined && this.#identifiersAreTaken,
      send: (onSent) => {
        const before$ = beforeOrder?.(endpoint, order).pipe(catchError((error: unknown) => throwError(() => notSentFor(error, endpoint.name))));
        return before$ === undefined ? attempt.send(onSent) : concat(before$, attempt.send(onSent));
      },
      isIdentified: (output) => {
        const isIdentified = isRecord(output) && output['client_order_id'] === order.client_order_id;
        this.#allIdentifiersAreTaken &&= isIdentified;
        if (endpoint.lookUp !== undefined) this.#identifiersAreTaken &&= isIdentified;
        return isIdentified;
      },
      retryAfterMs: (error) => {
        if (!limits.repeat || (!isTransientAndNotExecuted(error) && error.kind !== 'not-placed')) return undefined;
        firstFailedAt ??= performance.now();
        if (retries >= maxRetries || performance.now() - firstFailedAt > maxTotalMs || !budget.spend()) return undefined;
        retries += 1;
        const delayMs = retryDelayMs(policy, retries, error);
        attempt.tellRetry(error, delayMs);
        return delayMs;
      },
    });
    return defer(() =>
      order$.pipe(
        tap((placed) => {
          // Those that are made for an order have no other.
          if (!isGenerated) this.#identifiers.tell(order, orderIdOf(placed));
        }),
        finalize(this.#identifiers.wait(order)),
      ),
    ).pipe(catchError((error: unknown) => throwError(() => aboutOrder(error, order))));
  }

  /** What became of an order that was placed before. */
  resume<Output>(lookUp: OrderLookUp<Output>, key: OrderKey, limits: CallLimits): Observable<Output> {
    const { clock } = this.#parts;
    const endpoint = 'resumeOrder';
    return defer(() => {
      const road = this.#lookingUp(endpoint, lookUp, key, limits);
      // Whoever sent it made its nonce before now, and not further ahead than nonces are made; one that only increases stays valid.
      const longestMs = this.#parts.options.nonce === 'increasing' ? Number.POSITIVE_INFINITY : furthestAheadMs + nonceWindowMs;
      const earlier = { sentAt: 0, sentAtExchange: 0, executableUntil: clock.now() + longestMs, executableUntilLocal: clock.local() + longestMs };
      // It is looked for only: as each subscription begins with what was sent earlier, there is never anything to send.
      const canProveAbsence = () => this.#allIdentifiersAreTaken && !this.#identifiers.isAwaited(key);
      return oneOrder({ ...road, canProveAbsence, send: () => EMPTY, isIdentified: () => true, retryAfterMs: () => undefined }, earlier);
    }).pipe(
      catchError((error: unknown) => throwError(() => aboutOrder(error instanceof NotPlacedError ? noneThere(endpoint, key) : error, key))),
    );
  }

  /** How an order is looked for. */
  #lookingUp<Output>(endpoint: string, lookUp: OrderLookUp<Output> | undefined, key: OrderKey, { timeoutMs, callTimeoutMs }: CallLimits, isGenerated = false) {
    const { clock, options, emit } = this.#parts;
    const call = <Params extends object, Found>(other: Endpoint<Params, Found>, params: Params) =>
      this.#parts.call(other, params, { retry: false, priority: 'urgent', timeoutMs: Math.min(timeoutMs, lookUpTimeoutMs) });
    return {
      endpoint,
      clock,
      find({ sentAt, sentAtExchange }: SentOrder) {
        // What was learned of the clock since may be wrong: the order is not to be overlooked for it. No other order has an identifier of ours.
        const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
        return lookUp?.find(call, key, since) ?? EMPTY;
      },
      readClock: () => lookUp?.readClock(call) ?? EMPTY,
      isTaken,
      isFutile,
      report(progress: OrderProgress) {
        emit({ type: 'order', endpoint, client_order_id: key.client_order_id, progress });
      },
      timing: {
        historyLagMs: options.historyLagMs ?? defaultHistoryLagMs,
        decideWithinMs: options.decideWithinMs ?? defaultDecideWithinMs,
        callTimeoutMs,
      },
    };
  }
}

/** What is not known of another request leaves no order in doubt that was not sent for it. */
function notSentFor(error: unknown, endpoint: string): unknown {
  if (!isExchangeError(error) || error.outcome !== 'unknown') return error;
  return new TransportError(`what is done before an order failed: ${error.message}`, { endpoint, outcome: 'not-sent', cause: error });
}

/** Not every shape of an error has its code. */
function isTaken(error: ExchangeError): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === 'client-order-id' || 'clientOrderId' in error.errors || 'client_order_id' in error.errors;
}

/** Without a key, or with one that is refused, no look-up will ever answer. That there is no nonce passes. */
function isFutile(failure: ExchangeError): boolean {
  if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');
  return failure instanceof AuthError && lastingReasons.includes(failure.reason);
}

const lastingReasons: readonly AuthErrorReason[] = ['signature', 'key-disabled', 'key-not-authorized'];

/** An order without an identifier could not be found again, so it is given one. */
function orderFields(fields: WireFields): OrderFields {
  const { market, client_order_id } = fields;
  const identifier = typeof client_order_id === 'string' ? client_order_id : createClientOrderId();
  return { ...fields, market: String(market), client_order_id: identifier };
}

/** An order with a trigger price may be listed among the conditional orders only. */
const triggerPrices = ['stopLoss', 'takeProfit', 'activation_price', 'stop_limit_price'];

function keyOf(order: OrderFields): OrderKey {
  return { ...order, isConditional: triggerPrices.some((field) => order[field] !== undefined) };
}

/** Nothing failed: there is just no order. */
function noneThere(endpoint: string, { market, client_order_id }: OrderKey): NotPlacedError {
  const cause = new TransportError(`there is none in ${market} with the identifier ${client_order_id}, and none can come`, { endpoint, outcome: 'not-sent' });
  return new NotPlacedError(endpoint, cause);
}

/** It does not tell what became of the order: what is there may have been placed before it. */
function undecided(endpoint: string): Observable<never> {
  return throwError(() => new TransportError('an earlier order of its identifier is there', { endpoint, outcome: 'unknown' }));
}

function orderIdOf(order: unknown): unknown {
  return isRecord(order) ? order['order_id'] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function aboutOrder(error: unknown, { client_order_id }: OrderKey): unknown {
  if (isExchangeError(error)) error.client_order_id = client_order_id;
  return error;
}
