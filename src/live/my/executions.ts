// `live.my.executions`: its parameters, and where its executions come from.
import { concatMap, endWith, from, ignoreElements, map, switchMap, tap, type Observable } from 'rxjs';
import * as v from 'valibot';
import { LiveRefusedError, optionsOf, parse, rule, unquoted } from '../../errors/index.js';
import type { ExecutionCursor, LiveExecutionItem } from '../../model/deal.js';
import { deals } from '../channels/deals.js';
import type { Connections } from '../connections.js';
import { someMarkets } from '../markets.js';
import type { Account } from './account.js';
import { ExecutionStream, historyBeginsAt } from './execution-stream.js';

/** Parameters of {@link My.executions}. */
export interface ExecutionsParams {
  /**
   * The markets, `BASE_QUOTE`.
   *
   * @default all
   */
  readonly markets?: readonly string[];
  /**
   * From where on: a time of the exchange, Unix seconds, or the `cursor` of the last execution that the program has had.
   * At most 6 months ago. Default: the first confirmation of the subscription.
   */
  readonly since?: number | ExecutionCursor | undefined;
}

const name = 'live.my.executions';
/** A time further ahead was given in milliseconds, and would drop every execution. */
const maxAheadS = 86_400;

const aTime = v.pipe(
  rule<number>((value) => typeof value === 'number' && value <= Date.now() / 1000 + maxAheadS, 'must be Unix seconds'),
  v.check(
    (value) => value >= historyBeginsAt(Date.now()),
    ({ input }) => `${input} must be at most 6 months ago`,
  ),
);
const someKeys = unquoted<readonly string[]>(
  (value) => Array.isArray(value) && value.every((key) => typeof key === 'string'),
  'must be the executions of a cursor',
);
const aCursor = optionsOf<ExecutionCursor>({ from: aTime, emitted: someKeys }, ['from', 'emitted']);
const executionsParams = optionsOf<ExecutionsParams>({
  markets: someMarkets,
  since: v.lazy((value) => (typeof value === 'number' ? aTime : aCursor)),
});

/** Makes the channel. It throws {@link RequestError} for invalid parameters. */
export function createExecutions(
  account: Account,
  connections: Connections,
): (params?: ExecutionsParams) => Observable<LiveExecutionItem> {
  const stream = new ExecutionStream(account, connections.subscriptionsOf(deals));
  return (params = {}) => {
    const wish = parse(name, executionsParams, params);
    return from(wish.markets ?? []).pipe(
      concatMap((market) => connections.isListed(market).pipe(map((isListed) => ({ market, isListed })))),
      tap(({ market, isListed }) => {
        if (!isListed) throw new LiveRefusedError(name, undefined, 'the exchange lists no such market', market);
      }),
      ignoreElements(),
      endWith(undefined),
      switchMap(() => stream.items$(wish)),
    );
  };
}
