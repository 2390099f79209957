// The bookings of a trade: wallets for spot orders, positions and their profit for collateral orders, and the fee.
import { formatDecimal, type Decimal } from '../../model/decimal.js';
import type { EngineTime } from '../clock.js';
import type { Books } from '../books.js';
import type { LedgerFill } from '../ledger.js';
import { Journal } from '../retention.js';
import type { AccountEvents } from './account-events.js';
import type { BookOrder } from './book-order.js';
import { exactFeeOf, roundFee, type Listing } from './listing.js';
import type { Positions } from './positions.js';

export interface Trade {
  readonly id: number;
  readonly order: BookOrder;
  readonly listing: Listing;
  readonly role: 'maker' | 'taker';
  readonly price: Decimal;
  /** In the base currency. */
  readonly amount: Decimal;
}

export class Settlement {
  readonly fills = new Journal<LedgerFill>();

  constructor(
    private readonly books: Books,
    private readonly positions: Positions,
    private readonly time: Pick<EngineTime, 'now'>,
    private readonly events: AccountEvents,
  ) {}

  settle({ id, order, listing, role, price, amount }: Trade): void {
    const { account, side, order_id, client_order_id, collateral, market } = order.init;
    const money = amount.multipliedBy(price);
    // Rounded in sum: the fees of many fills are not more than the order has reserved for them.
    order.exactFee = order.exactFee.plus(exactFeeOf(listing, role, money));
    const fee = roundFee(listing, order.exactFee).minus(order.dealFee);
    order.fill(amount, money, fee, this.time.now());

    const book = (asset: string, delta: Decimal, reason: 'trade' | 'fee' | 'profit') => {
      this.books.change(account, collateral ? 'collateral' : 'trade', asset, delta, reason, { order_id });
    };
    if (collateral) {
      const profit = this.positions.trade(order.init, { order_id, client_order_id, side, amount, price, fee });
      book(listing.money, profit, 'profit');
    } else {
      book(listing.stock, side === 'buy' ? amount : amount.negated(), 'trade');
      book(listing.money, side === 'buy' ? money.negated() : money, 'trade');
    }
    book(listing.money, fee.negated(), 'fee');

    const fill: LedgerFill = {
      ...{ id, account, order_id, client_order_id, market, side, role, currency: listing.money, at: this.time.now() },
      ...{ price: formatDecimal(price), amount: formatDecimal(amount) },
      ...{ money: formatDecimal(money), fee: formatDecimal(fee) },
    };
    this.fills.push(fill);
    this.events.deal(fill);
  }
}
