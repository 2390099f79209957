// Collateral positions: the amount that an account holds long or short on a market, its cost, and the sums of its life.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide, PositionSide } from '../../model/order.js';
import type { EngineTime } from '../clock.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import { Journal } from '../retention.js';
import { excess, min, opposite, sumOf } from './amounts.js';

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
  readonly openedAt: number;
  /** When it last traded: funding is no change. */
  readonly changedAt: number;
  readonly entered: Traded;
  readonly exited: Traded;
  /** The profit of the trades that reduced it, before fees; negative for a loss. */
  readonly profit: Decimal;
  readonly fees: Decimal;
  /** The funding that it paid; negative when it received more than it paid. */
  readonly funding: Decimal;
}

export interface PositionTrade extends Pick<LedgerFill, 'order_id' | 'client_order_id' | 'side'> {
  readonly amount: Decimal;
  readonly price: Decimal;
  readonly fee: Decimal;
}

/** A trade that opened, increased, reduced or closed a position; a trade that turns a position is two changes. */
export interface PositionChange {
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

/** How far an account is from its liquidation; `undefined`: far. */
export type LiquidationState = 'margin_call' | 'liquidation' | undefined;

export interface OpenPosition {
  readonly position: Position;
  readonly margin: Decimal;
  readonly freeMargin: Decimal;
  readonly unrealizedPnl: Decimal;
  readonly liquidationPrice: Decimal | undefined;
  readonly liquidationState: LiquidationState;
  readonly stops: readonly LedgerOrder[];
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
const none = decimal(0);

export class Positions {
  readonly changes = new Journal<PositionChange>();
  readonly #hedged = new Set<string>();
  readonly #positions = new Map<string, Position>();
  #count = 0;

  constructor(private readonly time: Pick<EngineTime, 'now'>) {}

  isHedged(account: string): boolean {
    return this.#hedged.has(account);
  }

  setHedged(account: string, enabled: boolean): void {
    if (enabled) this.#hedged.add(account);
    else this.#hedged.delete(account);
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
    return sumOf(this.inMarket(market).map(({ amount }) => excess(amount, none)));
  }

  /** The amount by which an order of this side can reduce the position. */
  reducible(order: PositionReference & { readonly side: OrderSide }): Decimal {
    return excess(signed(opposite(order.side), this.of(order).amount), none);
  }

  /** Returns the profit of the part that reduces the position. */
  trade(order: PositionReference & { readonly side: OrderSide }, trade: PositionTrade): Decimal {
    const { amount, fee } = trade;
    const closed = min(amount, this.reducible(order));
    const opened = amount.minus(closed);
    const closedFee = opened.isZero() ? fee : fee.multipliedBy(closed).dividedBy(amount).decimalPlaces(costPlaces);

    const profit = closed.isZero() ? none : this.#reduce(this.of(order), { ...trade, amount: closed, fee: closedFee });
    if (!opened.isZero()) this.#increase(this.of(order), { ...trade, amount: opened, fee: fee.minus(closedFee) });
    return profit;
  }

  charge(position: Position, funding: Decimal): void {
    this.#keep({ ...position, funding: position.funding.plus(funding) });
  }

  #reduce(position: Position, trade: PositionTrade): Decimal {
    const { amount, side, price } = trade;
    const held = position.amount.abs();
    const cost = amount.isEqualTo(held)
      ? position.cost
      : position.cost.multipliedBy(amount).dividedBy(held).decimalPlaces(costPlaces);
    // Closing a long position sells it; closing a short position buys it back, and the cost of a short one is negative.
    const profit = signed(opposite(side), amount.multipliedBy(price)).minus(cost);
    const sums = { exited: joined(position.exited, trade), profit: position.profit.plus(profit) };
    const direction = side === 'sell' ? 'LONG' : 'SHORT';
    this.#change({ ...position, ...sums, cost: position.cost.minus(cost) }, trade, { direction, profit });
    return profit;
  }

  #increase(position: Position, trade: PositionTrade): void {
    const { amount, side, price } = trade;
    const isNew = position.amount.isZero();
    if (isNew) this.#count += 1;
    const increased: Position = {
      ...position,
      ...(isNew ? { id: firstId + this.#count, openedAt: this.time.now() } : {}),
      cost: position.cost.plus(signed(side, amount.multipliedBy(price))),
      entered: joined(position.entered, trade),
    };
    this.#change(increased, trade, { direction: side === 'buy' ? 'LONG' : 'SHORT' });
  }

  #change(before: Position, trade: PositionTrade, made: Pick<PositionChange, 'direction' | 'profit'>): void {
    const at = this.time.now();
    const amount = before.amount.plus(signed(trade.side, trade.amount));
    const position: Position = { ...before, amount, fees: before.fees.plus(trade.fee), changedAt: at };
    this.#keep(position);
    this.changes.push({ at, account: position.account, position, trade, ...made });
  }

  #keep(position: Position): void {
    const key = keyOf(position.account, position.market, position.side);
    if (position.amount.isZero()) this.#positions.delete(key);
    else this.#positions.set(key, position);
  }
}

function emptyPosition(account: string, market: string, side: PositionSide): Position {
  const nothing = { amount: none, money: none };
  return {
    ...{ account, market, side, amount: none, cost: none, id: 0, openedAt: 0, changedAt: 0 },
    ...{ entered: nothing, exited: nothing, profit: none, fees: none, funding: none },
  };
}

function joined(before: Traded, { amount, price }: PositionTrade): Traded {
  return { amount: before.amount.plus(amount), money: before.money.plus(amount.multipliedBy(price)) };
}

/** Positive for a buy. */
function signed(side: OrderSide, value: Decimal): Decimal {
  return side === 'buy' ? value : value.negated();
}

function keyOf(account: string, market: string, side: PositionSide): string {
  return `${account}\n${market}\n${side}`;
}
