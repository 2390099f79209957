// A client whose live connection leads to a hand-written exchange, on fake time.
import { createExchange, type ClientOptions, type Exchange } from 'exchange-rx';
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest';
import { LiveExchange } from '../support/live-exchange.js';

export interface Setup {
  readonly server: LiveExchange;
  readonly exchange: Exchange;
}

export function setup(live: ClientOptions['live'] = {}, options: Partial<ClientOptions> = {}): Setup {
  const server = new LiveExchange();
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    webSocket: server.webSocket,
    live,
    retry: { random: () => 0.5 },
    ...options,
  });
  return { server, exchange };
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
