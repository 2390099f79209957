// A client whose live connection leads to a hand-written exchange, on fake time.
import { createExchange, type ClientOptions, type Exchange } from 'exchange-rx';
import { afterEach, beforeEach, vi } from 'vitest';
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

export function onFakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

/** Random numbers from 0 to 1, the same for a seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
