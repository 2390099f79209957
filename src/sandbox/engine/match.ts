// The trades of a taker, planned before anything changes: the account may be unable to pay for the order, and a
// post-only order may not take.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { BookOrder } from './book-order.js';
import { floorTo } from './listing.js';
import type { Offer } from './order-book.js';

/** A planned trade with an offer. */
export interface PlannedFill {
  readonly offer: Offer;
  readonly amount: Decimal;
  readonly money: Decimal;
}

/**
 * Why the matching ends: filled, next offer beyond the limit price or the taker band, no more offers, or self-trade.
 */
export type MatchEnd = 'filled' | 'limit' | 'band' | 'exhausted' | 'self-trade';

export interface MatchPlan {
  readonly fills: readonly PlannedFill[];
  /** Resting orders that self-trade prevention cancels. */
  readonly cancels: readonly BookOrder[];
  readonly end: MatchEnd;
}

export interface MatchBounds {
  /** The worst price that the taker accepts. */
  readonly limit?: Decimal;
  /** The worst price that a market order may be filled at. */
  readonly band?: Decimal;
  /** The step of amounts. */
  readonly amountStep: Decimal;
}

/** Plans a taker's trades with the offers, best first. */
export function planMatch(taker: BookOrder, offers: readonly Offer[], bounds: MatchBounds): MatchPlan {
  const fills: PlannedFill[] = [];
  const cancels: BookOrder[] = [];
  let left = taker.left;
  const planned = (end: MatchEnd): MatchPlan => ({ fills, cancels, end });

  for (const offer of offers) {
    const wanted = wantedOf(taker, left, offer.price, bounds.amountStep);
    if (wanted.isZero()) return planned('filled');
    if (bounds.limit !== undefined && isWorse(taker, offer.price, bounds.limit)) return planned('limit');
    if (bounds.band !== undefined && isWorse(taker, offer.price, bounds.band)) return planned('band');

    if (offer.order?.init.account === taker.init.account && taker.init.stp !== 'no') {
      if (taker.init.stp !== 'cancel_new') cancels.push(offer.order);
      if (taker.init.stp !== 'cancel_old') return planned('self-trade');
      continue;
    }
    const amount = decimal(wanted.isLessThan(offer.amount) ? wanted : offer.amount);
    const money = amount.multipliedBy(offer.price);
    fills.push({ offer, amount, money });
    left = left.minus(taker.isQuoteAmount ? money : amount);
  }
  const more = offers.at(-1);
  const done = more !== undefined && wantedOf(taker, left, more.price, bounds.amountStep).isZero();
  return planned(done ? 'filled' : 'exhausted');
}

/** The amount of the base currency that the taker still wants at a price. */
function wantedOf(taker: BookOrder, left: Decimal, price: Decimal, amountStep: Decimal): Decimal {
  return taker.isQuoteAmount ? floorTo(left.dividedBy(price), amountStep) : left;
}

function isWorse(taker: BookOrder, price: Decimal, bound: Decimal): boolean {
  return taker.init.side === 'buy' ? price.isGreaterThan(bound) : price.isLessThan(bound);
}
