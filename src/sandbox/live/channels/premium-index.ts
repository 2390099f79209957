// `premiumIndex`: mark price, index price and funding rate of perpetuals, twice a second.
import { formatDecimal } from '../../../model/decimal.js';
import { secondsOf } from '../book-history.js';
import type { Channel } from '../channel.js';
import type { LiveExchange } from '../live-exchange.js';
import { listChannel } from './list-channel.js';

export function premiumIndexChannel(exchange: LiveExchange): Channel {
  return listChannel(exchange, {
    name: 'premiumIndex',
    everyMs: 500,
    list: { allowsAll: true, accepts: (view) => view?.perpetual !== undefined },
    startsAtOnce: false,
    valuesOf: ({ listing, price, perpetual }) => {
      if (perpetual === undefined) return [];
      const { indexPrice, fundingRate, nextFundingAt } = perpetual;
      const values = [price, indexPrice, fundingRate].map(formatDecimal);
      // Milliseconds, unlike every other time of the interface.
      return [listing.name, ...values, nextFundingAt, secondsOf(exchange.now())];
    },
  });
}
