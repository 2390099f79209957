// The limits of the public endpoints: of all together, and of each.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { expect, it } from 'vitest';
import { usageOf } from '../support/permits.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

const wide = { public: { limit: 20_000, windowMs: 10_000 } };

it.each([
  ['by default, where it is narrower than that of all', {}, { public: 2000, 'public.orderBook': 600 }],
  [
    'beside the wider limit of all that the exchange has published',
    { limits: wide },
    { public: 20_000, 'public.ping': 2000, 'public.tickers': 2000, 'public.orderBook': 600 },
  ],
])('a public endpoint has a limit of its own %s', (_, options, limits) => {
  const exchange = createExchange({ ...createSandbox().clientOptions(), ...options });
  exchange.public.ping().subscribe();
  exchange.public.tickers().subscribe();
  exchange.public.orderBook({ market: 'BTC_USDT' }).subscribe();
  const usage = Object.entries(usageOf(exchange.scheduler));
  expect(Object.fromEntries(usage.map(([name, { limit }]) => [name, limit]))).toEqual(limits);
});
