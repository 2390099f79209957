// The client option `limits: 'published'`: the wider limits that the exchange has published since its description.
import { ClientRegistry, createExchange, type Exchange, type RateLimitUsage, type Transport } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, take } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

async function usageOf(exchange: Exchange): Promise<Record<string, RateLimitUsage>> {
  const usage = firstValueFrom(exchange.scheduler.usage$.pipe(take(1)));
  await vi.advanceTimersByTimeAsync(1000);
  return Object.fromEntries((await usage).map((one) => [one.rateLimit, one]));
}

describe('limits by default', () => {
  it('all public endpoints share 2000 requests / 10 s, and none has a limit of its own that is as wide', async () => {
    const exchange = createExchange(createSandbox().clientOptions());
    exchange.public.ping().subscribe();
    exchange.public.orderBook({ market: 'BTC_USDT' }).subscribe();
    await vi.advanceTimersByTimeAsync(1);
    const usage = await usageOf(exchange);
    expect(Object.keys(usage).sort()).toEqual(['public', 'public.orderBook']);
    expect(usage['public']).toMatchObject({ limit: 2000 });
  });
});

describe("limits: 'published'", () => {
  it('all public endpoints share 20000 requests / 10 s, and each has 2000', async () => {
    const exchange = createExchange({ ...createSandbox().clientOptions(), limits: 'published' });
    exchange.public.ping().subscribe();
    exchange.public.tickers().subscribe();
    exchange.public.orderBook({ market: 'BTC_USDT' }).subscribe();
    await vi.advanceTimersByTimeAsync(1);
    const usage = await usageOf(exchange);
    expect(Object.fromEntries(Object.entries(usage).map(([name, { limit }]) => [name, limit]))).toEqual({
      public: 20_000,
      'public.ping': 2000,
      'public.tickers': 2000,
      'public.orderBook': 600,
    });
  });

  it('no more than 2000 requests to one endpoint leave in 10 s', async () => {
    let sent = 0;
    // A sandbox would take a millisecond for each request.
    const transport: Transport = {
      send: () => {
        sent += 1;
        return { response: Promise.resolve({ status: 200, headers: {}, body: '["pong"]' }), abort: () => undefined };
      },
    };
    const options = { baseUrl: 'https://published-limits.example', transport, registry: new ClientRegistry() };
    const exchange = createExchange({ ...options, limits: 'published', maxInFlight: 5000 });
    for (let count = 0; count < 2100; count += 1) exchange.public.ping().subscribe();
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toBe(1960);
  });

  it('holds for the other clients of the address, too', async () => {
    const sandbox = createSandbox();
    createExchange({ ...sandbox.clientOptions(), limits: 'published' });
    const other = createExchange(sandbox.clientOptions());
    other.public.ping().subscribe();
    await vi.advanceTimersByTimeAsync(1);
    expect(Object.keys(await usageOf(other)).sort()).toEqual(['public', 'public.ping']);
  });

  it('is the only text that limits may be', () => {
    const call = createExchange as (options: object) => unknown;
    expect(() => call({ baseUrl: 'https://exchange.example', limits: 'wide' })).toThrow(
      'limits "wide" must be "published" or an object',
    );
  });
});
