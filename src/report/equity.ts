// How the profit in each currency has developed: its curve, and its largest decrease.
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import { profitOf, writtenProfit, type MarketSums, type Profit, type ReportProfit } from './market-sums.js';

/** Profit in a currency, and how it has developed. */
export interface ReportCurrency extends ReportProfit {
  readonly currency: string;
  /** The largest decrease of the profit from an earlier maximum, or from 0 at the start. */
  readonly maxDrawdown: string;
  /** The profit at times of equal distance, Unix milliseconds, and at the end. Oldest first. */
  readonly equity: readonly { readonly at: number; readonly profit: string }[];
}

interface Curve {
  readonly points: { at: number; profit: string }[];
  max: Decimal;
  maxDrawdown: Decimal;
}

export class Equity {
  readonly #curves = new Map<string, Curve>();

  /** Looks at the profit now, for the largest decrease. With a time, it becomes a point of the curve. */
  look(sums: Iterable<MarketSums>, at?: number): void {
    for (const [currency, total] of totalsOf(sums)) {
      const profit = profitOf(total);
      const curve = this.#curves.get(currency) ?? { points: [], max: decimal(0), maxDrawdown: decimal(0) };
      this.#curves.set(currency, curve);
      if (profit.isGreaterThan(curve.max)) curve.max = profit;
      const drawdown = curve.max.minus(profit);
      if (drawdown.isGreaterThan(curve.maxDrawdown)) curve.maxDrawdown = drawdown;
      if (at !== undefined) curve.points.push({ at, profit: formatDecimal(profit) });
    }
  }

  results(sums: Iterable<MarketSums>): ReportCurrency[] {
    return [...totalsOf(sums)].map(([currency, total]) => {
      const { points = [], maxDrawdown = decimal(0) } = this.#curves.get(currency) ?? {};
      return { currency, ...writtenProfit(total), maxDrawdown: formatDecimal(maxDrawdown), equity: points };
    });
  }
}

function totalsOf(sums: Iterable<MarketSums>): Map<string, Profit> {
  const totals = new Map<string, Profit>();
  for (const one of sums) {
    const { currency } = one.of;
    const profit = one.profit();
    const total = totals.get(currency);
    totals.set(currency, total === undefined ? profit : plus(total, profit));
  }
  return totals;
}

function plus(one: Profit, other: Profit): Profit {
  return {
    realized: one.realized.plus(other.realized),
    unrealized: one.unrealized.plus(other.unrealized),
    fees: one.fees.plus(other.fees),
    funding: one.funding.plus(other.funding),
  };
}
