// What a program has earned in the sandbox, from its ledger: profit, fees, funding, drawdown and exposure.
import { oneOf, optionsOf, parse, rule } from '../errors/index.js';
import type { PositionSide } from '../model/order.js';
import { costBases, type CostBasis } from './cost-basis.js';
import { Equity, type ReportCurrency } from './equity.js';
import { MarketSums, type MarketSumsOf, type ReportFill, type ReportMarket } from './market-sums.js';

/** The part of a ledger that {@link report} reads: that of a sandbox has it. */
export interface ReportLedger {
  /** Every accepted order, oldest first. */
  readonly orders: readonly {
    readonly account: string;
    readonly order_id: number;
    readonly status: string;
    readonly collateral: boolean;
    readonly positionSide?: PositionSide;
  }[];
  /** Every execution, oldest first. */
  readonly fills: readonly ReportFill[];
  /** Every change of a balance, oldest first; those with another reason than `funding` do not count. */
  readonly balanceChanges: readonly ReportFunding[];
  /** The price of the last trade of a market at a time, Unix milliseconds; `undefined` where it is not known. */
  priceAt(market: string, at?: number): string | undefined;
}

/** A change of a balance. */
export interface ReportFunding {
  /** Unix milliseconds. */
  readonly at: number;
  /** Name of the account. */
  readonly account: string;
  /** Ticker, such as `USDT`. */
  readonly asset: string;
  /** The amount added; negative when funding was paid. */
  readonly delta: string;
  /** Why the balance changed. */
  readonly reason: string;
  /** The market of funding. */
  readonly market?: string;
}

/** Options of {@link report}. */
export interface ReportOptions {
  /** Name of the account. Default: that of the first order. */
  readonly account?: string;
  /**
   * What the sold part of a position has cost: `average`, the average of what was bought, or `fifo`, what was bought
   * first. Changes realized and unrealized profit, not their sum. Default `average`.
   */
  readonly costBasis?: CostBasis;
}

/** The result of {@link report}: plain JSON. */
export interface Report {
  readonly account: string;
  readonly costBasis: CostBasis;
  /** Of the first and the last fill or funding, Unix milliseconds by the sandbox's clock; 0 without any. */
  readonly from: number;
  readonly to: number;
  /** The number of accepted orders by status. */
  readonly orders: Readonly<Record<string, number>>;
  /** By market and wallet, in the order of their first fill. */
  readonly markets: readonly ReportMarket[];
  /** The sums of the markets. */
  readonly currencies: readonly ReportCurrency[];
}

const reportOptions = optionsOf<ReportOptions>({
  account: rule((value) => typeof value === 'string' && value !== '', 'must be a non-empty string'),
  costBasis: oneOf(...costBases),
});

/** Points of an equity curve, beside its end. */
const equityPoints = 200;

/**
 * Adds up what an account has traded. Positions begin at 0: opening balances and deposits are no profit, and a sale of
 * them is a short position. Covers what the ledger keeps, see `retentionMs`.
 *
 * @throws {@link RequestError} when an option is invalid
 *
 * @example
 * ```ts
 * import { createSandbox, report } from 'exchange-rx/sandbox';
 *
 * const sandbox = createSandbox();
 * const { currencies } = report(sandbox.ledger, { costBasis: 'fifo' });
 * for (const { currency, profit, maxDrawdown } of currencies) console.log(currency, profit, maxDrawdown);
 * ```
 */
export function report(ledger: ReportLedger, options: ReportOptions = {}): Report {
  const given = parse('report', reportOptions, options);
  const { account = ledger.orders[0]?.account ?? '', costBasis = 'average' } = given;
  const orders = ledger.orders.filter((order) => order.account === account);
  const orderOf = new Map(orders.map((order) => [order.order_id, order]));
  const events = eventsOf(ledger, account);
  const [from, to] = [events[0]?.at ?? 0, events.at(-1)?.at ?? 0];

  const sums = new Map<string, MarketSums>();
  const sumsOf = (of: MarketSumsOf): MarketSums => {
    const key = `${of.wallet} ${of.market}`;
    const known = sums.get(key) ?? new MarketSums(of, costBasis);
    sums.set(key, known);
    return known;
  };
  const equity = new Equity();
  const lookAt = (at: number) => {
    for (const one of sums.values()) one.mark(ledger.priceAt(one.of.market, at));
    equity.look(sums.values(), at);
  };

  let points = 0;
  for (const event of events) {
    for (; points < equityPoints && timeOf(points, from, to) < event.at; points += 1) lookAt(timeOf(points, from, to));
    if ('fill' in event) {
      const { order_id, market, currency } = event.fill;
      const order = orderOf.get(order_id);
      const wallet = order?.collateral === true ? 'collateral' : 'trade';
      sumsOf({ market, wallet, currency }).fill(event.fill, order?.positionSide);
    } else {
      const { market = '', asset, delta } = event.funding;
      sumsOf({ market, wallet: 'collateral', currency: asset }).pay(delta);
    }
    equity.look(sums.values());
  }
  if (events.length > 0) lookAt(to);
  return {
    ...{ account, costBasis, from, to },
    orders: countsOf(orders.map(({ status }) => status)),
    markets: [...sums.values()].map((one) => one.result()),
    currencies: equity.results(sums.values()),
  };
}

type Event = { readonly at: number } & ({ readonly fill: ReportFill } | { readonly funding: ReportFunding });

/** Fills and funding of an account, oldest first. */
function eventsOf(ledger: ReportLedger, account: string): Event[] {
  const fills = ledger.fills.filter((fill) => fill.account === account).map((fill) => ({ at: fill.at, fill }));
  const fundings = ledger.balanceChanges
    .filter((entry) => entry.account === account && entry.reason === 'funding')
    .map((funding) => ({ at: funding.at, funding }));
  return [...fills, ...fundings].sort((one, other) => one.at - other.at);
}

function timeOf(point: number, from: number, to: number): number {
  return from + ((to - from) * point) / equityPoints;
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
