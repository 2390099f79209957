// A client whose live connection leads to a hand-written exchange, on fake time.
import { createExchange, type ClientOptions, type Exchange, type Fetch } from 'exchange-rx';
import { onTestFinished, vi } from 'vitest';
import { LiveExchange } from '../support/live-exchange.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { useFakeTimers } from '../support/fake-timers.js';

export interface Setup {
  readonly server: LiveExchange;
  readonly exchange: Exchange;
}

let addresses = 0;

/** By default, nothing is known of the markets. */
export function setup(live: ClientOptions['live'] = {}, options: Partial<ClientOptions> = {}, latencyMs = 0): Setup {
  const server = new LiveExchange(latencyMs);
  // Clients of one address share their rate limits, and these are those of another time.
  addresses += 1;
  const exchange = createExchange({
    baseUrl: `https://exchange-${addresses}.example`,
    webSocket: server.webSocket,
    fetch: () => Promise.resolve(new Response('', { status: 404 })),
    live,
    retry: { random: () => 0.5 },
    ...options,
  });
  return { server, exchange };
}

export function distantSetup(options: Partial<ClientOptions> = {}): Setup {
  return setup({}, options, 10);
}

/** A REST side that lists the markets that `names` has at the time, and has nothing else. */
export function listing(names: readonly string[]): { readonly fetch: Fetch; readonly reads: readonly unknown[] } {
  const { fetch, sent } = recordingFetch(({ url }) =>
    url.endsWith('/public/markets')
      ? jsonAnswer(names.map((name) => ({ name, stock: 'BASE', money: 'QUOTE', stockPrec: '6', moneyPrec: '2' })))
      : jsonAnswer({}, 404),
  );
  return { fetch, reads: sent };
}

/** Funding is paid at 0, 8 and 16 o'clock: more than an hour after this time. */
const startsAt = Date.UTC(2026, 8, 21, 14, 13, 20, 123);

/** @param now Unix milliseconds */
export function onFakeTime(now = startsAt): void {
  useFakeTimers(now);
}

export const ms = (time: number) => vi.advanceTimersByTimeAsync(time);

export const seconds = (count: number) => ms(count * 1000);

/** The clock goes on for this time while no timer fires, as in a process that is blocked or suspended. */
export function blockFor(count: number): void {
  const own = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now');
  // It may be blocked a second time.
  const now = clock.getMockImplementation() ?? own;
  clock.mockImplementation(() => now() + count * 1000);
  onTestFinished(() => {
    clock.mockRestore();
  });
}

export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function sides(count: number) {
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
export function depthServer(server: LiveExchange): Map<string, number> {
  const subscribed = new Map<string, number>();
  const ids = new Map<string, number>();
  server.react = ({ connection, id, method, params }) => {
    const [market = '', limit] = params as [string?, number?];
    if (method === 'depth_subscribe') {
      if (![1, 5, 10, 20, 30, 50, 100].includes(limit ?? 0)) connection.refuse(id, 1, 'invalid argument');
      else {
        subscribed.set(market, limit ?? 0);
        connection.confirm(id);
        const next = (ids.get(market) ?? 0) + 1000;
        ids.set(market, next);
        connection.push('depth_update', snapshot(market, next, limit ?? 0));
      }
    } else if (method === 'depth_unsubscribe') {
      if (params.length === 0) subscribed.clear();
      else subscribed.delete(market);
      connection.confirm(id);
    } else connection.confirm(id);
  };
  return subscribed;
}
