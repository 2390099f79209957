// Channel `lastprice`: the price of the last trade of a market, when it has changed, at most once a second.
import { decimalText } from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { marketReader, readBy } from './read.js';

/** The price of the last trade of a market. */
export interface LastPrice {
  /** Price, quote currency. */
  readonly price: string;
}

export const lastPrice: Channel<LastPrice> = {
  name: 'lastPrice',
  subscribe: 'lastprice_subscribe',
  unsubscribe: 'lastprice_unsubscribe',
  update: 'lastprice_update',
  keys: 'list',
  read: marketReader((value) => {
    const price = readBy(decimalText, value);
    return price === undefined ? undefined : { price };
  }),
};
