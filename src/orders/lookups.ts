// Looks up one order, again and again, until it is found, its absence is proven, or the time is over.
import {
  catchError,
  concat,
  concatMap,
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
export class OrderLookups<Output> {
  readonly #terms: OrderLookupTerms<Output>;
  readonly #desk: Pick<OrderDesk, 'caller' | 'registry' | 'timing'>;
  /** Continues from subscription to subscription, until another request is sent. */
  #proof: { readonly of: Sent; readonly proof: AbsenceProof } | undefined;

  constructor(terms: OrderLookupTerms<Output>, desk: Pick<OrderDesk, 'caller' | 'registry' | 'timing'>) {
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
  decide({ open, first: sent = open, notBefore, timeoutMs }: Question): Observable<Answer<Output>> {
    const { caller, timing } = this.#desk;
    const { clock, reading$ } = caller.desk.identity;
    const { lookup, whyNoProof } = this.#terms;
    if (open === undefined || sent === undefined) return EMPTY;
    if (this.#proof?.of !== open) this.#proof = { of: open, proof: new AbsenceProof(open, clock, timing) };
    const { proof } = this.#proof;
    const clock$ = lookup === undefined ? EMPTY : reading$;
    return lookUpUntilDecided({ find: () => this.find(sent), clock$, proof, whyNoProof, notBefore, timeoutMs });
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

interface LookupPlan<Output> {
  /** Looks the order up once. */
  readonly find: () => Observable<Output>;
  /** Reads the exchange's clock. */
  readonly clock$: Observable<unknown>;
  /** Lookups of an earlier subscription may count, too. */
  readonly proof: AbsenceProof;
  /** Why not finding the order proves nothing. */
  readonly whyNoProof: () => string | undefined;
  /**
   * When the `Retry-After` of the lost response is over, by `performance.now()`. Only lookups that the proof needs come
   * earlier.
   */
  readonly notBefore: number;
  readonly timeoutMs: number;
}

const firstPauseMs = 250;
const maxPauseMs = 2000;

/**
 * Emits the result, once: `absent` when no lookup found the order, at the times at which a lookup that finds nothing
 * counts. An error of another package passes through.
 */
export function lookUpUntilDecided<Output>(plan: LookupPlan<Output>): Observable<Answer<Output>> {
  const { find, clock$, proof, whyNoProof, notBefore, timeoutMs } = plan;
  const startedAt = performance.now();

  const lookUp = (pauseMs: number): Observable<Answer<Output>> =>
    defer(() => {
      const isProof = proof.begin();
      const next = (failure?: ExchangeError): Observable<Answer<Output>> => {
        const waitMs = waitAfter(failure, pauseMs);
        if (performance.now() - startedAt + waitMs > timeoutMs) {
          const why = failure === undefined ? '' : `: ${failure.message}`;
          return of({ is: 'undecided', reason: `no lookup determined the outcome within ${timeoutMs} ms${why}` });
        }
        return timer(waitMs).pipe(
          concatMap(() => concat(clockForProof(failure), lookUp(Math.min(2 * pauseMs, maxPauseMs)))),
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
      const nowhere$ = defer(() => (isProof() ? of({ is: 'absent', why: whyNoProof() } as const) : next()));
      return concat(found$, nowhere$).pipe(take(1));
    });

  function waitAfter(failure: ExchangeError | undefined, pauseMs: number): number {
    const requestedMs = notBefore - performance.now();
    const waitMs = Math.min(Math.max(pauseMs, requestedMs), proof.nextMs ?? pauseMs);
    return failure === undefined ? waitMs : Math.max(waitMs, requestedDelayMs(failure));
  }

  /** A proof needs the exchange's clock: reads it if it was not read since the request, or if a nonce showed it to be wrong. */
  function clockForProof(failure?: ExchangeError): Observable<never> {
    if (proof.isClockRead && !isExpiredNonce(failure)) return EMPTY;
    return clock$.pipe(
      ignoreElements(),
      catchError(() => EMPTY),
    );
  }

  if (notBefore <= startedAt) return lookUp(firstPauseMs);
  // An order that cannot be proven absent in time is looked up once.
  const wait$ = defer(() => timer(Math.min(waitAfter(undefined, 0), timeoutMs)));
  return concat(clockForProof(), wait$.pipe(concatMap(() => lookUp(firstPauseMs))));
}

/** Without a valid key, every lookup fails. A nonce becomes free again. */
function isLasting(failure: ExchangeError): boolean {
  if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');
  return failure instanceof AuthError && lastingReasons.includes(failure.reason);
}

const lastingReasons: readonly AuthErrorReason[] = ['signature', 'key-disabled', 'key-not-authorized'];
