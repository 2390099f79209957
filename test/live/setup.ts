// A client whose live connection leads to a hand-written exchange, on fake time.
import { createExchange, type ClientOptions, type Exchange, type Fetch } from 'exchange-rx';
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest';
import { LiveExchange } from '../support/live-exchange.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

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
  beforeEach(() => {
    vi.useFakeTimers({ now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

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

/** Random numbers from 0 to 1, the same for a seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
