// The life of a call, as a state and a function: what it does after each event. Pure: clock, registry, random numbers and
// subscribers are outside, and come with the events. It holds reads, settings, cancels, modifications, orders, and what
// must never be sent twice. The functions stand in the order of the story: begin, send, fail, look up, wait, end.
import {
  ApiError,
  LookupError,
  NotPlacedError,
  TimeoutError,
  TransportError,
  type AnyExchangeError,
  type ApiErrorReason,
  type ExchangeError,
} from '../errors/index.js';
import type { Kind } from './kinds.js';
import { isExpiredNonce, isRefusedNonce, isTransient, nextRetry, requestedDelayMs } from './retries.js';
import type { Retries, RetryPolicy } from './retries.js';

/** A request that left, and that the exchange may have executed. */
export interface Sent {
  /** When, by the local clock. */
  readonly sentAt: number;
  /** When, by the exchange's clock: the earliest that it can have shown. */
  readonly sentAtExchange: number;
  /** Until when the exchange can accept it, by the exchange's clock. */
  readonly acceptableUntil: number;
  /** The same by the local clock: a later response with a wrong time must not end this earlier. */
  readonly acceptableUntilLocal: number;
}

/** What is known of a change beyond a subscription. */
export interface Known {
  /** The last request, while it may have been executed. */
  readonly open: Sent | undefined;
  /** The first request that may have been executed: the change was made by it, or later. */
  readonly first: Sent | undefined;
  /** How many requests may have reached the exchange. */
  readonly sends: number;
  readonly hasSent: boolean;
  /** An earlier request may have been executed, and no lookup decides it. */
  readonly isInDoubt: boolean;
  /** Why not finding the order proves nothing any more. */
  readonly refuted: 'pushed' | 'in use' | undefined;
  /** The error of the last request whose response was lost. */
  readonly cause: AnyExchangeError | undefined;
  /** When the `Retry-After` of the last response is over, by `performance.now()`. */
  readonly notBefore: number;
}

export const nothingKnown: Known = {
  open: undefined,
  first: undefined,
  sends: 0,
  hasSent: false,
  isInDoubt: false,
  refuted: undefined,
  cause: undefined,
  notBefore: 0,
};

/** Where a call is. */
export type State<Output> =
  /** No subscriber. A subscription goes on from what is known. */
  | { readonly at: 'idle'; readonly known: Known }
  /** Checked, queued or in flight. */
  | { readonly at: 'sending'; readonly known: Known; readonly retries: Retries; readonly asksEarly: boolean }
  /** A nonce was rejected for its age: the exchange's clock is read. */
  | { readonly at: 'judging'; readonly known: Known; readonly retries: Retries; readonly error: AnyExchangeError }
  /** The result is looked up; `refusal` is the error that an earlier execution may have caused. */
  | { readonly at: 'asking'; readonly known: Known; readonly retries: Retries; readonly refusal?: AnyExchangeError }
  /** The request will be sent again. */
  | { readonly at: 'waiting'; readonly known: Known; readonly retries: Retries; readonly error: AnyExchangeError }
  | { readonly at: 'done'; readonly output: Output };

/** The moment of an event that may lead to a retry. */
export interface Moment {
  /** By `performance.now()`. */
  readonly now: number;
  /** A random number from 0 to 1. */
  readonly jitter: number;
  /** Whether the exchange's clock has been read since the request. */
  readonly isClockRead?: boolean;
}

/** What a lookup shows. */
export type Answer<Output> =
  | { readonly is: 'found'; readonly output: Output }
  /** Nothing was executed, and nothing in flight can be; `why` not to believe it. */
  | { readonly is: 'absent'; readonly why?: string | undefined }
  /** `failure`: why no lookup can succeed. */
  | { readonly is: 'undecided'; readonly reason: string; readonly failure?: ExchangeError | undefined };

/** What happens to a call. */
export type Event<Output> =
  | { readonly is: 'subscribed'; readonly now: number }
  | { readonly is: 'unsubscribed' }
  | { readonly is: 'timed out'; readonly afterMs: number }
  | { readonly is: 'sent'; readonly sent: Sent }
  | { readonly is: 'answered'; readonly output: Output }
  | ({ readonly is: 'failed'; readonly error: AnyExchangeError } & Moment)
  /** The request was not executed; another one may follow for several calls together. */
  | { readonly is: 'withdrawn'; readonly error: AnyExchangeError }
  | ({ readonly is: 'judged'; readonly wasTooOld: boolean } & Moment)
  | (Answer<Output> & Moment)
  /** No lookup beside the step has shown the pushed order. */
  | { readonly is: 'not found early' }
  /** The live connection has pushed the order, which was placed at this time, Unix ms by the exchange's clock. */
  | { readonly is: 'pushed'; readonly placedAt: number }
  /** The wait before a retry is over. */
  | { readonly is: 'due' }
  /** No budget is left for the retry, or a later call has set the same. */
  | { readonly is: 'denied' };

/** How far the lookup of an order has come. */
export type Progress = 'looking-up' | 'found' | 'absent' | 'unknown' | 'unsubscribed';

/** What the client notes of a change beyond its subscriptions. */
export type Note<Output> =
  | { readonly do: 'doubt'; readonly sent: Sent }
  | { readonly do: 'place'; readonly output: Output }
  | { readonly do: 'absent' }
  | { readonly do: 'leave'; readonly open: Sent | undefined }
  | { readonly do: 'report'; readonly progress: Progress; readonly reason?: string };

/** A lookup of the result. */
export interface Question {
  readonly do: 'ask';
  /** The last request, and the first one that may have been executed. */
  readonly open: Sent | undefined;
  readonly first: Sent | undefined;
  /** When the `Retry-After` of the lost response is over, by `performance.now()`. */
  readonly notBefore: number;
  readonly timeoutMs: number;
}

/** A step: it ends when another begins, and when the call ends. */
export type Step =
  | { readonly do: 'send' }
  | { readonly do: 'judge'; readonly sent: Sent }
  | Question
  | {
      readonly do: 'wait';
      readonly ms: number;
      readonly error: AnyExchangeError;
      /** Whether the exchange's clock is read first, because it may be wrong. */
      readonly readsClock: boolean;
      /** Whether the retry counts against the client's budget. */
      readonly spends: boolean;
    };

/** What a call does after an event: notes, and at most one step, or the end for its subscribers. */
export type Effect<Output> =
  | Note<Output>
  | Step
  /** Looks up an order that was pushed before its response came, beside the step. */
  | { readonly do: 'ask early'; readonly first: Sent }
  /** The order was pushed: the next lookup need not wait. */
  | { readonly do: 'ask now' }
  | { readonly do: 'emit'; readonly output: Output }
  | { readonly do: 'fail'; readonly error: AnyExchangeError };

export type Next<Output> = readonly [State<Output>, readonly Effect<Output>[]];

/** What a call decides by, beside what happens. */
export interface Premises {
  /** Name of the endpoint or function, in errors. */
  readonly endpoint: string;
  readonly kind: Kind;
  readonly limits: RetryLimits;
  /** Whether the request is sent again after a proof only: the request of several orders is retried for all of them. */
  readonly retriesProofsOnly?: boolean;
  readonly lookup: LookupTerms;
}

/** The bounds of a call, as far as they bound its retries. */
export interface RetryLimits {
  readonly isRetried: boolean;
  readonly retryPolicy: RetryPolicy;
  readonly validForMs: number | undefined;
}

export interface LookupTerms {
  /** How long a result is looked up after a lost response, milliseconds; 0: it is not looked up. */
  readonly timeoutMs: number;
  /** The same at a later subscription, which only looks up. */
  readonly resumeTimeoutMs: number;
  /** The reasons of the refusals that an earlier execution may have caused. */
  readonly refusals: readonly ApiErrorReason[];
  readonly words: LookupWords;
}

/** What errors say of a lookup that follows no error of a request. */
export interface LookupWords {
  readonly absent: string;
  readonly undecided: (reason: string) => string;
}

/** The terms of what is not looked up by an identifier. */
export const noLookup: LookupTerms = {
  timeoutMs: 0,
  resumeTimeoutMs: 0,
  refusals: [],
  words: { absent: '', undecided: (reason) => reason },
};

/** By how much the exchange's clock may be misjudged, milliseconds. */
export const clockToleranceMs = 2000;

/** Whether an effect is a step. */
export function isStep(effect: Effect<unknown>): effect is Step {
  return effect.do === 'send' || effect.do === 'judge' || effect.do === 'ask' || effect.do === 'wait';
}

/** The state after an event, and what to do. */
export function after<Output>(state: State<Output>, event: Event<Output>, premises: Premises): Next<Output> {
  if (state.at === 'done')
    return event.is === 'subscribed' ? [state, [{ do: 'emit', output: state.output }]] : [state, none];
  if (state.at === 'idle') {
    if (event.is === 'subscribed') return started(state.known, event.now, premises);
    return event.is === 'pushed' ? [{ at: 'idle', known: pushed(state.known, event.placedAt) }, none] : [state, none];
  }
  switch (event.is) {
    case 'subscribed':
      return [state, none];
    case 'sent':
      return [{ ...state, known: sent(state.known, event.sent) }, none];
    case 'withdrawn':
      return withdrawn(state, event.error, premises);
    case 'answered':
      return answered(event.output, none, premises);
    case 'failed':
      return failed(state, event, premises);
    case 'judged':
      return state.at === 'judging' ? judged(state, event, premises) : [state, none];
    case 'found':
      return answered(event.output, reported('found', premises), premises);
    case 'absent':
      return absent(state, event, premises);
    case 'undecided':
      return state.at === 'asking' && state.refusal !== undefined
        ? ended(state.known, none, state.refusal, premises)
        : undecided(state.known, event.reason, event.failure, premises);
    case 'not found early':
      return state.at === 'sending' ? [{ ...state, asksEarly: false }, none] : [state, none];
    case 'pushed':
      return afterPush(state, event.placedAt, premises);
    case 'due':
      return proceed(state.known, state.retries, premises);
    case 'denied':
      return state.at === 'waiting' ? refused(state.known, state.retries, state.error, premises) : [state, none];
    case 'timed out':
      return timedOut(state.known, event.afterMs, premises);
    case 'unsubscribed':
      return ended(state.known, reportedIfOpen(state.known, 'unsubscribed', undefined, premises), undefined, premises);
  }
}

const none: readonly never[] = [];

type Active<Output> = Exclude<State<Output>, { readonly at: 'idle' | 'done' }>;

function started<Output>(before: Known, now: number, premises: Premises): Next<Output> {
  const known = before.isInDoubt && premises.kind.asks === 'never' ? { ...before, isInDoubt: false } : before;
  return proceed(known, { since: now, ordinary: 0, nonces: 0 }, premises);
}

/** Sends the request, or looks its result up where an earlier request may have been executed. */
function proceed<Output>(before: Known, retries: Retries, premises: Premises): Next<Output> {
  const { repeats, asks } = premises.kind;
  // A push that follows a proof of absence refutes the proof: one of its premises does not hold.
  const known = before.refuted === 'pushed' ? { ...before, open: before.open ?? before.first } : before;
  if (repeats === 'always' || known.open === undefined)
    return [{ at: 'sending', known, retries, asksEarly: false }, [{ do: 'send' }]];
  if (asks === 'when lost') return ask(known, retries, premises.lookup.resumeTimeoutMs, premises);
  // Nothing tells whether it was executed, so it is never sent again.
  return ended(known, none, known.cause ?? leftInFlight(premises), premises);
}

function leftInFlight({ endpoint }: Premises): TransportError {
  const message = 'the caller unsubscribed while the request was in flight, so it may have been executed';
  return new TransportError(message, { endpoint, outcome: 'unknown' });
}

function sent(known: Known, open: Sent): Known {
  const { first = open, sends } = known;
  return { ...known, open, first, sends: sends + 1, hasSent: true, cause: undefined };
}

/** The last request was not executed. One that did not leave cannot be the first that may have been executed. */
function notExecuted(known: Known, { outcome }: AnyExchangeError): Known {
  if (known.open === undefined) return known;
  const sends = outcome === 'not-executed' ? known.sends - 1 : known.sends;
  return { ...known, open: undefined, sends, first: sends === 0 ? undefined : known.first };
}

function withdrawn<Output>(state: Active<Output>, error: AnyExchangeError, premises: Premises): Next<Output> {
  const lost = contradicted(state.known, error, premises);
  if (lost !== undefined) return ask(lost, state.retries, premises.lookup.timeoutMs, premises);
  return [{ ...state, known: notExecuted(state.known, error) }, none];
}

function answered<Output>(output: Output, notes: readonly Note<Output>[], premises: Premises): Next<Output> {
  const { asks, isOne } = premises.kind;
  const placed: readonly Effect<Output>[] = asks === 'never' ? none : [{ do: 'place', output }, ...notes];
  const state: State<Output> = isOne
    ? { at: 'done', output }
    : { at: 'idle', known: { ...nothingKnown, hasSent: true } };
  return [state, [...placed, { do: 'emit', output }]];
}

function failed<Output>(
  state: Active<Output>,
  { error, now, jitter }: Extract<Event<Output>, { readonly is: 'failed' }>,
  premises: Premises,
): Next<Output> {
  const { retries } = state;
  const known = { ...state.known, notBefore: now + requestedDelayMs(error) };
  if (state.at !== 'sending') return ended(known, none, error, premises);
  const { open } = known;
  if (premises.kind.changes && error.outcome === 'unknown' && open !== undefined && isExpiredNonce(error))
    return [{ at: 'judging', known: { ...known, cause: error }, retries, error }, [{ do: 'judge', sent: open }]];
  return afterFailure(known, retries, error, { now, jitter }, premises);
}

/**
 * A nonce that was rejected for its age proves that nothing was executed only if it was too old when the request was
 * sent: otherwise a proxy may have forwarded the request in time, and sent a copy later.
 */
function judged<Output>(
  { known, retries, error }: Extract<State<Output>, { readonly at: 'judging' }>,
  { wasTooOld, now, jitter }: Extract<Event<Output>, { readonly is: 'judged' }>,
  premises: Premises,
): Next<Output> {
  const decided = wasTooOld && known.refuted !== 'pushed' ? error.with({ outcome: 'rejected' }) : error;
  return afterFailure(known, retries, decided, { now, jitter, isClockRead: true }, premises);
}

/** Looks the result up where the request may have been executed, or sends it again where it may be. */
function afterFailure<Output>(
  known: Known,
  retries: Retries,
  error: AnyExchangeError,
  moment: Moment,
  premises: Premises,
): Next<Output> {
  const { changes, asks, repeats } = premises.kind;
  const mayBeExecuted = changes && error.outcome === 'unknown' && known.open !== undefined;
  if (asks === 'when lost') {
    const lost = mayBeExecuted ? { ...known, cause: error } : contradicted(known, error, premises);
    if (lost !== undefined) return ask(lost, retries, premises.lookup.timeoutMs, premises);
    return again(notExecuted(known, error), retries, error, moment, premises);
  }
  if (!mayBeExecuted) return again({ ...known, open: undefined }, retries, error, moment, premises);
  const open = repeats === 'never' ? known.open : undefined;
  return again({ ...known, open, isInDoubt: true, cause: error }, retries, error, moment, premises);
}

/** What is known when an order was refused, and exists all the same: its identifier is in use, or it was pushed. */
function contradicted(known: Known, error: AnyExchangeError, { endpoint }: Premises): Known | undefined {
  if (known.open === undefined) return undefined;
  const lost = (message: string) => new LookupError(message, { endpoint, outcome: 'unknown', cause: error });
  if (known.sends > 1 && isIdentifierInUse(error))
    return {
      ...known,
      refuted: 'in use',
      cause: lost('client_order_id is already in use, although no lookup found the order'),
    };
  return known.refuted === 'pushed'
    ? { ...known, cause: lost(`the live connection has pushed the order, which was rejected: ${error.message}`) }
    : undefined;
}

/** Whether the exchange rejected client_order_id as in use. Not every form of the error has the code. */
function isIdentifierInUse(error: AnyExchangeError): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === 'client-order-id' || 'clientOrderId' in error.errors || 'client_order_id' in error.errors;
}

function ask<Output>(known: Known, retries: Retries, timeoutMs: number, premises: Premises): Next<Output> {
  const { open, first = open } = known;
  const state: State<Output> = { at: 'asking', known, retries };
  const doubt: readonly Effect<Output>[] = open === undefined ? none : [{ do: 'doubt', sent: open }];
  if (timeoutMs === 0) {
    const reason = 'lookupTimeoutMs is 0, so the order is not looked up';
    const [end, effects] = undecided<Output>(known, reason, undefined, premises);
    return [end, [...doubt, ...effects]];
  }
  const question: Question = { do: 'ask', open, first, notBefore: known.notBefore, timeoutMs };
  return [state, [...doubt, ...reported('looking-up', premises), question]];
}

function absent<Output>(
  { known, retries, ...state }: Active<Output>,
  { why, now, jitter }: Extract<Event<Output>, { readonly is: 'absent' }>,
  premises: Premises,
): Next<Output> {
  const { endpoint, lookup } = premises;
  if (state.at === 'asking' && state.refusal !== undefined)
    return ended({ ...known, isInDoubt: false }, none, state.refusal.with({ outcome: 'rejected' }), premises);
  const reason = whyRefuted(known) ?? why;
  if (reason !== undefined) return undecided(known, reason, undefined, premises);
  const cause = known.cause ?? new LookupError(lookup.words.absent, { endpoint, outcome: 'not-executed' });
  const error = new NotPlacedError(endpoint, cause);
  const [next, effects] = again<Output>({ ...known, open: undefined }, retries, error, { now, jitter }, premises);
  return [next, [{ do: 'absent' }, ...reported('absent', premises), ...effects]];
}

function whyRefuted({ refuted }: Known): string | undefined {
  if (refuted === 'in use') return 'the exchange reports that client_order_id is in use';
  return refuted === 'pushed' ? 'the live connection has pushed the order' : undefined;
}

/** The error of the lost response is the more useful one; without it, the reason becomes the error. */
function undecided<Output>(
  known: Known,
  reason: string,
  cause: ExchangeError | undefined,
  premises: Premises,
): Next<Output> {
  const { endpoint, lookup } = premises;
  const lost = (message: string) => new LookupError(message, { endpoint, outcome: 'unknown', cause });
  const error =
    cause === undefined
      ? (known.cause ?? lost(lookup.words.undecided(reason)))
      : lost(`the order could not be looked up: ${cause.message}`);
  return ended(known, reported('unknown', premises, reason), error, premises);
}

/**
 * The live connection has pushed the order: it was placed. But a push has not all that a response has, so the order is
 * looked up, by the rules of every lookup. A push that is wrong costs a few requests, and decides nothing.
 */
function afterPush<Output>(state: Active<Output>, placedAt: number, premises: Premises): Next<Output> {
  const known = pushed(state.known, placedAt);
  if (!isOfPush(state.known, placedAt)) return [state, none];
  // The order waits to be sent again: for its retry, or for a permit.
  if (known.open === undefined) return proceed({ ...known, refuted: 'pushed' }, state.retries, premises);
  const next = { ...state, known };
  if (next.at === 'sending' && !next.asksEarly && premises.lookup.timeoutMs > 0 && known.first !== undefined)
    return [{ ...next, asksEarly: true }, [{ do: 'ask early', first: known.first }]];
  // An order that is filled in many parts is pushed many times: only the first push is a reason for a lookup at once.
  return next.at === 'asking' && state.known.refuted === undefined ? [next, [{ do: 'ask now' }]] : [next, none];
}

function pushed(known: Known, placedAt: number): Known {
  return isOfPush(known, placedAt) ? { ...known, refuted: known.refuted ?? 'pushed' } : known;
}

/** Whether a pushed order can be this one: one that is older than the first request is another. */
function isOfPush({ first }: Known, placedAt: number): boolean {
  return first !== undefined && placedAt >= first.sentAtExchange - clockToleranceMs;
}

/** Waits to send the request again, as far as the kind and the bounds allow. */
function again<Output>(
  known: Known,
  retries: Retries,
  error: AnyExchangeError,
  { now, jitter, isClockRead = false }: Moment,
  premises: Premises,
): Next<Output> {
  const { retryPolicy, validForMs } = premises.limits;
  const isNonce = isRefusedNonce(error);
  const next = mayBeSentAgain(error, premises)
    ? nextRetry(retries, { now, jitter, isNonce, notBefore: known.notBefore }, retryPolicy, validForMs)
    : undefined;
  if (next === undefined) return refused(known, retries, error, premises);
  const readsClock = isExpiredNonce(error) && !isClockRead;
  // A change that may have been executed must not wait for the budget, which an outage of polls empties.
  const spends = !isNonce && premises.kind.asks !== 'when refused';
  const wait = { do: 'wait', ms: next.delayMs, error, readsClock, spends } as const;
  return [{ at: 'waiting', known, retries: next.retries, error }, [wait]];
}

function mayBeSentAgain(error: AnyExchangeError, { kind, limits, retriesProofsOnly = false }: Premises): boolean {
  const isProof = error.kind === 'not-placed';
  if (!limits.isRetried || isProof || retriesProofsOnly) return limits.isRetried && isProof;
  if (error.outcome === 'unknown') return kind.repeats === 'always';
  return isRefusedNonce(error) || isTransient(error);
}

/**
 * No request follows. One that may have been executed is looked up: after the last lost response, or when it may be the
 * cause of the refusal.
 */
function refused<Output>(known: Known, retries: Retries, error: AnyExchangeError, premises: Premises): Next<Output> {
  const { kind, lookup } = premises;
  const mayBeOfEarlier = error instanceof ApiError && lookup.refusals.includes(error.reason);
  if (kind.asks !== 'when refused' || !known.isInDoubt || !(mayBeOfEarlier || error.outcome === 'unknown'))
    return ended(known, none, error, premises);
  const { first, notBefore } = known;
  const question: Question = { do: 'ask', open: undefined, first, notBefore, timeoutMs: lookup.timeoutMs };
  return [{ at: 'asking', known, retries, refusal: error }, [question]];
}

function timedOut<Output>(known: Known, afterMs: number, premises: Premises): Next<Output> {
  const { endpoint, kind } = premises;
  const mayBeExecuted = known.open !== undefined || known.isInDoubt;
  const unclear = kind.changes ? mayBeExecuted && 'unknown' : known.hasSent && 'none';
  const error = new TimeoutError(endpoint, afterMs, 'call', unclear === false ? 'not-executed' : unclear);
  const reason = `the call did not end within callTimeoutMs, ${afterMs} ms`;
  return ended(known, reportedIfOpen(known, 'unknown', reason, premises), error, premises);
}

/** No subscriber is left. An earlier request may have been executed even if the last one was not. */
function ended<Output>(
  known: Known,
  notes: readonly Note<Output>[],
  error: AnyExchangeError | undefined,
  { kind }: Premises,
): Next<Output> {
  const failure = known.isInDoubt ? error?.with({ outcome: 'unknown' }) : error;
  const left: Known =
    kind.repeats === 'always'
      ? { ...known, open: undefined, isInDoubt: known.isInDoubt || (kind.changes && known.open !== undefined) }
      : kind.asks === 'never' && known.open !== undefined
        ? { ...known, cause: failure ?? known.cause }
        : known;
  const end: readonly Effect<Output>[] = failure === undefined ? none : [{ do: 'fail', error: failure }];
  return [{ at: 'idle', known: left }, [{ do: 'leave', open: left.open }, ...notes, ...end]];
}

/** Only what is looked up by an identifier is reported. */
function reported(progress: Progress, { kind }: Premises, reason?: string): readonly Note<never>[] {
  if (kind.asks !== 'when lost') return none;
  return [reason === undefined ? { do: 'report', progress } : { do: 'report', progress, reason }];
}

function reportedIfOpen(known: Known, progress: Progress, reason: string | undefined, premises: Premises) {
  return known.open === undefined ? none : reported(progress, premises, reason);
}
