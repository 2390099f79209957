// The ledger is up to date with the clock without a request, each event has its own time, and a long idle time is
// cheap.
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { sendRaw } from '../contract/setup.js';
import { useFakeTimers } from '../support/fake-timers.js';

const market = 'BTC_USDT';
const limit = '/api/v4/order/collateral/limit';
const stock = '/api/v4/order/stock_market';
const killSwitch = '/api/v4/order/kill-switch';
const resting = { market, side: 'buy', amount: '0.01', price: '50000' };

describe('after clock.advance', () => {
  it('orders that the price reached are filled at the time when it reached them', async () => {
    const sandbox = createSandbox({ clock: 'manual', seed: 3, volatility: 0.002 });
    await sendRaw({ sandbox }, limit, { ...resting, price: '59700' });
    const start = sandbox.clock.now();
    sandbox.clock.advance(600_000);
    const { orders, fills, balanceChanges } = sandbox.ledger;
    expect(orders[0]?.status).toBe('FILLED');
    expect(fills).toHaveLength(1);
    expect(fills[0]?.at).toBeGreaterThan(start);
    expect(fills[0]?.at).toBeLessThan(sandbox.clock.now());
    expect(balanceChanges.at(-1)?.at).toBe(fills[0]?.at);
  });

  it('late requests have arrived in the order of their delays', async () => {
    const sandbox = createSandbox({ clock: 'manual', volatility: 0 });
    for (const [clientOrderId, delayMs] of Object.entries({ second: 2000, first: 1000, third: 9000 })) {
      sandbox.fault({ kind: 'late-arrival', path: stock, delayMs });
      await expect(sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.01', clientOrderId })).rejects.toThrow(
        'fetch failed',
      );
    }
    expect(sandbox.ledger.orders).toEqual([]);
    const start = sandbox.clock.now();
    sandbox.clock.advance(5000);
    // Without nonceWindow, the exchange rejects the older nonce. The third request is in flight.
    const log = sandbox.ledger.requests.map(({ client_order_id, status, at }) => [client_order_id, status, at - start]);
    expect(log.map((one) => one.join())).toEqual(['third,,0', 'first,200,1000', 'second,429,2000']);
  });

  it('a slow response has arrived', async () => {
    const sandbox = createSandbox({ clock: 'manual' });
    sandbox.fault({ kind: 'slow', delayMs: 3000 });
    let hasArrived = false;
    const ping = sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/ping`).then(() => {
      hasArrived = true;
    });
    await vi.waitFor(() => {
      expect(sandbox.ledger.requests).toHaveLength(1);
    });
    sandbox.clock.advance(2999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasArrived).toBe(false);
    sandbox.clock.advance(1);
    await ping;
    expect(hasArrived).toBe(true);
  });
});

describe('on a real clock', () => {
  useFakeTimers();

  it('the ledger is up to date with the clock at every read: a kill switch that was due has fired at its own time', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await sendRaw({ sandbox }, limit, resting);
    await sendRaw({ sandbox }, killSwitch, { market, timeout: '5' });
    const firesAt = sandbox.clock.now() + 5000;
    vi.advanceTimersByTime(60_000);
    const [order] = sandbox.ledger.orders;
    expect(order?.status).toBe('CANCELED');
    expect(Math.floor((order?.ftime ?? 0) * 1000)).toBe(firesAt);
  });
});

it('a sandbox that was idle for years catches up in a bounded number of steps, with resting orders in its book', async () => {
  const sandbox = createSandbox({ clock: 'manual', markets: [{ name: market, price: '60000' }] });
  for (let count = 0; count < 5; count += 1)
    await sendRaw({ sandbox }, limit, { ...resting, price: '0.01', amount: '1000000' });
  const tenYears = 10 * 365 * 24 * 3_600_000;
  // One by one, 1.3 billion ticks would take an hour.
  sandbox.clock.advance(tenYears);
  expect(Number(sandbox.market(market).price())).toBeGreaterThan(0);
});
