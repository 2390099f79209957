// Looks up an order that this program, or an earlier one, placed, until it is found or proven not to exist. Sends no
// order.
import {
  catchError,
  concatMap,
  defer,
  finalize,
  NEVER,
  of,
  tap,
  throwError,
  throwIfEmpty,
  timeout,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { AbsenceProof, type SentOrder } from './absence-proof.js';
import type { OrderTiming } from './at-most-once.js';
import { lookUpUntilDecided, type Decision, type OrderLookups } from './lookups.js';
import { maxNonceAheadMs, nonceWindowMs, type ExchangeClock, type NonceMode } from '../auth/index.js';
import type { OrderKey } from '../endpoints/define-endpoint.js';
import { NotPlacedError, RequestError, TimeoutError, TransportError } from '../errors/index.js';
import type { OrderProgress } from './order-event.js';

/** The order to find, and the means. */
export interface OrderSearch<Output> {
  /** Name of the function, in errors. */
  readonly name: string;
  readonly key: OrderKey;
  readonly clock: ExchangeClock;
  readonly nonce: NonceMode;
  readonly timing: OrderTiming;
  /** The bound on the call, milliseconds. */
  readonly callTimeoutMs: number;
  readonly lookup: OrderLookups<Output>;
  /** Whether the exchange lists the market; `undefined` when its markets could not be read. */
  readonly isListed: Observable<boolean | undefined>;
  readonly record: FoundOrderRecord<Output>;
  readonly report: (progress: OrderProgress, reason?: string) => void;
}

/** Records in the client that the order was found, or proven not to exist. */
export interface FoundOrderRecord<Output> {
  place(order: Output): void;
  free(): void;
}

/** Emits the order and completes; or fails with {@link NotPlacedError}, or an error of outcome `unknown`. */
export function findOrder<Output>(search: OrderSearch<Output>): Observable<Output> {
  return defer(() => {
    const earlier = latestRequest(search.clock, search.nonce);
    const inTime = timeLimit(search);
    return search.isListed.pipe(
      inTime(),
      concatMap((isListed) =>
        isListed === false ? findUnlisted(search, earlier).pipe(inTime()) : decide(search, earlier, isListed, inTime),
      ),
    );
  });
}

type TimeLimit = <Value>() => MonoTypeOperatorFunction<Value>;

/** Bounds each part of the call by what is left of `callTimeoutMs`. */
function timeLimit({ name, callTimeoutMs, report }: Omit<OrderSearch<never>, 'lookup' | 'record'>): TimeLimit {
  const endsAt = performance.now() + callTimeoutMs;
  const timedOut = () => {
    report('unknown', `the call did not end within callTimeoutMs, ${callTimeoutMs} ms`);
    return throwError(() => new TimeoutError(name, callTimeoutMs, 'call', 'unknown'));
  };
  return () => timeout({ first: Math.max(0, endsAt - performance.now()), with: timedOut });
}

/**
 * The last request that may have placed the order: its nonce was made before now, and not further ahead of the clock
 * than nonces are made. A nonce of the increasing mode stays valid.
 */
function latestRequest(clock: ExchangeClock, nonce: NonceMode): SentOrder {
  const validMs = nonce === 'increasing' ? Number.POSITIVE_INFINITY : maxNonceAheadMs + nonceWindowMs;
  return {
    sentAt: 0,
    sentAtExchange: 0,
    acceptableUntil: clock.now() + validMs,
    acceptableUntilLocal: clock.local() + validMs,
  };
}

/** An order may be found in a market that is no longer listed, but its absence there proves nothing. */
function findUnlisted<Output>({ name, key, lookup, record }: OrderSearch<Output>, earlier: SentOrder) {
  const unlisted = (cause?: unknown) => {
    const issue = { field: 'market', message: `"${key.market}" is not a market that the exchange lists` };
    return new RequestError(name, [issue], cause, 'unknown');
  };
  return lookup.find(earlier).pipe(
    tap((order) => {
      record.place(order);
    }),
    catchError((error: unknown) => throwError(() => unlisted(error))),
    throwIfEmpty(unlisted),
  );
}

function decide<Output>(
  search: OrderSearch<Output>,
  earlier: SentOrder,
  isListed: boolean | undefined,
  inTime: TimeLimit,
): Observable<Output> {
  const { name, key, clock, timing, lookup, record, report } = search;
  let isDecided = false;

  function unknown(reason: string, cause?: unknown): Observable<never> {
    report('unknown', reason);
    const message =
      cause === undefined
        ? `no order was found, which does not prove that none exists: ${reason}`
        : `the order could not be looked up: ${reason}`;
    return throwError(() => new TransportError(message, { endpoint: name, outcome: 'unknown', cause }));
  }

  function afterLookup(decision: Decision<Output>): Observable<Output> {
    isDecided = true;
    switch (decision.as) {
      case 'found':
        record.place(decision.order);
        report('found');
        return of(decision.order);
      case 'absent': {
        const why = isListed === undefined ? 'the markets could not be read' : lookup.whyNoProof();
        if (why !== undefined) return unknown(why);
        record.free();
        report('absent');
        return throwError(() => noSuchOrder(name, key));
      }
      case 'unknown':
        return unknown(decision.reason, decision.failure);
    }
  }

  report('looking-up');
  return lookUpUntilDecided({
    lookup,
    clock,
    sent: earlier,
    proof: new AbsenceProof(earlier, clock, timing),
    lookupTimeoutMs: timing.resumeTimeoutMs,
    pushed$: NEVER,
    requestedWaitMs: 0,
  }).pipe(
    concatMap(afterLookup),
    inTime(),
    catchError((error: unknown) => {
      isDecided = true;
      return throwError(() => error);
    }),
    finalize(() => {
      if (!isDecided) report('unsubscribed');
    }),
  );
}

function noSuchOrder(name: string, { market, client_order_id }: OrderKey): NotPlacedError {
  const message = `no order in ${market} has client_order_id ${client_order_id}, and no request in flight can create one`;
  return new NotPlacedError(name, new TransportError(message, { endpoint: name, outcome: 'not-executed' }));
}
