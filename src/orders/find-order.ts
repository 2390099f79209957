// Looks up an order of this program, or of an earlier one, until it is found or proven not to exist. It sends none.
import { catchError, concatMap, defaultIfEmpty, EMPTY, map, Observable } from 'rxjs';
import { OrderLookups, type OrderDesk } from './lookups.js';
import { isListed, type MarketsByName } from './markets.js';
import { progressOf } from './order-fields.js';
import { maxNonceAheadMs, nonceWindowMs, type ExchangeClock } from '../auth/index.js';
import { Call, finding, hold, nothingKnown, Run } from '../call/index.js';
import type { Answer, CallLimits, Keeper, Premises, Question, Sent } from '../call/index.js';
import type { OrderKey, OrderSearch } from '../endpoint/index.js';

export interface OrderToFind {
  readonly search: OrderSearch;
  readonly key: OrderKey;
  readonly limits: CallLimits;
  readonly markets$: Observable<MarketsByName>;
}

/**
 * Emits the order and completes; or fails with {@link NotPlacedError}, or an error of outcome `unknown`. Throws
 * {@link RequestError} for a key that no order can have.
 */
export function findOrder(given: OrderToFind, desk: OrderDesk): Observable<unknown> {
  const { search, limits } = given;
  const { name, request, lists, sentTo } = search;
  const lookup = { ...lists.open, name, request };
  const { fields } = desk.caller.check(lookup, given.key, undefined);
  const endpoint = sentTo ?? given.key.endpoint;
  const key = { ...given.key, ...(endpoint === undefined ? {} : { endpoint }) };
  const call = new Call<unknown>(desk.caller.desk, lookup, fields, limits);
  return new Observable((subscriber) => {
    const open = latestRequest(desk.caller.desk.identity.clock);
    const known = { ...nothingKnown, open, first: open, sends: 1 };
    const { timeoutMs: lookupTimeoutMs } = desk.timing;
    const premises: Premises = { endpoint: name, kind: finding, limits, lookupTimeoutMs, known };
    new Run(call, premises, keeperOf({ ...given, key }, call.number, desk)).subscribe(subscriber);
  });
}

/**
 * The last request that may have placed the order: its nonce was made before now, and not further ahead of the clock
 * than nonces are made.
 */
function latestRequest(clock: ExchangeClock): Sent {
  const validMs = maxNonceAheadMs + nonceWindowMs;
  return {
    sentAt: 0,
    sentAtExchange: 0,
    acceptableUntil: clock.now() + validMs,
    acceptableUntilLocal: clock.local() + validMs,
  };
}

/** One subscription of a lookup; `call` is the number of the call in its client. */
function keeperOf({ search, key, limits, markets$ }: OrderToFind, call: number, desk: OrderDesk): Keeper<unknown> {
  const { client_order_id, market, endpoint = '' } = key;
  const { name, byEndpoint = {} } = search;
  const { registry, caller } = desk;
  const startedAt = caller.desk.identity.clock.local();
  /** The observable of this client whose order has the identifier. */
  const own = registry.claimOf(key);
  const sentTo = own?.endpoint ?? key.endpoint;
  const lookup = (Object.hasOwn(byEndpoint, endpoint) ? byEndpoint[endpoint] : undefined) ?? search;
  let isUnread = false;
  const whyNoProof = () => {
    if (isUnread) return 'the markets could not be read';
    if (registry.isInFlight(key, startedAt)) return 'an order of this client_order_id is in flight';
    return registry.whyNoProof(key, sentTo);
  };
  // Of its own order the client knows the kind: a caller that names another endpoint is mistaken.
  const searched = { ...key, isConditional: own?.isConditional ?? lookup.isConditional ?? true };
  const { timeoutMs } = limits;
  const lookups = new OrderLookups({ name, lookup, key: searched, timeoutMs, whyNoProof }, desk);
  /** An order may be found in a market that is no longer listed, but its absence there proves nothing. */
  const findUnlisted = ({ first }: Question): Observable<Answer<unknown>> =>
    (first === undefined ? EMPTY : lookups.find(first)).pipe(
      map((output) => ({ is: 'found', output }) as const),
      catchError(() => EMPTY),
      defaultIfEmpty({ is: 'undecided', reason: `"${market}" is not a market that the exchange lists` } as const),
    );

  return {
    client_order_id,
    begin: () => hold,
    ask: (question) =>
      isListed(markets$, market).pipe(
        concatMap((listed) => {
          isUnread = listed === undefined;
          return listed === false ? findUnlisted(question) : lookups.decide(question);
        }),
      ),
    note: (note) => {
      if (note.do === 'absent') registry.free(key);
      if (note.do === 'place') registry.place(key, note.output, sentTo);
      const progress = progressOf(note);
      if (progress !== undefined) desk.report({ type: 'order', endpoint: name, call, client_order_id, ...progress });
    },
  };
}
