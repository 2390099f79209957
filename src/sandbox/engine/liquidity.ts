// The order book of a recorded market, as its depth frames show it: read-only liquidity. Orders of accounts take from it;
// an amount that was taken is not offered again.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';

export interface Level {
  readonly price: Decimal;
  /** The amount that the last frame shows. */
  readonly amount: Decimal;
  /** What orders of accounts took of it: at most `amount`. */
  readonly taken: Decimal;
}

/** The levels of both sides, best first. It never changes: a frame makes another one. */
export interface Liquidity {
  /** The number of levels a side that frames show. */
  readonly limit: number;
  readonly buy: readonly Level[];
  readonly sell: readonly Level[];
}

/** Prices and amounts; an amount of zero removes the level. */
export type Changes = readonly (readonly [price: Decimal, amount: Decimal])[];

const none = decimal(0);

export function noLiquidity(limit: number): Liquidity {
  return { limit, buy: [], sell: [] };
}

/** The liquidity after a frame. A level keeps what was taken of it, in a snapshot, too: a busy market sends no other. */
export function afterFrame(
  shown: Liquidity,
  frame: { readonly isSnapshot: boolean; readonly buy: Changes; readonly sell: Changes },
): Liquidity {
  const sideAfter = (side: OrderSide): readonly Level[] => {
    const levels = frame.isSnapshot ? [] : [...shown[side]];
    for (const [price, amount] of frame[side]) {
      const place = placeOf(levels, side, price);
      const level = levels[place];
      const known = level?.price.isEqualTo(price) === true ? level : undefined;
      if (amount.isZero()) {
        if (known !== undefined) levels.splice(place, 1);
        continue;
      }
      const taken = (known ?? levelAt(shown, side, price))?.taken ?? none;
      levels.splice(place, known === undefined ? 0 : 1, { price, amount, taken: min(taken, amount) });
    }
    return levels.length > shown.limit ? levels.slice(0, shown.limit) : levels;
  };
  return { limit: shown.limit, buy: sideAfter('buy'), sell: sideAfter('sell') };
}

/** The liquidity after an order of an account took this amount of a level. */
export function taking(shown: Liquidity, side: OrderSide, price: Decimal, amount: Decimal): Liquidity {
  const levels = shown[side].map((level) =>
    level.price.isEqualTo(price) ? { ...level, taken: level.taken.plus(amount) } : level,
  );
  return { ...shown, [side]: levels };
}

export function levelAt(shown: Liquidity, side: OrderSide, price: Decimal): Level | undefined {
  const level = shown[side][placeOf(shown[side], side, price)];
  return level?.price.isEqualTo(price) === true ? level : undefined;
}

/** The amount at a price; `undefined` for a price beyond the levels that frames show. */
export function amountAt(shown: Liquidity, side: OrderSide, price: Decimal): Decimal | undefined {
  const level = levelAt(shown, side, price);
  if (level !== undefined) return level.amount;
  const worst = shown[side].at(-1);
  const isWithin = shown[side].length < shown.limit || (worst !== undefined && isBetter(side, price, worst.price));
  return isWithin ? none : undefined;
}

/** Whether an order of this side at `price` comes before one at `other`. */
export function isBetter(side: OrderSide, price: Decimal, other: Decimal): boolean {
  return side === 'buy' ? price.isGreaterThan(other) : price.isLessThan(other);
}

export function min(one: Decimal, other: Decimal): Decimal {
  return one.isLessThan(other) ? one : other;
}

/** `one` less `other`, and never below zero. */
export function excess(one: Decimal, other: Decimal): Decimal {
  return one.isGreaterThan(other) ? one.minus(other) : none;
}

/** The index of a price, or the one where its level would be. */
function placeOf(levels: readonly Level[], side: OrderSide, price: Decimal): number {
  let [from, to] = [0, levels.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const level = levels[middle];
    if (level !== undefined && isBetter(side, level.price, price)) from = middle + 1;
    else to = middle;
  }
  return from;
}
