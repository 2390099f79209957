// Liquidation: the positions of an account whose equity is below its maintenance margin are closed at the market.
import type { AccountRisk, LiquidationState } from './account-risk.js';
import { closeAtMarket } from './closing.js';
import type { Markets } from './markets.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Orders } from './orders.js';
import type { Positions } from './positions.js';

/** What a liquidation works on. */
export interface LiquidationParts {
  readonly orders: Orders;
  readonly positions: Positions;
  readonly lifecycle: OrderLifecycle;
  readonly risk: AccountRisk;
  readonly markets: Pick<Markets, 'book' | 'find' | 'price'>;
  /** An account is in another state than before. */
  readonly onState: (account: string, state: LiquidationState) => void;
}

export class Liquidation {
  /** The state of each account that was reported. */
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

/** The beginning of the `client_order_id` of every order that liquidates a position. */
export const liquidationPrefix = 'liquidation_';
