// The bounds of the retry loop mean the same for reads, orders and refused nonces.
import { createExchange, type Exchange } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { jsonAnswer } from '../support/recording-fetch.js';
import { watch } from '../support/watch.js';

useFakeTimers();

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const calls: readonly (readonly [string, (exchange: Exchange) => Observable<unknown>])[] = [
  ['a read', (exchange) => exchange.account.mainBalance()],
  ['a setting', (exchange) => exchange.orders.setKillSwitch({ market: 'BTC_USDT', timeout: 60 })],
  ['an order', (exchange) => exchange.spot.placeStockMarketOrder(order)],
];

/** Makes the call on an exchange that responds as given; resolves to the results and the number of requests. */
async function outcomeOf(
  call: (exchange: Exchange) => Observable<unknown>,
  response: () => Response,
  options: Partial<Parameters<typeof createExchange>[0]>,
) {
  const sandbox: Sandbox = createSandbox({ volatility: 0 });
  let requests = 0;
  const exchange = createExchange({
    ...sandbox.clientOptions(),
    ...options,
    fetch: (url, init) => {
      if (init.method === 'GET') return sandbox.fetch(url, init);
      requests += 1;
      return Promise.resolve(response());
    },
  });
  const results = watch(call(exchange));
  await vi.advanceTimersByTimeAsync(60_000);
  return { results, requests };
}

const limited = () => new Response('Too Many Attempts.', { status: 429, headers: { 'retry-after': '1' } });
const refusedNonce = () =>
  jsonAnswer({ code: 0, message: 'Your nonce is more than 5 seconds greater than the current nonce', errors: {} }, 400);

describe.each(calls)('%s', (_, call) => {
  it('ends after one request when Retry-After: 1 exceeds maxTotalMs: 300', async () => {
    const { results, requests } = await outcomeOf(call, limited, { retry: { maxTotalMs: 300 } });
    expect(results).toMatchObject([{ kind: 'rate-limited', retryAfterMs: 1000 }]);
    expect(requests).toBe(1);
  });

  it('is retried after Retry-After: 1 within maxTotalMs: 1500, once', async () => {
    const { results, requests } = await outcomeOf(call, limited, { retry: { maxTotalMs: 1500 } });
    expect(results).toMatchObject([{ kind: 'rate-limited' }]);
    expect(requests).toBe(2);
  });

  it('is signed again twice after refused nonces, whatever maxRetries', async () => {
    const { results, requests } = await outcomeOf(call, refusedNonce, { retry: { maxRetries: 0 } });
    expect(results).toMatchObject([{ kind: 'auth', reason: 'nonce-expired', outcome: 'rejected' }]);
    expect(requests).toBe(3);
  });

  it('is not signed again after a refused nonce with retry: false', async () => {
    const { requests } = await outcomeOf(call, refusedNonce, { retry: false });
    expect(requests).toBe(1);
  });
});
