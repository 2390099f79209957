// What a position cost, and the profit of the trades that reduce it: by average cost, or the first bought is the first
// sold.
import { decimal, type Decimal } from '../model/decimal.js';

export const costBases = ['average', 'fifo'] as const;
/** How the cost of a part of a position is determined. */
export type CostBasis = (typeof costBases)[number];

interface Lot {
  /** Negative for a short position. */
  readonly amount: Decimal;
  readonly cost: Decimal;
}

/** A position: its lots, oldest first. With average cost there is one. */
export type Lots = readonly Lot[];

/** Decimal places of the average cost of a part of a position; the rounding difference stays in the position. */
const costPlaces = 8;

/** The lots after a trade, and its profit. `amount` is negative for a sale. A trade may turn a position. */
export function afterTrade(
  lots: Lots,
  { amount, price, basis }: { readonly amount: Decimal; readonly price: Decimal; readonly basis: CostBasis },
): { readonly lots: Lots; readonly profit: Decimal } {
  const rest = [...lots];
  let open = amount;
  let profit = decimal(0);
  for (let [lot] = rest; lot !== undefined && !open.isZero() && isOpposite(lot.amount, open); [lot] = rest) {
    const closed = open.abs().isLessThan(lot.amount.abs()) ? open.negated() : lot.amount;
    const cost = closed.isEqualTo(lot.amount)
      ? lot.cost
      : lot.cost.multipliedBy(closed).dividedBy(lot.amount).decimalPlaces(costPlaces);
    profit = profit.plus(closed.multipliedBy(price)).minus(cost);
    open = open.plus(closed);
    rest.shift();
    if (!closed.isEqualTo(lot.amount)) rest.unshift({ amount: lot.amount.minus(closed), cost: lot.cost.minus(cost) });
  }
  if (!open.isZero()) rest.push({ amount: open, cost: open.multipliedBy(price) });
  return { lots: basis === 'average' && rest.length > 1 ? [sumOf(rest)] : rest, profit };
}

/** The amount and the cost of a position. */
export function sumOf(lots: Lots): Lot {
  return lots.reduce((sum, lot) => ({ amount: sum.amount.plus(lot.amount), cost: sum.cost.plus(lot.cost) }), {
    amount: decimal(0),
    cost: decimal(0),
  });
}

function isOpposite(one: Decimal, other: Decimal): boolean {
  return one.isNegative() !== other.isNegative();
}
