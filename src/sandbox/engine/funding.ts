// The funding rate of a perpetual: what longs pay to shorts at each settlement, by how far the perpetual's price is from
// its index.
import { decimal, type Decimal } from '../../model/decimal.js';

/** Settlements are at 0:00, 8:00 and 16:00 UTC. */
export const fundingIntervalMs = 8 * 3_600_000;
/** How long before a settlement its rate is fixed, milliseconds. */
export const fundingFixedBeforeMs = 60_000;
/** The rate never leaves these bounds. */
export const maxFundingRate = decimal('0.0075');

/** The rate of a perpetual at the index's price. */
const interest = decimal('0.0001');
const ratePlaces = 8;
/** A month: the settlements that are kept. */
const keptSettlements = 90;

/** The prices that a funding rate follows from. */
export interface FundingPrices {
  readonly mark: Decimal;
  readonly index: Decimal;
}

/** A settlement of the funding rate. */
export interface FundingSettlement {
  /** Unix milliseconds. */
  readonly at: number;
  readonly rate: Decimal;
  /** The mark price. */
  readonly price: Decimal;
}

/** The rate at these prices, a share of the position's value. */
export function fundingRate({ mark, index }: FundingPrices): Decimal {
  const premium = mark.minus(index).dividedBy(index).plus(interest).decimalPlaces(ratePlaces);
  if (premium.isGreaterThan(maxFundingRate)) return maxFundingRate;
  return premium.isLessThan(maxFundingRate.negated()) ? maxFundingRate.negated() : premium;
}

export class Funding {
  #settlements: FundingSettlement[] = [];
  #nextAt: number;

  /** `from` is Unix milliseconds. */
  constructor(from: number) {
    this.#nextAt = nextSettlement(from);
  }

  /** The kept settlements, oldest first. */
  get settlements(): readonly FundingSettlement[] {
    return this.#settlements;
  }

  /** Makes the next settlement at these prices, if it is due by `now` (Unix milliseconds). */
  settleNext(now: number, prices: () => FundingPrices): FundingSettlement | undefined {
    if (this.#nextAt > now) return undefined;
    const { mark, index } = prices();
    const settlement = { at: this.#nextAt, rate: fundingRate({ mark, index }), price: mark };
    this.#settlements = [...this.#settlements, settlement].slice(-keptSettlements);
    this.#nextAt += fundingIntervalMs;
    return settlement;
  }
}

/** The first settlement after this time, Unix milliseconds. */
export function nextSettlement(now: number): number {
  return (Math.floor(now / fundingIntervalMs) + 1) * fundingIntervalMs;
}
