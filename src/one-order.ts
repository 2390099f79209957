// An order observable is one order: nothing is sent again before it is proven that what was sent was not executed, and never will be.
import { catchError, concatMap, defer, defaultIfEmpty, map, of, ReplaySubject, share, tap, throwError, timeout, timer, type Observable } from 'rxjs';
import { AbsenceProof, type SentOrder } from './absence-proof.js';
import { nonceWindowMs, type ExchangeClock, type Nonce } from './auth/index.js';
import { isExchangeError, NotPlacedError, TimeoutError, TransportError, type ExchangeError } from './errors.js';

/** What an order whose answer was lost came to, so far: each is explained at {@link OrderEvent}. */
export type OrderProgress = 'looking' | 'found' | 'absent' | 'unknown' | 'not-identified';

/** What one order is made with. */
export interface OrderRoad<Output> {
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly clock: ExchangeClock;
  /** Sends the request; tells when it leaves, and with which nonce. */
  send(onSent: (nonce: Nonce | undefined) => void): Observable<Output>;
  /** Looks for the order, placed when it was sent or later: emits it, or completes when it is nowhere. */
  find(sent: SentOrder): Observable<Output>;
  /** Asks for the exchange's clock. */
  readClock(): Observable<unknown>;
  /** Whether the answer bears the identifier that was sent. */
  isIdentified(output: Output): boolean;
  /** Whether not finding an order is a proof. */
  canProveAbsence(): boolean;
  /** Whether the exchange refuses it since an order of its identifier is there. */
  isTaken(error: ExchangeError): boolean;
  /** Whether looking for an order would fail in this way however often it is repeated. */
  isFutile(failure: ExchangeError): boolean;
  /** How long to wait before a new attempt after this error, milliseconds; `undefined` when there is to be none. */
  retryAfterMs(error: ExchangeError): number | undefined;
  report(progress: OrderProgress): void;
  readonly timing: OrderTiming;
}

export interface OrderTiming {
  /** How long after it ended an order may be missing from the history, milliseconds. */
  readonly historyLagMs: number;
  /** How long to look for an order, milliseconds. */
  readonly decideWithinMs: number;
  /** The longest that a subscription may take, milliseconds. */
  readonly callTimeoutMs: number;
}

const firstPauseMs = 200;
const longestPauseMs = 1000;

/**
 * Makes one order. Subscribers share what is done for it, and those who come later get what it came to. A subscription after a failure goes
 * on where it was left: an order of unknown outcome is looked for, one that is known not to have been placed is sent.
 *
 * @param earlier what was sent before, by a program that has ended
 */
export function oneOrder<Output>(road: OrderRoad<Output>, earlier?: SentOrder): Observable<Output> {
  const { clock, endpoint, timing } = road;
  let uncertain = earlier;
  /** What was first proven absent, and sent again: whatever is there has been placed since. */
  let sentBefore: SentOrder | undefined;
  let isProofRefuted = false;
  /** Goes on from subscription to subscription, until something is sent. */
  let proof: AbsenceProof | undefined;
  let cause: ExchangeError | undefined;
  let placed: Output | undefined;

  const settle = (order: Output) => {
    uncertain = undefined;
    placed = order;
    if (!road.isIdentified(order)) road.report('not-identified');
  };

  const attempt = (): Observable<Output> =>
    road
      .send((nonce) => {
        const executableUntil = nonce?.nonceWindow === true ? nonce.nonce + nonceWindowMs : Number.POSITIVE_INFINITY;
        const sentAt = clock.local();
        const sentAtExchange = clock.toExchange(sentAt);
        uncertain = { sentAt, sentAtExchange, executableUntil, executableUntilLocal: sentAt + executableUntil - sentAtExchange };
        cause = undefined;
        proof = undefined;
      })
      .pipe(
        tap(settle),
        catchError((error: unknown) => (isExchangeError(error) ? afterFailure(error) : throwError(() => error))),
      );

  function afterFailure(error: ExchangeError): Observable<Output> {
    if (error.outcome === 'unknown') {
      cause = error;
      return decide(error);
    }
    if (sentBefore !== undefined && road.isTaken(error)) {
      isProofRefuted = true;
      uncertain = sentBefore;
      cause = new TransportError('an order of its identifier is there, though it was nowhere', { endpoint, outcome: 'unknown', cause: error });
      return decide(cause);
    }
    uncertain = undefined;
    return again(error);
  }

  function again(error: ExchangeError): Observable<Output> {
    const delayMs = road.retryAfterMs(error);
    return delayMs === undefined ? throwError(() => error) : timer(delayMs).pipe(concatMap(attempt));
  }

  /** Looks for the order until it is found, proven absent, or given up. */
  function decide(error: ExchangeError): Observable<Output> {
    if (timing.decideWithinMs === 0) return unknown(error);
    const sent = uncertain;
    if (sent === undefined) return throwError(() => error);
    const since = performance.now();
    const ownProof = (proof ??= new AbsenceProof(sent, clock, timing.historyLagMs));
    road.report('looking');
    const look = (pauseMs: number): Observable<Output> =>
      defer(() => {
        const begun = { begunAtLocal: clock.local(), begunAt: performance.now() };
        return road.find(sentBefore ?? sent).pipe(
          map((order) => ({ order })),
          defaultIfEmpty('nowhere' as const),
          catchError((failure: unknown) => {
            if (!isExchangeError(failure)) return throwError(() => failure);
            return road.isFutile(failure) ? unknown(notLookedFor(failure)) : of('failed' as const);
          }),
          concatMap((result) => {
            if (typeof result === 'object') {
              settle(result.order);
              road.report('found');
              return of(result.order);
            }
            const isProven = result === 'nowhere' && ownProof.add({ ...begun, endedAt: performance.now() });
            if (isProven && !isProofRefuted && road.canProveAbsence()) return absent(error);
            if (performance.now() - since + pauseMs > timing.decideWithinMs) return unknown(error);
            const nextMs = Math.min(pauseMs, ownProof.nextMs ?? pauseMs);
            return pause(nextMs).pipe(concatMap(() => look(Math.min(2 * pauseMs, longestPauseMs))));
          }),
        );
      });
    return look(firstPauseMs);
  }

  function absent(error: ExchangeError): Observable<Output> {
    sentBefore ??= uncertain;
    uncertain = undefined;
    road.report('absent');
    return again(new NotPlacedError(endpoint, error));
  }

  function unknown(error: ExchangeError): Observable<never> {
    road.report('unknown');
    return throwError(() => error);
  }

  /** Waits, and asks for the exchange's clock where no answer has told it: without, there is no proof. */
  function pause(ms: number): Observable<unknown> {
    const waited$ = timer(ms);
    if (clock.atLeast() !== undefined) return waited$;
    return waited$.pipe(concatMap(() => road.readClock().pipe(catchError(() => of(undefined)), defaultIfEmpty(undefined))));
  }

  function notLookedFor(failure: ExchangeError): ExchangeError {
    return new TransportError(`the order could not be looked for: ${failure.message}`, { endpoint, outcome: 'unknown', cause: failure });
  }

  function interrupted(): ExchangeError {
    return new TransportError('nobody waited for its answer, and it could not be found out', { endpoint, outcome: 'unknown' });
  }

  return defer(() => {
    if (placed !== undefined) return of(placed);
    return uncertain === undefined ? attempt() : decide(cause ?? interrupted());
  }).pipe(
    timeout({
      first: timing.callTimeoutMs,
      with: () => throwError(() => new TimeoutError(endpoint, timing.callTimeoutMs, 'call', uncertain === undefined ? 'not-sent' : 'unknown')),
    }),
    share({ connector: () => new ReplaySubject(1) }),
  );
}
