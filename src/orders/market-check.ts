// The check of an order against the rules of its market, before it is sent.
import { catchError, concatMap, EMPTY, ignoreElements, map, of, throwError, type Observable } from 'rxjs';
import { checkOrder } from './check-order.js';
import type { MarketsByName } from './market-cache.js';
import type { Endpoint, WireFields } from '../endpoint/index.js';
import { RequestError, type RequestIssue } from '../errors/index.js';
import type { OrderToCheck } from '../model/order-to-check.js';
import { unreadableIn } from '../model/unreadable.js';

const unread: RequestIssue = { field: 'market', message: 'could not be checked: the markets could not be read' };
const failed: RequestIssue = { field: 'params', message: 'could not be checked: toCheck() of the endpoint failed' };

/** Completes when the order keeps the rules; fails with {@link RequestError} when it does not, or cannot be checked. */
export function marketCheck(
  markets$: Observable<MarketsByName>,
  endpoint: Endpoint,
  fields: WireFields,
): Observable<never> {
  const { name } = endpoint;
  return markets$.pipe(
    catchError((cause: unknown) => throwError(() => new RequestError(name, [unread], cause))),
    concatMap((markets) => {
      const issues = issuesOf(markets, endpoint, fields);
      return issues.length === 0 ? EMPTY : throwError(() => new RequestError(name, issues));
    }),
    ignoreElements(),
  );
}

/** An endpoint of the user's own may have a function that fails. What it throws may quote what it was given. */
function issuesOf(markets: MarketsByName, endpoint: Endpoint, fields: WireFields): readonly RequestIssue[] {
  try {
    const order = endpoint.toCheck?.(fields);
    return order === undefined ? [] : checkAgainstMarkets(markets, order);
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    throw new RequestError(endpoint.name, [failed], endpoint.confidential === true ? undefined : cause);
  }
}

/**
 * Whether the exchange lists a market; `undefined` when the markets could not be read. A market is taken to be listed
 * where no endpoint lists the markets, or where a record of the list could not be read.
 */
export function isListed(
  markets$: Observable<MarketsByName> | undefined,
  market: string,
): Observable<boolean | undefined> {
  if (markets$ === undefined) return of(true);
  return markets$.pipe(
    map((markets) => markets.has(market) || unreadableIn(markets) !== undefined),
    catchError(() => of(undefined)),
  );
}

/** Checks an order against the rules of its market; one entry for each rule that it breaks. */
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
