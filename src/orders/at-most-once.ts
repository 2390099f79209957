// An order observable is one order: it is retried only after proof that the last request was not executed and never will
// be. The methods follow the life of an order: subscribe, start, attempt, failure, lookup, end.
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  Observable,
  of,
  repeat,
  Subject,
  Subscription,
  take,
  throwError,
  timer,
  type Subscriber,
} from 'rxjs';
import { AbsenceProof, type AbsencePremises, type SentOrder } from './absence-proof.js';
import { nonceWindowMs, type ExchangeClock, type Nonce } from '../auth/index.js';
import {
  ApiError,
  isExchangeError,
  NotPlacedError,
  setOutcome,
  TimeoutError,
  TransportError,
  toExchangeError,
  type ExchangeError,
  type SynchronousErrors,
} from '../errors/index.js';
import { clockReading, clockToleranceMs, lookUpUntilDecided, type Decision, type OrderLookups } from './lookups.js';
import type { OrderProgress } from './order-event.js';
import { aboutOrder } from './order-fields.js';
import type { OrderRecord } from './order-record.js';
import { isTransientAndNotExecuted } from '../operators/index.js';
import {
  isExpiredNonce,
  isRejectedNonce,
  requestedDelayMs,
  startedIn,
  type RetryLoop,
} from '../operators/retry-loop.js';

/** A response that comes later than this after the push of its order may be lost. */
const responseMs = 1000;
/** Lookups of an order whose response may still come. */
const earlyLookups = 3;

/** What one order is made with. */
export interface OrderContext<Output> {
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly client_order_id: string;
  readonly clock: ExchangeClock;
  readonly timing: OrderTiming;
  /** The bound on a subscription, milliseconds. */
  readonly callTimeoutMs: number;
  readonly lookup: OrderLookups<Output>;
  /** The errors of the client. */
  readonly errors: Pick<SynchronousErrors, 'fail'>;
  readonly record: Pick<OrderRecord<Output>, keyof OrderRecord<Output>>;
  /** Starts an attempt, which ends when `run` is unsubscribed. */
  send(observer: OrderAttemptObserver<Output>, run: Subscription): void;
  /** Called when a request leaves, with its nonce. */
  onSent(nonce: Nonce | undefined): void;
  /**
   * Listens, as long as `run` lasts, to what the live connection pushes of this order. `onPushed` gets the time when the
   * order was placed, Unix ms.
   */
  listen(run: Subscription, onPushed: (placedAt: number) => void): void;
  /** A subscription begins: its bounds count from now on. */
  start(): void;
  /** The retry loop of the subscription, for the errors for which `when` is true. */
  retryLoop(when: (error: unknown) => boolean): Pick<RetryLoop, 'afterError'>;
  report(progress: OrderProgress, reason?: string): void;
}

/** How an attempt to place the order ends; not called after the attempt was unsubscribed. */
export interface OrderAttemptObserver<Output> {
  /** Called when the request leaves, with its nonce. */
  onSent(nonce: Nonce | undefined): void;
  /** The request failed, and is known not to have been executed: its call sends it again. */
  onRetry(error: ExchangeError): void;
  onOutput(output: Output): void;
  onError(error: unknown): void;
}

export interface OrderTiming extends Required<AbsencePremises> {
  /** How long an order whose response was lost is looked up, milliseconds; 0: it is not looked up. */
  readonly lookupTimeoutMs: number;
  /** The same in a later subscription, which has nothing else to do. */
  readonly resumeTimeoutMs: number;
}

/**
 * One order. Its observable emits the order once and completes, or fails. Concurrent subscribers share one attempt;
 * late subscribers get its result. A subscription after a failure continues where the last one ended: an order of
 * unknown outcome is looked up, an order that is known not to exist is sent.
 */
export function oneOrder<Output>(context: OrderContext<Output>): Observable<Output> {
  const order = new OneOrder(context);
  return new Observable((subscriber) => {
    order.subscribe(subscriber);
  });
}

class OneOrder<Output> implements OrderAttemptObserver<Output> {
  readonly #context: OrderContext<Output>;
  readonly #subscribers = new Set<Subscriber<Output>>();
  /** What runs for the subscribers: an attempt, a lookup, or the wait before the next one. */
  #run: Subscription | undefined;
  /** Made at the first failure. */
  #retries: Pick<RetryLoop, 'afterError'> | undefined;
  #callTimer: NodeJS.Timeout | undefined;
  /** The request that was sent and may have been executed. */
  #uncertain: SentOrder | undefined;
  /** The first request that left: the order was placed by it, or later. */
  #firstSent: SentOrder | undefined;
  /** How many requests left and may have reached the exchange. */
  #sends = 0;
  #hasSent = false;
  /** The exchange reported that client_order_id is in use, although no lookup found the order. */
  #isProofRefuted = false;
  /** Continues from subscription to subscription, until another request is sent. */
  #proof: AbsenceProof | undefined;
  /** The error of the last request, when its response was lost. */
  #cause: ExchangeError | undefined;
  /** Whether an attempt is under way: the response may still come. */
  #isAttempting = false;
  /** The attempt, or the wait before it: part of the run. */
  #step = Subscription.EMPTY;
  /** The lookups of an order that was pushed before its response came. */
  #early: Subscription | undefined;
  readonly #pushed = new Subject<void>();
  /** The live connection has pushed the order, so its absence from the lists proves nothing. */
  #wasPushed = false;
  #placed: { readonly order: Output } | undefined;

  constructor(context: OrderContext<Output>) {
    this.#context = context;
  }

  subscribe(subscriber: Subscriber<Output>): void {
    if (this.#placed !== undefined) {
      subscriber.next(this.#placed.order);
      subscriber.complete();
      return;
    }
    if (subscriber.closed) return;
    this.#subscribers.add(subscriber);
    subscriber.add(() => {
      this.#unsubscribed(subscriber);
    });
    if (this.#run === undefined) this.#start();
  }

  #start(): void {
    try {
      this.#context.record.claim();
    } catch (error) {
      this.#fail(this.#endRun(), error);
      return;
    }
    const run = new Subscription();
    this.#run = run;
    this.#retries = undefined;
    this.#context.listen(run, (at) => {
      this.#onPushed(run, at);
    });
    this.#context.start();
    this.#proceed(run);
    if (this.#run !== run) return;
    const { callTimeoutMs } = this.#context;
    this.#callTimer = setTimeout(() => {
      this.#timeOut(callTimeoutMs);
    }, callTimeoutMs);
  }

  /** Sends the order, or looks it up when it may have been placed. */
  #proceed(run: Subscription): void {
    const { timing } = this.#context;
    // A push that follows a proof of absence refutes the proof: one of its premises does not hold.
    if (this.#wasPushed) this.#uncertain ??= this.#firstSent;
    this.#isAttempting = this.#uncertain === undefined;
    if (this.#uncertain === undefined) this.#context.send(this, this.#startStep(run));
    else this.#follow(run, this.#lookUp(this.#uncertain, this.#cause, timing.resumeTimeoutMs));
  }

  #startStep(run: Subscription): Subscription {
    this.#step = new Subscription();
    run.add(this.#step);
    return this.#step;
  }

  /** Ends the run as the decision about a failed attempt does. */
  #follow(run: Subscription, decided$: Observable<Output>): void {
    // A lookup that emits more than one order must not reach the subscribers.
    startedIn(run, decided$)
      .pipe(take(1))
      .subscribe({
        next: (order) => {
          this.#succeed(order);
        },
        error: (error: unknown) => {
          this.#retry(run, error);
        },
      });
  }

  #retry(run: Subscription, error: unknown): void {
    this.#retries ??= this.#context.retryLoop(isKnownNotPlaced);
    this.#retries.afterError(error, {
      run: this.#startStep(run),
      again: () => {
        this.#proceed(run);
      },
      fail: (failure) => {
        this.#failed(failure);
      },
    });
  }

  onOutput(order: Output): void {
    this.#succeed(order);
  }

  onError(error: unknown): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#isAttempting = false;
    this.#early?.unsubscribe();
    if (isExchangeError(error)) this.#follow(run, this.#afterFailure(error));
    else this.#retry(run, error);
  }

  onSent(nonce: Nonce | undefined): void {
    const { clock } = this.#context;
    this.#context.onSent(nonce);
    const acceptableUntil = nonce?.nonceWindow === true ? nonce.nonce + nonceWindowMs : Number.POSITIVE_INFINITY;
    const sentAt = clock.local();
    const sentAtExchange = clock.toExchangeAtLeast(sentAt);
    this.#uncertain = {
      sentAt,
      sentAtExchange,
      acceptableUntil,
      acceptableUntilLocal: sentAt + acceptableUntil - sentAtExchange,
    };
    this.#firstSent ??= this.#uncertain;
    this.#sends += 1;
    this.#hasSent = true;
    this.#cause = undefined;
    this.#proof = undefined;
  }

  onRetry(error: ExchangeError): void {
    if (error.outcome === 'not-executed' && this.#uncertain !== undefined) {
      this.#sends -= 1;
      if (this.#sends === 0) this.#firstSent = undefined;
    }
    this.#uncertain = undefined;
  }

  /**
   * The live connection has pushed the order: it was placed. But a push has not all that a response has, so the order is
   * looked up, by the rules of every lookup. A push that is wrong costs a few requests, and decides nothing.
   */
  #onPushed(run: Subscription, placedAt: number): void {
    const [sent, first] = [this.#uncertain, this.#firstSent];
    const { lookup, timing } = this.#context;
    // An order with this identifier that is older than the first request is another one.
    if (first === undefined || !(placedAt >= first.sentAtExchange - clockToleranceMs)) return;
    // An order that is filled in many parts is pushed many times: only the first push is a reason for a lookup at once.
    if (!this.#wasPushed) this.#pushed.next();
    this.#wasPushed = true;
    if (sent === undefined) {
      // The order waits to be sent again: for its retry, or for a permit.
      this.#step.unsubscribe();
      this.#proceed(run);
      return;
    }
    if (!this.#isAttempting || this.#early?.closed === false || timing.lookupTimeoutMs === 0) return;
    this.#early = startedIn(
      run,
      timer(responseMs).pipe(
        concatMap(() => defer(() => lookup.find(first)).pipe(catchError(() => EMPTY))),
        repeat({ count: earlyLookups }),
        take(1),
      ),
    ).subscribe((order) => {
      if (this.#uncertain !== sent) return;
      this.#place(order);
      this.#context.report('found');
      this.#succeed(order);
    });
  }

  #afterFailure(error: ExchangeError): Observable<Output> {
    if (this.#uncertain === undefined) return throwError(() => error);
    if (error.outcome === 'unknown') {
      this.#cause = error;
      return isExpiredNonce(error)
        ? this.#afterExpiredNonce(this.#uncertain, error)
        : this.#lookUp(this.#uncertain, error);
    }
    if (this.#sends > 1 && isIdentifierInUse(error)) {
      this.#isProofRefuted = true;
      this.#cause = new TransportError('client_order_id is already in use, although no lookup found the order', {
        endpoint: this.#context.endpoint,
        outcome: 'unknown',
        cause: error,
      });
      return this.#lookUp(this.#uncertain, this.#cause);
    }
    this.onRetry(error);
    return throwError(() => error);
  }

  /**
   * A nonce was rejected for its age. The rejection proves that nothing was executed only if the nonce was too old when
   * the request was sent: otherwise a proxy may have forwarded the request in time, and sent a copy later.
   */
  #afterExpiredNonce(sent: SentOrder, error: ExchangeError): Observable<Output> {
    const { clock, lookup } = this.#context;
    const decided$ = defer(() => {
      const isTooOldWhenSent = (clock.atLeast(sent.sentAt) ?? Number.NEGATIVE_INFINITY) > sent.acceptableUntil;
      if (!isTooOldWhenSent) return this.#lookUp(sent, error);
      this.#uncertain = undefined;
      setOutcome(error, 'rejected');
      return throwError(() => error);
    });
    return concat(clockReading(lookup), decided$);
  }

  /** @param error of the lost response; `undefined` when the caller unsubscribed first */
  #lookUp(
    sent: SentOrder,
    error: ExchangeError | undefined,
    lookupTimeoutMs = this.#context.timing.lookupTimeoutMs,
  ): Observable<Output> {
    const { clock, lookup, record, timing } = this.#context;
    record.doubt(sent.sentAt);
    if (lookupTimeoutMs === 0) return this.#unknown(error, 'lookupTimeoutMs is 0, so the order is not looked up');
    this.#proof ??= new AbsenceProof(sent, clock, timing);
    this.#context.report('looking-up');
    return lookUpUntilDecided({
      lookup,
      clock,
      sent: this.#firstSent ?? sent,
      proof: this.#proof,
      lookupTimeoutMs,
      pushed$: this.#pushed,
      requestedWaitMs: requestedDelayMs(error),
    }).pipe(concatMap((decision) => this.#afterLookup(decision, error)));
  }

  #afterLookup(decision: Decision<Output>, error: ExchangeError | undefined): Observable<Output> {
    const { endpoint, lookup } = this.#context;
    switch (decision.as) {
      case 'found':
        this.#place(decision.order);
        this.#context.report('found');
        return of(decision.order);
      case 'absent': {
        const why = this.#whyRefuted() ?? lookup.whyNoProof();
        return why === undefined ? this.#absent(error) : this.#unknown(error, why);
      }
      case 'unknown': {
        const { failure: cause, reason } = decision;
        if (cause === undefined) return this.#unknown(error, reason);
        const message = `the order could not be looked up: ${cause.message}`;
        return this.#unknown(new TransportError(message, { endpoint, outcome: 'unknown', cause }), reason);
      }
    }
  }

  #whyRefuted(): string | undefined {
    if (this.#isProofRefuted) return 'the exchange reports that client_order_id is in use';
    return this.#wasPushed ? 'the live connection has pushed the order' : undefined;
  }

  #absent(error: ExchangeError | undefined): Observable<never> {
    const { endpoint, record } = this.#context;
    this.#uncertain = undefined;
    record.doubt(undefined);
    this.#context.report('absent');
    const message = 'the caller unsubscribed while its request was in flight';
    const cause = error ?? new TransportError(message, { endpoint, outcome: 'not-executed' });
    return throwError(() => new NotPlacedError(endpoint, cause));
  }

  /** The error of the lost response is the more useful one; without it, the reason becomes the error. */
  #unknown(error: ExchangeError | undefined, reason: string): Observable<never> {
    const { endpoint } = this.#context;
    this.#context.report('unknown', reason);
    const message = `the caller unsubscribed while the order was in flight, and its outcome could not be determined: ${reason}`;
    return throwError(() => error ?? new TransportError(message, { endpoint, outcome: 'unknown' }));
  }

  #place(order: Output): void {
    const { record } = this.#context;
    this.#uncertain = undefined;
    this.#placed = { order };
    if (!record.place(order)) this.#context.report('not-identified');
  }

  #succeed(order: Output): void {
    if (this.#placed === undefined) this.#place(order);
    for (const subscriber of this.#endRun()) {
      subscriber.next(order);
      subscriber.complete();
    }
  }

  #failed(error: unknown): void {
    const subscribers = this.#endRun();
    this.#leaveRecord();
    this.#fail(subscribers, error);
  }

  #timeOut(callTimeoutMs: number): void {
    const { endpoint } = this.#context;
    const isInDoubt = this.#uncertain !== undefined;
    const subscribers = this.#endRun();
    if (this.#run === undefined) this.#leaveRecord();
    if (isInDoubt) this.#context.report('unknown', `the call did not end within callTimeoutMs, ${callTimeoutMs} ms`);
    this.#fail(subscribers, new TimeoutError(endpoint, callTimeoutMs, 'call', isInDoubt ? 'unknown' : 'not-executed'));
  }

  #unsubscribed(subscriber: Subscriber<Output>): void {
    const isLast = this.#subscribers.delete(subscriber) && this.#subscribers.size === 0;
    if (!isLast || this.#run === undefined) return;
    const isInDoubt = this.#uncertain !== undefined;
    this.#endRun();
    // A listener of the abort signal may have subscribed again.
    if (this.#isRunning()) return;
    this.#leaveRecord();
    if (isInDoubt) this.#context.report('unsubscribed');
  }

  /**
   * Ends the run and returns its subscribers. The next subscriber starts a new run.
   */
  #endRun(): readonly Subscriber<Output>[] {
    const run = this.#run;
    const subscribers = [...this.#subscribers];
    this.#subscribers.clear();
    this.#run = undefined;
    clearTimeout(this.#callTimer);
    run?.unsubscribe();
    return subscribers;
  }

  #isRunning(): boolean {
    return this.#run !== undefined;
  }

  #leaveRecord(): void {
    const { record } = this.#context;
    if (this.#placed !== undefined) return;
    if (this.#uncertain !== undefined) record.doubt(this.#uncertain.sentAt);
    record.leave(this.#uncertain !== undefined);
  }

  #fail(subscribers: readonly Subscriber<Output>[], error: unknown): void {
    const { endpoint, client_order_id, errors } = this.#context;
    const typed = toExchangeError(error, endpoint, this.#hasSent ? 'unknown' : 'not-executed');
    const failure = aboutOrder(typed, client_order_id);
    for (const subscriber of subscribers) errors.fail(subscriber, failure);
  }
}

/** Whether the order is known, or proven, not to exist after this error: it may be sent again. */
export function isKnownNotPlaced(error: unknown): boolean {
  return (
    isRejectedNonce(error) ||
    isTransientAndNotExecuted(error) ||
    (isExchangeError(error) && error.kind === 'not-placed')
  );
}

/** Whether the exchange rejected client_order_id as in use. Not every form of the error has the code. */
function isIdentifierInUse(error: ExchangeError): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === 'client-order-id' || 'clientOrderId' in error.errors || 'client_order_id' in error.errors;
}
