// The orders of a client: placed as one order each, looked up by their endpoints, and resumed after a restart.
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  identity,
  Observable,
  of,
  take,
  tap,
  throwError,
  throwIfEmpty,
  type MonoTypeOperatorFunction,
} from 'rxjs';
import type { SentOrder } from './absence-proof.js';
import type { Attempts, CallAttempts } from '../client/attempts.js';
import { maxNonceAheadMs, nonceWindowMs, readUntilConfirmed, type ExchangeClock, type Nonce } from '../auth/index.js';
import type { CallLimits, CallOptions } from '../client/call-options.js';
import type { Endpoint, OrderKey, OrderLookup, WireFields } from '../endpoints/define-endpoint.js';
import {
  ApiError,
  AuthError,
  type AuthErrorReason,
  type ExchangeError,
  isExchangeError,
  NotPlacedError,
  readProperty,
  RequestError,
  TransportError,
} from '../errors/index.js';
import type { ClientEvent } from '../client/events.js';
import { clientOrderIdMaxLength, clientOrderIdPattern, createClientOrderId } from '../model/client-order-id.js';
import { marketNamePattern } from '../model/market.js';
import { placedAt } from '../model/order.js';
import { oneOrder, type OrderProgress, type OrderRecord } from './at-most-once.js';
import type { ClientOptions } from '../client/options.js';
import type { OrderClaim, OrderRegistry } from './order-registry.js';

/** An observable of one order: whatever is piped around it, the exchange has at most one order of it. */
export interface OrderObservable<Output> extends Observable<Output> {
  /**
   * The identifier of the order: the caller's, or the one that was made for it. Write it down before subscribing, to
   * find the order after a restart.
   */
  readonly client_order_id: string;
}

/** What orders are placed and looked up with. */
export interface OrderParts {
  readonly options: ClientOptions;
  readonly clock: ExchangeClock;
  readonly registry: OrderRegistry;
  readonly beforeOrder: ((endpoint: Endpoint, fields: WireFields) => Observable<never>) | undefined;
  readonly isListed: (market: string) => Observable<boolean>;
  readonly emit: (event: ClientEvent) => void;
  /** Calls another endpoint of the client, to look an order up. */
  readonly call: <Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    params: Params,
    options: CallOptions,
  ) => Observable<Output>;
}

/** One call that places an order: its attempts, and the loop that repeats them. */
export interface OrderCall<Output> extends Pick<CallAttempts<Output>, 'send' | 'call'> {
  readonly endpoint: Endpoint<never, Output>;
  readonly order: OrderFields;
  readonly limits: CallLimits;
  readonly retried: MonoTypeOperatorFunction<Output>;
}

/** The fields of an order, by which it is found again. */
export interface OrderFields extends WireFields, OrderKey {}

/** A lookup that hangs, or waits for a limit, must not keep an order from being found by the next. */
const lookUpTimeoutMs = 3000;
const defaultSettleMs = 10_000;
const defaultHistoryLagMs = 2000;
const defaultDecideWithinMs = 30_000;
/** By how much the exchange's clock may be misjudged. */
const clockToleranceMs = 2000;

/** One order, however often it is subscribed to. `isGenerated`: no other order can have its identifier. */
export function placeOrder<Output>(
  parts: OrderParts,
  placing: OrderCall<Output>,
  isGenerated: boolean,
): Observable<Output> {
  const { beforeOrder, registry } = parts;
  const { endpoint, order, limits } = placing;
  const key = keyOf(order);
  const { market, client_order_id, isConditional } = key;
  const claim: OrderClaim = { market, client_order_id, endpoint: endpoint.name, isConditional };
  return oneOrder<Output>({
    ...lookingUp(parts, endpoint.name, endpoint.lookup, key, limits, placing.call, isGenerated),
    retried: placing.retried,
    record: recordOf(registry, claim),
    whyNoProof: () =>
      endpoint.lookup === undefined ? 'the endpoint has no lookup' : registry.evidence.whyNoProof(endpoint.name),
    send: (onSent) => {
      const before$ = beforeOrder?.(endpoint, order).pipe(
        catchError((error: unknown) => throwError(() => notSentFor(error, endpoint.name))),
      );
      return before$ === undefined ? placing.send(onSent) : concat(before$, placing.send(onSent));
    },
  }).pipe(catchError((error: unknown) => throwError(() => aboutOrder(error, order))));
}

/**
 * The attempts of one order. A response that can only be of another one is none to its request: connections get out of
 * step, and a response that was too late for its own request is taken for the next one's.
 */
export function orderAttempts<Output>(
  registry: OrderRegistry,
  attempts: Pick<Attempts, 'of'>,
  endpoint: Endpoint<never, Output>,
  order: OrderFields,
  limits: CallLimits,
): CallAttempts<Output> {
  let earliest = Number.NEGATIVE_INFINITY;
  const matchesRequest = (fields: WireFields, output: Output) =>
    endpoint.matchesRequest?.(fields, output) !== false &&
    registry.canBe(order, output) &&
    !isEarlier(order, output, earliest);
  const own = attempts.of({ ...endpoint, matchesRequest }, order, limits);
  const send = (onSent: (nonce: Nonce | undefined) => void) =>
    own.send((nonce) => {
      // Before that the exchange's clock would not have accepted it.
      earliest = nonce?.nonceWindow === true ? nonce.nonce - nonceWindowMs : Number.NEGATIVE_INFINITY;
      onSent(nonce);
    });
  return { ...own, send };
}

/** Whether an order that does not bear the identifier was placed before a time, Unix ms by the exchange's clock. */
function isEarlier({ client_order_id }: OrderFields, output: unknown, time: number): boolean {
  if (!isRecord(output) || output['client_order_id'] === client_order_id) return false;
  const { timestamp } = output;
  return typeof timestamp === 'number' && placedAt({ timestamp }) < time;
}

/** Finds what became of an order that was placed before. */
export function resumeOrder<Output>(
  parts: OrderParts,
  lookUp: OrderLookup<Output>,
  key: OrderKey,
  limits: CallLimits,
  call: number,
): Observable<Output> {
  const { clock, registry, options } = parts;
  const endpoint = 'resumeOrder';
  return defer(() => {
    checkKey(endpoint, key);
    // Whoever sent it made its nonce before now, and not further ahead than nonces are made; one that only increases
    // stays valid.
    const validMs = options.nonce === 'increasing' ? Number.POSITIVE_INFINITY : maxNonceAheadMs + nonceWindowMs;
    const startedAt = clock.local();
    const earlier = {
      sentAt: 0,
      sentAtExchange: 0,
      acceptableUntil: clock.now() + validMs,
      acceptableUntilLocal: startedAt + validMs,
    };
    const own = registry.claimOf(key);
    const record: OrderRecord<Output> = {
      claim: () => undefined,
      doubt: () => undefined,
      place: (order) => {
        if (own !== undefined) registry.evidence.add(own.endpoint, true);
        registry.place(key, order);
        return true;
      },
      leave: () => undefined,
    };
    const looking = lookingUp(
      parts,
      endpoint,
      lookUp,
      { ...(own?.isConditional === undefined ? {} : { isConditional: own.isConditional }), ...key },
      limits,
      call,
    );
    const resume = (isListed: boolean | undefined) => {
      const whyNoProof = () => {
        if (isListed === undefined) return 'the markets could not be read';
        if (registry.isInFlight(key, startedAt)) return 'an order of this client_order_id is in flight';
        return registry.evidence.whyNoProof(own?.endpoint ?? key.endpoint);
      };
      // It is only looked up: as each subscription begins with what was sent earlier, there is never anything to send.
      return oneOrder<Output>({ ...looking, record, whyNoProof, retried: identity, send: () => EMPTY }, earlier);
    };
    /** An order may be found all the same, in a market that is listed no more. */
    const unlisted = (cause?: unknown) => {
      const issue = { field: 'market', message: `"${key.market}" is not a market that the exchange lists` };
      return new RequestError(endpoint, [issue], cause, 'unknown');
    };
    const findOnce = () =>
      looking.find(earlier).pipe(
        tap((order) => {
          record.place(order);
        }),
        catchError((error: unknown) => throwError(() => unlisted(error))),
        throwIfEmpty(unlisted),
      );
    return parts.isListed(key.market).pipe(
      catchError(() => of(undefined)),
      concatMap((isListed) => (isListed === false ? findOnce() : resume(isListed))),
    );
  }).pipe(
    catchError((error: unknown) => {
      if (!(error instanceof NotPlacedError)) return throwError(() => aboutOrder(error, key));
      registry.free(key);
      return throwError(() => aboutOrder(noneThere(endpoint, key), key));
    }),
  );
}

/**
 * An order without an identifier could not be found again, so it is given one. Throws {@link RequestError} for one
 * without a market.
 */
export function orderFields(
  endpoint: string,
  fields: WireFields,
): { readonly order: OrderFields; readonly isGenerated: boolean } {
  const { market, client_order_id } = fields;
  if (typeof market !== 'string')
    throw new RequestError(endpoint, [
      { field: 'market', message: 'is required: an order is looked up by its market' },
    ]);
  const isGenerated = typeof client_order_id !== 'string';
  return {
    order: { ...fields, market, client_order_id: isGenerated ? createClientOrderId() : client_order_id },
    isGenerated,
  };
}

/** An order with a trigger price may be listed among the conditional orders only. */
const triggerPrices = ['stopLoss', 'takeProfit', 'activation_price', 'stop_limit_price'];

function keyOf(order: OrderFields): OrderKey & { readonly isConditional: boolean } {
  return { ...order, isConditional: triggerPrices.some((field) => order[field] !== undefined) };
}

/** An observable that shows the identifier of its order. */
export function withIdentifier<Output>(order$: Observable<Output>, client_order_id: string): OrderObservable<Output> {
  return Object.assign(new Observable<Output>((subscriber) => order$.subscribe(subscriber)), { client_order_id });
}

/** The identifier that an order was given, or one of its own. */
export function identifierOf(params: unknown): string {
  const given = readProperty(params, 'client_order_id');
  return typeof given === 'string' ? given : createClientOrderId();
}

function recordOf<Output>(registry: OrderRegistry, claim: OrderClaim): OrderRecord<Output> {
  return {
    claim() {
      if (registry.claim(claim)) return;
      const message = `"${claim.client_order_id}" is already in use: an order of this client in ${claim.market} has it`;
      throw new RequestError(claim.endpoint, [{ field: 'client_order_id', message }]);
    },
    doubt: (sentAt) => {
      if (sentAt === undefined) registry.decide(claim);
      else registry.doubt(claim, sentAt);
    },
    place(output) {
      const isIdentified = isRecord(output) && output['client_order_id'] === claim.client_order_id;
      registry.evidence.add(claim.endpoint, isIdentified);
      registry.place(claim, output);
      return isIdentified;
    },
    leave(isInDoubt) {
      if (isInDoubt) registry.leave(claim);
      else registry.free(claim);
    },
  };
}

/** How an order is looked up. */
function lookingUp<Output>(
  { clock, options, registry, emit, call: callOther }: OrderParts,
  endpoint: string,
  lookUp: OrderLookup<Output> | undefined,
  key: OrderKey,
  { timeoutMs, callTimeoutMs }: CallLimits,
  call: number,
  isGenerated = false,
) {
  const lookUpOptions: CallOptions = {
    retry: false,
    priority: 'urgent',
    timeoutMs: Math.min(timeoutMs, lookUpTimeoutMs),
    validForMs: lookUpTimeoutMs,
  };
  const lookUpCall = <Params extends object, Found>(other: Endpoint<Params, Found>, params: Params) =>
    callOther(other, params, lookUpOptions);
  return {
    endpoint,
    clock,
    find({ sentAt, sentAtExchange }: SentOrder) {
      // What was learned of the clock since may be wrong: the order is not to be overlooked for it. No other order has
      // an identifier of ours.
      const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
      return (lookUp?.find(lookUpCall, key, since) ?? EMPTY).pipe(
        take(1),
        tap((order) => {
          if (!registry.canBe(key, order))
            throw new TransportError('the lookup found the order of another client_order_id', {
              endpoint,
              outcome: 'unknown',
            });
        }),
      );
    },
    readClock: () => readUntilConfirmed(clock, lookUp?.readClock(lookUpCall) ?? EMPTY),
    isTaken,
    isFutile,
    report(progress: OrderProgress, reason?: string) {
      const { client_order_id } = key;
      emit({ type: 'order', endpoint, call, client_order_id, progress, ...(reason === undefined ? {} : { reason }) });
    },
    timing: {
      settleMs: options.settleMs ?? defaultSettleMs,
      historyLagMs: options.historyLagMs ?? defaultHistoryLagMs,
      lookupTimeoutMs: options.lookupTimeoutMs ?? defaultDecideWithinMs,
      resumeWithinMs:
        options.lookupTimeoutMs === 0 ? defaultDecideWithinMs : (options.lookupTimeoutMs ?? defaultDecideWithinMs),
      callTimeoutMs,
    },
  };
}

/** Throws {@link RequestError} for a key that no order can have, such as one whose parts were swapped. */
function checkKey(
  endpoint: string,
  key: Readonly<Record<'market' | 'client_order_id', unknown>> & { readonly endpoint?: unknown },
): void {
  const { market, client_order_id } = key;
  const issues = [];
  const isIdentifier =
    typeof client_order_id === 'string' &&
    clientOrderIdPattern.test(client_order_id) &&
    client_order_id.length <= clientOrderIdMaxLength;
  if (!isIdentifier) {
    const rule = `must be letters, digits, dashes, dots and underscores, at most ${clientOrderIdMaxLength} characters`;
    issues.push({ field: 'client_order_id', message: rule });
  }
  if (!(typeof market === 'string' && marketNamePattern.test(market)))
    issues.push({ field: 'market', message: 'must be a market such as "BTC_USDT"' });
  if (key.endpoint !== undefined && typeof key.endpoint !== 'string')
    issues.push({ field: 'endpoint', message: 'must be the name of an endpoint' });
  // It says nothing about the order: an outcome would.
  if (issues.length > 0) throw new RequestError(endpoint, issues, undefined, 'none');
}

/** An outcome of another request that is not known leaves no order in doubt that was not sent for it. */
function notSentFor(error: unknown, endpoint: string): unknown {
  if (!isExchangeError(error) || error.outcome === 'not-executed' || error.outcome === 'rejected') return error;
  return new TransportError(`what is done before an order failed: ${error.message}`, {
    endpoint,
    outcome: 'not-executed',
    cause: error,
  });
}

/** Not every shape of an error has its code. */
function isTaken(error: ExchangeError): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === 'client-order-id' || 'clientOrderId' in error.errors || 'client_order_id' in error.errors;
}

/** Without a key, or with one that is refused, no lookup will ever succeed. That no nonce is free passes. */
function isFutile(failure: ExchangeError): boolean {
  if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');
  return failure instanceof AuthError && lastingReasons.includes(failure.reason);
}

const lastingReasons: readonly AuthErrorReason[] = ['signature', 'key-disabled', 'key-not-authorized'];

/** Nothing failed: there is just no order. */
function noneThere(endpoint: string, { market, client_order_id }: OrderKey): NotPlacedError {
  const message = `no order in ${market} has client_order_id ${client_order_id}, and no request in flight can create one`;
  return new NotPlacedError(endpoint, new TransportError(message, { endpoint, outcome: 'not-executed' }));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Says of which order an error is. */
export function aboutOrder(error: unknown, { client_order_id }: Pick<OrderKey, 'client_order_id'>): unknown {
  // A caller may give anything for one.
  if (isExchangeError(error) && typeof client_order_id === 'string') error.client_order_id = client_order_id;
  return error;
}
