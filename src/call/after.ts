// The life of a call, as a function: what it does after each event. Pure: clock, registry, random numbers and
// subscribers are outside, and come with the events. It holds reads, settings, cancels, modifications, orders, and what
// must never be sent twice. The functions stand in the order of the story: begin, send, fail, look up, wait, end.
import { clockToleranceMs, defaultLookupTimeoutMs, nothingKnown, type Active, type Effect } from './change.js';
import type { Event, Kind, Known, Moment, Next, Premises, Question, Sent, State } from './change.js';
import {
  ApiError,
  LookupError,
  NotPlacedError,
  TimeoutError,
  TransportError,
  type AnyExchangeError,
  type ExchangeError,
  type Outcome,
} from '../errors/index.js';
import { isExpiredNonce, isIdentifierInUse, isRefusedNonce, isTransient } from './retries.js';
import { nextRetry, requestedDelayMs, type Retries } from './retries.js';

export function after<Output>(state: State<Output>, event: Event<Output>, premises: Premises): Next<Output> {
  if (state.at === 'done')
    return event.is === 'subscribed' ? [state, [{ do: 'emit', output: state.output }]] : [state, none];
  if (state.at === 'failed')
    return event.is === 'subscribed' ? [state, [{ do: 'fail', error: state.error }]] : [state, none];
  if (state.at === 'idle') {
    if (event.is === 'subscribed') return started(state.known, event.now, premises);
    return event.is === 'pushed'
      ? [{ at: 'idle', known: pushed(state.known, event.placedAt) ?? state.known }, none]
      : [state, none];
  }
  switch (event.is) {
    case 'subscribed':
      return [state, none];
    case 'sent':
      return [{ ...state, known: sent(state.known, event.sent) }, none];
    case 'withdrawn':
      return withdrawn(state, event.error, premises);
    case 'answered':
      return answered(event.output, false, premises);
    case 'failed':
      return failed(state, event, premises);
    case 'judged':
      return state.at === 'judging' ? judged(state, event, premises) : [state, none];
    case 'found':
      return answered(event.output, true, premises);
    case 'absent':
      return absent(state, event, premises);
    case 'undecided':
      return state.at === 'asking' && state.refusal !== undefined
        ? ended(state.known, state.refusal, premises)
        : undecided(state.known, event.reason, event.failure, premises);
    case 'pushed':
      return afterPush(state, event.placedAt, premises);
    case 'due':
      return proceed(state.known, state.retries, premises);
    case 'denied':
      return state.at === 'waiting' ? refused(state.known, state.retries, state.error, premises) : [state, none];
    case 'timed out':
    case 'aborted':
      return stopped(state.known, event, premises);
    case 'unsubscribed':
      return ended(state.known, undefined, premises);
  }
}

const none: readonly never[] = [];

function started<Output>(before: Known, now: number, premises: Premises): Next<Output> {
  const known = before.isInDoubt && premises.kind.asks === 'never' ? { ...before, isInDoubt: false } : before;
  return proceed(known, { since: now, ordinary: 0, nonces: 0 }, premises);
}

function proceed<Output>(before: Known, retries: Retries, premises: Premises): Next<Output> {
  // A push that follows a proof of absence refutes the proof: one of its premises does not hold.
  const known = before.refuted === 'pushed' ? { ...before, open: before.open ?? before.first } : before;
  if (known.open === undefined) return [{ at: 'sending', known, retries }, [{ do: 'send' }]];
  const { lookupTimeoutMs = 0 } = premises;
  const timeoutMs = lookupTimeoutMs === 0 ? defaultLookupTimeoutMs : lookupTimeoutMs;
  if (premises.kind.asks === 'when lost') return ask(known, retries, premises, timeoutMs);
  // Its outcome is unknown, so it is never sent again.
  const { endpoint } = premises;
  const error = known.cause ?? new TransportError(leftInFlight, { endpoint, outcome: 'unknown' });
  return ended(known, error, premises);
}

const leftInFlight = 'the caller unsubscribed while the request was in flight, so it may have been executed';

function withdrawn<Output>(state: Active<Output>, error: AnyExchangeError, premises: Premises): Next<Output> {
  const lost = contradicted(state.known, error, premises);
  if (lost !== undefined) return ask(lost, state.retries, premises);
  return [{ ...state, known: notExecuted(state.known, error) }, none];
}

function answered<Output>(output: Output, isFound: boolean, { kind }: Premises): Next<Output> {
  const placed: readonly Effect<Output>[] = kind.asks === 'never' ? none : [{ do: 'place', output, isFound }];
  const state: State<Output> = kind.isOne ? { at: 'done', output } : { at: 'idle', known: nothingKnown };
  return [state, [...placed, { do: 'emit', output }]];
}

function failed<Output>(
  state: Active<Output>,
  { error, now, jitter }: Extract<Event<Output>, { readonly is: 'failed' }>,
  premises: Premises,
): Next<Output> {
  const { retries } = state;
  const known = { ...state.known, notBefore: now + requestedDelayMs(error) };
  if (state.at !== 'sending') return ended(known, error, premises);
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
  const decided = wasTooOld ? error.with({ outcome: 'rejected' }) : error;
  return afterFailure(known, retries, decided, { now, jitter, isClockRead: true }, premises);
}

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
    if (lost !== undefined) return ask(lost, retries, premises);
    return again(notExecuted(known, error), retries, error, moment, premises);
  }
  if (!mayBeExecuted) return again({ ...known, open: undefined }, retries, error, moment, premises);
  const open = repeats === 'never' ? known.open : undefined;
  return again({ ...known, open, isInDoubt: true, cause: error }, retries, error, moment, premises);
}

/**
 * What is known when a request was refused, and may have been executed all the same: its key was used before, the
 * identifier of an order is in use, or the order was pushed.
 */
function contradicted(known: Known, error: AnyExchangeError, premises: Premises): Known | undefined {
  if (known.open === undefined) return undefined;
  const { endpoint, comparing } = premises;
  if (comparing !== undefined)
    return mayBeOfEarlier(error, premises) ? { ...known, cause: error.with({ outcome: 'unknown' }) } : undefined;
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

function ask<Output>(
  known: Known,
  retries: Retries,
  premises: Premises,
  timeoutMs = premises.lookupTimeoutMs ?? 0,
): Next<Output> {
  const { open, first, notBefore } = known;
  if (timeoutMs === 0) return undecided(known, 'lookupTimeoutMs is 0, so nothing is looked up', undefined, premises);
  const doubt: readonly Effect<Output>[] = open === undefined ? none : [{ do: 'doubt', sent: open }];
  return [{ at: 'asking', known, retries }, [...doubt, { do: 'ask', open, first, notBefore, timeoutMs }]];
}

function absent<Output>(
  { known, retries, ...state }: Active<Output>,
  { now, jitter }: Extract<Event<Output>, { readonly is: 'absent' }>,
  premises: Premises,
): Next<Output> {
  const { endpoint, comparing } = premises;
  if (comparing !== undefined) {
    const error = notDone(known, comparing, premises);
    return [{ at: 'failed', error }, [{ do: 'absent' }, { do: 'leave', open: undefined }, { do: 'fail', error }]];
  }
  if (state.at === 'asking' && state.refusal !== undefined)
    return ended({ ...known, isInDoubt: false }, state.refusal.with({ outcome: 'rejected' }), premises);
  const reason = whyRefuted(known);
  if (reason !== undefined) return undecided(known, reason, undefined, premises);
  const cause = known.cause ?? new LookupError(nowhere, { endpoint, outcome: 'not-executed' });
  const error = new NotPlacedError(endpoint, cause);
  const [next, effects] = again<Output>({ ...known, open: undefined }, retries, error, { now, jitter }, premises);
  return [next, [{ do: 'absent' }, ...effects]];
}

/** The error of a request that moved nothing: what refused it, or what was compared. */
function notDone({ cause }: Known, comparing: string, { endpoint }: Premises): AnyExchangeError {
  if (cause instanceof ApiError) return cause.with({ outcome: 'rejected' });
  const message = `it was not executed: no record has the same ${comparing}, and no request in flight can create one`;
  return new LookupError(message, { endpoint, outcome: 'not-executed', cause });
}

const nowhere = 'no order has this client_order_id, and no request in flight can create one';

/** The error of the lost response is the more useful one; without it, the reason becomes the error. */
function undecided<Output>(
  known: Known,
  reason: string,
  cause: ExchangeError | undefined,
  premises: Premises,
): Next<Output> {
  const { endpoint, comparing } = premises;
  const lost = (message: string) => new LookupError(message, { endpoint, outcome: 'unknown', cause });
  if (comparing !== undefined) {
    const message = `it may have been executed: ${reason}; compare ${comparing}`;
    const error = new LookupError(message, { endpoint, outcome: 'unknown', cause: known.cause ?? cause });
    return ended(known, error, premises, reason);
  }
  const error =
    cause === undefined
      ? (known.cause ?? lost(`no order was found, which does not prove that none exists: ${reason}`))
      : lost(`the order could not be looked up: ${cause.message}`);
  return ended(known, error, premises, reason);
}

/**
 * The live connection has pushed the order: it was placed, and its absence is not believed any more. A push that is wrong
 * costs a few requests, and decides nothing.
 */
function afterPush<Output>(state: Active<Output>, placedAt: number, premises: Premises): Next<Output> {
  const known = pushed(state.known, placedAt);
  if (known === undefined) return [state, none];
  // The order waits to be sent again: for its retry, or for a permit.
  return known.open === undefined
    ? proceed({ ...known, refuted: 'pushed' }, state.retries, premises)
    : [{ ...state, known }, none];
}

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
  // A modification or close that may have been executed must not wait for the budget, which an outage of polls empties.
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

/** A request that may have been executed is looked up: after the last lost response, or as cause of the refusal. */
function refused<Output>(known: Known, retries: Retries, error: AnyExchangeError, premises: Premises): Next<Output> {
  const { kind } = premises;
  const asks = mayBeOfEarlier(error, premises) || error.outcome === 'unknown';
  if (kind.asks !== 'when refused' || !known.isInDoubt || !asks) return ended(known, error, premises);
  const { first, notBefore } = known;
  const question: Question = { do: 'ask', open: undefined, first, notBefore, timeoutMs: 0 };
  return [{ at: 'asking', known, retries, refusal: error }, [question]];
}

/** Whether an earlier execution may have caused a refusal. */
function mayBeOfEarlier(error: AnyExchangeError, { refusals = [] }: Premises): boolean {
  return error instanceof ApiError && refusals.includes(error.reason);
}

function stopped<Output>(
  known: Known,
  event: Extract<Event<Output>, { readonly is: 'timed out' | 'aborted' }>,
  premises: Premises,
): Next<Output> {
  const { endpoint, kind } = premises;
  const outcome = outcomeOfEnd(known, kind);
  if (event.is === 'aborted') return ended(known, abortedError(endpoint, outcome, event.reason), premises);
  const error = new TimeoutError(endpoint, event.afterMs, 'call', outcome);
  return ended(known, error, premises, `the call did not end within callTimeoutMs, ${event.afterMs} ms`);
}

export function outcomeOfEnd({ open, isInDoubt, refuted, sends }: Known, { changes }: Kind): Outcome {
  if (!changes) return sends > 0 ? 'none' : 'not-executed';
  return open !== undefined || isInDoubt || refuted === 'pushed' ? 'unknown' : 'not-executed';
}

export function abortedError(endpoint: string, outcome: Outcome, cause: unknown): TransportError {
  return new TransportError('aborted by its signal', { endpoint, outcome, cause });
}

/**
 * No subscriber is left. An earlier request may have been executed even if the last one was not.
 *
 * @param reason why the result is unknown. Default: the error
 */
function ended<Output>(
  known: Known,
  error: AnyExchangeError | undefined,
  { kind }: Premises,
  reason = error?.message,
): Next<Output> {
  const failure = known.isInDoubt ? error?.with({ outcome: 'unknown' }) : error;
  const left: Known =
    kind.repeats === 'always'
      ? { ...known, open: undefined, isInDoubt: known.isInDoubt || (kind.changes && known.open !== undefined) }
      : kind.asks === 'never' && known.open !== undefined
        ? { ...known, cause: failure ?? known.cause }
        : known;
  const end: readonly Effect<Output>[] = failure === undefined ? none : [{ do: 'fail', error: failure }];
  const why = reason === undefined ? {} : { reason };
  return [{ at: 'idle', known: left }, [{ do: 'leave', open: left.open, ...why }, ...end]];
}

function sent(known: Known, open: Sent): Known {
  const { first = open, sends } = known;
  return { ...known, open, first, sends: sends + 1, cause: undefined };
}

/** The last request was not executed. One that did not leave cannot be the first that may have been executed. */
function notExecuted(known: Known, { outcome }: AnyExchangeError): Known {
  if (known.open === undefined) return known;
  const sends = outcome === 'not-executed' ? known.sends - 1 : known.sends;
  return { ...known, open: undefined, sends, first: sends === 0 ? undefined : known.first };
}

/** `undefined` when the pushed order is another one, because it is older than the first request. */
function pushed(known: Known, placedAt: number): Known | undefined {
  const { first, refuted = 'pushed' } = known;
  return first !== undefined && placedAt >= first.sentAtExchange - clockToleranceMs ? { ...known, refuted } : undefined;
}

function whyRefuted({ refuted }: Known): string | undefined {
  if (refuted === 'in use') return 'the exchange reports that client_order_id is in use';
  return refuted === 'pushed' ? 'the live connection has pushed the order' : undefined;
}
