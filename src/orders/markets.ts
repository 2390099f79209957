// The markets of a client, cached: `checkOrders` checks every order against their rules, `exchange.market` emits one, and
// `orders.find` looks whether one is listed.
import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  ignoreElements,
  map,
  of,
  share,
  tap,
  throwError,
  type Observable,
} from 'rxjs';
import { checkOrder, roundAmount, roundPrice } from './check-order.js';
import type { Endpoint } from '../endpoint/index.js';
import { quote, RequestError, type RequestIssue } from '../errors/index.js';
import type { Market } from '../model/market.js';
import type { OrderToCheck } from '../model/order-to-check.js';
import { noteUnreadable, unreadableIn } from '../model/unreadable.js';

export type MarketsByName = ReadonlyMap<string, Market>;

export function marketsByName(markets: readonly Market[]): MarketsByName {
  const byName = new Map(markets.map((market) => [market.name, market]));
  noteUnreadable(byName, unreadableIn(markets));
  return byName;
}

/** From this age on, an order refreshes the rules in the background. Rules change at most daily. */
const freshMs = 60_000;
/** From this age on, orders wait for new rules. */
const maxAgeMs = 3_600_000;
/** Minimum time between two refreshes: the exchange itself refreshes its response every 10 s. */
const refreshEveryMs = 10_000;

/**
 * Concurrent subscribers share one read; later ones get the cached markets at once. Older markets are refreshed in the
 * background, or waited for. A failure is not cached; one in the background is reported only by the events of its call.
 */
export function cacheMarkets(
  readMarkets: () => Observable<readonly Market[]>,
  now = () => performance.now(),
): Observable<MarketsByName> {
  let kept: { readonly markets: MarketsByName; readonly readAt: number } | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  const reading$ = defer(() => {
    // The age counts from the request: the response may be a snapshot of that moment.
    const readAt = now();
    return readMarkets().pipe(
      map(marketsByName),
      tap((markets) => {
        kept = { markets, readAt };
      }),
    );
  }).pipe(share());
  const refresh = () => {
    if (now() - refreshedAt < refreshEveryMs) return;
    refreshedAt = now();
    reading$.pipe(catchError(() => EMPTY)).subscribe();
  };
  return defer(() => {
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.readAt;
    if (kept === undefined || age >= maxAgeMs) return reading$;
    if (age >= freshMs) refresh();
    return of(kept.markets);
  });
}

/** A market that the exchange lists, with its rules: see {@link Client.market}. */
export interface ListedMarket {
  /** Steps, minima, fees, and whether the market accepts orders. */
  readonly rules: Market;
  /** The amount in the base currency, rounded down to the market's step: see {@link roundAmount}. */
  readonly roundAmount: (amount: string | number) => string;
  /** The price, rounded down to the market's step: see {@link roundPrice}. */
  readonly roundPrice: (price: string | number) => string;
  /** One issue for each rule that the order breaks, as `checkOrders` finds them; empty for a valid order. */
  readonly check: (order: OrderToCheck) => RequestIssue[];
}

/** A market by its name. Fails with {@link RequestError} for one that the exchange does not list. */
export function listedMarket(markets$: Observable<MarketsByName>, name: string): Observable<ListedMarket> {
  return markets$.pipe(
    map((markets) => {
      const rules = markets.get(name);
      if (rules === undefined) {
        const issue = { field: 'name', message: `${quote(name)} ${whyMissing(markets)}` };
        throw new RequestError('market', [issue], undefined, 'none');
      }
      return {
        rules,
        roundAmount: (amount) => roundAmount(rules, amount),
        roundPrice: (price) => roundPrice(rules, price),
        check: (order) => checkOrder(rules, order),
      };
    }),
  );
}

const unread: RequestIssue = { field: 'market', message: 'could not be checked: the markets could not be read' };
const failed: RequestIssue = { field: 'params', message: 'could not be checked: toCheck() of the endpoint failed' };

/** Completes when the order keeps the rules; fails with {@link RequestError} when it does not, or cannot be checked. */
export function marketCheck(
  markets$: Observable<MarketsByName>,
  endpoint: Pick<Endpoint, 'name' | 'confidential'>,
  orderToCheck: () => OrderToCheck,
): Observable<never> {
  const { name } = endpoint;
  return markets$.pipe(
    catchError((cause: unknown) => throwError(() => new RequestError(name, [unread], cause))),
    concatMap((markets) => {
      const issues = issuesOf(markets, endpoint, orderToCheck);
      return issues.length === 0 ? EMPTY : throwError(() => new RequestError(name, issues));
    }),
    ignoreElements(),
  );
}

/** An endpoint of the user's own may have a function that fails. What it throws may quote what it was given. */
function issuesOf(
  markets: MarketsByName,
  { name, confidential }: Pick<Endpoint, 'name' | 'confidential'>,
  orderToCheck: () => OrderToCheck,
): readonly RequestIssue[] {
  try {
    return checkAgainstMarkets(markets, orderToCheck());
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    throw new RequestError(name, [failed], confidential ? undefined : cause);
  }
}

/**
 * Whether the exchange lists a market; `undefined` when the markets could not be read. A market is taken to be listed
 * where a record of the list could not be read.
 */
export function isListed(markets$: Observable<MarketsByName>, market: string): Observable<boolean | undefined> {
  return markets$.pipe(
    map((markets) => markets.has(market) || unreadableIn(markets) !== undefined),
    catchError(() => of(undefined)),
  );
}

export function checkAgainstMarkets(markets: MarketsByName, order: OrderToCheck): RequestIssue[] {
  const market = markets.get(order.market);
  return market === undefined
    ? [{ field: 'market', message: `"${order.market}" ${whyMissing(markets)}` }]
    : checkOrder(market, order);
}

function whyMissing(markets: MarketsByName): string {
  const unreadable = unreadableIn(markets);
  if (unreadable === undefined) return 'is not a market of the exchange';
  return `is not among the readable markets; ${unreadable.count} could not be read (the first: ${unreadable.sample})`;
}
