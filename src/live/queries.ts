// Queries: requests on the live connection that have a result. One that fails ends nothing but itself.
import { filter, Observable, take } from 'rxjs';
import * as v from 'valibot';
import { LiveRefusedError, ResponseError, TimeoutError, TransportError } from '../errors/index.js';
import { collateralAssetsSchema, type CollateralAssets } from '../model/collateral-balance.js';
import { integer } from '../model/tolerant.js';
import { tradeBalanceSchema, type TradeBalance } from '../model/trade-balance.js';
import type { Link, RequestEnd } from './connection/index.js';

/** A request on the live connection that has a result: data. */
export interface Query<Params, Output> {
  /** Name in errors. */
  readonly name: string;
  /** The method, such as `depth_request`. */
  readonly method: string;
  /** The parameters as the exchange takes them. */
  readonly params: (params: Params) => readonly unknown[];
  /** The valibot schema of the result. */
  readonly result: v.GenericSchema<unknown, Output>;
  /** Whether the query is about the account: it is sent on an authorized connection. Default false. */
  readonly isPrivate?: boolean;
}

/** The exchange's time, Unix seconds. */
export const timeQuery: Query<undefined, number> = {
  name: 'live.time',
  method: 'time',
  params: () => [],
  result: integer,
};

/** The exchange's time on the connection of the account, so that it is known when its pushes are. */
export const timeOfAccountQuery: Query<undefined, number> = { ...timeQuery, isPrivate: true };

/** The assets that a query is about. */
export interface AssetsQuery {
  /** The assets; empty for all. */
  readonly assets: readonly string[];
}

/** The trade balance by asset: what spot orders spend. */
export const balancesQuery: Query<AssetsQuery, TradeBalance> = {
  name: 'live.balances',
  method: 'balanceSpot_request',
  params: ({ assets }) => assets,
  result: tradeBalanceSchema,
  isPrivate: true,
};

/** The assets of the collateral account by asset. */
export const marginBalancesQuery: Query<AssetsQuery, CollateralAssets> = {
  name: 'live.marginBalances',
  method: 'balanceMargin_request',
  params: ({ assets }) => assets,
  result: collateralAssetsSchema,
  isPrivate: true,
};

/**
 * Sends the query when the connection is open and authorized where it must be, and ends with its result. Unsubscribing
 * cancels it.
 *
 * @param timeoutMs the maximum time to the result, milliseconds
 */
export function sendQuery<Params, Output>(
  link: Link,
  timeoutMs: number,
  query: Query<Params, Output>,
  params: Params,
): Observable<Output> {
  const { name, method } = query;
  return new Observable((subscriber) => {
    const failed = (error: unknown) => {
      subscriber.error(error);
    };
    const respond = (end: RequestEnd) => {
      if (end.type === 'refused') failed(new LiveRefusedError(name, end.refusal.code, end.refusal.message));
      else if (end.type === 'lost')
        failed(new TransportError('the connection was lost', { endpoint: name, outcome: 'none' }));
      else {
        const read = v.safeParse(query.result, end.result);
        // 101 is the status of the response that made the connection.
        const problem = new ResponseError('the result is not a valid result of the query', 101, undefined, name);
        if (!read.success) failed(problem.with({ outcome: 'none' }));
        else {
          subscriber.next(read.output);
          subscriber.complete();
        }
      }
    };
    const timer = setTimeout(() => {
      failed(new TimeoutError(name, timeoutMs, 'attempt', 'none'));
    }, timeoutMs);
    subscriber.add(() => {
      clearTimeout(timer);
    });
    subscriber.add(link.failures$.subscribe(failed));
    subscriber.add(link.retain());
    const open$ = link.state$.pipe(
      filter(({ status }) => status === 'open'),
      take(1),
    );
    subscriber.add(
      open$.subscribe(() => {
        subscriber.add(link.request(method, query.params(params), respond, false));
      }),
    );
  });
}
