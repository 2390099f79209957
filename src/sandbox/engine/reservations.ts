// What open spot orders reserve of the trade wallets, so that no money and no stock is spent twice.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import type { BookOrder } from './book-order.js';
import { feeOf, type Listing } from './listing.js';
import type { Markets } from './markets.js';
import type { Orders } from './orders.js';

export class Reservations {
  constructor(
    private readonly books: Books,
    private readonly orders: Pick<Orders, 'open'>,
    private readonly markets: Pick<Markets, 'book'>,
  ) {}

  /** The cost of the account's open orders, from which their fills are paid. */
  frozen(account: string, asset: string, ...without: readonly (BookOrder | undefined)[]): Decimal {
    return this.orders.open(account).reduce((sum, order) => {
      if (order.init.collateral || without.includes(order)) return sum;
      const { listing } = this.markets.book(order.init.market);
      return assetOf(order, listing) === asset ? sum.plus(costOf(order, listing, decimal(0))) : sum;
    }, decimal(0));
  }

  /** Whether the account can pay once `replaced` is canceled; `money` is the price of a market buy of stock. */
  canPay(order: BookOrder, listing: Listing, money: Decimal, replaced?: BookOrder): boolean {
    const { account } = order.init;
    const asset = assetOf(order, listing);
    return this.books
      .balance(account, 'trade', asset)
      .minus(this.frozen(account, asset, order, replaced))
      .isGreaterThanOrEqualTo(costOf(order, listing, money));
  }
}

function assetOf({ init }: BookOrder, { stock, money }: Listing): string {
  return init.side === 'sell' ? stock : money;
}

/** The maximum cost of what is left of a spot order: stock of a sell; of a buy money, with the fees not paid yet. */
function costOf(order: BookOrder, listing: Listing, money: Decimal): Decimal {
  const { left, dealMoney, dealFee, isQuoteAmount } = order;
  const { side, price } = order.init;
  if (side === 'sell') return left;
  const rest = isQuoteAmount ? left : price.isZero() ? money : left.multipliedBy(price);
  return rest.plus(highestFee(listing, rest.plus(dealMoney))).minus(dealFee);
}

function highestFee(listing: Listing, money: Decimal): Decimal {
  return feeOf(listing, Number(listing.makerFee) > Number(listing.takerFee) ? 'maker' : 'taker', money);
}
