// One attempt of a call: permit, sign, send, read. Unsubscribing leaves the line, or aborts the request on the wire.
import { Observable, type Subscriber } from 'rxjs';
import { nonceWindowMs, type ExchangeClock, type Nonce } from '../auth/index.js';
import type { Endpoint, WireFields } from '../endpoints/define-endpoint.js';
import {
  copyError,
  type AnyExchangeError,
  AuthError,
  isExchangeError,
  QueueTimeoutError,
  tryOr,
  TimeoutError,
  TransportError,
  toExchangeError,
  clearUnknownOutcome,
} from '../errors/index.js';
import type { AttemptEvent, CallEvent, ResponseEvent, WaitEvent } from './events.js';
import {
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
  type Send,
  type SendOptions,
  type Signer,
  type WireResponse,
} from '../http/index.js';
import type { InFlight, Permit, PermitUse, Priority, Scheduler } from '../scheduler/index.js';

/** What every attempt of a client is made with. */
export interface AttemptContext {
  readonly baseUrl: string;
  readonly scheduler: Scheduler;
  /** The client's requests on the wire. */
  readonly inFlight: InFlight;
  /** Those of them that are signed. */
  readonly signedInFlight: InFlight;
  readonly send: Send;
  /** The longest that a connection may take to be made, milliseconds. */
  readonly connectTimeoutMs: number;
  /** Throws {@link RequestError} when private requests cannot be signed. */
  readonly signer: (endpoint: string) => Signer;
  readonly clock: ExchangeClock;
  /** What its errors and events must not hold. */
  readonly secrets: RecentSecrets;
}

/** One attempt. */
export interface Attempt<Output> {
  readonly endpoint: Endpoint<never, Output>;
  readonly fields: WireFields;
  /** What its events say of it. */
  readonly about: AttemptEvent;
  /** The bound on sending and reading, milliseconds. */
  readonly timeoutMs: number;
  readonly priority: Priority;
  /**
   * How long its call is valid from subscription, milliseconds, and until when, by `performance.now()`: it does not
   * start later.
   */
  readonly validity: { readonly forMs: number; readonly until: number } | undefined;
  readonly emit: (event: CallEvent) => void;
  /** Called when the request leaves, with its nonce. */
  readonly onSent?: ((nonce: Nonce | undefined) => void) | undefined;
}

/** A shorter wait is not told. */
const minWaitMs = 1;
/** The server time is in whole seconds, and may be cached for another. */
const timeResolutionMs = 2000;

/** Makes the attempt at subscription; emits the output and completes. */
export function attemptOnce<Output>(context: AttemptContext, attempt: Attempt<Output>): Observable<Output> {
  const { name, rateLimit } = attempt.endpoint;
  const { priority, validity } = attempt;
  const { scheduler } = context;
  const ofKind = attempt.endpoint.authentication === 'signed' ? context.signedInFlight : context.inFlight;
  const inFlight = attempt.endpoint.safety === 'read' ? ofKind.reads : ofKind;
  const expiry =
    validity === undefined ? {} : { maxWaitMs: Math.max(0, Math.floor(validity.until - performance.now())) };
  // One Observable from the permit to the answer: every request passes here, and operators between would cost more than
  // what they say.
  return new Observable((subscriber) => {
    const askedAt = performance.now();
    let isGranted = false;
    let hadToWait = false;
    const waited = (): WaitEvent => ({ type: 'wait', ...attempt.about, waitedMs: performance.now() - askedAt });
    const refuse = (error: unknown) => {
      const refusal = withoutPermit(name, error);
      attempt.emit({ ...waited(), kind: refusal.kind });
      subscriber.error(refusal);
    };
    const grant = (permit: Permit) => {
      isGranted = true;
      if (hadToWait && performance.now() - askedAt >= minWaitMs) attempt.emit(waited());
      // Whoever was granted a permit before it, or listens to events, may have unsubscribed it meanwhile.
      if (subscriber.closed) release(permit, 'unsent');
      else subscriber.add(sendWith(context, attempt, permit, subscriber));
    };
    try {
      subscriber.add(
        scheduler.acquire(rateLimit, { endpoint: name, priority, inFlight, ...expiry }).subscribe({
          next: grant,
          error: refuse,
          complete: () => {
            if (!isGranted) refuse(undefined);
          },
        }),
      );
    } catch (error) {
      refuse(error);
    }
    hadToWait = !isGranted;
  });
}

/** However a scheduler fails, it leaves the request unsent. */
function withoutPermit(endpoint: string, error: unknown): AnyExchangeError {
  if (isExchangeError(error) && error.outcome === 'not-executed') return error;
  return new TransportError('the scheduler gave no permit', { endpoint, outcome: 'not-executed', cause: error });
}

/**
 * What became of the request is known, even where a scheduler of the user's own fails at taking the permit back, or
 * granted none.
 */
function release(permit: Permit, use: PermitUse, retryAfterMs?: number): void {
  tryOr(() => {
    permit.release(use, retryAfterMs);
  }, undefined);
}

/** Where looking for secrets fails, a text is hidden as a whole. */
function neverFailing(create: () => Redact): Redact {
  const redact = tryOr(create, () => hidden);
  return (text, maxLength) => tryOr(() => redact(text, maxLength), hidden);
}

/** Sends the request and tells the subscriber what came of it. The teardown aborts it. */
function sendWith<Output>(
  context: AttemptContext,
  attempt: Attempt<Output>,
  permit: Permit,
  subscriber: Subscriber<Output>,
): () => void {
  const { about, endpoint, fields, timeoutMs, emit } = attempt;
  let prepared: Prepared;
  try {
    prepared = wireRequest(context.baseUrl, endpoint, fields, () => context.signer(endpoint.name));
  } catch (error) {
    release(permit, 'unsent');
    subscriber.error(toExchangeError(error, about.endpoint, 'not-executed'));
    return () => undefined;
  }
  const { request, nonce } = prepared;
  const redact = neverFailing(() => context.secrets.redactorOf(endpoint, request));

  const aborter = new AbortController();
  const sentAt = performance.now();
  const sentAtLocal = context.clock.local();
  let settled = false;
  const settle = (
    use: PermitUse,
    result: Pick<ResponseEvent, 'result' | 'status' | 'kind' | 'outcome'>,
    retryAfterMs?: number,
  ) => {
    settled = true;
    clearTimeout(timer);
    release(permit, use, retryAfterMs);
    emit({ type: 'response', ...about, durationMs: performance.now() - sentAt, ...result });
  };
  const fail = (error: AnyExchangeError, use: PermitUse, status?: number) => {
    if (endpoint.safety === 'read') clearUnknownOutcome(error);
    const { kind, outcome } = error;
    const result = { result: 'error', kind, outcome, ...(status === undefined ? {} : { status }) } as const;
    // After that there is nothing more to report, or to give back.
    if (!settled)
      settle(
        error.kind === 'rate-limited' ? 'rate-limited' : use,
        result,
        error.kind === 'rate-limited' ? error.retryAfterMs : undefined,
      );
    subscriber.error(error);
  };

  // Whether anything of the request may have left. What was not written when it is aborted never will be: aborting
  // comes first.
  let isWritten = false;
  const abort = (): PermitUse => {
    aborter.abort();
    return isWritten ? 'unknown' : 'unsent';
  };
  const timer = setTimeout(() => {
    const use = abort();
    fail(new TimeoutError(endpoint.name, timeoutMs, 'attempt', isWritten ? 'unknown' : 'not-executed'), use);
  }, timeoutMs);
  let expired: QueueTimeoutError | undefined;
  const options: SendOptions = {
    onWrite() {
      const { validity } = attempt;
      if (validity !== undefined && performance.now() > validity.until) {
        expired = new QueueTimeoutError(endpoint.name, about.rateLimit, validity.forMs, 'connection');
        throw expired;
      }
      isWritten = true;
      attempt.onSent?.(nonce);
    },
    maxResponseBytes: maxResponseBytesOf(endpoint),
    isUrgent: endpoint.safety === 'order' || attempt.priority === 'urgent',
  };

  const whatCame = (answer: WireResponse) => {
    const { status } = answer;
    const seen = { sentAt: sentAtLocal, receivedAt: context.clock.local() };
    let output: Output;
    let time: number | undefined;
    try {
      output = readResponse(endpoint, answer, { fields, redact }, context.clock.now());
      time = runEndpointFunction(endpoint, status, redact, () => endpoint.exchangeTime?.(output));
    } catch (error) {
      // A hidden message does not say on which side of the exchange's clock the nonce was.
      if (
        nonce?.nonceWindow === true &&
        error instanceof AuthError &&
        error.reason === 'nonce-expired' &&
        error.exchangeMessage !== hidden
      ) {
        const isTooOld = !isNonceAhead(error.exchangeMessage ?? '');
        context.clock.learnRefusal({ nonce: nonce.nonce, isTooOld, windowMs: nonceWindowMs, ...seen });
      }
      if (!isExchangeError(error)) throw error;
      fail(error, 'responded', status);
      return;
    }
    if (typeof time === 'number') context.clock.learn({ shown: time * 1000, resolutionMs: timeResolutionMs, ...seen });
    const leftOut = unreadableRecordsOf(endpoint, output, redact);
    settle('responded', { result: 'ok', status });
    context.secrets.rememberResponse(endpoint, answer.body);
    if (leftOut !== undefined) emit({ type: 'unreadable', ...about, ...leftOut });
    subscriber.next(output);
    subscriber.complete();
  };
  const nothingCame = (error: unknown) => {
    if (expired !== undefined) {
      fail(expired, 'unsent');
      return;
    }
    const isConfidential = endpoint.confidential === true;
    const failure = transportError(endpoint.name, error, {
      redact,
      connectTimeoutMs: context.connectTimeoutMs,
      isWritten,
      isConfidential,
    });
    fail(failure, failure.outcome === 'not-executed' ? 'unsent' : 'unknown');
  };
  /** Nobody catches what is thrown here: it would end the process, and the call never. */
  const handling =
    <Value>(handle: (value: Value) => void) =>
    (value: Value) => {
      if (settled) return;
      try {
        handle(value);
      } catch (error) {
        const cause = endpoint.confidential === true ? undefined : copyError(error, redact);
        fail(
          toExchangeError(cause, about.endpoint, isWritten ? 'unknown' : 'not-executed'),
          isWritten ? 'unknown' : 'unsent',
        );
      }
    };

  emit({ type: 'request', ...about });
  context.send(request, aborter.signal, options).then(handling(whatCame), handling(nothingCame));

  return () => {
    if (settled) return;
    settle(abort(), { result: 'canceled' });
  };
}
