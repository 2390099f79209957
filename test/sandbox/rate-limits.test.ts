// A request counts in the rate limit of its endpoint and in the combined one of its path.
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const windowMs = 10_000;
const markets = [{ name: 'BTC_USDT', price: '60000', depth: { levels: 1, step: 0.0005, size: '1' } }];
const open = (limits: SandboxOptions['limits'] = {}) =>
  createSandbox({ clock: 'manual', volatility: 0, markets, limits });
type Opened = ReturnType<typeof open>;

const book = '/api/v4/public/orderbook/BTC_USDT';
const candles = '/api/v1/public/kline?market=BTC_USDT';
const ping = '/api/v4/public/ping';
const get = async ({ fetch, baseUrl }: Opened, path: string) => (await fetch(baseUrl + path)).status;

/** Sends this many requests at once; returns how many are accepted. */
async function accepted(sandbox: Opened, path: string, sent: number): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: sent }, () => get(sandbox, path)));
  return statuses.filter((status) => status === 200).length;
}

describe('the published limits', () => {
  it('the mining pool: 1000 requests / 10 s', async () => {
    expect(await accepted(open(), '/api/v4/public/mining-pool', 1100)).toBe(1000);
  });

  it('all public endpoints together: 2000 requests / 10 s', async () => {
    const sandbox = open();
    expect(await accepted(sandbox, book, 700)).toBe(600);
    expect(await accepted(sandbox, candles, 1100)).toBe(1000);
    expect(await accepted(sandbox, ping, 500)).toBe(400);
    expect(sandbox.ledger.maxRequestsInWindow('public')).toBe(2000);
    expect(sandbox.ledger.maxRequestsInWindow('/api/v4/public/orderbook/{market}')).toBe(600);
  });

  it('each public endpoint keeps its own limit when the combined one is wider', async () => {
    const sandbox = open({ public: { limit: 20_000, windowMs } });
    expect(await accepted(sandbox, ping, 2100)).toBe(2000);
    expect(await accepted(sandbox, '/api/v4/public/time', 1)).toBe(1);
    expect(sandbox.ledger.maxRequestsInWindow(ping)).toBe(2000);
  });
});

describe('a request over one of its limits', () => {
  it("gets the gateway's 429 and counts in none", async () => {
    const sandbox = open({
      public: { limit: 3, windowMs },
      '/api/v4/public/orderbook/{market}': { limit: 1, windowMs },
    });
    const statuses = [];
    for (const path of [book, book, book, ping, ping, ping]) statuses.push(await get(sandbox, path));
    expect(statuses).toEqual([200, 429, 429, 200, 200, 429]);
    expect(await (await sandbox.fetch(sandbox.baseUrl + book)).text()).toBe('Too Many Requests');
    sandbox.clock.advance(windowMs);
    expect(await get(sandbox, book)).toBe(200);
  });

  const balance = '/api/v4/main-account/balance';
  const ofTest = '/api/v4/main-account/of-a-test';
  const orders = '/api/v4/orders';
  it.each([
    ['main-account/*, for routes that a test adds, too', 'mainAccount', [balance, ofTest, ofTest]],
    ['the open orders and trade-account/*', 'orders', [orders, '/api/v4/trade-account/balance', orders]],
  ])('counts in %s together', async (_, name, paths) => {
    const sandbox = open({ [name]: { limit: 2, windowMs } });
    sandbox.route({ method: 'POST', path: ofTest, authentication: 'signed', handle: () => ({}) });
    const statuses = [];
    for (const path of [...paths, '/api/v4/conditional-orders'])
      statuses.push((await sendRaw({ sandbox }, path, { market: 'BTC_USDT' })).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    expect(sandbox.ledger.maxRequestsInWindow(name)).toBe(2);
  });
});
