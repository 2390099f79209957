// Collateral positions: the amount that an account holds long or short on a market, and its cost.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide, PositionSide } from '../../model/order.js';

/** A position. Amount and cost of a short position are negative. */
export interface Position {
  readonly account: string;
  readonly market: string;
  /** `BOTH` unless the account is in hedge mode. */
  readonly side: PositionSide;
  readonly amount: Decimal;
  /** The price paid for the position, in the quote currency. */
  readonly cost: Decimal;
  /** 0 before its first trade. A position that is closed and opened again is another one. */
  readonly id: number;
  /** Unix milliseconds. */
  readonly openedAt: number;
  /** When it last traded, Unix milliseconds. */
  readonly changedAt: number;
}

/** The position that an order belongs to. */
interface PositionReference {
  readonly account: string;
  readonly market: string;
  /** In hedge mode only; otherwise one position has both sides. */
  readonly positionSide?: PositionSide | undefined;
}

/** Decimal places of the cost of a part of a position; the rounding difference stays in the position. */
const costPlaces = 8;
const firstId = 5_000_000;

export class Positions {
  readonly #positions = new Map<string, Position>();
  #count = 0;

  constructor(private readonly now: () => number) {}

  /** The position of a collateral order. */
  of({ account, market, positionSide: side = 'BOTH' }: PositionReference): Position {
    return (
      this.#positions.get(keyOf(account, market, side)) ?? {
        account,
        market,
        side,
        amount: decimal(0),
        cost: decimal(0),
        id: 0,
        openedAt: 0,
        changedAt: 0,
      }
    );
  }

  /** The open positions of an account. */
  open(account: string): Position[] {
    return [...this.#positions.values()].filter(
      (position) => position.account === account && !position.amount.isZero(),
    );
  }

  /** The sum of the long positions in a market, in the base currency; that of the short positions may differ. */
  openInterest(market: string): Decimal {
    return [...this.#positions.values()]
      .filter((position) => position.market === market && position.amount.isGreaterThan(0))
      .reduce((sum, { amount }) => sum.plus(amount), decimal(0));
  }

  /** The amount by which an order can reduce its position. */
  reducible(order: PositionReference & { readonly side: OrderSide }): Decimal {
    return reducibleBy(order.side, this.of(order));
  }

  /** Books a trade; returns the realized profit (negative for a loss). */
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
    const isNew = position.amount.isZero() || (closed.isEqualTo(reducible) && !closed.isZero() && !opened.isZero());
    const at = this.now();
    if (isNew) this.#count += 1;

    this.#positions.set(keyOf(position.account, position.market, position.side), {
      ...position,
      ...(isNew ? { id: firstId + this.#count, openedAt: at } : {}),
      changedAt: at,
      amount: position.amount.plus(amount.multipliedBy(sign)),
      cost: position.cost.minus(closedCost).plus(opened.isZero() ? 0 : money.minus(closedMoney).multipliedBy(sign)),
    });
    // Closing a long position sells it; closing a short position buys it back, and the cost of a short one is negative.
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
