// The order book of a recorded market, as its depth frames show it: read-only liquidity. Orders of accounts take from it;
// an amount that was taken is not offered again.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import { isPast, min } from './amounts.js';

/** A price as it is compared: by its double, which never puts two prices in the wrong order, then by its digits. */
interface Price {
  readonly double: number;
  readonly digits: string;
}

/** A level of the last frame. Most change before an order meets them: their decimals are made when they are used. */
class Level implements Price {
  readonly double: number;
  #price: Decimal | undefined;
  #amount: Decimal | undefined;

  /** @param taken what orders of accounts took of it: at most its amount */
  constructor(
    readonly digits: string,
    private readonly shown: string,
    readonly taken: Decimal,
  ) {
    this.double = Number(digits);
  }

  get price(): Decimal {
    this.#price ??= decimal(this.digits);
    return this.#price;
  }

  get amount(): Decimal {
    this.#amount ??= decimal(this.shown);
    return this.#amount;
  }

  withTaken(taken: Decimal): Level {
    return new Level(this.digits, this.shown, taken);
  }
}

/** The levels of both sides, best first. It never changes: a frame makes another one. */
export interface Liquidity {
  /** The number of levels a side that frames show. */
  readonly limit: number;
  readonly buy: readonly Level[];
  readonly sell: readonly Level[];
}

/** Prices and amounts, decimal strings; an amount of zero removes the level. */
export type Changes = readonly (readonly [price: string, amount: string])[];

export interface Frame {
  readonly isSnapshot: boolean;
  readonly buy: Changes;
  readonly sell: Changes;
}

const none = decimal(0);

export function noLiquidity(limit: number): Liquidity {
  return { limit, buy: [], sell: [] };
}

/** The liquidity after a frame. A level keeps what was taken of it, in a snapshot, too: a busy market sends no other. */
export function afterFrame(shown: Liquidity, frame: Frame): Liquidity {
  const sideAfter = (side: OrderSide): readonly Level[] => {
    const levels = frame.isSnapshot ? [] : [...shown[side]];
    for (const [digits, amount] of frame[side]) {
      const price = { digits, double: Number(digits) };
      const place = placeOf(levels, side, price);
      const known = levelAtPlace(levels, place, price);
      // No decimal string is too small for a double.
      if (Number(amount) === 0) {
        if (known !== undefined) levels.splice(place, 1);
        continue;
      }
      const taken = (known ?? levelAt(shown[side], side, price))?.taken ?? none;
      const level = new Level(digits, amount, none);
      levels.splice(
        place,
        known === undefined ? 0 : 1,
        taken.isZero() ? level : level.withTaken(min(taken, level.amount)),
      );
    }
    return levels.length > shown.limit ? levels.slice(0, shown.limit) : levels;
  };
  return { limit: shown.limit, buy: sideAfter('buy'), sell: sideAfter('sell') };
}

export function taking(shown: Liquidity, side: OrderSide, price: Decimal, amount: Decimal): Liquidity {
  const levels = shown[side].map((level) =>
    level.price.isEqualTo(price) ? level.withTaken(level.taken.plus(amount)) : level,
  );
  return { ...shown, [side]: levels };
}

/** The amount at a price; `undefined` for a price beyond the levels that frames show. */
export function amountAt(shown: Liquidity, side: OrderSide, price: Decimal): Decimal | undefined {
  const digits = price.toFixed();
  const level = levelAt(shown[side], side, { digits, double: Number(digits) });
  if (level !== undefined) return level.amount;
  const worst = shown[side].at(-1);
  const isWithin = shown[side].length < shown.limit || (worst !== undefined && isPast(side, price, worst.price));
  return isWithin ? none : undefined;
}

function levelAt(levels: readonly Level[], side: OrderSide, price: Price): Level | undefined {
  return levelAtPlace(levels, placeOf(levels, side, price), price);
}

function levelAtPlace(levels: readonly Level[], place: number, price: Price): Level | undefined {
  const level = levels[place];
  return level !== undefined && comparedTo(level, price) === 0 ? level : undefined;
}

function placeOf(levels: readonly Level[], side: OrderSide, price: Price): number {
  const direction = side === 'buy' ? -1 : 1;
  let [from, to] = [0, levels.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const level = levels[middle];
    if (level !== undefined && direction * comparedTo(level, price) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function comparedTo(one: Price, other: Price): number {
  if (one.double !== other.double) return one.double - other.double;
  return one.digits === other.digits ? 0 : (decimal(one.digits).comparedTo(decimal(other.digits)) ?? 0);
}
