// The margin of an account's collateral positions and open orders, and the prices at which it is liquidated.
import { decimal, type Decimal } from '../../model/decimal.js';
import { invalid, Rejection } from '../rejection.js';
import type { Books } from '../books.js';
import { sumOf } from './amounts.js';
import type { BookOrder } from './book-order.js';
import { maxLeverageOf, maxPositionAt } from './listing.js';
import type { Markets } from './markets.js';
import type { Orders } from './orders.js';
import type { LiquidationState, Position, Positions } from './positions.js';

const collateralMoney = 'USDT';

/** The maintenance margin, as a share of the initial margin at the maximum leverage of a position. */
const maintenanceShare = 0.5;
/** A margin call warns below this multiple of the maintenance margin. */
const marginCallFactor = 2;

const defaultLeverage = 10;

export class Margin {
  readonly #leverages = new Map<string, number>();

  constructor(
    private readonly books: Books,
    private readonly positions: Positions,
    private readonly orders: Orders,
    private readonly markets: Pick<Markets, 'book'>,
  ) {}

  profitOf({ market, amount, cost }: Position): Decimal {
    return amount.multipliedBy(this.markets.book(market).price).minus(cost);
  }

  #profit(account: string): Decimal {
    return sumOf(this.positions.open(account).map((position) => this.profitOf(position)));
  }

  equity(account: string): Decimal {
    return this.books.balance(account, 'collateral', collateralMoney).plus(this.#profit(account));
  }

  #maintenanceMargin(account: string): Decimal {
    const open = this.positions.open(account);
    return sumOf(
      open.map((position) => this.#slopeOf(position).multipliedBy(this.markets.book(position.market).price)),
    );
  }

  stateOf(account: string): LiquidationState {
    if (this.positions.open(account).length === 0) return undefined;
    const equity = this.equity(account);
    const maintenance = this.#maintenanceMargin(account);
    if (equity.isLessThan(maintenance)) return 'liquidation';
    return equity.isLessThan(maintenance.multipliedBy(marginCallFactor)) ? 'margin_call' : undefined;
  }

  /** The price at which the account is liquidated while all other prices stay. */
  liquidationPrice(account: string, market: string): Decimal | undefined {
    const price = this.markets.book(market).price;
    const held = this.positions.open(account).filter((position) => position.market === market);
    const amount = sumOf(held.map((position) => position.amount));
    const slope = sumOf(held.map((position) => this.#slopeOf(position)));
    // Solves: equity + amount * (p - price) = maintenance + slope * (p - price).
    const gap = this.#maintenanceMargin(account).minus(this.equity(account));
    const liquidationPrice = price.plus(gap.dividedBy(amount.minus(slope)));
    return liquidationPrice.isGreaterThan(0) && liquidationPrice.isFinite() ? liquidationPrice : undefined;
  }

  /** The maintenance margin by price. Its rate follows from the cost, so that it stays while the price moves. */
  #slopeOf({ market, amount, cost }: Position): Decimal {
    const maxLeverage = maxLeverageOf(this.markets.book(market).listing, cost.abs());
    return amount.abs().multipliedBy(decimal(maintenanceShare).dividedBy(maxLeverage));
  }

  admitChange(account: string, setting: string): void {
    if (this.positions.open(account).length > 0 || this.orders.openCollateral(account).length > 0)
      throw new Rejection(422, 113, `${setting} cannot be changed while positions or orders are open.`);
  }

  setLeverage(account: string, leverage: number): number {
    this.admitChange(account, 'Leverage');
    if (Object.keys(this.books.wallet(account, 'collateral')).length === 0)
      throw new Rejection(422, 17, 'Balance is too small for this leverage.');
    this.#leverages.set(account, leverage);
    return leverage;
  }

  /** Amounts are in `money`. */
  status(account: string) {
    const equity = this.equity(account);
    const freeMargin = this.free(account);
    return {
      money: collateralMoney,
      equity,
      margin: equity.minus(freeMargin),
      freeMargin,
      unrealizedPnl: this.#profit(account),
      maintenanceMargin: this.#maintenanceMargin(account),
      leverage: this.#leverageOf(account),
    };
  }

  ofPosition({ account, market, cost }: Position): Decimal {
    return this.#of(account, market, cost.abs());
  }

  canTake(order: BookOrder, replaced?: BookOrder): boolean {
    const { account, market, amount } = order.init;
    const opened = amount.minus(this.positions.reducible(order.init));
    if (opened.isLessThanOrEqualTo(0)) return true;
    return this.#of(account, market, this.#valueOf(order, opened)).isLessThanOrEqualTo(this.free(account, replaced));
  }

  admitSize(order: BookOrder, replaced?: BookOrder): void {
    const { account, market, amount, side } = order.init;
    const max = maxPositionAt(this.markets.book(market).listing, this.#leverageOn(account, market));
    const reducible = this.positions.reducible(order.init);
    if (max === undefined || amount.isLessThanOrEqualTo(reducible)) return;
    const held = reducible.isZero() ? this.positions.of(order.init).cost.abs() : decimal(0);
    const value = held.plus(this.#valueOf(order, amount.minus(reducible)));
    const refused = (code: number) => invalid(422, code, 'amount', `Position value is above ${max.toFixed()}.`);
    if (value.isGreaterThan(max)) throw refused(111);
    const pending = this.#openOrders(account, replaced)
      .filter(({ init }) => init.market === market && init.side === side && !init.reduceOnly)
      .filter(({ init }) => init.positionSide === order.init.positionSide)
      .reduce((sum, open) => sum.plus(this.#valueOf(open, open.left)), value);
    if (pending.isGreaterThan(max)) throw refused(112);
  }

  free(account: string, replaced?: BookOrder): Decimal {
    const positions = this.positions.open(account).map((position) => this.ofPosition(position));
    return this.equity(account).minus(sumOf([...positions, ...this.#ofOpenOrders(account, replaced)]));
  }

  /** Without the order that is replaced; the other order of its OCO order ends with it. */
  #openOrders(account: string, replaced: BookOrder | undefined): readonly BookOrder[] {
    const open = this.orders.openCollateral(account);
    if (replaced === undefined) return open;
    const { ocoId } = replaced.init;
    return open.filter((order) => order !== replaced && (ocoId === undefined || order.init.ocoId !== ocoId));
  }

  /** The margin of each open order. Of an OCO order only one can trade: the one that takes more margin counts. */
  #ofOpenOrders(account: string, replaced: BookOrder | undefined): Decimal[] {
    const margins = new Map<number, Decimal>();
    for (const order of this.#openOrders(account, replaced)) {
      const { market, order_id, ocoId: id = order_id, reduceOnly } = order.init;
      if (reduceOnly) continue;
      const margin = this.#of(account, market, this.#valueOf(order, order.left));
      const known = margins.get(id);
      if (known === undefined || margin.isGreaterThan(known)) margins.set(id, margin);
    }
    return [...margins.values()];
  }

  #valueOf({ init, openPrice }: BookOrder, amount: Decimal): Decimal {
    return amount.multipliedBy(openPrice.isZero() ? this.markets.book(init.market).price : openPrice);
  }

  #of(account: string, market: string, value: Decimal): Decimal {
    return value.dividedBy(this.#leverageOn(account, market));
  }

  #leverageOn(account: string, market: string): number {
    return Math.min(this.#leverageOf(account), this.markets.book(market).listing.maxLeverage);
  }

  #leverageOf(account: string): number {
    return this.#leverages.get(account) ?? defaultLeverage;
  }
}
