// Channel `lastprice`: the price of the last trade of a market, when it has changed, at most once a second.
import { decimalText } from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { marketReader, readBy } from './read.js';

/** The price of the last trade of a market. */
export interface LastPrice {
  /** Price, quote currency. */
  readonly price: string;
}

/**
 * Price of the last trade, when it has changed, at most once a second.
 *
 * @see docs/live.md#channels
 */
export const lastPrice: Channel<LastPrice> = {
  name: 'lastPrice',
  method: 'lastprice',
  read: marketReader((value) => {
    const price = readBy(decimalText, value);
    return price === undefined ? undefined : { price };
  }),
};
