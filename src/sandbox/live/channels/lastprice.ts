// `lastprice`: the price of the last trade, when it has changed.
import { formatDecimal } from '../../../model/decimal.js';
import type { MarketView } from '../../engine/index.js';
import { oneMarket, type Channel } from '../channel.js';
import type { LiveExchange } from '../live-exchange.js';
import { listChannel } from './list-channel.js';

export function lastpriceChannel(exchange: LiveExchange): Channel {
  return listChannel(exchange, {
    name: 'lastprice',
    everyMs: 1000,
    queries: { lastprice_request: (params) => lastPrice(oneMarket(exchange, params)) },
    valuesOf: (view) => [view.listing.name, lastPrice(view)],
    startsAtOnce: true,
    sendsChangesOnly: true,
  });
}

function lastPrice({ tape }: MarketView): string {
  return formatDecimal(tape.last.price);
}
