// `live.my.executions`: its parameters, and where its executions come from.
import type { Observable } from 'rxjs';
import { checkByRules, nested, quote, type OptionRules, type Rule } from '../../errors/index.js';
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
const auditEveryMs = 60_000;
/** A time further ahead was given in milliseconds, and would drop every execution. */
const maxAheadS = 86_400;

const aTime: Rule = (value) => {
  const oldest = historyBeginsAt(Date.now());
  if (typeof value !== 'number' || !(value <= Date.now() / 1000 + maxAheadS))
    return `${quote(value)} must be Unix seconds`;
  return value >= oldest ? undefined : `${quote(value)} must be at most 6 months ago`;
};
const someKeys: Rule = (value) =>
  Array.isArray(value) && value.every((key) => typeof key === 'string')
    ? undefined
    : 'must be the executions of a cursor';
const cursorRules: OptionRules<ExecutionCursor> = { from: aTime, emitted: someKeys };
const aCursor = nested<ExecutionCursor>(cursorRules, ['from', 'emitted']);
const rules: OptionRules<ExecutionsParams> = {
  markets: someMarkets,
  since: (value, where) => (typeof value === 'number' ? aTime(value, where) : aCursor(value, where)),
};

/** Makes the channel. It throws {@link RequestError} for invalid parameters. */
export function createExecutions(
  context: ExecutionsContext,
): (params?: ExecutionsParams) => Observable<LiveExecutionItem> {
  const { connections, request, random, reportGap, readExecutions, historyLagMs = defaultHistoryLagMs } = context;
  const streams = new ExecutionStreams({
    ...{ random, reportGap, historyLagMs, auditEveryMs },
    subscriptions: connections.subscriptionsOf(deals),
    refusedError: refusedBy(name),
    readPage: readExecutions,
    readTime: () => request(timeOfAccountQuery, undefined),
  });
  return (params = {}) => {
    checkByRules(name, params, rules);
    const { markets, since } = params;
    return streams.items$({ markets, since });
  };
}
