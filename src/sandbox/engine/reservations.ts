// What open spot orders reserve of the trade wallets, so that no money and no stock is spent twice.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import type { BookOrder } from './book-order.js';
import { exactFeeOf, roundFee, type Listing } from './listing.js';
import type { Markets } from './markets.js';

interface Cost {
  readonly asset: string;
  readonly amount: Decimal;
}

export class Reservations {
  readonly #costs = new Map<BookOrder, Cost>();
  readonly #frozen = new Map<string, Decimal>();

  constructor(
    private readonly books: Books,
    private readonly markets: Pick<Markets, 'book'>,
  ) {}

  frozen(account: string, asset: string): Decimal {
    return this.#frozen.get(keyOf(account, asset)) ?? decimal(0);
  }

  /** Whether the account can pay once `replaced` is canceled; `money` is the price of a market buy of stock. */
  canPay(order: BookOrder, money: Decimal, replaced?: BookOrder): boolean {
    const { asset, amount } = this.#costOf(order, money);
    const { account } = order.init;
    const released = replaced === undefined ? undefined : this.#costs.get(replaced);
    return this.books
      .balance(account, 'trade', asset)
      .minus(this.frozen(account, asset))
      .plus(released?.asset === asset ? released.amount : 0)
      .isGreaterThanOrEqualTo(amount);
  }

  /** Reserves the cost of a spot order that stays open, from which its fills are paid. */
  reserve(order: BookOrder): void {
    if (order.init.collateral) return;
    this.release(order);
    const cost = this.#costOf(order, decimal(0));
    this.#costs.set(order, cost);
    this.#add(order, cost.asset, cost.amount);
  }

  reduce(order: BookOrder): void {
    if (this.#costs.has(order)) this.reserve(order);
  }

  release(order: BookOrder): void {
    const cost = this.#costs.get(order);
    if (cost === undefined) return;
    this.#costs.delete(order);
    this.#add(order, cost.asset, cost.amount.negated());
  }

  /** The maximum cost of what is left of a spot order: stock of a sell; of a buy money, with the fees not paid yet. */
  #costOf(order: BookOrder, money: Decimal): Cost {
    const { left, dealMoney, dealFee, isQuoteAmount } = order;
    const { market, side, price } = order.init;
    const { listing } = this.markets.book(market);
    if (side === 'sell') return { asset: listing.stock, amount: left };
    const rest = isQuoteAmount ? left : price.isZero() ? money : left.multipliedBy(price);
    return { asset: listing.money, amount: rest.plus(highestFee(listing, rest.plus(dealMoney))).minus(dealFee) };
  }

  #add({ init: { account } }: BookOrder, asset: string, amount: Decimal): void {
    this.#frozen.set(keyOf(account, asset), this.frozen(account, asset).plus(amount));
  }
}

function highestFee(listing: Listing, money: Decimal): Decimal {
  const role = Number(listing.makerFee) > Number(listing.takerFee) ? 'maker' : 'taker';
  return roundFee(listing, exactFeeOf(listing, role, money));
}

function keyOf(account: string, asset: string): string {
  return `${account}\n${asset}`;
}
