// The margin that an account must hold for its collateral positions and open collateral orders.
import { decimal, type Decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import { invalid, Rejection } from '../rejection.js';
import type { Books } from '../books.js';
import type { BookOrder } from './book-order.js';
import type { Listing } from './listing.js';
import type { Position, Positions } from './positions.js';

const defaultLeverage = 10;
/** The currency of all margin. */
const collateralMoney = 'USDT';

/** The collateral account of an account. Amounts are in `money`. */
export interface CollateralAccount {
  readonly money: string;
  /** Balance and unrealized profit. */
  readonly equity: Decimal;
  /** The margin of positions and open orders. */
  readonly margin: Decimal;
  /** What is left of the balance for more orders. */
  readonly freeMargin: Decimal;
  readonly unrealizedPnl: Decimal;
  readonly leverage: number;
}

export class Margin {
  readonly #leverages = new Map<string, number>();

  constructor(
    private readonly books: Books,
    private readonly positions: Positions,
    private readonly openCollateralOrders: (account: string) => readonly BookOrder[],
    private readonly listingOf: (market: string) => Listing,
  ) {}

  /** Sets an account's leverage. Rejected while positions or orders are open (113), or without collateral (17). */
  setLeverage(account: string, leverage: number): number {
    if (this.positions.open(account).length > 0 || this.openCollateralOrders(account).length > 0) {
      throw new Rejection(422, 113, 'Leverage cannot be changed while positions or orders are open.');
    }
    if (Object.keys(this.books.wallet(account, 'collateral')).length === 0)
      throw new Rejection(422, 17, 'Balance is too small for this leverage.');
    this.#leverages.set(account, leverage);
    return leverage;
  }

  /** The account at these prices. */
  status(account: string, priceOf: (market: string) => Decimal): CollateralAccount {
    const balance = this.books.balance(account, 'collateral', collateralMoney);
    const freeMargin = this.#free(account, collateralMoney);
    const unrealizedPnl = this.positions
      .open(account)
      .reduce(
        (sum, { market, amount, cost }) => sum.plus(amount.multipliedBy(priceOf(market)).minus(cost)),
        decimal(0),
      );
    return {
      money: collateralMoney,
      equity: balance.plus(unrealizedPnl),
      margin: balance.minus(freeMargin),
      freeMargin,
      unrealizedPnl,
      leverage: this.#leverageOf(account),
    };
  }

  /** The margin of a position. */
  ofPosition({ account, market, cost }: Position): Decimal {
    return this.#of(account, this.listingOf(market), cost.abs());
  }

  /**
   * Whether the account has the margin for the part of the order that does not reduce a position; a market order is
   * valued at `mid`.
   */
  canTake(order: BookOrder, listing: Listing, mid: Decimal): boolean {
    const { account, amount } = order.init;
    const price = order.openPrice.isZero() ? mid : order.openPrice;
    const opened = amount.minus(this.positions.reducible(order.init));
    if (opened.isLessThanOrEqualTo(0)) return true;
    return this.#of(account, listing, opened.multipliedBy(price)).isLessThanOrEqualTo(
      this.#free(account, listing.money),
    );
  }

  /** The rejection of an order without enough margin. */
  static notEnoughBalance(): Rejection {
    return invalid(422, apiErrorCodes.balance, 'amount', 'Not enough balance.');
  }

  /** The rejection of a reduce-only order without a position to reduce. */
  static nothingToReduce(): Rejection {
    return new Rejection(422, apiErrorCodes.reduceOnly, 'No position to reduce.');
  }

  #free(account: string, money: string): Decimal {
    const positions = this.positions.open(account).map((position) => this.ofPosition(position));
    return [...positions, ...this.#ofOpenOrders(account)].reduce(
      (free, margin) => free.minus(margin),
      this.books.balance(account, 'collateral', money),
    );
  }

  /** The margin of each open order. Of an OCO order only one can trade: the one that takes more margin counts. */
  #ofOpenOrders(account: string): Decimal[] {
    const margins = new Map<number, Decimal>();
    for (const { init, left, openPrice } of this.openCollateralOrders(account)) {
      if (init.reduceOnly === true) continue;
      const margin = this.#of(account, this.listingOf(init.market), left.multipliedBy(openPrice));
      const id = init.ocoId ?? init.order_id;
      const known = margins.get(id);
      if (known === undefined || margin.isGreaterThan(known)) margins.set(id, margin);
    }
    return [...margins.values()];
  }

  #of(account: string, listing: Listing, notional: Decimal): Decimal {
    const leverage = Math.min(this.#leverageOf(account), listing.maxLeverage);
    return decimal(notional).dividedBy(leverage);
  }

  #leverageOf(account: string): number {
    return this.#leverages.get(account) ?? defaultLeverage;
  }
}
