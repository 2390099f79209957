// One attempt of a call, from top to bottom: permit, nonce and signature, send, read, outcome, release. It is a class,
// because an unsubscription must give the permit back, and abort the request, in its own tick.
import type { Subscription } from 'rxjs';
import { nonceWindowMs, type ExchangeClock } from '../auth/index.js';
import { placesOrders, type WireFields } from '../endpoint/index.js';
import {
  AuthError,
  isExchangeError,
  TimeoutError,
  RequestError,
  TransportError,
  toExchangeError,
  type AnyExchangeError,
  copyError,
  type ExchangeError,
} from '../errors/index.js';
import type { Call } from './call.js';
import type { Sent } from './change.js';
import type { AttemptEvent, ResponseEvent, WaitEvent } from './call-options.js';
import {
  classifyItem,
  hidden,
  isNonceAhead,
  outcomeOf,
  readResponse,
  responseOfAnother,
  distinctiveTexts,
  secretsOf,
  transportError,
  wireRequest,
  type Prepared,
  type Redactor,
  type Receiver,
  type SentRequest,
  type WireResponse,
  WireSending,
} from '../http/index.js';
import { unreadableIn } from '../model/unreadable.js';
import type { Permit, PermitUse } from '../scheduler/index.js';

const minReportedWaitMs = 1;
const maxSampleLength = 200;
/** Maximum size of most responses, bytes. The largest valid response, the list of markets, has some hundred kilobytes. */
const maxResponseBytes = 8 * 2 ** 20;
/** The same for orders: an order has less than 1 kB, and a gateway's error may be a page. */
const maxOrderResponseBytes = 256 * 2 ** 10;
/** The server time is in whole seconds, and may be cached for another. */
const timeResolutionMs = 2000;

/** How an attempt ends: in an output or in an error, and in neither after it was unsubscribed. */
export interface AttemptObserver<Output> {
  /** Called when the request leaves. An error that it returns keeps the request from leaving. */
  onSent(sent: Sent): AnyExchangeError | undefined;
  /** @param errorOf the typed error of one order in the response to a request of several */
  onOutput(output: Output, errorOf: (error: unknown) => ExchangeError): void;
  /** The request was not executed, and may be sent again together with others. */
  onWithdrawn(error: AnyExchangeError): void;
  onError(error: unknown): void;
}

export class Attempt<Output> implements Receiver, SentRequest {
  readonly #call: Call<Output>;
  readonly #observer: AttemptObserver<Output>;
  readonly endpoint: Call<Output>['endpoint'];
  readonly fields: WireFields;
  readonly #permitObserver = new PermitObserver(
    (permit) => {
      this.#grant(permit);
    },
    (error) => {
      this.#refuse(error);
    },
  );
  #number = 0;
  #isOver = false;
  #queued: Subscription | undefined;
  #requestedAt = 0;
  #permit: Permit | undefined;
  #prepared: Prepared | undefined;
  #sentAt = 0;
  /** Present when anything of the request may have left. */
  #sent: Sent | undefined;
  /** Why the request was kept from leaving. */
  #kept: AnyExchangeError | undefined;
  #isSettled = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: WireSending | undefined;

  constructor(call: Call<Output>, observer: AttemptObserver<Output>) {
    this.#call = call;
    this.#observer = observer;
    this.endpoint = call.endpoint;
    this.fields = call.fields;
  }

  start(): void {
    const { endpoint, limits, desk } = this.#call;
    const { scheduler, budget, inFlight: ofAll, signedInFlight } = desk.bounds;
    const { name: endpointName, authentication, rateLimits, safety } = endpoint;
    const now = performance.now();
    const validUntil = this.#validUntil;
    this.#requestedAt = now;
    if (validUntil !== undefined && now > validUntil) {
      this.#endWith(this.#call.expired('check'));
      return;
    }
    this.#call.attempts += 1;
    this.#number = this.#call.attempts;
    budget.earn();
    const ofKind = authentication === 'signed' ? signedInFlight : ofAll;
    const inFlight = safety === 'read' ? ofKind.reads : ofKind;
    const expiry = validUntil === undefined ? {} : { maxWaitMs: Math.max(0, Math.floor(validUntil - now)) };
    try {
      const terms = { endpoint: endpointName, priority: limits.priority, inFlight, ...expiry };
      const queued = scheduler.acquire(rateLimits, terms).subscribe(this.#permitObserver);
      if (this.#isOver) queued.unsubscribe();
      else this.#queued = queued;
    } catch (error) {
      this.#refuse(error);
    }
  }

  unsubscribe(): void {
    if (this.#isOver) return;
    this.#close();
    this.#settle(this.#abort(), { result: 'canceled' });
  }

  #close(): void {
    this.#isOver = true;
    this.#queued?.unsubscribe();
  }

  #grant(permit: Permit): void {
    const waitedMs = performance.now() - this.#requestedAt;
    if (this.#queued !== undefined && waitedMs >= minReportedWaitMs) this.#reportWait({ waitedMs });
    // A listener, or the subscriber of a request that was granted its permit before, may have unsubscribed this one.
    if (this.#isOver || this.#permit !== undefined) permit.release('unsent');
    else this.#send(permit);
  }

  /** Without a permit nothing was sent. */
  #refuse(error: unknown): void {
    if (this.#isOver || this.#permit !== undefined) return;
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
    if (this.#isHeard) this.#call.emit({ type: 'wait', ...this.#about(), ...wait });
  }

  #send(permit: Permit): void {
    const { desk, endpoint, fields, limits } = this.#call;
    const { wire, identity } = desk;
    let prepared: Prepared;
    try {
      prepared = wireRequest(wire.baseUrl, endpoint, fields, identity.signing);
    } catch (error) {
      permit.release('unsent');
      // A parameter whose toJSON or toString throws may quote itself.
      const cause = endpoint.confidential ? undefined : error;
      const unwritten = { field: 'params', message: 'could not be written as a request' };
      this.#endWith(isExchangeError(error) ? error : new RequestError(endpoint.name, [unwritten], cause));
      return;
    }
    this.#sentAt = performance.now();
    this.#permit = permit;
    this.#prepared = prepared;
    const maxBytes = placesOrders(endpoint) ? maxOrderResponseBytes : maxResponseBytes;
    if (endpoint.confidential) this.#remember(secretsOf(endpoint, fields, prepared.request));
    this.#timer = setTimeout(() => {
      this.#timeOut();
    }, limits.timeoutMs);
    if (this.#isHeard) this.#call.emit({ type: 'request', ...this.#about() });
    // A listener may have unsubscribed the request.
    if (this.#isSettled) return;
    this.#sending = new WireSending(wire.transport, prepared.request, maxBytes, this);
    this.#sending.start();
  }

  onSent(): void {
    const validUntil = this.#validUntil;
    const isExpired = validUntil !== undefined && performance.now() > validUntil;
    // First: a transport of the user's own may send the request although this throws.
    this.#sent = sentNow(this.#call.desk.identity.clock, this.#prepared?.nonce);
    const kept = this.#observer.onSent(this.#sent);
    this.#kept = isExpired ? this.#call.expired('connection') : kept;
    if (this.#kept !== undefined) throw this.#kept;
  }

  /** What was not written when the request is aborted never will be: aborting comes first. */
  #abort(): PermitUse {
    this.#sending?.abort();
    return this.#sent === undefined ? 'unsent' : 'unknown';
  }

  #timeOut(): void {
    const { endpoint, limits } = this.#call;
    const use = this.#abort();
    const outcome = outcomeOf(this.#call, this.#sent !== undefined);
    this.#fail(new TimeoutError(endpoint.name, limits.timeoutMs, 'attempt', outcome), use);
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
    const { desk, endpoint } = this.#call;
    const { clock } = desk.identity;
    const { status } = response;
    let output: Output;
    try {
      output = readResponse(this, response);
    } catch (error) {
      this.#learnRejection(error);
      if (!isExchangeError(error)) throw error;
      this.#fail(error, 'responded', status);
      return;
    }
    if (this.#call.isOfAnother?.(output, this.#prepared?.nonce) === true) {
      this.#fail(responseOfAnother(this, response), 'responded', status);
      return;
    }
    const time = endpoint.exchangeTime?.(output);
    if (typeof time === 'number' && this.#sent !== undefined)
      clock.learn({
        shown: time * 1000,
        resolutionMs: timeResolutionMs,
        sentAt: this.#sent.sentAt,
        receivedAt: clock.local(),
      });
    if (endpoint.confidential) this.#remember(distinctiveTexts(output));
    this.#settle('responded', { result: 'ok', status });
    if (this.#isHeard) this.#reportUnreadable(output);
    // A listener may have unsubscribed the request.
    if (this.#isOver) return;
    this.#close();
    this.#observer.onOutput(output, (error) => classifyItem(this, status, error));
  }

  /** What an output was left without. Keys in the sample come from the exchange. */
  #reportUnreadable(output: Output): void {
    const unreadable = unreadableIn(output);
    if (unreadable === undefined) return;
    const { count, sample } = unreadable;
    const shown = this.endpoint.confidential ? 'a record is unexpected' : this.redactor.quote(sample, maxSampleLength);
    this.#call.emit({ type: 'unreadable', ...this.#about(), count, sample: shown });
  }

  /** A nonce that was refused for its age shows where the exchange's clock is. */
  #learnRejection(error: unknown): void {
    const { clock } = this.#call.desk.identity;
    const { nonce } = this.#prepared ?? {};
    if (this.#sent === undefined || nonce === undefined || !(error instanceof AuthError)) return;
    // A hidden message does not say on which side of the exchange's clock the nonce was.
    if (error.reason !== 'nonce-expired' || error.exchangeMessage === hidden) return;
    const isTooOld = !isNonceAhead(error.exchangeMessage ?? '');
    clock.learnRejection({
      nonce,
      isTooOld,
      sentAt: this.#sent.sentAt,
      receivedAt: clock.local(),
    });
  }

  #lose(error: unknown): void {
    if (this.#kept !== undefined && error === this.#kept) {
      this.#fail(this.#kept, 'unsent');
      return;
    }
    const { wire } = this.#call.desk;
    const failure = transportError(this, error, { ...wire, isWritten: this.#sent !== undefined });
    this.#fail(failure, failure.outcome === 'not-executed' ? 'unsent' : 'unknown');
  }

  /** Fails the call instead of causing an unhandled rejection. */
  #safely(handle: () => void): void {
    if (this.#isSettled) return;
    try {
      handle();
    } catch (error) {
      const { endpoint } = this.#call;
      const cause = endpoint.confidential ? undefined : copyError(error, this.redactor);
      const outcome = outcomeOf(this.#call, this.#sent !== undefined);
      this.#fail(toExchangeError(cause, endpoint.name, outcome), this.#sent === undefined ? 'unsent' : 'unknown');
    }
  }

  #fail(error: AnyExchangeError, use: PermitUse, status?: number): void {
    const { kind, outcome } = error;
    const result = { result: 'error', kind, outcome, ...(status === undefined ? {} : { status }) } as const;
    if (kind === 'rate-limited') this.#settle('rate-limited', result, error.retryAfterMs);
    else this.#settle(use, result);
    this.#endWith(error);
  }

  #endWith(error: AnyExchangeError): void {
    if (this.#isOver) return;
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
    this.#permit.release(use, retryAfterMs);
    if (!this.#isHeard) return;
    const durationMs = performance.now() - this.#sentAt;
    this.#call.emit({ type: 'response', ...this.#about(), durationMs, ...result });
  }

  /** Until when the attempt may start, by `performance.now()`; `undefined`: without a bound. */
  get #validUntil(): number | undefined {
    const { startedAt, limits } = this.#call;
    return limits.validForMs === undefined ? undefined : startedAt + limits.validForMs;
  }

  /** Whether anybody listens to the events of the call: otherwise none is built. */
  get #isHeard(): boolean {
    const { limits, desk } = this.#call;
    return limits.onEvent !== undefined || desk.journal.events.observed;
  }

  #about(): AttemptEvent {
    return this.#call.about(this.#number);
  }

  /** Hides the secrets of this request, too. Made when something is quoted. */
  get redactor(): Redactor {
    const { desk, endpoint, fields } = this.#call;
    const { redactor } = desk.wire;
    return this.#prepared === undefined ? redactor : redactor.with(secretsOf(endpoint, fields, this.#prepared.request));
  }

  #remember(secrets: readonly string[]): void {
    for (const secret of secrets) this.#call.desk.wire.redactor.remember(secret);
  }
}

/** A class, as all that an order in flight is made of; not the attempt, because a scheduler of the user's may print it. */
class PermitObserver {
  constructor(
    readonly next: (permit: Permit) => void,
    readonly error: (error: unknown) => void,
  ) {}
}

function sentNow(clock: ExchangeClock, nonce: number | undefined): Sent {
  const sentAt = clock.local();
  const sentAtExchange = clock.toExchangeAtLeast(sentAt);
  const acceptableUntil = nonce === undefined ? Number.POSITIVE_INFINITY : nonce + nonceWindowMs;
  return { sentAt, sentAtExchange, acceptableUntil, acceptableUntilLocal: sentAt + acceptableUntil - sentAtExchange };
}
