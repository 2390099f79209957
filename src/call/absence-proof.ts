// Looks up a request whose response was lost, until it is found, its absence is proven, or the time is over.
//
// Not finding an order, or the record of a transfer, proves that it does not exist, and that no request in flight can
// still create it, when two lookups found nothing. The exchange accepts a request only while its nonce is in the window
// around the exchange's clock, and executes it within a bounded time: an order that does not exist by then never will.
// But a resting order may have ended just before its lookup: no longer open, and not in the history yet. So the proof
// takes two lookups.
import { catchError, concat, concatMap, defer, EMPTY, map, of, take, throwError, timer, type Observable } from 'rxjs';
import type { ExchangeClock } from '../auth/index.js';
import { AuthError, isExchangeError, RequestError, type AuthErrorReason, type ExchangeError } from '../errors/index.js';
import type { Answer, Question, Sent } from './change.js';
import { isExpiredNonce, requestedDelayMs } from './retries.js';

/**
 * The assumptions about the exchange behind a proof that an order does not exist, as far as they are options.
 * docs/orders.md has the others, and what happens if one does not hold.
 */
export interface AbsencePremises {
  /**
   * How long the exchange may take to execute an order after it accepted the request, or to list a transfer or a
   * withdrawal, milliseconds, 0 or more; `Infinity`: absence is never proven. Default 10000.
   */
  readonly settleMs?: number;
  /**
   * How long an order may be missing from the history after it ended, milliseconds, 0 or more. The open orders
   * are taken to show an order at once. For `live.my.executions`, an execution after it was made. Default 2000.
   */
  readonly historyLagMs?: number;
}

interface LookupPlan<Output> {
  readonly find: () => Observable<Output>;
  readonly clock$: Observable<never>;
  /** Lookups of an earlier subscription may count, too. */
  readonly proof: AbsenceProof;
  readonly whyNoProof: () => string | undefined;
}

const firstPauseMs = 250;
const maxPauseMs = 2000;

/**
 * Emits the result, once: `absent` when no lookup found the order, at the times at which a lookup that finds nothing
 * counts. Before a `Retry-After` is over, only lookups that the proof needs are made. An error of another package passes
 * through.
 */
export function lookUpUntilDecided<Output>(
  { find, clock$, proof, whyNoProof }: LookupPlan<Output>,
  { notBefore, timeoutMs }: Pick<Question, 'notBefore' | 'timeoutMs'>,
): Observable<Answer<Output>> {
  const startedAt = performance.now();

  const round = (pauseMs: number): Observable<Answer<Output>> =>
    defer(() => {
      const isProof = proof.begin();
      const next = (failure?: ExchangeError): Observable<Answer<Output>> => {
        const waitMs = waitAfter(failure, pauseMs);
        if (performance.now() - startedAt + waitMs > timeoutMs) {
          const why = failure === undefined ? '' : `: ${failure.message}`;
          return of({ is: 'undecided', reason: `no lookup determined the outcome within ${timeoutMs} ms${why}` });
        }
        return timer(waitMs).pipe(
          concatMap(() => concat(clockForProof(failure), round(Math.min(2 * pauseMs, maxPauseMs)))),
        );
      };
      const found$ = find().pipe(
        map((output): Answer<Output> => ({ is: 'found', output })),
        catchError((error: unknown) => {
          if (!isExchangeError(error)) return throwError(() => error);
          const { message: reason } = error;
          return isLasting(error) ? of({ is: 'undecided', reason, failure: error } as const) : next(error);
        }),
      );
      const nowhere$ = defer(() => {
        if (!isProof()) return next();
        const reason = whyNoProof();
        return of<Answer<Output>>(reason === undefined ? { is: 'absent' } : { is: 'undecided', reason });
      });
      return concat(found$, nowhere$).pipe(take(1));
    });

  function waitAfter(failure: ExchangeError | undefined, pauseMs: number): number {
    const requestedMs = notBefore - performance.now();
    const waitMs = Math.min(Math.max(pauseMs, requestedMs), proof.nextMs ?? pauseMs);
    return failure === undefined ? waitMs : Math.max(waitMs, requestedDelayMs(failure));
  }

  /** A proof needs the exchange's clock: reads it if it was not read since the request, or if a nonce showed it to be wrong. */
  function clockForProof(failure?: ExchangeError): Observable<never> {
    return proof.isClockRead && !isExpiredNonce(failure) ? EMPTY : clock$;
  }

  if (notBefore <= startedAt) return round(firstPauseMs);
  // An order that cannot be proven absent in time is looked up once.
  const wait$ = defer(() => timer(Math.min(waitAfter(undefined, 0), timeoutMs)));
  return concat(clockForProof(), wait$.pipe(concatMap(() => round(firstPauseMs))));
}

/** Without a valid key, every lookup fails. A nonce becomes free again. */
function isLasting(failure: ExchangeError): boolean {
  if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');
  return failure instanceof AuthError && lastingReasons.includes(failure.reason);
}

const lastingReasons: readonly AuthErrorReason[] = ['signature', 'key-disabled', 'key-not-authorized'];

export class AbsenceProof {
  readonly #sent: Sent;
  readonly #clock: ExchangeClock;
  readonly #premises: Required<AbsencePremises>;
  /** The first lookup after the order could no longer be executed: by the local clock, and by `performance.now()`. */
  #first: { readonly startedAtLocal: number; readonly endedAt: number } | undefined;

  constructor(sent: Sent, clock: ExchangeClock, premises: Required<AbsencePremises>) {
    this.#sent = sent;
    this.#clock = clock;
    this.#premises = premises;
  }

  /** A lookup begins. Call the function when it found nothing: it returns whether the proof is complete. */
  begin(): () => boolean {
    const startedAtLocal = this.#clock.local();
    const startedAt = performance.now();
    return () => {
      // Its responses may have shown that the clock, by which an earlier one counted, was wrong.
      if (this.#first !== undefined && !this.#counts(this.#first.startedAtLocal)) this.#first = undefined;
      if (!this.#counts(startedAtLocal)) return false;
      this.#first ??= { startedAtLocal, endedAt: performance.now() };
      const { historyLagMs } = this.#premises;
      return historyLagMs === 0 || startedAt >= this.#first.endedAt + historyLagMs;
    };
  }

  /**
   * How long until a lookup is worth more than one now, milliseconds; by the local clock alone while the exchange's is
   * not known. `undefined`: the lookup after this one may complete the proof at any time.
   */
  get nextMs(): number | undefined {
    const { acceptableUntil, acceptableUntilLocal } = this.#sent;
    const now = this.#clock.local();
    const atLeast = this.#atLeast(now);
    const untilOverLocal = acceptableUntilLocal - now;
    const untilUnacceptable =
      atLeast === undefined ? untilOverLocal : Math.max(untilOverLocal, acceptableUntil - atLeast);
    const untilOver = untilUnacceptable + this.#premises.settleMs + 1;
    if (untilOver > 0) return untilOver;
    const untilShown = (this.#first?.endedAt ?? Number.NaN) + this.#premises.historyLagMs - performance.now();
    return untilShown > 0 ? untilShown : undefined;
  }

  /** Whether the exchange's clock was read since the request was sent. */
  get isClockRead(): boolean {
    return this.#atLeast(this.#clock.local()) !== undefined;
  }

  #atLeast(local: number): number | undefined {
    return this.#clock.atLeast(local, this.#sent.sentAt);
  }

  /** Whether an order that was not there when the lookup began never will be. */
  #counts(startedAtLocal: number): boolean {
    const { settleMs } = this.#premises;
    const { acceptableUntil, acceptableUntilLocal } = this.#sent;
    const atLeast = this.#atLeast(startedAtLocal) ?? Number.NEGATIVE_INFINITY;
    return startedAtLocal > acceptableUntilLocal + settleMs && atLeast > acceptableUntil + settleMs;
  }
}
