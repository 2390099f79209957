// An order observable is one order: nothing is sent again before it is proven that what was sent was not executed, and
// never will be.
import {
  catchError,
  concat,
  concatMap,
  defaultIfEmpty,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  map,
  of,
  ReplaySubject,
  share,
  take,
  tap,
  throwError,
  timeout,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { AbsenceProof, type AbsencePremises, type SentOrder } from './absence-proof.js';
import { nonceWindowMs, type ExchangeClock, type Nonce } from '../auth/index.js';
import {
  type ExchangeError,
  isExchangeError,
  NotPlacedError,
  setOutcome,
  TimeoutError,
  TransportError,
} from '../errors/index.js';
import { isExpiredNonce, requestedDelayMs } from '../operators/retry-loop.js';

/** What is known of an order whose response was lost, so far: each is explained at {@link OrderEvent}. */
export type OrderProgress = 'looking' | 'found' | 'absent' | 'unknown' | 'left' | 'not-identified';

/** What one order is made with. */
export interface OrderRoad<Output> {
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly clock: ExchangeClock;
  /** Sends the request; reports when it leaves, and with which nonce. */
  send(onSent: (nonce: Nonce | undefined) => void): Observable<Output>;
  /**
   * The retry loop: an order that is known not to exist is sent again while the client's policy and the order's
   * validity allow it.
   */
  readonly retried: MonoTypeOperatorFunction<Output>;
  /** Looks the order up, placed when it was sent or later: emits it, or completes when it is nowhere. */
  find(sent: SentOrder): Observable<Output>;
  /** Reads the exchange's clock. */
  readClock(): Observable<unknown>;
  /** Why not finding an order is no proof; `undefined` where it is. */
  whyNoProof(): string | undefined;
  /** Whether the exchange refuses the request because an order has its identifier. */
  isTaken(error: ExchangeError): boolean;
  /** Whether a lookup would fail in this way however often it is repeated. */
  isFutile(failure: ExchangeError): boolean;
  report(progress: OrderProgress, reason?: string): void;
  readonly record: OrderRecord<Output>;
  readonly timing: OrderTiming;
}

/** What the client keeps of the order beyond a subscription. */
export interface OrderRecord<Output> {
  /** Takes the identifier; throws {@link RequestError} when another order of the client has it. */
  claim(): void;
  /**
   * The order was sent at this time, by the local clock, and its outcome is not known; `undefined`: the order is known
   * not to exist.
   */
  doubt(sentAt: number | undefined): void;
  /** The order is placed; whether it bears the identifier that was sent. */
  place(output: Output): boolean;
  /** Nobody is subscribed any more; whether the order is in doubt. */
  leave(isInDoubt: boolean): void;
}

export interface OrderTiming extends Required<AbsencePremises> {
  /** How long to look an order up when its response was lost, milliseconds; 0: not at all. */
  readonly lookupTimeoutMs: number;
  /** The same in a later subscription, which asks for nothing else. */
  readonly resumeWithinMs: number;
  /** The longest that a subscription may take, milliseconds. */
  readonly callTimeoutMs: number;
}

const firstPauseMs = 250;
const maxPauseMs = 2000;

/**
 * Makes one order. Emits it once, and completes; or fails. Concurrent subscribers share one attempt; late subscribers
 * get its result. A subscription after a failure continues where the last one ended: an order of unknown outcome is
 * looked up, one that is known not to exist is sent.
 *
 * @param earlier what was sent before, by a program that has ended
 */
export function oneOrder<Output>(road: OrderRoad<Output>, earlier?: SentOrder): Observable<Output> {
  const { clock, endpoint, timing } = road;
  /** What was sent and may have been executed. */
  let uncertain = earlier;
  /** The first request that left: whatever has the identifier was placed since. */
  let firstSent = earlier;
  /** How many requests left. */
  let sends = 0;
  /** The exchange said that an order has the identifier, though no lookup found one. */
  let isProofRefuted = false;
  /** Continues from subscription to subscription, until another request is sent. */
  let proof: AbsenceProof | undefined;
  let cause: ExchangeError | undefined;
  let placed: Output | undefined;
  /** Runs that started. A subscriber may start the next one from its callback, before the last one was torn down. */
  let runs = 0;

  const settle = (order: Output) => {
    uncertain = undefined;
    placed = order;
    if (!road.record.place(order)) road.report('not-identified');
  };

  function onSent(nonce: Nonce | undefined): void {
    const acceptableUntil = nonce?.nonceWindow === true ? nonce.nonce + nonceWindowMs : Number.POSITIVE_INFINITY;
    const sentAt = clock.local();
    const sentAtExchange = clock.toExchangeAtLeast(sentAt);
    uncertain = {
      sentAt,
      sentAtExchange,
      acceptableUntil,
      acceptableUntilLocal: sentAt + acceptableUntil - sentAtExchange,
    };
    firstSent ??= uncertain;
    sends += 1;
    cause = undefined;
    proof = undefined;
  }

  /** Reads the exchange's clock, however often that takes; emits nothing, and never fails. */
  const read$ = defer(() => road.readClock()).pipe(
    ignoreElements(),
    catchError(() => EMPTY),
  );

  const attempt = (): Observable<Output> =>
    road.send(onSent).pipe(
      tap(settle),
      catchError((error: unknown) => (isExchangeError(error) ? afterFailure(error) : throwError(() => error))),
    );

  function afterFailure(error: ExchangeError): Observable<Output> {
    if (uncertain === undefined) return throwError(() => error);
    if (error.outcome === 'unknown') {
      cause = error;
      return isExpiredNonce(error) ? afterExpiry(uncertain, error) : decide(uncertain, error);
    }
    if (sends > 1 && road.isTaken(error)) {
      isProofRefuted = true;
      cause = new TransportError('client_order_id is already in use, although no lookup found the order', {
        endpoint,
        outcome: 'unknown',
        cause: error,
      });
      return decide(uncertain, cause);
    }
    if (error.outcome === 'not-executed') {
      sends -= 1;
      if (sends === 0) firstSent = earlier;
    }
    uncertain = undefined;
    return throwError(() => error);
  }

  /**
   * A nonce was refused for being too old. That proves that nothing was executed only if the nonce was too old when it
   * was sent: otherwise a proxy may have executed the request, and repeated it later.
   */
  function afterExpiry(sent: SentOrder, error: ExchangeError): Observable<Output> {
    const refused$ = defer(() => {
      if ((clock.atLeast(sent.sentAt) ?? Number.NEGATIVE_INFINITY) <= sent.acceptableUntil) return decide(sent, error);
      uncertain = undefined;
      setOutcome(error, 'rejected');
      return throwError(() => error);
    });
    return concat(read$, refused$);
  }

  /**
   * Looks the order up until it is found, proven absent, or given up. `error` is that of the lost response; nothing
   * where the caller left.
   *
   * @param withinMs how long, milliseconds
   */
  function decide(
    sent: SentOrder,
    error: ExchangeError | undefined,
    withinMs = timing.lookupTimeoutMs,
  ): Observable<Output> {
    if (withinMs === 0) {
      road.record.doubt(sent.sentAt);
      return unknown(error, 'lookupTimeoutMs is 0: the order is not looked up');
    }
    const since = performance.now();
    /** Until when the exchange asked to be left alone: there are only the lookups that a proof needs. */
    const waitUntil = since + requestedDelayMs(error);
    const ownProof = (proof ??= new AbsenceProof(sent, clock, timing));
    road.record.doubt(sent.sentAt);
    road.report('looking');
    const look = (pauseMs: number): Observable<Output> =>
      defer(() => {
        const started = { startedAtLocal: clock.local(), startedAt: performance.now() };
        return road.find(firstSent ?? sent).pipe(
          map((order) => ({ order })),
          defaultIfEmpty('nowhere' as const),
          catchError((failure: unknown) => {
            if (!isExchangeError(failure)) return throwError(() => failure);
            return road.isFutile(failure) ? unknown(failedLookup(failure), failure.message) : of({ failure });
          }),
          concatMap((result) => {
            if (typeof result === 'object' && 'order' in result) {
              settle(result.order);
              road.report('found');
              return of(result.order);
            }
            const isProven = result === 'nowhere' && ownProof.add({ ...started, endedAt: performance.now() });
            const whyNoProof = isProofRefuted ? 'the exchange says that client_order_id is in use' : road.whyNoProof();
            if (isProven) return whyNoProof === undefined ? absent(error) : unknown(error, whyNoProof);
            const askedMs = waitUntil - performance.now();
            const nextMs = Math.min(Math.max(pauseMs, askedMs), ownProof.nextMs ?? pauseMs);
            const waitMs = result === 'nowhere' ? nextMs : Math.max(nextMs, requestedDelayMs(result.failure));
            if (performance.now() - since + waitMs > withinMs) {
              const why = result === 'nowhere' ? '' : `: ${result.failure.message}`;
              return unknown(error, `not decided within ${withinMs} ms${why}`);
            }
            const isClockWrong = result !== 'nowhere' && isExpiredNonce(result.failure);
            return pause(waitMs, isClockWrong).pipe(concatMap(() => look(Math.min(2 * pauseMs, maxPauseMs))));
          }),
        );
      });
    return look(firstPauseMs);
  }

  function absent(error: ExchangeError | undefined): Observable<never> {
    uncertain = undefined;
    road.record.doubt(undefined);
    road.report('absent');
    const reason =
      error ??
      new TransportError('the caller unsubscribed while its request was in flight', {
        endpoint,
        outcome: 'not-executed',
      });
    return throwError(() => new NotPlacedError(endpoint, reason));
  }

  /** The error of the lost response says what happened to it; where there is none, the reason is what is known. */
  function unknown(error: ExchangeError | undefined, reason: string): Observable<never> {
    road.report('unknown', reason);
    const what =
      earlier === undefined
        ? 'the caller unsubscribed while the order was in flight'
        : 'no order was found, which is no proof that there is none';
    return throwError(() => error ?? new TransportError(`${what}: ${reason}`, { endpoint, outcome: 'unknown' }));
  }

  /**
   * Waits, and reads the exchange's clock where no response has shown it, or a refused nonce says that it is wrong:
   * without it, there is no proof.
   */
  function pause(ms: number, isClockWrong: boolean): Observable<unknown> {
    const waited$ = timer(ms);
    if (clock.atLeast() !== undefined && !isClockWrong) return waited$;
    return waited$.pipe(concatMap(() => concat(read$, of(undefined))));
  }

  function failedLookup(failure: ExchangeError): ExchangeError {
    return new TransportError(`the order could not be looked up: ${failure.message}`, {
      endpoint,
      outcome: 'unknown',
      cause: failure,
    });
  }

  return defer(() => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    runs += 1;
    const run = runs;
    if (placed === undefined) road.record.claim();
    return defer(() => {
      if (placed !== undefined) return of(placed);
      return uncertain === undefined ? attempt() : decide(uncertain, cause, timing.resumeWithinMs);
    }).pipe(
      road.retried,
      // Whatever a request, a lookup or a reading of the clock emits: one order.
      take(1),
      timeout({
        first: timing.callTimeoutMs,
        with: () => {
          if (uncertain !== undefined)
            road.report('unknown', `not ended within callTimeoutMs, ${timing.callTimeoutMs} ms`);
          return throwError(
            () =>
              new TimeoutError(
                endpoint,
                timing.callTimeoutMs,
                'call',
                uncertain === undefined ? 'not-executed' : 'unknown',
              ),
          );
        },
      }),
      tap({ error: end, complete: end }),
      finalize(() => {
        if (placed !== undefined || run !== runs) return;
        const isInDoubt = uncertain !== undefined;
        if (uncertain !== undefined) road.record.doubt(uncertain.sentAt);
        road.record.leave(isInDoubt);
        if (!isOver && isInDoubt) road.report('left');
      }),
    );
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}
