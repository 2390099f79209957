// What happens to positions beside the orders that trade them: funding, liquidation, and orders without margin.
import type { Decimal } from '../../model/decimal.js';
import type { PositionSide } from '../../model/order.js';
import type { Books } from '../books.js';
import { invalid } from '../rejection.js';
import { Journal } from '../retention.js';
import type { AccountEvents } from './account-events.js';
import { admitHedgedSide, admitMarket } from './admission.js';
import { reducing, type BookOrder } from './book-order.js';
import type { FundingSettlement } from './funding.js';
import type { Margin } from './margin.js';
import type { Markets } from './markets.js';
import type { OrderBook } from './order-book.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Orders } from './orders.js';
import type { LiquidationState, OpenPosition, Position, PositionChange, Positions } from './positions.js';

const quantiles = 5;

export class Collateral {
  readonly fundingPayments = new Journal<FundingPayment>();
  readonly #reported = new Map<string, LiquidationState>();
  /** The equity of each account at its last check: its margin can become short only when the equity falls. */
  readonly #equities = new Map<string, Decimal>();

  constructor(
    private readonly books: Books,
    private readonly orders: Orders,
    private readonly positions: Positions,
    private readonly lifecycle: OrderLifecycle,
    private readonly margin: Margin,
    private readonly markets: Pick<Markets, 'book' | 'find'>,
    private readonly events: AccountEvents,
  ) {}

  openPositions(account: string): OpenPosition[] {
    const liquidationState = this.margin.stateOf(account);
    const freeMargin = this.margin.free(account);
    return this.positions.open(account).map((position) => ({
      position,
      margin: this.margin.ofPosition(position),
      freeMargin,
      unrealizedPnl: this.margin.profitOf(position),
      liquidationPrice: this.margin.liquidationPrice(account, position.market),
      liquidationState,
      stops: stopsOf(this.markets.book(position.market), position).map((stop) => stop.view()),
    }));
  }

  closePosition(account: string, market: string, positionId: number, positionSide: PositionSide | undefined): void {
    const book = admitMarket(this.markets.find(market), 'collateral');
    const isHedged = this.positions.isHedged(account);
    if (isHedged) admitHedgedSide(positionSide);
    const position = this.positions
      .inMarket(market)
      .find((held) => held.account === account && held.id === positionId && (!isHedged || held.side === positionSide));
    if (position === undefined) throw invalid(422, 104, 'positionId', 'Position was not found.');
    for (const stop of stopsOf(book, position)) this.lifecycle.finish(stop, 'CANCELED');
    this.#closeAtMarket(position);
  }

  updateHedgeMode(account: string, enabled: boolean): void {
    this.margin.admitChange(account, 'Hedge mode');
    this.positions.setHedged(account, enabled);
  }

  positionChanges(account: string): PositionChange[] {
    return this.positions.changes.of(account);
  }

  /** The ranks in perpetuals (the sandbox deleverages none): 0 is deleveraged last, 4 first. */
  adlQuantiles(account: string) {
    const held = new Set(this.positions.open(account).map(({ market }) => market));
    return [...held].flatMap((market) => {
      if (this.markets.book(market).listing.type !== 'futures') return [];
      const quantileOf = (isLong: boolean) => {
        const side = this.positions.inMarket(market).filter(({ amount }) => amount.isGreaterThan(0) === isLong);
        const own = side.find((position) => position.account === account);
        if (own === undefined) return undefined;
        const score = this.#scoreOf(own);
        const safer = side.filter((position) => this.#scoreOf(position) < score).length;
        return Math.floor((quantiles * safer) / side.length);
      };
      return [{ market, long: quantileOf(true), short: quantileOf(false) }];
    });
  }

  #scoreOf(position: Position): number {
    const value = position.cost.abs();
    const profit = this.margin.profitOf(position).dividedBy(value).toNumber();
    const equity = this.margin.equity(position.account);
    const leverage = equity.isGreaterThan(0) ? value.dividedBy(equity).toNumber() : Number.POSITIVE_INFINITY;
    return profit > 0 ? profit * leverage : profit / leverage;
  }

  settleFunding({ listing }: OrderBook, settlement: FundingSettlement): void {
    const { name: market, money } = listing;
    for (const position of this.positions.inMarket(market)) {
      const { account, amount: positionAmount } = position;
      const paid = positionAmount.multipliedBy(settlement.price).multipliedBy(settlement.rate);
      const amount = paid.negated();
      this.books.change(account, 'collateral', money, amount, 'funding', { market });
      this.positions.charge(position, paid);
      this.fundingPayments.push({ ...settlement, account, market, positionAmount, amount });
    }
    this.liquidate(market);
  }

  liquidate(market: string): void {
    const accounts = new Set(this.positions.inMarket(market).map(({ account }) => account));
    for (const account of accounts) {
      const state = this.margin.stateOf(account);
      this.#report(account, state);
      if (state !== 'liquidation') continue;
      this.#closeAll(account);
      this.#report(account, this.margin.stateOf(account));
    }
  }

  #report(account: string, state: LiquidationState): void {
    if (this.#reported.get(account) === state) return;
    this.#reported.set(account, state);
    if (state !== undefined)
      this.events.positions(state === 'margin_call' ? 1 : 2, account, () => this.openPositions(account));
  }

  #closeAll(account: string): void {
    for (const order of this.orders.openCollateral(account))
      if (order.isOpen) this.lifecycle.finish(order, 'AUTO_CANCELED_LIQUIDATION');
    const worstFirst = this.positions
      .open(account)
      .sort((one, other) => this.margin.profitOf(one).comparedTo(this.margin.profitOf(other)) ?? 0);
    for (const position of worstFirst) {
      if (this.margin.stateOf(account) !== 'liquidation') return;
      const book = this.markets.book(position.market);
      if (book.tradesEnabled && book.recorded?.isOpen !== false)
        this.#closeAtMarket(position, `${liquidationPrefix}${position.id}`);
    }
  }

  /** Of the accounts whose equity has fallen, cancels the newest orders until the margin suffices. */
  cancelShort(): void {
    for (const account of this.orders.collateralAccounts) {
      const equity = this.margin.equity(account);
      const before = this.#equities.get(account);
      if (before?.isLessThanOrEqualTo(equity) !== true) this.#cancelShortOf(account);
      this.#equities.set(account, equity);
    }
  }

  #cancelShortOf(account: string): void {
    if (!this.margin.free(account).isNegative()) return;
    for (const order of this.orders.openCollateral(account).reverse()) {
      if (!order.isOpen || order.init.reduceOnly) continue;
      this.lifecycle.finish(order, 'AUTO_CANCELED_USER_MARGIN');
      if (!this.margin.free(account).isNegative()) return;
    }
  }

  /** Closes what the market takes of a position; without any offer, no order is placed. */
  #closeAtMarket({ account, market, side, amount }: Position, client_order_id = ''): void {
    const order = this.lifecycle.open({
      ...{ ...reducing, account, market, client_order_id, type: 'market', amount: amount.abs() },
      side: amount.isGreaterThan(0) ? 'sell' : 'buy',
      positionSide: side === 'BOTH' ? undefined : side,
    });
    const plan = this.lifecycle.plan(order);
    if (plan.fills.length > 0) this.lifecycle.enter(order, plan);
  }

  forget(before: number): void {
    this.positions.changes.forget(before);
    this.fundingPayments.forget(before);
  }
}

export const liquidationPrefix = 'liquidation_';

function stopsOf(book: OrderBook, { account, side }: Position): BookOrder[] {
  return [...book.dormant].filter(
    ({ init }) => init.account === account && init.childOf !== undefined && (init.positionSide ?? 'BOTH') === side,
  );
}

export interface FundingPayment extends FundingSettlement {
  readonly account: string;
  readonly market: string;
  /** The amount of the position at that time; negative for a short one. */
  readonly positionAmount: Decimal;
  /** What was added to the balance; negative when the position paid. */
  readonly amount: Decimal;
}
