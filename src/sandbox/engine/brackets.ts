// The leverage brackets of a perpetual: the larger a position, the lower its maximum leverage. Other markets have one
// maximum leverage for positions of any value.
import { decimal, type Decimal } from '../../model/decimal.js';
import { leverages } from '../../model/leverage.js';
import type { Listing } from './listing.js';

type Leveraged = Pick<Listing, 'type' | 'maxLeverage'>;

/** The largest position at a leverage of 1, in the quote currency; at a leverage of 10, a tenth of it. */
const maxPosition = 50_000_000;

export function bracketsOf({ maxLeverage }: Leveraged): ReadonlyMap<number, number> {
  return new Map(
    leverages
      .filter((leverage) => leverage <= maxLeverage)
      .map((leverage) => [leverage, Math.floor(maxPosition / leverage)]),
  );
}

/** The maximum value of a position at this leverage; `undefined` for a market without brackets. */
export function maxPositionAt({ type }: Leveraged, leverage: number): Decimal | undefined {
  return type === 'futures' ? decimal(Math.floor(maxPosition / leverage)) : undefined;
}

export function maxLeverageOf(listing: Leveraged, value: Decimal): number {
  const { type, maxLeverage } = listing;
  if (type !== 'futures' || value.isLessThanOrEqualTo(Math.floor(maxPosition / maxLeverage))) return maxLeverage;
  const fitting = [...bracketsOf(listing)].filter(([, max]) => value.isLessThanOrEqualTo(max));
  return Math.max(1, ...fitting.map(([leverage]) => leverage));
}
