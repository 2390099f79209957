// Collateral positions: the amount that an account holds long or short on a market, its cost, and the sums of its life.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide, PositionSide } from '../../model/order.js';
import type { EngineTime } from '../clock.js';
import { Journal } from '../retention.js';

interface Traded {
  readonly amount: Decimal;
  readonly money: Decimal;
}

/** A position. Amount and cost of a short position are negative. */
export interface Position {
  readonly account: string;
  readonly market: string;
  /** `BOTH` unless the account is in hedge mode. */
  readonly side: PositionSide;
  readonly amount: Decimal;
  readonly cost: Decimal;
  /** 0 before its first trade. A position that is closed and opened again is another one. */
  readonly id: number;
  /** Unix milliseconds. */
  readonly openedAt: number;
  /** When it last traded, Unix milliseconds. */
  readonly changedAt: number;
  readonly entered: Traded;
  readonly exited: Traded;
  /** The profit of the trades that reduced it, before fees; negative for a loss. */
  readonly profit: Decimal;
  readonly fees: Decimal;
  /** The funding that it paid; negative when it received more than it paid. */
  readonly funding: Decimal;
}

export interface PositionTrade extends Pick<Traded, 'amount'> {
  readonly order_id: number;
  readonly client_order_id: string;
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly fee: Decimal;
}

/** A trade that opened, increased, reduced or closed a position; a trade that turns a position is two changes. */
export interface PositionChange {
  /** Unix milliseconds. */
  readonly at: number;
  readonly account: string;
  /** The position after the change; its amount is 0 when the change closed it. */
  readonly position: Position;
  readonly direction: 'LONG' | 'SHORT';
  /** Of the part of the trade that changed the position. */
  readonly trade: PositionTrade;
  /** Of a trade that reduced it; negative for a loss. */
  readonly profit?: Decimal;
}

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
  readonly changes = new Journal<PositionChange>();
  readonly hedged = new Set<string>();
  readonly #positions = new Map<string, Position>();
  #count = 0;

  constructor(private readonly time: Pick<EngineTime, 'now'>) {}

  setHedged(account: string, enabled: boolean): void {
    if (enabled) this.hedged.add(account);
    else this.hedged.delete(account);
  }

  get isEmpty(): boolean {
    return this.#positions.size === 0;
  }

  of({ account, market, positionSide: side = 'BOTH' }: PositionReference): Position {
    return this.#positions.get(keyOf(account, market, side)) ?? emptyPosition(account, market, side);
  }

  open(account: string): Position[] {
    return [...this.#positions.values()].filter((position) => position.account === account);
  }

  inMarket(market: string): Position[] {
    return [...this.#positions.values()].filter((position) => position.market === market);
  }

  /** The sum of the long positions in a market, in the base currency; that of the short positions may differ. */
  openInterest(market: string): Decimal {
    return this.inMarket(market)
      .filter(({ amount }) => amount.isGreaterThan(0))
      .reduce((sum, { amount }) => sum.plus(amount), decimal(0));
  }

  reducible(order: PositionReference & { readonly side: OrderSide }): Decimal {
    return reducibleBy(order.side, this.of(order));
  }

  trade(reference: PositionReference, trade: PositionTrade): Decimal {
    const position = this.of(reference);
    const { amount, side, fee } = trade;
    const reducible = reducibleBy(side, position);
    const closed = decimal(amount.isLessThan(reducible) ? amount : reducible);
    const opened = amount.minus(closed);
    const closedFee = opened.isZero() ? fee : fee.multipliedBy(closed).dividedBy(amount).decimalPlaces(costPlaces);

    const profit = closed.isZero() ? decimal(0) : this.#reduce(position, { ...trade, amount: closed, fee: closedFee });
    if (!opened.isZero()) this.#increase(this.of(reference), { ...trade, amount: opened, fee: fee.minus(closedFee) });
    return profit;
  }

  charge(position: Position, funding: Decimal): void {
    this.#keep({ ...position, funding: position.funding.plus(funding) });
  }

  #reduce(position: Position, trade: PositionTrade): Decimal {
    const { amount, side, price, fee } = trade;
    const sign = signOf(side);
    const money = amount.multipliedBy(price);
    const held = position.amount.abs();
    const cost = amount.isEqualTo(held)
      ? position.cost
      : position.cost.multipliedBy(amount).dividedBy(held).decimalPlaces(costPlaces);
    // Closing a long position sells it; closing a short position buys it back, and the cost of a short one is negative.
    const profit = money.multipliedBy(-sign).minus(cost);
    const at = this.time.now();
    const reduced: Position = {
      ...position,
      changedAt: at,
      amount: position.amount.plus(amount.multipliedBy(sign)),
      cost: position.cost.minus(cost),
      exited: { amount: position.exited.amount.plus(amount), money: position.exited.money.plus(money) },
      profit: position.profit.plus(profit),
      fees: position.fees.plus(fee),
    };
    this.#keep(reduced);
    const direction = side === 'sell' ? 'LONG' : 'SHORT';
    this.changes.push({ at, account: position.account, position: reduced, direction, trade, profit });
    return profit;
  }

  #increase(position: Position, trade: PositionTrade): void {
    const { amount, side, price, fee } = trade;
    const sign = signOf(side);
    const money = amount.multipliedBy(price);
    const at = this.time.now();
    const isNew = position.amount.isZero();
    if (isNew) this.#count += 1;
    const increased: Position = {
      ...position,
      ...(isNew ? { id: firstId + this.#count, openedAt: at } : {}),
      changedAt: at,
      amount: position.amount.plus(amount.multipliedBy(sign)),
      cost: position.cost.plus(money.multipliedBy(sign)),
      entered: { amount: position.entered.amount.plus(amount), money: position.entered.money.plus(money) },
      fees: position.fees.plus(fee),
    };
    this.#keep(increased);
    const direction = side === 'buy' ? 'LONG' : 'SHORT';
    this.changes.push({ at, account: position.account, position: increased, direction, trade });
  }

  #keep(position: Position): void {
    const key = keyOf(position.account, position.market, position.side);
    if (position.amount.isZero()) this.#positions.delete(key);
    else this.#positions.set(key, position);
  }
}

function emptyPosition(account: string, market: string, side: PositionSide): Position {
  const none = decimal(0);
  const nothing = { amount: none, money: none };
  return {
    ...{ account, market, side, amount: none, cost: none, id: 0, openedAt: 0, changedAt: 0 },
    ...{ entered: nothing, exited: nothing, profit: none, fees: none, funding: none },
  };
}

function reducibleBy(side: OrderSide, { amount }: Position): Decimal {
  const reduces = side === 'buy' ? amount.isLessThan(0) : amount.isGreaterThan(0);
  return reduces ? amount.abs() : decimal(0);
}

function signOf(side: OrderSide): 1 | -1 {
  return side === 'buy' ? 1 : -1;
}

function keyOf(account: string, market: string, side: PositionSide): string {
  return `${account}\n${market}\n${side}`;
}
