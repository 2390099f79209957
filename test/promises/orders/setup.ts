// A client of the foreign exchange, its orders, and the comparison of its reports with the ledger.
import {
  createExchange,
  isExchangeError,
  type CallOptions,
  type Exchange,
  type ExchangeOptions,
  type Order,
  type OrderObservable,
} from 'exchange-rx';
import { last, merge, race, repeat, retry, switchMap, take, timeout, timer, type Observable } from 'rxjs';
import { expect, vi } from 'vitest';
import {
  createForeignExchange,
  foreignKey,
  paths,
  type ForeignExchange,
  type Premises,
} from '../../support/foreign-exchange.js';
import { createForeignNetwork } from '../../support/foreign-network.js';
import { ocoOrderKind, orderKinds, type Choice } from '../../support/order-kinds.js';
import { collected } from '../../support/watch.js';

export { useFakeTimers as useFakeTime } from '../../support/fake-timers.js';

export const market = 'BTC_USDT';

/** Each test has its own address: clients of one address share their limits and nonces. */
let addresses = 0;

export function setup({
  premises = {},
  ...options
}: Partial<ExchangeOptions> & { readonly premises?: Partial<Premises> } = {}) {
  const foreign = createForeignExchange(premises);
  const network = createForeignNetwork(foreign);
  addresses += 1;
  const baseUrl = `https://foreign-${addresses}.example`;
  /** A client of a new process: it knows nothing of the ones before. */
  const connect = (own: Partial<ExchangeOptions> = {}) =>
    createExchange({
      baseUrl,
      credentials: foreignKey,
      transport: { send: (request) => network.send(request) },
      ...options,
      ...own,
    });
  const exchange = connect();
  const events = collected(exchange.events$);
  return { foreign, network, exchange, connect, events };
}

export type Setup = ReturnType<typeof setup>;

export interface Kind {
  readonly kind: string;
  readonly path: string;
  readonly place: (exchange: Exchange, id?: string, options?: CallOptions) => OrderObservable<Order>;
}

const named = (client_order_id: string | undefined) => (client_order_id === undefined ? {} : { client_order_id });

function kindOf(name: string, choice: Partial<Choice> = {}): Kind {
  const found = [...orderKinds, ocoOrderKind].find((kind) => kind.name === name);
  if (found === undefined) throw new Error(`no kind is called ${name}`);
  const { path, amount, place } = found;
  return {
    ...{ kind: name, path },
    place: (exchange, id, options) => place(exchange, { amount, ...choice, ...named(id) }, options),
  };
}

export const stockMarket = kindOf('a stock market order');
export const marketOrder = kindOf('a market order');
export const resting = kindOf('a collateral limit order');
export const filling: Kind = {
  kind: 'a limit order that fills at once',
  path: paths.collateralLimit,
  place: ({ collateral }, id, options) =>
    collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '70000', ...named(id) }, options),
};
export const linked = kindOf('a collateral limit order with a stop loss and a take profit');
export const ocoOrder = kindOf('an OCO order');
export const kinds: readonly Kind[] = [stockMarket, marketOrder, resting, filling, linked, ocoOrder];

/** The kinds of the other endpoints: they differ in their fields, and share everything else. */
export const otherKinds: readonly Kind[] = orderKinds
  .filter(({ path }) => kinds.every((kind) => kind.path !== path))
  .map(({ name }) => kindOf(name));

const selling: Kind = {
  ...kindOf('a market order', { side: 'sell', amount: '0.01' }),
  kind: 'a market order that sells',
};

export const everyKind: readonly Kind[] = [...kinds, ...otherKinds, selling];

export interface Report {
  as: 'waiting' | 'placed' | 'not executed' | 'unknown' | 'error of another package';
  order: Order | undefined;
  error: unknown;
  /** How many emissions or errors followed the order: an order observable emits once and completes. */
  surplus: number;
}

export function follow(order$: Observable<Order>, onEnd: (report: Report) => void = () => undefined): Report {
  const report: Report = { as: 'waiting', order: undefined, error: undefined, surplus: 0 };
  const countSurplus = () => {
    if (report.order !== undefined) report.surplus += 1;
  };
  order$.subscribe({
    next: (order) => {
      countSurplus();
      report.as = 'placed';
      report.order = order;
    },
    error: (error: unknown) => {
      countSurplus();
      report.error = error;
      if (!isExchangeError(error)) report.as = 'error of another package';
      else report.as = error.outcome === 'unknown' ? 'unknown' : 'not executed';
      onEnd(report);
    },
    complete: () => {
      onEnd(report);
    },
  });
  return report;
}

/** Everything that is wrong with a report, and with what was done for it; empty when all is true. */
export function mistakes(foreign: ForeignExchange, id: string, { as, order, error, surplus }: Report): string[] {
  const executions = foreign.executionsOf(id);
  const [execution] = executions;
  const found: string[] = [];
  if (executions.length > 1) found.push('doubled');
  if (surplus > 0) found.push(`misreported: ${surplus} times more after the order`);
  if (as === 'waiting') found.push('never ended');
  if (as === 'error of another package') found.push(`error of another package: ${String(error)}`);
  if (as === 'placed' && execution === undefined) found.push('lost');
  if (as === 'not executed' && execution !== undefined) found.push('misreported as not executed');
  if (order === undefined || execution === undefined) return found;
  // A lookup of an OCO order may report either of its orders.
  const isSame =
    [execution.orderId, execution.oco?.stopOrderId].includes(order.order_id) &&
    order.market === execution.market &&
    order.side === execution.side;
  return isSame ? found : [...found, 'misreported as another order'];
}

/**
 * The promise: at most one execution, and the report is what the ledger says. `allowed` are the reports that are good
 * enough.
 */
export function expectTruth(
  foreign: ForeignExchange,
  id: string,
  report: Report,
  ...allowed: readonly Report['as'][]
): void {
  expect(mistakes(foreign, id, report), reason(report)).toEqual([]);
  expect(allowed, reason(report)).toContain(report.as);
}

/** Follows an order, and compares its report after this time. */
export async function expectTruthAfter(
  count: number,
  foreign: ForeignExchange,
  id: string,
  order$: Observable<Order>,
  ...allowed: readonly Report['as'][]
): Promise<void> {
  const report = follow(order$);
  await seconds(count);
  expectTruth(foreign, id, report, ...allowed);
}

function reason({ error }: Report): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : '';
}

/** What people write around an order. All of them may subscribe to it more than once. */
export const habits: Readonly<Record<string, (order$: Observable<Order>) => Observable<Order>>> = {
  'plain subscription': (order$) => order$,
  'retry()': (order$) => order$.pipe(retry(2)),
  'timeout() and retry()': (order$) => order$.pipe(timeout(700), retry({ count: 30, delay: 500 })),
  'two subscribers': (order$) => merge(order$, order$).pipe(last()),
  'repeat()': (order$) => order$.pipe(repeat(2), last()),
  'race()': (order$) => race(order$, order$),
  'switchMap()': (order$) =>
    timer(0, 20).pipe(
      take(3),
      switchMap(() => order$),
      last(),
    ),
};

/** Places an order by each endpoint, so that the client has seen whether their identifiers are taken. */
export async function getAcquainted(exchange: Exchange): Promise<void> {
  const one = [stockMarket, marketOrder, resting, ocoOrder, ...otherKinds];
  const reports = one.map(({ place }, index) => follow(place(exchange, `acquaintance-${index}`)));
  await vi.advanceTimersByTimeAsync(1000);
  expect(reports.map(({ as }) => as)).toEqual(one.map(() => 'placed'));
}

/** A client of the foreign exchange that has placed an order by each endpoint. */
export async function acquainted(options: Parameters<typeof setup>[0] = {}): Promise<Setup> {
  const all = setup(options);
  await getAcquainted(all.exchange);
  return all;
}

export const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
