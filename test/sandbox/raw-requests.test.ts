// Requests that the SDK would not send: their fields have the published bounds, and lists have a result for each item.
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { rawAnswer, sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const cancelAll = '/api/v4/order/cancel/all';
const cancelBulk = '/api/v4/order/cancel/bulk';
const delisted = '/api/v4/trade-account/order/history/query';
const killSwitches = '/api/v4/order/kill-switch/status';
const placeBulk = '/api/v4/order/bulk';
const limitOrder = { market, side: 'buy', amount: '0.01', price: '50000' };

const sandboxAtRest = () => createSandbox({ volatility: 0 });

describe('a request about many orders', () => {
  it.each([
    ['a cancel of an unknown position side', cancelAll, { market, positionSide: 'up' }, 'positionSide'],
    ['a cancel of a position side in a spot market', cancelAll, { market, positionSide: 'long' }, 'positionSide'],
    ['cancels that are no list', cancelBulk, { orders: 'all' }, 'orders'],
    ['no cancels', cancelBulk, { orders: [] }, 'orders'],
    ['101 cancels', cancelBulk, { orders: Array.from({ length: 101 }, () => ({ market, orderId: 1 })) }, 'orders'],
    ['orders that are no list', placeBulk, { orders: 'all' }, 'orders'],
    ['no orders', placeBulk, { orders: [] }, 'orders'],
    ['an unknown status of delisted orders', delisted, { status: 'new' }, 'status'],
    ['a period that ends before it starts', delisted, { startDate: 1_790_000_001, endDate: 1_790_000_000 }, 'endDate'],
    ['a period of 32 days', delisted, { startDate: 1_790_000_000 - 32 * 86_400, endDate: 1_790_000_000 }, 'endDate'],
    ['rows beyond the ten thousandth', delisted, { offset: 9990, limit: 11 }, 'offset'],
  ])('is rejected for %s', async (_, path, fields, field) => {
    const response = await sendRaw({ sandbox: sandboxAtRest() }, path, fields);
    expect(response).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
  });

  it('has a result for each cancel: the order, or the reason of its rejection', async () => {
    const sandbox = sandboxAtRest();
    await sendRaw({ sandbox }, '/api/v4/order/new', { ...limitOrder, clientOrderId: 'resting' });
    const orders = [{ market, clientOrderId: 'resting' }, { market, clientOrderId: 'unknown' }, 'no order'];
    const { body } = await sendRaw({ sandbox }, cancelBulk, { orders });
    expect(body).toMatchObject([
      { result: { clientOrderId: 'resting', market } },
      { error: { code: 404 } },
      { error: { code: 30 } },
    ]);
  });

  it('places nothing after the first order that fails with stopOnFail', async () => {
    const sandbox = sandboxAtRest();
    const orders = ['no order', { ...limitOrder, clientOrderId: 'after' }];
    const { body } = await sendRaw({ sandbox }, placeBulk, { orders, stopOnFail: true });
    expect(body).toMatchObject([{ result: null, error: expect.any(Object) as object }]);
    expect(sandbox.ledger.orders).toEqual([]);
  });

  it('lists no delisted order as filled, and the kill switches of one market or of all', async () => {
    const sandbox = sandboxAtRest();
    expect(await sendRaw({ sandbox }, delisted, { status: 'filled' })).toMatchObject({ status: 200, body: [] });
    await sendRaw({ sandbox }, '/api/v4/order/kill-switch', { market, timeout: '60', types: ['spot'] });
    const switches = async (fields: object) => (await sendRaw({ sandbox }, killSwitches, { ...fields })).body;
    expect(await switches({})).toMatchObject([{ market, types: ['spot'] }]);
    expect(await switches({ market: 'ETH_USDT' })).toEqual([]);
  });
});

describe('market data of the sandbox', () => {
  const get = async (path: string, sandbox = sandboxAtRest()) => rawAnswer(await sandbox.fetch(sandbox.baseUrl + path));

  it('has the trades of one side', async () => {
    const sandbox = sandboxAtRest();
    for (const side of ['buy', 'sell'])
      await sendRaw({ sandbox }, '/api/v4/order/stock_market', { market, side, amount: '0.01' });
    const sidesOf = async (query: string) => {
      const { body } = await get(`/api/v4/public/trades/${market}${query}`, sandbox);
      return new Set((body as readonly { readonly type: string }[]).map(({ type }) => type));
    };
    expect(await sidesOf('?type=buy')).toEqual(new Set(['buy']));
    expect(await sidesOf('')).toEqual(new Set(['buy', 'sell']));
  });

  it('has every row of a book with limit 0, and wider steps at a higher level', async () => {
    const rows = async (query: string) => {
      const { body } = await get(`/api/v4/public/orderbook/${market}?${query}`);
      return (body as { readonly asks: readonly unknown[] }).asks.length;
    };
    expect(await rows('limit=0')).toBeGreaterThan(await rows('limit=1'));
    expect(await rows('limit=100&level=5')).toBeLessThanOrEqual(await rows('limit=100'));
  });

  it('has one ticker, with the names of the first version', async () => {
    const { status, body } = await get(`/api/v1/public/ticker?market=${market}`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { success: true, result: { bid: expect.any(String) as string, last: expect.any(String) as string } },
    });
  });
});
