// Looks up one order, again and again, until it is found, its absence is proven, or the time is over.
import {
  catchError,
  concat,
  concatMap,
  defaultIfEmpty,
  defer,
  EMPTY,
  filter,
  ignoreElements,
  map,
  of,
  take,
  tap,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { AbsenceProof } from './absence-proof.js';
import { lookUpOco } from './oco-lookup.js';
import type { OrderDesk } from './order-desk.js';
import { lookUpOrder, type Read, type SearchedOrder } from './order-lookup.js';
import type { ExchangeClock } from '../auth/index.js';
import {
  clockToleranceMs,
  isExpiredNonce,
  lookupOptions,
  requestedDelayMs,
  type Answer,
  type Question,
  type Sent,
} from '../call/index.js';
import type { OrderLookup } from '../endpoint/index.js';
import {
  AuthError,
  isExchangeError,
  RequestError,
  LookupError,
  type AuthErrorReason,
  type ExchangeError,
} from '../errors/index.js';

/** How the lookups of one order are made. */
export interface OrderLookupTerms<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output> | undefined;
  readonly key: SearchedOrder;
  /** The bound on a request of the call that they are for, milliseconds. */
  readonly timeoutMs: number;
  /** Whether the identifier was generated, so that no other order can have it. */
  readonly isGenerated?: boolean;
  /** Why not finding the order proves nothing; `undefined` when it proves that the order does not exist. */
  readonly whyNoProof: () => string | undefined;
}

/** The lookups of one order by its client: an order that was reported for another identifier is not it. */
export class OrderLookups<Output> implements Lookup<Output> {
  readonly whyNoProof: () => string | undefined;
  readonly #terms: OrderLookupTerms<Output>;
  readonly #desk: Pick<OrderDesk, 'caller' | 'registry' | 'timing'>;
  /** Continues from subscription to subscription, until another request is sent. */
  #proof: { readonly of: Sent; readonly proof: AbsenceProof } | undefined;

  constructor(terms: OrderLookupTerms<Output>, desk: Pick<OrderDesk, 'caller' | 'registry' | 'timing'>) {
    this.whyNoProof = terms.whyNoProof;
    this.#terms = terms;
    this.#desk = desk;
  }

  /** Looks the order up once, placed when it was sent or later: emits it, or completes when no list shows it. */
  find({ sentAt, sentAtExchange }: Sent): Observable<Output> {
    const { name, lookup, key, timeoutMs, isGenerated = false } = this.#terms;
    const { caller, registry } = this.#desk;
    const { clock } = caller.desk.identity;
    const options = lookupOptions(timeoutMs);
    const read: Read = (list, params) => caller.call(list, params, options);
    // A clock reading since the request may be wrong, and must not hide the order. No other order has a generated
    // identifier.
    const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
    return lookUp(lookup, read, key, since).pipe(
      take(1),
      tap((order) => {
        if (registry.canBe(key, order)) return;
        const message = 'the lookup found the order of another client_order_id';
        throw new LookupError(message, { endpoint: name, outcome: 'unknown' });
      }),
    );
  }

  /** Looks the order up until the result is known. */
  decide({ open, first: sent = open, notBefore, timeoutMs: lookupTimeoutMs }: Question): Observable<Answer<Output>> {
    const { caller, timing } = this.#desk;
    const { clock } = caller.desk.identity;
    if (open === undefined || sent === undefined) return EMPTY;
    if (this.#proof?.of !== open) this.#proof = { of: open, proof: new AbsenceProof(open, clock, timing) };
    const { proof } = this.#proof;
    return lookUpUntilDecided({ lookup: this, clock, sent, proof, lookupTimeoutMs, notBefore });
  }

  /** Reads the exchange's clock. */
  readClock(): Observable<unknown> {
    return this.#terms.lookup === undefined ? EMPTY : this.#desk.caller.desk.identity.reading$;
  }
}

function lookUp<Output>(
  lookup: OrderLookup<Output> | undefined,
  read: Read,
  key: SearchedOrder,
  since: () => number,
): Observable<Output> {
  if (lookup === undefined) return EMPTY;
  const output$ =
    lookup.finds === 'order'
      ? lookUpOrder(lookup.lists, read, key, since).pipe(map((order) => lookup.outputOf(order)))
      : lookUpOco(lookup.lists, read, key, since).pipe(map((oco) => lookup.outputOf(oco)));
  return output$.pipe(filter((output) => output !== undefined));
}

/** One lookup of an order, and what its proof needs. */
interface Lookup<Output> {
  find(sent: Sent): Observable<Output>;
  readClock(): Observable<unknown>;
  readonly whyNoProof: () => string | undefined;
}

interface LookupPlan<Output> {
  readonly lookup: Lookup<Output>;
  readonly clock: ExchangeClock;
  /** The order may have been placed since this request. */
  readonly sent: Sent;
  /** Lookups of an earlier subscription may count, too. */
  readonly proof: AbsenceProof;
  readonly lookupTimeoutMs: number;
  /**
   * When the `Retry-After` of the lost response is over, by `performance.now()`. Only lookups that the proof needs come
   * earlier.
   */
  readonly notBefore: number;
}

const firstPauseMs = 250;
const maxPauseMs = 2000;

/**
 * Emits the result, once: `absent` when no lookup found the order, at the times at which a lookup that finds nothing
 * counts. An error of another package passes through.
 */
export function lookUpUntilDecided<Output>(plan: LookupPlan<Output>): Observable<Answer<Output>> {
  const { lookup, clock, sent, proof, lookupTimeoutMs, notBefore } = plan;
  const startedAt = performance.now();

  const lookUp = (pauseMs: number): Observable<Answer<Output>> =>
    defer(() => {
      const start = { startedAtLocal: clock.local(), startedAt: performance.now() };
      return lookup.find(sent).pipe(
        map((output) => ({ is: 'found', output }) as const),
        defaultIfEmpty({ is: 'nowhere' } as const),
        catchError((error: unknown) =>
          isExchangeError(error) ? of({ is: 'failed', error } as const) : throwError(() => error),
        ),
        concatMap((result) => {
          if (result.is === 'found') return of(result);
          if (result.is === 'failed' && isLastingFailure(result.error)) return of(impossible(result.error));
          if (result.is === 'nowhere' && proof.add({ ...start, endedAt: performance.now() }))
            return of({ is: 'absent', why: lookup.whyNoProof() } as const);
          const failure = result.is === 'failed' ? result.error : undefined;
          const waitMs = waitAfter(failure, pauseMs);
          if (performance.now() - startedAt + waitMs > lookupTimeoutMs) return of(tooLate(failure));
          return timer(waitMs).pipe(
            concatMap(() => concat(clockForProof(failure), lookUp(Math.min(2 * pauseMs, maxPauseMs)))),
          );
        }),
      );
    });

  function waitAfter(failure: ExchangeError | undefined, pauseMs: number): number {
    const requestedMs = notBefore - performance.now();
    const waitMs = Math.min(Math.max(pauseMs, requestedMs), proof.nextMs ?? pauseMs);
    return failure === undefined ? waitMs : Math.max(waitMs, requestedDelayMs(failure));
  }

  function tooLate(failure: ExchangeError | undefined): Answer<Output> {
    const why = failure === undefined ? '' : `: ${failure.message}`;
    return { is: 'undecided', reason: `no lookup determined the outcome within ${lookupTimeoutMs} ms${why}` };
  }

  /** A proof needs the exchange's clock: reads it if it was not read since the request, or if a nonce showed it to be wrong. */
  function clockForProof(failure?: ExchangeError): Observable<never> {
    if (proof.isClockRead && !isExpiredNonce(failure)) return EMPTY;
    return defer(() => lookup.readClock()).pipe(
      ignoreElements(),
      catchError(() => EMPTY),
    );
  }

  if (notBefore <= startedAt) return lookUp(firstPauseMs);
  // An order that cannot be proven absent in time is looked up once.
  const wait$ = defer(() => timer(Math.min(waitAfter(undefined, 0), lookupTimeoutMs)));
  return concat(clockForProof(), wait$.pipe(concatMap(() => lookUp(firstPauseMs))));
}

function impossible(failure: ExchangeError): Answer<never> {
  return { is: 'undecided', reason: failure.message, failure };
}

/** Without a valid key, every lookup fails. A nonce becomes free again. */
function isLastingFailure(failure: ExchangeError): boolean {
  if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');
  return failure instanceof AuthError && lastingReasons.includes(failure.reason);
}

const lastingReasons: readonly AuthErrorReason[] = ['signature', 'key-disabled', 'key-not-authorized'];
