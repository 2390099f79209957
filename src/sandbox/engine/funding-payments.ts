// The funding of positions: at each settlement of a perpetual, its long positions pay the rate to its short ones; at a
// negative rate, they receive it.
import type { Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import { Journal } from '../retention.js';
import type { FundingSettlement } from './funding.js';
import type { Listing } from './listing.js';
import type { Positions } from './positions.js';

/** What one position paid or received at a settlement. */
export interface FundingPayment extends FundingSettlement {
  readonly account: string;
  readonly market: string;
  /** The amount of the position at that time; negative for a short one. */
  readonly positionAmount: Decimal;
  /** What was added to the balance; negative when the position paid. */
  readonly amount: Decimal;
}

export class FundingPayments {
  readonly #payments = new Journal<FundingPayment>();

  constructor(
    private readonly books: Books,
    private readonly positions: Positions,
  ) {}

  /** Pays the funding of all positions in a perpetual. */
  settle({ name: market, money }: Listing, settlement: FundingSettlement): void {
    for (const position of this.positions.inMarket(market)) {
      const { account, amount: positionAmount } = position;
      const paid = positionAmount.multipliedBy(settlement.price).multipliedBy(settlement.rate);
      const amount = paid.negated();
      this.books.change(account, 'collateral', money, amount, 'funding');
      this.positions.charge(position, paid);
      this.#payments.push({ ...settlement, account, market, positionAmount, amount });
    }
  }

  /** The payments of the account's positions, newest first. */
  of(account: string): FundingPayment[] {
    return this.#payments.entries.filter((payment) => payment.account === account).reverse();
  }

  /** Forgets the payments before this time, Unix milliseconds. */
  forget(before: number): void {
    this.#payments.forget(before);
  }
}
