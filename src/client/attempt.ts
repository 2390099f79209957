// A call and its attempts. The call has a number, a validity, events and a retry loop; each attempt takes a permit, is
// signed, sent and read. Unsubscribing leaves the queue, or aborts the request in flight.
import { EMPTY, Subscription, type Observable } from 'rxjs';
import { nonceWindowMs, type ExchangeClock, type Nonce, type Signing } from '../auth/index.js';
import type { CallLimits } from './call-options.js';
import { placesOrders, type Endpoint, type WireFields } from '../endpoints/define-endpoint.js';
import {
  AuthError,
  QueueTimeoutError,
  isExchangeError,
  TimeoutError,
  TransportError,
  toExchangeError,
  clearUnknownOutcome,
  type AnyExchangeError,
  copyError,
  tryOr,
  type ExchangeError,
} from '../errors/index.js';
import type { AttemptEvent, CallEvent, ResponseEvent, WaitEvent } from './events.js';
import {
  classifyItem,
  runEndpointFunction,
  hidden,
  isNonceAhead,
  unreadableRecordsOf,
  maxResponseBytesOf,
  readResponse,
  transportError,
  wireRequest,
  type Prepared,
  type RecentSecrets,
  type Redact,
  type Receiver,
  type Send,
  type SentRequest,
  type WireResponse,
  type WireSending,
} from '../http/index.js';
import type { RetryBudget } from '../operators/index.js';
import { isExpiredNonce, RetryLoop, type RetryLoopOptions, type RetryPolicy } from '../operators/retry-loop.js';
import type { InFlight, Permit, PermitUse, Scheduler } from '../scheduler/index.js';

/** What the calls of a client share. */
export interface ClientContext {
  readonly baseUrl: string;
  readonly scheduler: Scheduler;
  /** The client's requests in flight. */
  readonly inFlight: InFlight;
  /** The signed requests among them. */
  readonly signedInFlight: InFlight;
  readonly send: Send;
  /** The bound on making a connection, milliseconds. */
  readonly connectTimeoutMs: number;
  /** `undefined`: private requests cannot be signed. */
  readonly signing: Signing | undefined;
  readonly clock: ExchangeClock;
  /** Reads the exchange's clock. */
  readonly clock$: Observable<unknown>;
  /** The secrets that errors and events must not contain. */
  readonly secrets: RecentSecrets;
  readonly retryPolicy: RetryPolicy;
  readonly budget: RetryBudget;
  readonly events: Events;
  /** The number of the last call. */
  lastCall: number;
}

/** Where the events of a client go. */
export interface Events {
  /** Whether events have a subscriber: otherwise none is built. */
  readonly observed: boolean;
  next(event: CallEvent): void;
}

/** A shorter wait is not reported. */
const minWaitMs = 1;
/** The server time is in whole seconds, and may be cached for another. */
const timeResolutionMs = 2000;

/** One call: its attempts are numbered, and none starts when its validity is over. */
export class Call<Output> {
  readonly context: ClientContext;
  readonly endpoint: Endpoint<never, Output>;
  readonly fields: WireFields;
  readonly limits: CallLimits;
  /** Whether an output that fits the request can only be the response to another one. */
  readonly isOfAnother: ((output: unknown) => boolean) | undefined;
  /** Number of the call in its client, from 1. */
  readonly number: number;
  /** When the subscription began, by `performance.now()`. */
  #startedAt = 0;
  #attempts = 0;

  constructor(
    context: ClientContext,
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: CallLimits,
    isOfAnother?: (output: unknown) => boolean,
  ) {
    this.context = context;
    this.endpoint = endpoint;
    this.fields = fields;
    this.limits = limits;
    this.isOfAnother = isOfAnother;
    context.lastCall += 1;
    this.number = context.lastCall;
  }

  /** Starts an attempt, which ends when `run` is unsubscribed. */
  send(observer: AttemptObserver<Output>, run: Pick<Subscription, 'add'>): void {
    const { validForMs } = this.limits;
    if (validForMs !== undefined && performance.now() - this.#startedAt > validForMs) {
      observer.onError(this.expired('check'));
      return;
    }
    this.#attempts += 1;
    this.context.budget.earn();
    const attempt = new Attempt(this, this.#attempts, observer);
    // Before it starts: a listener may unsubscribe it while it does.
    run.add(attempt);
    if (!attempt.closed) attempt.start();
  }

  /** A subscription begins: from now on the call is valid, or from a time by `performance.now()`. */
  start(at = performance.now()): void {
    this.#startedAt = at;
  }

  /**
   * The retry loop of the subscription.
   *
   * @param when after which errors to send again
   * @param isCurrent whether a retry still makes sense
   */
  retryLoop(when: (error: unknown) => boolean, isCurrent?: () => boolean): RetryLoop {
    const { budget, clock$, retryPolicy } = this.context;
    const { isRetried, validForMs } = this.limits;
    const options: RetryLoopOptions = {
      ...retryPolicy,
      validForMs,
      budget,
      when: (error) => isRetried && when(error),
      isCurrent,
      onRetry: ({ error, delayMs }) => {
        this.#reportRetry(error, delayMs);
      },
      // A nonce is refused for its age when the clock is wrong.
      prepare: (error) => (isExpiredNonce(error) ? clock$ : EMPTY),
    };
    return new RetryLoop(options, this.#startedAt);
  }

  /** Until when an attempt may start, by `performance.now()`; `undefined`: without a bound. */
  get validUntil(): number | undefined {
    const { validForMs } = this.limits;
    return validForMs === undefined ? undefined : this.#startedAt + validForMs;
  }

  /** The error of an attempt that could not start while the call was valid. */
  expired(waitedFor: QueueTimeoutError['waitedFor']): QueueTimeoutError {
    const { name, rateLimits } = this.endpoint;
    return new QueueTimeoutError(name, rateLimits[0].name, this.limits.validForMs ?? 0, waitedFor);
  }

  /** Whether anybody listens to the events of the call. */
  get isHeard(): boolean {
    return this.limits.onEvent !== undefined || this.context.events.observed;
  }

  emit(event: CallEvent): void {
    this.context.events.next(event);
    this.limits.onEvent?.(event);
  }

  /** What every event of an attempt has. */
  about(attempt: number): AttemptEvent {
    const { endpoint, fields, number: call } = this;
    const { client_order_id } = fields;
    const order = typeof client_order_id === 'string' ? { client_order_id } : {};
    return { endpoint: endpoint.name, rateLimit: endpoint.rateLimits[0].name, call, ...order, attempt };
  }

  #reportRetry(error: unknown, delayMs: number): void {
    if (!this.isHeard || !isExchangeError(error)) return;
    const { kind, outcome } = error;
    this.emit({ type: 'retry', ...this.about(this.#attempts), delayMs, kind, outcome });
  }
}

/** How an attempt ends: in an output or in an error, and in neither after it was unsubscribed. */
export interface AttemptObserver<Output> {
  /** Called when the request leaves, with its nonce. What it throws keeps the request from leaving. */
  onSent(nonce: Nonce | undefined): void;
  onOutput(output: Output, response: ReadResponse): void;
  onError(error: unknown): void;
}

/** A response that was read. */
export interface ReadResponse {
  /** The typed error of one order in the response to a request of several. */
  errorOf(error: unknown): ExchangeError;
}

/** One attempt of a call. Its subscription is that of its consumer: it is over when the consumer unsubscribes. */
class Attempt<Output> extends Subscription implements Receiver, SentRequest, ReadResponse {
  readonly #call: Call<Output>;
  readonly #number: number;
  readonly #observer: AttemptObserver<Output>;
  readonly #requestedAt = performance.now();
  /** Granted, and not released. */
  #permit: Permit | undefined;
  #isGranted = false;
  #hadToWait = false;
  #prepared: Prepared | undefined;
  #redact: Redact | undefined;
  #sentAt = 0;
  #sentAtLocal = 0;
  /** Whether anything of the request may have left. */
  #isWritten = false;
  /** HTTP status of the response. */
  #status = 0;
  #expired: QueueTimeoutError | undefined;
  #isSettled = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: WireSending | undefined;

  constructor(call: Call<Output>, number: number, observer: AttemptObserver<Output>) {
    super();
    this.#call = call;
    this.#number = number;
    this.#observer = observer;
  }

  /** Queues for the permit. */
  start(): void {
    const { endpoint, limits, context, validUntil } = this.#call;
    const { name: endpointName, authentication, rateLimits, safety } = endpoint;
    const ofKind = authentication === 'signed' ? context.signedInFlight : context.inFlight;
    const inFlight = safety === 'read' ? ofKind.reads : ofKind;
    const expiry =
      validUntil === undefined ? {} : { maxWaitMs: Math.max(0, Math.floor(validUntil - performance.now())) };
    try {
      // A scheduler of the user's own may know one rate limit for each request only.
      const permit$ = context.scheduler.acquire(rateLimits.length === 1 ? rateLimits[0] : rateLimits, {
        endpoint: endpointName,
        priority: limits.priority,
        inFlight,
        ...expiry,
      });
      this.add(
        permit$.subscribe({
          next: (permit) => {
            this.#grant(permit);
          },
          error: (error: unknown) => {
            this.#refuse(error);
          },
          complete: () => {
            if (!this.#isGranted) this.#refuse(undefined);
          },
        }),
      );
    } catch (error) {
      this.#refuse(error);
    }
    this.#hadToWait = !this.#isGranted;
  }

  /** Leaves the queue, or aborts the request in flight. */
  override unsubscribe(): void {
    if (this.closed) return;
    this.#close();
    if (this.#permit !== undefined && !this.#isSettled) this.#settle(this.#abort(), { result: 'canceled' });
  }

  /** A scheduler of the user's own may fail when its permit is unsubscribed. */
  #close(): void {
    try {
      super.unsubscribe();
    } catch {
      // The attempt has ended all the same.
    }
  }

  #grant(permit: Permit): void {
    const isFirst = !this.#isGranted;
    this.#isGranted = true;
    const waitedMs = performance.now() - this.#requestedAt;
    if (isFirst && this.#hadToWait && waitedMs >= minWaitMs) this.#reportWait({ waitedMs });
    // A listener, or the subscriber of a request that was granted its permit before, may have unsubscribed this one.
    if (!isFirst || this.closed) release(permit, 'unsent');
    else this.#send(permit);
  }

  /** However a scheduler fails to grant a permit, the request is unsent. A failure after the grant says nothing of it. */
  #refuse(error: unknown): void {
    if (this.#isGranted) return;
    const { name: endpoint } = this.#call.endpoint;
    const refusal =
      isExchangeError(error) && error.outcome === 'not-executed'
        ? error
        : new TransportError('the scheduler failed to grant a permit', {
            endpoint,
            outcome: 'not-executed',
            cause: error,
          });
    this.#reportWait({ waitedMs: performance.now() - this.#requestedAt, kind: refusal.kind });
    this.#endWith(refusal);
  }

  #reportWait(wait: Pick<WaitEvent, 'waitedMs' | 'kind'>): void {
    if (this.#call.isHeard) this.#call.emit({ type: 'wait', ...this.#about(), ...wait });
  }

  #send(permit: Permit): void {
    const { context, endpoint, fields, limits } = this.#call;
    let prepared: Prepared;
    try {
      prepared = wireRequest(context.baseUrl, endpoint, fields, context.signing);
    } catch (error) {
      release(permit, 'unsent');
      this.#endWith(toExchangeError(error, endpoint.name, 'not-executed'));
      return;
    }
    this.#sentAt = performance.now();
    this.#sentAtLocal = context.clock.local();
    // The clock and the parameters are the user's own: reading them may have unsubscribed the request.
    if (this.closed) {
      release(permit, 'unsent');
      return;
    }
    this.#permit = permit;
    this.#prepared = prepared;
    context.secrets.rememberRequest(endpoint, prepared.request);
    this.#timer = setTimeout(() => {
      this.#timeOut();
    }, limits.timeoutMs);
    if (this.#call.isHeard) this.#call.emit({ type: 'request', ...this.#about() });
    // A listener may have unsubscribed the request.
    if (this.#isSettled) return;
    const isUrgent = placesOrders(endpoint) || limits.priority === 'urgent';
    this.#sending = context.send(prepared.request, { maxResponseBytes: maxResponseBytesOf(endpoint), isUrgent }, this);
    this.#sending.start();
  }

  /** Called just before the request leaves; what it throws keeps the request from leaving. */
  onSent(): void {
    const { validUntil } = this.#call;
    if (validUntil !== undefined && performance.now() > validUntil) {
      this.#expired = this.#call.expired('connection');
      throw this.#expired;
    }
    this.#isWritten = true;
    this.#observer.onSent(this.#prepared?.nonce);
  }

  /** What was not written when the request is aborted never will be: aborting comes first. */
  #abort(): PermitUse {
    this.#sending?.abort();
    return this.#isWritten ? 'unknown' : 'unsent';
  }

  #timeOut(): void {
    const { endpoint, limits } = this.#call;
    const use = this.#abort();
    this.#fail(
      new TimeoutError(endpoint.name, limits.timeoutMs, 'attempt', this.#isWritten ? 'unknown' : 'not-executed'),
      use,
    );
  }

  onResponse(response: WireResponse): void {
    this.#safely(() => {
      this.#read(response);
    });
  }

  onLost(error: unknown): void {
    this.#safely(() => {
      this.#lose(error);
    });
  }

  #read(response: WireResponse): void {
    const { context, endpoint } = this.#call;
    const { status } = response;
    this.#status = status;
    const receivedAt = context.clock.local();
    let output: Output;
    let time: number | undefined;
    try {
      output = readResponse(endpoint, response, this, context.clock.now());
      if (endpoint.exchangeTime !== undefined)
        time = runEndpointFunction(endpoint, status, this, () => endpoint.exchangeTime?.(output));
    } catch (error) {
      this.#learnRejection(error, receivedAt);
      if (!isExchangeError(error)) throw error;
      this.#fail(error, 'responded', status);
      return;
    }
    if (typeof time === 'number')
      context.clock.learn({
        shown: time * 1000,
        resolutionMs: timeResolutionMs,
        sentAt: this.#sentAtLocal,
        receivedAt,
      });
    const leftOut = unreadableRecordsOf(endpoint, output, this);
    this.#settle('responded', { result: 'ok', status });
    context.secrets.rememberResponse(endpoint, response.body);
    if (leftOut !== undefined && this.#call.isHeard)
      this.#call.emit({ type: 'unreadable', ...this.#about(), ...leftOut });
    // A listener may have unsubscribed the request.
    if (this.closed) return;
    this.#close();
    this.#observer.onOutput(output, this);
  }

  /** A nonce that was refused for its age shows where the exchange's clock is. */
  #learnRejection(error: unknown, receivedAt: number): void {
    const { nonce } = this.#prepared ?? {};
    if (nonce?.nonceWindow !== true || !(error instanceof AuthError)) return;
    // A hidden message does not say on which side of the exchange's clock the nonce was.
    if (error.reason !== 'nonce-expired' || error.exchangeMessage === hidden) return;
    const isTooOld = !isNonceAhead(error.exchangeMessage ?? '');
    this.#call.context.clock.learnRejection({
      nonce: nonce.nonce,
      isTooOld,
      windowMs: nonceWindowMs,
      sentAt: this.#sentAtLocal,
      receivedAt,
    });
  }

  #lose(error: unknown): void {
    const { context, endpoint } = this.#call;
    if (this.#expired !== undefined) {
      this.#fail(this.#expired, 'unsent');
      return;
    }
    const failure = transportError(endpoint.name, error, {
      redact: this.redact,
      connectTimeoutMs: context.connectTimeoutMs,
      isWritten: this.#isWritten,
      isConfidential: endpoint.confidential === true,
    });
    this.#fail(failure, failure.outcome === 'not-executed' ? 'unsent' : 'unknown');
  }

  /** What would be thrown in a callback of a promise would end the process, and the call never. */
  #safely(handle: () => void): void {
    if (this.#isSettled) return;
    try {
      handle();
    } catch (error) {
      const { endpoint } = this.#call;
      const cause = endpoint.confidential === true ? undefined : copyError(error, this.redact);
      const [outcome, use] = this.#isWritten
        ? (['unknown', 'unknown'] as const)
        : (['not-executed', 'unsent'] as const);
      this.#fail(toExchangeError(cause, endpoint.name, outcome), use);
    }
  }

  #fail(error: AnyExchangeError, use: PermitUse, status?: number): void {
    if (this.#call.endpoint.safety === 'read') clearUnknownOutcome(error);
    const { kind, outcome } = error;
    const result = { result: 'error', kind, outcome, ...(status === undefined ? {} : { status }) } as const;
    if (kind === 'rate-limited') this.#settle('rate-limited', result, error.retryAfterMs);
    else this.#settle(use, result);
    this.#endWith(error);
  }

  #endWith(error: AnyExchangeError): void {
    if (this.closed) return;
    this.#close();
    this.#observer.onError(error);
  }

  /** Gives the permit back, and reports how the request ended; once. */
  #settle(
    use: PermitUse,
    result: Pick<ResponseEvent, 'result' | 'status' | 'kind' | 'outcome'>,
    retryAfterMs?: number,
  ): void {
    if (this.#isSettled || this.#permit === undefined) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    release(this.#permit, use, retryAfterMs);
    if (!this.#call.isHeard) return;
    const durationMs = performance.now() - this.#sentAt;
    this.#call.emit({ type: 'response', ...this.#about(), durationMs, ...result });
  }

  #about(): AttemptEvent {
    return this.#call.about(this.#number);
  }

  get fields(): WireFields {
    return this.#call.fields;
  }

  /** Made when something is quoted. */
  get redact(): Redact {
    this.#redact ??= neverFailing(() => {
      const { context, endpoint } = this.#call;
      return this.#prepared === undefined ? () => hidden : context.secrets.redactorOf(endpoint, this.#prepared.request);
    });
    return this.#redact;
  }

  errorOf(error: unknown): ExchangeError {
    return classifyItem(this.#call.endpoint, this.#status, error, this);
  }

  isOfAnother(output: unknown): boolean {
    return this.#call.isOfAnother?.(output) === true;
  }
}

/**
 * A scheduler of the user's own may fail at taking the permit back, or have granted none: the outcome of the request is
 * known all the same.
 */
function release(permit: Permit, use: PermitUse, retryAfterMs?: number): void {
  tryOr(() => {
    permit.release(use, retryAfterMs);
  }, undefined);
}

/** Where looking for secrets fails, a text is hidden as a whole. */
function neverFailing(create: () => Redact): Redact {
  const redact = tryOr<Redact, Redact>(create, () => hidden);
  return (text, maxLength) => tryOr(() => redact(text, maxLength), hidden);
}
