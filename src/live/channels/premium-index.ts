// Channel `premiumIndex`: mark price, index price and funding of the futures markets.
import * as v from 'valibot';
import { decimalText, number, optionalNumber } from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { itemOf, listIn, readBy } from './read.js';

/** Mark price, index price and funding of a futures market. */
export interface PremiumIndex {
  /** Mark price, quote currency: positions are valued at it. */
  readonly markPrice: string;
  /** Index price, quote currency. */
  readonly indexPrice: string;
  /** Rate of the next funding payment: `0.0001` is 0.01 % of the position's value. */
  readonly fundingRate: string;
  /** Time of the next funding payment, Unix seconds. */
  readonly fundingTime: number;
  /** Time of the values, Unix seconds with fractions. */
  readonly time?: number;
}

const tupleSchema = v.pipe(
  v.unknown(),
  v.tuple([v.string(), decimalText, decimalText, decimalText, number, v.optional(optionalNumber)]),
);

/** A Unix time above this is in milliseconds, as on the wire; the documentation says seconds. */
const maxSeconds = 1e11;

function readRecord(tuple: readonly unknown[]): PremiumIndex | undefined {
  const read = readBy(tupleSchema, tuple);
  if (read === undefined) return undefined;
  const [, markPrice, indexPrice, fundingRate, fundingAt, time] = read;
  const fundingTime = fundingAt > maxSeconds ? fundingAt / 1000 : fundingAt;
  return { markPrice, indexPrice, fundingRate, fundingTime, ...(time === undefined ? {} : { time }) };
}

/**
 * Mark price, index price and funding of futures markets, twice a second.
 *
 * @see docs/live.md#channels
 */
export const premiumIndex: Channel<PremiumIndex> = {
  name: 'premiumIndex',
  method: 'premiumIndex',
  read: (params) => {
    const tuple = listIn(params) ?? [];
    return [itemOf(tuple[0], readRecord(tuple))];
  },
  // The exchange pushes it every 0.5 s.
  silenceMs: 12_000,
};
