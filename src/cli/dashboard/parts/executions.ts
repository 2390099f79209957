// The newest executions of the account: those that were pushed, and those that a request lists, at first and after each
// lost connection.
import {
  combineLatest,
  defer,
  distinctUntilChanged,
  EMPTY,
  endWith,
  ignoreElements,
  map,
  merge,
  mergeMap,
  of,
  scan,
  share,
  startWith,
  switchMap,
  takeWhile,
  type Observable,
} from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { Execution } from '../../../live/index.js';
import { executionPageOf } from '../../../model/deal.js';
import { poll } from '../../../operators/index.js';
import type { ExecutionRow, ExecutionsPart } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { sideOf, timeOf } from './figures.js';
import { insteadOfFailure, shared, shown, untilRefused, type Down, type Reading } from './freshness.js';

const maxRows = 200;
const readLimit = 100;
const everyMs = 5000;
const dayMs = 86_400_000;

type Step =
  | { readonly kind: 'pushed'; readonly execution: Execution }
  | { readonly kind: 'read'; readonly executions: readonly Execution[]; readonly sentAt: number; readonly link: object }
  | { readonly kind: 'failed' };

interface Known {
  readonly executions: readonly Execution[];
  /** Whether the list reaches back to the first execution of the account. */
  readonly isWhole: boolean;
  readonly at: number;
  readonly readWith: object | undefined;
  readonly hasFailed: boolean;
}

const nothing: Known = { executions: [], isWhole: false, at: 0, readWith: undefined, hasFailed: false };

export function executionsPart({ events$, live, orders }: Exchange, down$: Down): Observable<ExecutionsPart> {
  const pushed$ = live.my.executions().pipe(
    mergeMap((item) => (item.kind === 'execution' ? of<Step>({ kind: 'pushed', execution: item.execution }) : EMPTY)),
    // Requests list what the exchange does not push to this account.
    untilRefused(),
    share(),
  );
  const isRefused$ = pushed$.pipe(ignoreElements(), startWith(false), endWith(true));
  // A connection may be open for a while before the exchange confirms this subscription again.
  const isStale$ = events$.pipe(
    mergeMap((event) => (event.type === 'live-stale' && event.channel === 'deals' ? of(event.stale) : EMPTY)),
    startWith(false),
  );
  // A value for each connection, and for each time without one.
  const link$ = combineLatest([live.my.state$, isRefused$, isStale$]).pipe(
    map(([{ status }, isRefused, isStale]) => status === 'open' && !isRefused && !isStale),
    distinctUntilChanged(),
    map((isPushed) => ({ isPushed })),
    shared(),
  );
  const read$ = link$.pipe(
    switchMap((link) =>
      defer(() => {
        const sentAt = Date.now();
        return orders
          .dealsByMarket({ limit: readLimit }, { retry: false })
          .pipe(
            map((byMarket): Step => ({ kind: 'read', executions: executionPageOf(byMarket).executions, sentAt, link })),
          );
      }).pipe(
        insteadOfFailure(of<Step>({ kind: 'failed' })),
        poll({ everyMs }),
        takeWhile(({ kind }) => !link.isPushed || kind === 'failed', true),
      ),
    ),
  );
  const known$ = merge(pushed$, read$).pipe(scan(withStep, nothing));
  const reading$ = combineLatest([known$, link$]).pipe(
    map(([value, link]): Reading<Known> => {
      // Executions of the time without a connection are missing until a request lists them.
      const isLive = link.isPushed && value.readWith === link;
      const status = isLive ? 'live' : value.hasFailed ? 'stale' : 'read';
      return { value, status, at: value.at, ...(status === 'stale' ? { reason: 'requests fail' } : {}) };
    }),
  );
  return reading$.pipe(
    shown(down$, null),
    map(({ value = nothing, state }) => {
      const rows = value.executions.map(executionRow);
      const midnight = Math.floor(Date.now() / dayMs) * dayMs;
      const count = rows.filter(({ at }) => at >= midnight).length;
      return { state, list: rows, today: { count, isAtLeast: count === rows.length && !value.isWhole } };
    }),
  );
}

function withStep(known: Known, step: Step): Known {
  if (step.kind === 'failed') return { ...known, hasFailed: true };
  if (step.kind === 'pushed') {
    const executions = merged([step.execution], known.executions);
    return { ...known, executions, at: Date.now(), isWhole: known.isWhole && executions.length < maxRows };
  }
  const executions = merged(step.executions, known.executions);
  const isWhole = step.executions.length < readLimit && executions.length < maxRows;
  return { executions, at: Math.max(known.at, step.sentAt), isWhole, readWith: step.link, hasFailed: false };
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
