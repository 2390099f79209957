// The same seed gives the same run: prices, faults, and the delays between the client's retries.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, EMPTY, mergeMap, range } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

async function run(seed: number) {
  vi.setSystemTime(Date.UTC(2026, 0, 1));
  const sandbox = createSandbox({ seed, volatility: 0 });
  sandbox.randomFaults({ seed, rate: 0.5, kinds: ['status', 'reset', 'slow'] });
  const exchange = createExchange(sandbox.clientOptions());
  range(1, 3)
    .pipe(
      mergeMap((count) =>
        exchange.spot
          .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id: `order-${count}` })
          .pipe(catchError(() => EMPTY)),
      ),
    )
    .subscribe();
  await vi.advanceTimersByTimeAsync(60_000);
  return sandbox.ledger.requests.map(({ at, path, client_order_id, status, fault }) => {
    return { at, path, client_order_id, status, fault };
  });
}

describe('the same seed', () => {
  it('gives the same run, to the millisecond of every retry, and another seed gives another run', async () => {
    const first = await run(7);
    expect(first.length).toBeGreaterThan(5);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
  });

  it('gives two clients of one sandbox different jitter', () => {
    const sandbox = createSandbox();
    expect(sandbox.clientOptions().retry.random()).not.toBe(sandbox.clientOptions().retry.random());
  });
});
