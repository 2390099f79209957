// Looks up an order that this program, or an earlier one, placed, until it is found or proven not to exist. Sends no
// order.
import { catchError, concatMap, map, NEVER, Observable, throwError, throwIfEmpty } from 'rxjs';
import { AbsenceProof } from './absence-proof.js';
import { lookUpUntilDecided, OrderLookups } from './lookups.js';
import { orderEvent, type OrderDesk } from './order-desk.js';
import { checkKey, placedByClient, registryName, type NamedKey, type OrderClaim } from './order-fields.js';
import { isIdentifiedBy } from './order-registry.js';
import { lookupTerms } from './place-order.js';
import { maxNonceAheadMs, nonceWindowMs, type ExchangeClock, type NonceMode } from '../auth/index.js';
import {
  finding,
  nothingKnown,
  Run,
  type Answer,
  type CallLimits,
  type EarlyQuestion,
  type Hold,
  type Keeper,
  type LookupTerms,
  type Note,
  type Premises,
  type Question,
  type Sent,
} from '../call/index.js';
import type { OrderKey, OrderLookup } from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';

/** The order to find, and the means. */
export interface OrderSearch<Output> {
  readonly lookup: OrderLookup<Output>;
  readonly key: OrderKey;
  readonly limits: CallLimits;
  /** Number of the call in its client. */
  readonly call: number;
  readonly nonce: NonceMode;
  /** Whether the exchange lists the market; `undefined` when its markets could not be read. */
  readonly isListed: (market: string) => Observable<boolean | undefined>;
}

/** Emits the order and completes; or fails with {@link NotPlacedError}, or an error of outcome `unknown`. */
export function findOrder<Output>(search: OrderSearch<Output>, desk: OrderDesk): Observable<Output> {
  const { limits, nonce } = search;
  const { caller, timing } = desk;
  // A copy, because the caller may change its object later.
  const key: OrderKey = { ...search.key };
  const { client_order_id, endpoint = '' } = key;
  const { byEndpoint = {} } = search.lookup;
  const lookup = (Object.hasOwn(byEndpoint, endpoint) ? byEndpoint[endpoint] : undefined) ?? search.lookup;
  const premises: Premises = {
    endpoint: lookup.name,
    kind: finding,
    limits,
    lookup: lookupTerms({ ...timing, lookupTimeoutMs: timing.resumeTimeoutMs }, wordsFor(key)),
  };
  const named: unknown = client_order_id;
  const about = typeof named === 'string' ? { client_order_id } : {};
  return new Observable((subscriber) => {
    const open = latestRequest(caller.desk.identity.clock, nonce);
    const known = { ...nothingKnown, open, first: open, hasSent: true };
    const keeper = new OrderToFind({ ...search, lookup }, key, desk);
    const call = { desk: caller.desk, limits, startedAt: 0, reportRetry: () => undefined };
    new Run(call, { premises, keeper, errors: caller.errors, known, ...about }).subscribe(subscriber);
  });
}

function wordsFor({ market, client_order_id }: OrderKey): LookupTerms['words'] {
  return {
    absent: `no order in ${market} has client_order_id ${client_order_id}, and no request in flight can create one`,
    undecided: (reason) => `no order was found, which does not prove that none exists: ${reason}`,
  };
}

/**
 * The last request that may have placed the order: its nonce was made before now, and not further ahead of the clock
 * than nonces are made. A nonce of the increasing mode stays valid.
 */
function latestRequest(clock: ExchangeClock, nonce: NonceMode): Sent {
  const validMs = nonce === 'increasing' ? Number.POSITIVE_INFINITY : maxNonceAheadMs + nonceWindowMs;
  return {
    sentAt: 0,
    sentAtExchange: 0,
    acceptableUntil: clock.now() + validMs,
    acceptableUntilLocal: clock.local() + validMs,
  };
}

/** One subscription of a lookup. */
class OrderToFind<Output> implements Keeper<Output> {
  readonly #search: OrderSearch<Output>;
  readonly #key: OrderKey;
  readonly #desk: OrderDesk;
  readonly #known: NamedKey;
  /** The observable of this client whose order has the identifier. */
  readonly #own: OrderClaim | undefined;
  readonly #startedAt: number;

  constructor(search: OrderSearch<Output>, key: OrderKey, desk: OrderDesk) {
    this.#search = search;
    this.#key = key;
    this.#desk = desk;
    this.#known = { ...key, name: registryName(key) };
    this.#own = desk.registry.claimOf(this.#known);
    this.#startedAt = desk.caller.desk.identity.clock.local();
  }

  begin(): Hold {
    checkKey(this.#search.lookup.name, this.#key);
    return { isCurrent: () => true };
  }

  ask({ first }: Question | EarlyQuestion): Observable<Answer<Output>> {
    const { isListed } = this.#search;
    if (first === undefined) return NEVER;
    return isListed(this.#key.market).pipe(
      concatMap((listed) => (listed === false ? this.#findUnlisted(first) : this.#decide(first, listed))),
    );
  }

  /** An order may be found in a market that is no longer listed, but its absence there proves nothing. */
  #findUnlisted(sent: Sent): Observable<Answer<Output>> {
    const unlisted = (cause?: unknown) => {
      const issue = { field: 'market', message: `"${this.#key.market}" is not a market that the exchange lists` };
      return new RequestError(this.#search.lookup.name, [issue], cause, 'unknown');
    };
    return this.#lookups(() => undefined)
      .find(sent)
      .pipe(
        map((output): Answer<Output> => ({ is: 'found', output })),
        catchError((error: unknown) => throwError(() => unlisted(error))),
        throwIfEmpty(unlisted),
      );
  }

  #decide(sent: Sent, listed: boolean | undefined): Observable<Answer<Output>> {
    const { caller, timing } = this.#desk;
    const { clock } = caller.desk.identity;
    const lookup = this.#lookups(() => (listed === undefined ? 'the markets could not be read' : this.#whyNoProof()));
    return lookUpUntilDecided({
      lookup,
      clock,
      sent,
      proof: new AbsenceProof(sent, clock, timing),
      lookupTimeoutMs: timing.resumeTimeoutMs,
      pushed$: NEVER,
      notBefore: 0,
    });
  }

  #lookups(whyNoProof: () => string | undefined): OrderLookups<Output> {
    const { lookup, limits } = this.#search;
    const { name } = lookup;
    // Of its own order the client knows the kind: a caller that names another endpoint is mistaken.
    const isConditional = this.#own?.isConditional ?? lookup.isConditional ?? true;
    const key = { ...this.#key, isConditional };
    const { timeoutMs } = limits;
    return new OrderLookups({ name, lookup, key, timeoutMs, isGenerated: false, whyNoProof }, this.#desk);
  }

  #whyNoProof(): string | undefined {
    const { registry } = this.#desk;
    if (registry.isInFlight(this.#known, this.#startedAt)) return 'an order of this client_order_id is in flight';
    return registry.isPlaced(this.#known) ? placedByClient : registry.evidence.whyNoProof(this.#sentTo);
  }

  get #sentTo(): string | undefined {
    return this.#own?.endpoint ?? this.#key.endpoint;
  }

  note(note: Note<Output>): void {
    const { registry, report } = this.#desk;
    const { client_order_id } = this.#key;
    if (note.do === 'report')
      report(orderEvent(this.#search.lookup.name, this.#search.call, client_order_id, note.progress, note.reason));
    else if (note.do === 'absent') registry.free(this.#known);
    else if (note.do === 'place') {
      // A lookup of the user's own may emit an order that does not show the identifier.
      const isShown = isIdentifiedBy(this.#known, note.output);
      if (this.#sentTo !== undefined && (this.#own !== undefined || isShown)) registry.evidence.add(this.#sentTo, true);
      registry.place(this.#known, note.output);
    }
  }
}
