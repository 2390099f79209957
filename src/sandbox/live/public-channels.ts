// The channels that need no account: those of the registry.
import type { Channel } from './channel.js';
import * as channels from './channels/index.js';
import type { LiveExchange } from './live-exchange.js';

export const channelNames: readonly string[] = Object.keys(channels);

export function publicChannels(exchange: LiveExchange): readonly Channel[] {
  return Object.values(channels).map((channelOf) => channelOf(exchange));
}
