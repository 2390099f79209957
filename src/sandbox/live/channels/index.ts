// The public channels. A channel of an account would stand here, too, and need an authorized connection.
import type { Channel } from '../channel.js';
import type { LiveExchange } from '../live-exchange.js';
import { depthChannel } from './depth.js';
import { tradesChannel } from './trades.js';

export function publicChannels(exchange: LiveExchange): readonly Channel[] {
  return [depthChannel(exchange), tradesChannel(exchange)];
}
