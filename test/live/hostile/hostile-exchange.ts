// The hand-written exchange with latency, and with books of its own.
import type { ClientOptions } from 'exchange-rx';
import { vi } from 'vitest';
import type { LiveExchange } from '../../support/live-exchange.js';
import { setup, type Setup } from '../setup.js';

/** A client, and an exchange 10 ms away. */
export function attack(live: ClientOptions['live'] = {}, options: Partial<ClientOptions> = {}): Setup {
  return setup(live, options, 10);
}

export const ms = (time: number) => vi.advanceTimersByTimeAsync(time);

/** `count` levels a side around 100. */
export function sides(count: number) {
  return {
    asks: Array.from({ length: count }, (_, index) => [String(101 + index), '1']),
    bids: Array.from({ length: count }, (_, index) => [String(99 - index * 0.5), '1']),
  };
}
export const snapshot = (market: string, updateId: number, count: number) => [
  true,
  { timestamp: 1, event_time: 1, update_id: updateId, ...sides(count) },
  market,
];
export const delta = (market: string, past: number, updateId: number, bids: unknown = [['98.75', '2']]) => [
  false,
  { timestamp: 1, event_time: 1, update_id: updateId, past_update_id: past, bids },
  market,
];

/** An exchange with books: one subscription for each market, as the documentation says. */
export function depthServer(server: LiveExchange, bad: readonly string[] = [], levels = 100): Map<string, number> {
  const subscribed = new Map<string, number>();
  const ids = new Map<string, number>();
  server.react = ({ connection, id, method, params }) => {
    const [market = '', limit] = params as [string?, number?];
    if (method === 'depth_subscribe') {
      if (bad.includes(market)) connection.refuse(id, 9, `market ${market} does not exist`);
      else if (![1, 5, 10, 20, 30, 50, 100].includes(limit ?? 0)) connection.refuse(id, 1, 'invalid argument');
      else {
        subscribed.set(market, limit ?? 0);
        connection.confirm(id);
        const next = (ids.get(market) ?? 0) + 1000;
        ids.set(market, next);
        connection.push('depth_update', snapshot(market, next, Math.min(levels, limit ?? 0)));
      }
    } else if (method === 'depth_unsubscribe') {
      if (params.length === 0) subscribed.clear();
      else subscribed.delete(market);
      connection.confirm(id);
    } else connection.confirm(id);
  };
  return subscribed;
}
