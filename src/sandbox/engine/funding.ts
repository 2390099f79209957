// The funding rate of a perpetual, and its settlements: longs pay shorts, or the reverse at a negative rate.
import { decimal, type Decimal } from '../../model/decimal.js';

/** Settlements are at 0:00, 8:00 and 16:00 UTC. */
export const fundingIntervalMs = 8 * 3_600_000;
/** How long before a settlement its rate is fixed, milliseconds. */
export const fundingFixedBeforeMs = 60_000;
export const maxFundingRate = decimal('0.0075');

/** The rate of a perpetual at the index's price. */
const interest = decimal('0.0001');
const ratePlaces = 8;
/** A month: the settlements that are kept. */
export const keptSettlements = 90;

export interface FundingSettlement {
  readonly at: number;
  readonly rate: Decimal;
  /** The mark price. */
  readonly price: Decimal;
}

export function fundingRate(markPrice: Decimal, indexPrice: Decimal): Decimal {
  const premium = markPrice.minus(indexPrice).dividedBy(indexPrice).plus(interest).decimalPlaces(ratePlaces);
  if (premium.isGreaterThan(maxFundingRate)) return maxFundingRate;
  return premium.isLessThan(maxFundingRate.negated()) ? maxFundingRate.negated() : premium;
}

export function nextSettlement(now: number): number {
  return (Math.floor(now / fundingIntervalMs) + 1) * fundingIntervalMs;
}
