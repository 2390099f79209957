// Liquidation: the positions of an account whose equity is below its maintenance margin are closed at the market. Orders
// without margin are canceled.
import type { AccountRisk, LiquidationState } from './account-risk.js';
import type { Margin } from './margin.js';
import type { Markets } from './markets.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Orders } from './orders.js';
import type { Position, Positions } from './positions.js';
import { decimal, type Decimal } from '../../model/decimal.js';
import type { BookOrder } from './book-order.js';
import type { OrderBook } from './order-book.js';

export interface LiquidationParts {
  readonly orders: Orders;
  readonly positions: Positions;
  readonly lifecycle: OrderLifecycle;
  readonly risk: AccountRisk;
  readonly markets: Pick<Markets, 'book' | 'find' | 'price'>;
  readonly onState: (account: string, state: LiquidationState) => void;
}

export class Liquidation {
  readonly #reported = new Map<string, LiquidationState>();

  constructor(private readonly parts: LiquidationParts) {}

  /** Liquidates the accounts that the price of a market, or its funding, has brought below their maintenance margin. */
  check(market: string): void {
    const { positions, risk } = this.parts;
    const accounts = new Set(positions.inMarket(market).map(({ account }) => account));
    for (const account of accounts) {
      const state = risk.stateOf(account);
      this.#report(account, state);
      if (state !== 'liquidation') continue;
      this.#liquidate(account);
      this.#report(account, risk.stateOf(account));
    }
  }

  #report(account: string, state: LiquidationState): void {
    if (this.#reported.get(account) === state) return;
    this.#reported.set(account, state);
    this.parts.onState(account, state);
  }

  /** Cancels the open orders, then closes positions, the largest loss first, until the margin suffices. */
  #liquidate(account: string): void {
    const { orders, positions, lifecycle, risk, markets } = this.parts;
    for (const order of orders.openCollateral(account))
      if (order.isOpen) lifecycle.finish(order, markets.book(order.init.market), 'AUTO_CANCELED_LIQUIDATION');
    const worstFirst = positions
      .open(account)
      .sort((one, other) => risk.profitOf(one).comparedTo(risk.profitOf(other)) ?? 0);
    for (const position of worstFirst) {
      if (risk.stateOf(account) !== 'liquidation') return;
      const { market } = position;
      const book = markets.book(market);
      if (book.tradesEnabled)
        closeAtMarket(lifecycle, book, markets.price(market), position, `${liquidationPrefix}${position.id}`);
    }
  }
}

/** Open orders whose margin was taken by losses (those of open positions, too), fees, funding or a withdrawal. */
export class MarginShortage {
  /** The equity of each account at its last check: its margin can become short only when the equity falls. */
  readonly #equities = new Map<string, Decimal>();

  constructor(
    private readonly parts: Pick<LiquidationParts, 'lifecycle' | 'markets' | 'orders' | 'risk'>,
    private readonly margin: Margin,
  ) {}

  /** Cancels orders of the accounts whose equity has fallen, the newest first, until the margin suffices. */
  check(): void {
    const { risk, orders } = this.parts;
    for (const account of orders.collateralAccounts) {
      const equity = risk.equity(account);
      const before = this.#equities.get(account);
      if (before?.isLessThanOrEqualTo(equity) !== true) this.#cancel(account);
      this.#equities.set(account, equity);
    }
  }

  #cancel(account: string): void {
    const { orders, lifecycle, markets } = this.parts;
    if (!this.margin.isShort(account)) return;
    for (const order of orders.openCollateral(account).reverse()) {
      if (!order.isOpen || order.init.reduceOnly === true) continue;
      lifecycle.finish(order, markets.book(order.init.market), 'AUTO_CANCELED_USER_MARGIN');
      if (!this.margin.isShort(account)) return;
    }
  }
}

/** The beginning of the `client_order_id` of every order that liquidates a position. */
export const liquidationPrefix = 'liquidation_';

export function stopsOf(book: OrderBook, { account, side }: Position): BookOrder[] {
  return [...book.dormant].filter(
    ({ init }) => init.account === account && init.childOf !== undefined && (init.positionSide ?? 'BOTH') === side,
  );
}

/** Closes what the market takes of a position; without any offer, no order is placed. */
export function closeAtMarket(
  lifecycle: OrderLifecycle,
  book: OrderBook,
  price: Decimal,
  { account, market, side, amount }: Position,
  client_order_id = '',
): void {
  const order = lifecycle.open({
    account,
    market,
    side: amount.isGreaterThan(0) ? 'sell' : 'buy',
    type: 'market',
    collateral: true,
    client_order_id,
    amount: amount.abs(),
    price: decimal(0),
    stp: 'no',
    reduceOnly: true,
    positionSide: side === 'BOTH' ? undefined : side,
  });
  const plan = lifecycle.plan(order, book, price);
  if (plan.fills.length > 0) lifecycle.enter(order, book, plan);
}
