// The trades of a taker, planned before anything changes: the account may be unable to pay, and a post-only order may not
// take.
import { decimal, type Decimal } from '../../model/decimal.js';
import { excess, isPast, min } from './amounts.js';
import type { BookOrder, Offer } from './book-order.js';
import { amountStep, floorTo } from './listing.js';
import type { OrderBook } from './order-book.js';
import type { Positions } from './positions.js';

interface PlannedFill {
  readonly offer: Offer;
  readonly amount: Decimal;
}

export interface MatchPlan {
  readonly fills: readonly PlannedFill[];
  /** The price of all fills. */
  readonly money: Decimal;
  readonly cancels: readonly BookOrder[];
  readonly end: 'filled' | 'limit' | 'band' | 'exhausted' | 'self-trade';
}

/** How far the fills of a market order may be from the best price, as a share of that price. */
const takerBand = 0.02;

export function planMatch(taker: BookOrder, book: OrderBook, positions: Positions): MatchPlan {
  const { account, side, price, stp } = taker.init;
  const offers = limitedToPositions(taker, book.offersFor(side), positions);
  const isLimit = price.isGreaterThan(0);
  const band = side === 'buy' ? 1 + takerBand : 1 - takerBand;
  const worst = isLimit ? price : (offers[0]?.price ?? book.price).multipliedBy(band);
  const step = amountStep(book.listing);
  const fills: PlannedFill[] = [];
  const cancels: BookOrder[] = [];
  let [left, money] = [taker.left, decimal(0)];
  const planned = (end: MatchPlan['end']): MatchPlan => ({ fills, money, cancels, end });
  const wantedAt = (offered: Decimal) => (taker.isQuoteAmount ? floorTo(left.dividedBy(offered), step) : left);

  for (const offer of offers) {
    const wanted = wantedAt(offer.price);
    if (wanted.isZero()) return planned('filled');
    if (isPast(side, offer.price, worst)) return planned(isLimit ? 'limit' : 'band');

    if (offer.order?.init.account === account && stp !== 'no') {
      if (stp !== 'cancel_new') cancels.push(offer.order);
      if (stp !== 'cancel_old') return planned('self-trade');
      continue;
    }
    const amount = min(wanted, offer.amount);
    const cost = amount.multipliedBy(offer.price);
    fills.push({ offer, amount });
    money = money.plus(cost);
    left = left.minus(taker.isQuoteAmount ? cost : amount);
  }
  const last = offers.at(-1);
  return planned(last !== undefined && wantedAt(last.price).isZero() ? 'filled' : 'exhausted');
}

/** A reduce-only offer keeps only what better offers of its account leave of the position. */
function limitedToPositions(taker: BookOrder, offers: readonly Offer[], positions: Positions): Offer[] {
  const reducibleOf = new Map<string, Decimal>();
  return offers.flatMap((offer) => {
    if (offer.order?.init.collateral !== true || leavesPosition(taker, offer.order)) return [offer];
    const { account, positionSide = 'BOTH', reduceOnly } = offer.order.init;
    const position = JSON.stringify([account, positionSide]);
    const reducible = reducibleOf.get(position) ?? positions.reducible(offer.order.init);
    const amount = reduceOnly ? min(offer.amount, reducible) : offer.amount;
    reducibleOf.set(position, excess(reducible, amount));
    return amount.isZero() ? [] : [{ ...offer, amount }];
  });
}

/** Whether a trade of the two leaves the resting order's position unchanged: self-trade prevention, or one position. */
function leavesPosition({ init: taker }: BookOrder, { init: resting }: BookOrder): boolean {
  if (taker.account !== resting.account) return false;
  return taker.stp !== 'no' || (taker.collateral && taker.positionSide === resting.positionSide);
}
