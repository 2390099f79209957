// An order observable is one order: nothing is sent again before it is proven that what was sent was not executed, and never will be.
// The proof: the exchange executes a request only while its nonce is in the window around the exchange's clock. When the nonce has left
// it, and the order is neither open nor in the history, and not when the history has had its time either, there is no such order, and none can
// come of what is still on its way.
import { catchError, concatMap, defer, defaultIfEmpty, map, of, ReplaySubject, share, tap, throwError, timeout, timer, type Observable } from 'rxjs';
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

/** A request that was sent, and whose answer is not known. */
export interface SentOrder {
  /** When, by the local clock. */
  readonly sentAt: number;
  /** When, by the exchange's clock as it was known at the time. */
  readonly sentAtExchange: number;
  /** Until when it can be executed, by the exchange's clock. */
  readonly executableUntil: number;
  /** The same by the local clock, as it was known at the time: an answer that shows an absurd time since proves nothing earlier than this. */
  readonly executableUntilLocal: number;
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
    const since = performance.now();
    /** When a look that found nothing first ended, after the order could no longer be executed. */
    let nowhereAt = Number.POSITIVE_INFINITY;
    road.report('looking');
    const look = (pauseMs: number): Observable<Output> =>
      defer(() => {
        if (uncertain === undefined) return throwError(() => error);
        const sent = uncertain;
        const begun = { local: clock.local(), at: performance.now() };
        return road.find(sent).pipe(
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
            if (result === 'nowhere' && isOver(sent, begun.local)) {
              // It may have ended before: open no more, and not in the history yet. When the history has had its time, another look is the proof.
              if (timing.historyLagMs === 0 || begun.at >= nowhereAt + timing.historyLagMs) return absent(error);
              nowhereAt = Math.min(nowhereAt, performance.now());
            }
            if (performance.now() - since + pauseMs > timing.decideWithinMs) return unknown(error);
            // The moments at which a look is worth more are not slept through.
            const moments = [sent.executableUntil + 1 - (clock.atLeast() ?? Number.NaN), nowhereAt + timing.historyLagMs - performance.now()];
            const nextMs = Math.min(pauseMs, ...moments.filter((ms) => ms > 0));
            return pause(nextMs).pipe(concatMap(() => look(Math.min(2 * pauseMs, longestPauseMs))));
          }),
        );
      });
    return look(firstPauseMs);
  }

  /** Whether an order that was not there at this time, by the local clock, never will be. The clock is read by the answers of the look, too. */
  function isOver({ executableUntil, executableUntilLocal }: SentOrder, at: number): boolean {
    const isPast = (clock.atLeast(at) ?? Number.NEGATIVE_INFINITY) > executableUntil;
    return isPast && at > executableUntilLocal && road.canProveAbsence();
  }

  function absent(error: ExchangeError): Observable<Output> {
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
