// The limits of the public endpoints: of all together, and of each.
import { createExchange, type Exchange, type RateLimitUsage } from 'exchange-rx';
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

describe('with the wider limit of all public endpoints that the exchange has published', () => {
  it('each endpoint has its own limit beside it', async () => {
    const limits = { public: { limit: 20_000, windowMs: 10_000 } };
    const exchange = createExchange({ ...createSandbox().clientOptions(), limits });
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
});
