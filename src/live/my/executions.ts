// `live.my.executions`: its parameters, and where its executions come from.
import type { Observable } from 'rxjs';
import * as v from 'valibot';
import { optionsOf, parse, rule, unquoted } from '../../errors/index.js';
import type { ExecutionCursor, LiveExecutionItem } from '../../model/execution.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { deals } from '../channels/deals.js';
import type { Connections } from '../connections.js';
import { someMarkets } from '../market-rules.js';
import { timeOfAccountQuery, type Query } from '../queries.js';
import { refusedBy } from '../state-stream.js';
import type { ReadExecutionPage } from './execution-history.js';
import { ExecutionStreams, historyBeginsAt } from './execution-stream.js';
import { defaultHistoryLagMs } from './orders.js';

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

export interface ExecutionsContext {
  readonly connections: Connections;
  /** Random numbers from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Sends a query on the connection that it needs. */
  readonly request: <Params, Output>(query: Query<Params, Output>, params: Params) => Observable<Output>;
  readonly reportGap: (gap: LiveGap) => void;
  /** Reads a page of the history over REST. */
  readonly readExecutions: ReadExecutionPage;
  /** How long an execution may be missing from the history, milliseconds. Default 2000. */
  readonly historyLagMs: number | undefined;
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
  context: ExecutionsContext,
): (params?: ExecutionsParams) => Observable<LiveExecutionItem> {
  const { connections, request, random, reportGap, readExecutions, historyLagMs = defaultHistoryLagMs } = context;
  const streams = new ExecutionStreams({
    ...{ random, reportGap, historyLagMs },
    subscriptions: connections.subscriptionsOf(deals),
    refusedError: refusedBy(name),
    readPage: readExecutions,
    readTime: () => request(timeOfAccountQuery, undefined),
  });
  return (params = {}) => {
    const { markets, since } = parse(name, executionsParams, params);
    return streams.items$({ markets, since });
  };
}
