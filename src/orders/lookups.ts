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
import { AuthError, isExchangeError, RequestError, type AuthErrorReason, type ExchangeError } from '../errors/index.js';
import { isExpiredNonce, requestedDelayMs } from '../operators/retry-loop.js';

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
  /** The wait that the exchange requested with the lost response. Only lookups that the proof needs come earlier. */
  readonly requestedWaitMs: number;
}

/** By how much the exchange's clock may be misjudged. */
export const clockToleranceMs = 2000;
const firstPauseMs = 250;
const maxPauseMs = 2000;

/** Emits the decision, once. An error of another package passes through. */
export function lookUpUntilDecided<Output>(plan: LookupPlan<Output>): Observable<Decision<Output>> {
  const { lookup, clock, sent, proof, lookupTimeoutMs, pushed$, requestedWaitMs } = plan;
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
    const requestedMs = startedAt + requestedWaitMs - performance.now();
    const waitMs = Math.min(Math.max(pauseMs, requestedMs), proof.nextMs ?? pauseMs);
    return failure === undefined ? waitMs : Math.max(waitMs, requestedDelayMs(failure));
  }

  function tooLate(failure: ExchangeError | undefined): Decision<Output> {
    const why = failure === undefined ? '' : `: ${failure.message}`;
    return { as: 'unknown', reason: `no lookup determined the outcome within ${lookupTimeoutMs} ms${why}` };
  }

  /** A proof needs the exchange's clock: reads it if no response has had it yet, or if a nonce showed it to be wrong. */
  function pause(ms: number, failure: ExchangeError | undefined, wake$: Observable<unknown>): Observable<unknown> {
    const waited$ = merge(timer(ms), wake$).pipe(take(1));
    if (clock.atLeast() !== undefined && !isExpiredNonce(failure)) return waited$;
    return waited$.pipe(concatMap(() => concat(clockReading(lookup), of(undefined))));
  }

  return lookUp(firstPauseMs);
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
