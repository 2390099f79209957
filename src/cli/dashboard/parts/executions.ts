// The newest executions of the account: what a request lists every few seconds, and what is pushed meanwhile. Pushes alone
// would look true while the exchange does not accept their subscription.
import { EMPTY, filter, map, merge, mergeMap, of, scan, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { Execution } from '../../../live/index.js';
import { executionPageOf } from '../../../model/deal.js';
import type { ExecutionRow, ExecutionsPart } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { sideOf, timeOf } from './figures.js';
import { polled, shown, untilRefused, type Outage, type Reading } from './freshness.js';

const maxRows = 200;
const readLimit = 100;
const everyMs = 5000;
const dayMs = 86_400_000;

interface Known {
  readonly executions: readonly Execution[];
  /** Whether the list reaches back to the first execution of the account. */
  readonly isWhole: boolean;
}

const nothing: Known = { executions: [], isWhole: false };

export function executionsPart({ live, orders }: Exchange, outage: Outage): Observable<ExecutionsPart> {
  const pushed$ = live.my.executions().pipe(
    mergeMap((item) => (item.kind === 'execution' ? of(item.execution) : EMPTY)),
    untilRefused(),
  );
  const listed$ = polled(outage, () => orders.dealsByMarket({ limit: readLimit }, { retry: false }), everyMs);
  const step$ = merge(
    pushed$.pipe(map((execution) => (last?: Reading<Known>) => last && withPushed(last, execution))),
    listed$.pipe(
      map(({ value, ...rest }) => (last?: Reading<Known>): Reading<Known> => {
        return { ...rest, value: withListed(last?.value ?? nothing, executionPageOf(value).executions) };
      }),
    ),
  );
  return step$.pipe(
    scan((last: Reading<Known> | undefined, step) => step(last), undefined),
    filter((reading) => reading !== undefined),
    shown(outage, everyMs),
    map(({ value = nothing, state }) => {
      const rows = value.executions.map(executionRow);
      const midnight = Math.floor(Date.now() / dayMs) * dayMs;
      const count = rows.filter(({ at }) => at >= midnight).length;
      return { state, list: rows, today: { count, isAtLeast: count === rows.length && !value.isWhole } };
    }),
  );
}

function withPushed(last: Reading<Known>, execution: Execution): Reading<Known> {
  const executions = merged([execution], last.value.executions);
  return { ...last, value: { executions, isWhole: last.value.isWhole && executions.length < maxRows } };
}

function withListed(known: Known, listed: readonly Execution[]): Known {
  const executions = merged(listed, known.executions);
  return { executions, isWhole: listed.length < readLimit && executions.length < maxRows };
}

function merged(next: readonly Execution[], known: readonly Execution[]): readonly Execution[] {
  const all = new Map([...known, ...next].map((execution) => [`${execution.id} ${execution.order_id}`, execution]));
  return [...all.values()].toSorted((one, other) => other.time - one.time || other.id - one.id).slice(0, maxRows);
}

export function tradeNumbers({ list }: ExecutionsPart, market: string): ReadonlySet<number> {
  return new Set(list.filter((row) => row.market === market).map(({ id }) => id));
}

function executionRow(execution: Execution): ExecutionRow {
  const { id, order_id, client_order_id, market, time, side, price, amount, deal, fee = '', feeAsset = '' } = execution;
  return {
    ...{ id, orderId: order_id, clientOrderId: pageName(client_order_id), market: pageName(market) },
    at: timeOf(time) ?? 0,
    side: sideOf(side),
    ...{ price: pageAmount(price), amount: pageAmount(amount), total: pageAmount(deal) },
    ...{ fee: pageAmount(fee), feeAsset: pageName(feeAsset) },
    role: execution.role === 1 ? 'maker' : execution.role === 2 ? 'taker' : 'unknown',
  };
}
