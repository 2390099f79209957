// Queries: requests on the account's connection that have a result. One that fails ends nothing but itself.
import { filter, Observable, take } from 'rxjs';
import * as v from 'valibot';
import { LiveRefusedError, ResponseError, TimeoutError, TransportError } from '../errors/index.js';
import {
  collateralAssetsSchema,
  type CollateralAssets,
  tradeBalanceSchema,
  type TradeBalance,
} from '../model/balances.js';
import { integer } from '../model/tolerant.js';
import { responseTimeoutMs, type Link, type RequestEnd } from './connection/index.js';

/** A request on the account's connection that has a result and no parameters: data. */
export interface Query<Output> {
  /** Name in errors. */
  readonly name: string;
  /** The method, such as `balanceSpot_request`. */
  readonly method: string;
  /** The valibot schema of the result. */
  readonly result: v.GenericSchema<unknown, Output>;
}

/** The exchange's time, Unix seconds: on the account's connection, so that it is known when its pushes are. */
export const timeQuery: Query<number> = { name: 'live.time', method: 'time', result: integer };

/** The trade balance by asset: what spot orders spend. */
export const balancesQuery: Query<TradeBalance> = {
  name: 'live.balances',
  method: 'balanceSpot_request',
  result: tradeBalanceSchema,
};

/** The assets of the collateral account by asset. */
export const marginBalancesQuery: Query<CollateralAssets> = {
  name: 'live.marginBalances',
  method: 'balanceMargin_request',
  result: collateralAssetsSchema,
};

/** Sends the query when the connection is open, and ends with its result. Unsubscribing cancels it. */
export function sendQuery<Output>(
  link: Pick<Link, 'failures$' | 'request' | 'retain' | 'state$'>,
  { name, method, result }: Query<Output>,
): Observable<Output> {
  return new Observable((subscriber) => {
    const failed = (error: unknown) => {
      subscriber.error(error);
    };
    const respond = (end: RequestEnd) => {
      if (end.type === 'refused') failed(new LiveRefusedError(name, end.refusal.code, end.refusal.message));
      else if (end.type === 'lost')
        failed(new TransportError('the connection was lost', { endpoint: name, outcome: 'none' }));
      else {
        const read = v.safeParse(result, end.result);
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
      failed(new TimeoutError(name, responseTimeoutMs, 'attempt', 'none'));
    }, responseTimeoutMs);
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
        subscriber.add(link.request(method, [], respond, false));
      }),
    );
  });
}
