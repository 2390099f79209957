// The public channels. A channel of an account would stand here, too, and need an authorized connection.
import type { Channel } from '../channel.js';
import type { LiveExchange } from '../live-exchange.js';
import { bookTickerChannel } from './book-ticker.js';
import { candlesChannel } from './candles.js';
import { depthChannel } from './depth.js';
import { lastpriceChannel } from './lastprice.js';
import { marketChannel, marketTodayChannel } from './market.js';
import { premiumIndexChannel } from './premium-index.js';
import { tradesChannel } from './trades.js';

const channels = {
  candles: candlesChannel,
  lastprice: lastpriceChannel,
  market: marketChannel,
  marketToday: marketTodayChannel,
  trades: tradesChannel,
  depth: depthChannel,
  bookTicker: bookTickerChannel,
  premiumIndex: premiumIndexChannel,
} as const;

export const channelNames: readonly string[] = Object.keys(channels);

export function publicChannels(exchange: LiveExchange): readonly Channel[] {
  return Object.values(channels).map((channelOf) => channelOf(exchange));
}
