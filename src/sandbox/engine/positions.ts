// Collateral positions: what an account holds long or short on a market, and what it paid for it.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide, PositionSide } from '../../model/order.js';

/** A position. Amount and cost are negative for a short one. */
export interface Position {
  readonly account: string;
  readonly market: string;
  /** `BOTH` unless the account is in hedge mode. */
  readonly side: PositionSide;
  readonly amount: Decimal;
  /** What was paid for it, in the quote currency. */
  readonly cost: Decimal;
}

/** What says which position an order is of. */
interface OfPosition {
  readonly account: string;
  readonly market: string;
  /** In hedge mode; otherwise there is one position for both sides. */
  readonly positionSide?: PositionSide | undefined;
}

/** Places that a part of a position's cost is rounded to; the rest stays in the position. */
const costPlaces = 8;

export class Positions {
  readonly #positions = new Map<string, Position>();

  /** The position that a collateral order is of. */
  of({ account, market, positionSide: side = 'BOTH' }: OfPosition): Position {
    return (
      this.#positions.get(keyOf(account, market, side)) ?? {
        account,
        market,
        side,
        amount: decimal(0),
        cost: decimal(0),
      }
    );
  }

  /** The positions of an account that are open. */
  open(account: string): Position[] {
    return [...this.#positions.values()].filter(
      (position) => position.account === account && !position.amount.isZero(),
    );
  }

  /** How much of its position an order would reduce. */
  reducible(order: OfPosition & { readonly side: OrderSide }): Decimal {
    return reducibleBy(order.side, this.of(order));
  }

  /** Books a trade; returns the profit that it realized (negative for a loss). */
  trade(position: Position, side: OrderSide, amount: Decimal, money: Decimal): Decimal {
    const sign = side === 'buy' ? 1 : -1;
    const reducible = reducibleBy(side, position);
    const closed = decimal(amount.isLessThan(reducible) ? amount : reducible);

    const closedMoney = closed.isEqualTo(amount)
      ? money
      : money.multipliedBy(closed).dividedBy(amount).decimalPlaces(costPlaces);
    const closedCost = closed.isEqualTo(reducible)
      ? position.cost.multipliedBy(closed.isZero() ? 0 : 1)
      : position.cost.multipliedBy(closed).dividedBy(reducible).decimalPlaces(costPlaces);
    const opened = amount.minus(closed);

    this.#positions.set(keyOf(position.account, position.market, position.side), {
      ...position,
      amount: position.amount.plus(amount.multipliedBy(sign)),
      cost: position.cost.minus(closedCost).plus(opened.isZero() ? 0 : money.minus(closedMoney).multipliedBy(sign)),
    });
    // A long position was paid for and is sold; a short one was sold and is paid for now: its cost is negative.
    return closed.isZero() ? decimal(0) : closedMoney.multipliedBy(-sign).minus(closedCost);
  }
}

function reducibleBy(side: OrderSide, { amount }: Position): Decimal {
  const reduces = side === 'buy' ? amount.isLessThan(0) : amount.isGreaterThan(0);
  return reduces ? amount.abs() : decimal(0);
}

function keyOf(account: string, market: string, side: PositionSide): string {
  return `${account}\n${market}\n${side}`;
}
