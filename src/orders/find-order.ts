// Looks up an order that this program, or an earlier one, placed, until it is found or proven not to exist. Sends no
// order.
import { catchError, concatMap, map, Observable, throwError, throwIfEmpty } from 'rxjs';
import { OrderLookups } from './lookups.js';
import { isListed, type MarketsByName } from './markets.js';
import { orderEvent, type OrderDesk } from './order-desk.js';
import { parseKey, placedByClient } from './order-fields.js';
import { isIdentifiedBy } from './order-registry.js';
import { maxNonceAheadMs, nonceWindowMs, type ExchangeClock, type NonceMode } from '../auth/index.js';
import {
  finding,
  hold,
  nothingKnown,
  Run,
  type Answer,
  type CallLimits,
  type Keeper,
  type Premises,
  type Sent,
} from '../call/index.js';
import type { OrderKey, OrderLookup } from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';

/** The order to find, and the means. */
export interface OrderSearch<Output> {
  readonly lookup: OrderLookup<Output>;
  readonly key: OrderKey;
  readonly limits: CallLimits;
  readonly nonce: NonceMode;
  readonly markets$: Observable<MarketsByName>;
}

/**
 * Emits the order and completes; or fails with {@link NotPlacedError}, or an error of outcome `unknown`. Throws
 * {@link RequestError} for a key that no order can have.
 */
export function findOrder<Output>(given: OrderSearch<Output>, desk: OrderDesk): Observable<Output> {
  const { limits, nonce } = given;
  const { caller, timing } = desk;
  const key = parseKey(given.lookup.name, given.key);
  const { journal } = caller.desk;
  journal.lastCall += 1;
  const number = journal.lastCall;
  const { market, client_order_id, endpoint = '' } = key;
  const { byEndpoint = {} } = given.lookup;
  const lookup = (Object.hasOwn(byEndpoint, endpoint) ? byEndpoint[endpoint] : undefined) ?? given.lookup;
  const premises: Premises = {
    endpoint: lookup.name,
    kind: finding,
    limits,
    lookup: {
      ...timing,
      refusals: [],
      words: {
        absent: `no order in ${market} has client_order_id ${client_order_id}, and no request in flight can create one`,
        undecided: (reason) => `no order was found, which does not prove that none exists: ${reason}`,
      },
    },
  };
  return new Observable((subscriber) => {
    const open = latestRequest(caller.desk.identity.clock, nonce);
    const known = { ...nothingKnown, open, first: open, hasSent: true };
    const keeper = orderToFind({ ...given, lookup, key }, number, desk);
    const call = { desk: caller.desk, limits, startedAt: 0, attempts: 0, reportRetry: () => undefined };
    new Run(call, { premises, keeper, known, client_order_id }).subscribe(subscriber);
  });
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

/** One subscription of a lookup; `call` is the number of the call in its client. */
function orderToFind<Output>(search: OrderSearch<Output>, call: number, desk: OrderDesk): Keeper<Output> {
  const { lookup, key, limits, markets$ } = search;
  const { client_order_id } = key;
  const { registry, caller } = desk;
  const startedAt = caller.desk.identity.clock.local();
  /** The observable of this client whose order has the identifier. */
  const own = registry.claimOf(key);
  const sentTo = own?.endpoint ?? key.endpoint;
  let isUnread = false;
  const whyNoProof = () => {
    if (isUnread) return 'the markets could not be read';
    if (registry.isInFlight(key, startedAt)) return 'an order of this client_order_id is in flight';
    return registry.isPlaced(key) ? placedByClient : registry.evidence.whyNoProof(sentTo);
  };
  // Of its own order the client knows the kind: a caller that names another endpoint is mistaken.
  const searched = { ...key, isConditional: own?.isConditional ?? lookup.isConditional ?? true };
  const { timeoutMs } = limits;
  const lookups = new OrderLookups({ name: lookup.name, lookup, key: searched, timeoutMs, whyNoProof }, desk);

  /** An order may be found in a market that is no longer listed, but its absence there proves nothing. */
  const findUnlisted = (sent: Sent): Observable<Answer<Output>> => {
    const unlisted = (cause?: unknown) => {
      const issue = { field: 'market', message: `"${key.market}" is not a market that the exchange lists` };
      return new RequestError(lookup.name, [issue], cause, 'unknown');
    };
    return lookups.find(sent).pipe(
      map((output): Answer<Output> => ({ is: 'found', output })),
      catchError((error: unknown) => throwError(() => unlisted(error))),
      throwIfEmpty(unlisted),
    );
  };

  return {
    begin: () => hold,
    ask: (question) =>
      isListed(markets$, key.market).pipe(
        concatMap((listed) => {
          isUnread = listed === undefined;
          return listed === false && question.first !== undefined
            ? findUnlisted(question.first)
            : lookups.decide(question);
        }),
      ),
    note: (note) => {
      if (note.do === 'report')
        desk.report(orderEvent({ endpoint: lookup.name, call, client_order_id }, note.progress, note.reason));
      else if (note.do === 'absent') registry.free(key);
      else if (note.do === 'place') {
        // A lookup of the user's own may emit an order that does not show the identifier.
        const isShown = isIdentifiedBy(key, note.output);
        if (sentTo !== undefined && (own !== undefined || isShown)) registry.evidence.add(sentTo, true);
        registry.place(key, note.output);
      }
    },
  };
}
