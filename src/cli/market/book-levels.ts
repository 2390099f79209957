// The levels of a live order book as a ladder shows them: grouped, summed, with the account's own orders, and every
// number with the same decimals.
import type { LiveOpenOrders, LiveOrderBook } from '../../live/index.js';
import { decimal, formatDecimal, readDecimal, type Decimal } from '../../model/decimal.js';
import { isNothing } from '../../model/order.js';
import type { PriceLevel } from '../../model/order-book.js';

export interface Level {
  readonly price: string;
  readonly amount: string;
  readonly sum: string;
  /** What the account's orders have left at this price; empty without any. `?` marks an order that may have ended. */
  readonly own: string;
  readonly share: number;
}

export interface BookLevels {
  readonly asks: readonly Level[];
  readonly bids: readonly Level[];
  readonly decimals: number;
}

export interface LevelsView {
  readonly levels: number;
  /** Prices are grouped in steps of 10 to this power of the smallest step; 0: not grouped. */
  readonly group: number;
}

type Side = 'ask' | 'bid';

export function levelsOf(book: LiveOrderBook, own: LiveOpenOrders | undefined, view: LevelsView): BookLevels {
  const { levels, group } = view;
  const all = [...book.asks, ...book.bids];
  const decimals = decimalsOf(all.map(([price]) => price));
  const step = decimal(10).pow(group - decimals);
  const best = (side: Side) => {
    const nameOf = (price: string) => (group === 0 ? price : groupOf(price, step, side));
    const ownAmounts = ownOf(own, side, nameOf);
    return withSums(grouped(book[`${side}s`], nameOf))
      .slice(0, levels)
      .map(([price, amount, sum]) => ({ price, amount, sum, own: ownAmounts.get(decimal(price).toFixed()) ?? '' }));
  };
  const [asks, bids] = [best('ask'), best('bid')];
  const shown = [...asks, ...bids];
  const most = Math.max(0, ...shown.map(({ sum }) => Number(sum)));
  const amountDecimals = decimalsOf(shown.map(({ amount }) => amount));
  const written = ({ price, amount, sum, own: mine }: Omit<Level, 'share'>): Level => ({
    price: padded(price, Math.max(0, decimals - group)),
    amount: padded(amount, amountDecimals),
    sum: padded(sum, amountDecimals),
    own: mine,
    share: Number(sum) / most,
  });
  return { asks: asks.map(written), bids: bids.map(written), decimals };
}

export function padded(amount: string, decimals: number): string {
  const value = decimal(amount);
  return value.toFixed(Math.max(decimals, value.decimalPlaces() ?? 0));
}

/** The most decimals of these: those of the smallest step, as far as they show it. */
export function decimalsOf(amounts: readonly string[]): number {
  return Math.max(0, ...amounts.map((amount) => decimal(amount).decimalPlaces() ?? 0));
}

/** A group is named by its price that is the worst for a taker, so that no group looks better than its orders. */
function groupOf(price: string, step: Decimal, side: Side): string {
  const steps = decimal(price)
    .dividedBy(step)
    .integerValue(side === 'ask' ? 2 : 3);
  return formatDecimal(steps.multipliedBy(step));
}

function grouped(levels: readonly PriceLevel[], nameOf: (price: string) => string): [string, Decimal][] {
  const groups = new Map<string, Decimal>();
  for (const [price, amount] of levels) {
    const name = nameOf(price);
    groups.set(name, decimal(amount).plus(groups.get(name) ?? 0));
  }
  return [...groups];
}

function withSums(levels: readonly [string, Decimal][]): [price: string, amount: string, sum: string][] {
  let total = decimal(0);
  return levels.map(([price, amount]) => {
    total = total.plus(amount);
    return [price, formatDecimal(amount), formatDecimal(total)];
  });
}

/** What is left of the account's orders by price. An order that waits for its activation price is in no book. */
function ownOf(own: LiveOpenOrders | undefined, side: Side, nameOf: (price: string) => string): Map<string, string> {
  const amounts = new Map<string, { left: Decimal; mark: '' | '?' }>();
  for (const { order_id, side: orderSide, price, left, activation_price, activated } of own?.orders ?? []) {
    const value = price === undefined ? undefined : readDecimal(price);
    if (orderSide !== (side === 'ask' ? 'sell' : 'buy') || value === undefined || value.isZero()) continue;
    if (left === undefined || (!isNothing(activation_price) && activated !== 1)) continue;
    const name = decimal(nameOf(formatDecimal(value))).toFixed();
    const known = amounts.get(name);
    const mark = own?.unknown.includes(order_id) === true ? '?' : (known?.mark ?? '');
    amounts.set(name, { left: decimal(left).plus(known?.left ?? 0), mark });
  }
  return new Map([...amounts].map(([name, { left, mark }]) => [name, `${formatDecimal(left)}${mark}`]));
}
