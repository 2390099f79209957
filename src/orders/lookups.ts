// Looks up one order, again and again, until it is found, its absence is proven, or the time is over.
import {
  catchError,
  concat,
  concatMap,
  defaultIfEmpty,
  defer,
  EMPTY,
  ignoreElements,
  map,
  merge,
  NEVER,
  of,
  take,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import type { AbsenceProof, SentOrder } from './absence-proof.js';
import type { ExchangeClock } from '../auth/index.js';
import { isExpiredNonce, requestedDelayMs, type Answer } from '../call/index.js';
import { AuthError, isExchangeError, RequestError, type AuthErrorReason, type ExchangeError } from '../errors/index.js';

/** How one order is looked up. */
export interface OrderLookups<Output> {
  /** Looks the order up once, placed when it was sent or later: emits it, or completes when no list shows it. */
  find(sent: SentOrder): Observable<Output>;
  /** Reads the exchange's clock. */
  readClock(): Observable<unknown>;
  /** Why not finding the order proves nothing; `undefined` when it proves that the order does not exist. */
  whyNoProof(): string | undefined;
}

/**
 * How the lookups of an order ended. `absent`: no lookup found the order, at the times at which a lookup that finds
 * nothing counts.
 */
export type Decision<Output> =
  | { readonly as: 'found'; readonly order: Output }
  | { readonly as: 'absent' }
  | { readonly as: 'unknown'; readonly reason: string; readonly failure?: ExchangeError };

/** The decision, as a call takes it. */
export function answerOf<Output>(decision: Decision<Output>, lookup: OrderLookups<Output>): Answer<Output> {
  switch (decision.as) {
    case 'found':
      return { is: 'found', output: decision.order };
    case 'absent':
      return { is: 'absent', why: lookup.whyNoProof() };
    case 'unknown':
      return { is: 'undecided', reason: decision.reason, failure: decision.failure };
  }
}

export interface LookupPlan<Output> {
  readonly lookup: OrderLookups<Output>;
  readonly clock: ExchangeClock;
  /** The order may have been placed since this request. */
  readonly sent: SentOrder;
  /** Lookups of an earlier subscription may count, too. */
  readonly proof: AbsenceProof;
  readonly lookupTimeoutMs: number;
  /** Emits when the live connection has pushed the order: it is looked up at once. */
  readonly pushed$: Observable<unknown>;
  /**
   * When the `Retry-After` of the lost response is over, by `performance.now()`. Only lookups that the proof needs come
   * earlier.
   */
  readonly notBefore: number;
}

const firstPauseMs = 250;
const maxPauseMs = 2000;

/** Emits the decision, once. An error of another package passes through. */
export function lookUpUntilDecided<Output>(plan: LookupPlan<Output>): Observable<Decision<Output>> {
  const { lookup, clock, sent, proof, lookupTimeoutMs, pushed$, notBefore } = plan;
  const startedAt = performance.now();

  const lookUp = (pauseMs: number): Observable<Decision<Output>> =>
    defer(() => {
      const start = { startedAtLocal: clock.local(), startedAt: performance.now() };
      return lookup.find(sent).pipe(
        map((order) => ({ as: 'found', order }) as const),
        defaultIfEmpty({ as: 'nowhere' } as const),
        catchError((error: unknown) =>
          isExchangeError(error) ? of({ as: 'failed', error } as const) : throwError(() => error),
        ),
        concatMap((result) => {
          if (result.as === 'found') return of(result);
          if (result.as === 'failed' && isLastingFailure(result.error)) return of(impossible(result.error));
          if (result.as === 'nowhere' && proof.add({ ...start, endedAt: performance.now() }))
            return of({ as: 'absent' } as const);
          const failure = result.as === 'failed' ? result.error : undefined;
          const waitMs = waitAfter(failure, pauseMs);
          if (performance.now() - startedAt + waitMs > lookupTimeoutMs) return of(tooLate(failure));
          return pause(waitMs, failure, waitMs > pauseMs ? NEVER : pushed$).pipe(
            concatMap(() => lookUp(Math.min(2 * pauseMs, maxPauseMs))),
          );
        }),
      );
    });

  function waitAfter(failure: ExchangeError | undefined, pauseMs: number): number {
    const requestedMs = notBefore - performance.now();
    const waitMs = Math.min(Math.max(pauseMs, requestedMs), proof.nextMs ?? pauseMs);
    return failure === undefined ? waitMs : Math.max(waitMs, requestedDelayMs(failure));
  }

  function tooLate(failure: ExchangeError | undefined): Decision<Output> {
    const why = failure === undefined ? '' : `: ${failure.message}`;
    return { as: 'unknown', reason: `no lookup determined the outcome within ${lookupTimeoutMs} ms${why}` };
  }

  function pause(ms: number, failure: ExchangeError | undefined, wake$: Observable<unknown>): Observable<unknown> {
    const waited$ = merge(timer(ms), wake$).pipe(take(1));
    return waited$.pipe(concatMap(() => concat(clockForProof(failure), of(undefined))));
  }

  /** A proof needs the exchange's clock: reads it if it was not read since the request, or if a nonce showed it to be wrong. */
  function clockForProof(failure?: ExchangeError): Observable<never> {
    return proof.isClockRead && !isExpiredNonce(failure) ? EMPTY : clockReading(lookup);
  }

  if (notBefore <= startedAt) return lookUp(firstPauseMs);
  // An order that cannot be proven absent in time is looked up once.
  const wait$ = defer(() => timer(Math.min(waitAfter(undefined, 0), lookupTimeoutMs)));
  return concat(clockForProof(), wait$.pipe(concatMap(() => lookUp(firstPauseMs))));
}

/** Reads the exchange's clock; emits nothing, and never fails. */
export function clockReading(lookup: Pick<OrderLookups<unknown>, 'readClock'>): Observable<never> {
  return defer(() => lookup.readClock()).pipe(
    ignoreElements(),
    catchError(() => EMPTY),
  );
}

function impossible(failure: ExchangeError): Decision<never> {
  return { as: 'unknown', reason: failure.message, failure };
}

/** Without a valid key, every lookup fails. A nonce becomes free again. */
function isLastingFailure(failure: ExchangeError): boolean {
  if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');
  return failure instanceof AuthError && lastingReasons.includes(failure.reason);
}

const lastingReasons: readonly AuthErrorReason[] = ['signature', 'key-disabled', 'key-not-authorized'];
