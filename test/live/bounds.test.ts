// What a connection may make a client keep or compute: a few times what was requested, or what a whole response may have.
import { describe, expect, it } from 'vitest';
import { distantSetup, ms, onFakeTime } from './setup.js';
import { accountSetup, json } from './my/account-exchange.js';
import { collected } from '../support/watch.js';

onFakeTime();

const market = 'A_USDT';

it('a book is not made of a message with more than 400 levels of a side: it is stale, and subscribed again', async () => {
  const { server, exchange } = distantSetup();
  const seen = collected(
    exchange.live.orderBook({ market }),
    ({ status, updateId, bids }) => `${status} ${updateId} ${bids.length}`,
  );
  await ms(1000);
  const push = (isSnapshot: boolean, update_id: number, count: number) => {
    const ids = isSnapshot ? { update_id } : { update_id, past_update_id: update_id - 1 };
    const bids = Array.from({ length: count }, (_, index) => [String(100_000 - index), '1']);
    server.last.push('depth_update', [isSnapshot, { ...ids, bids, asks: [] }, market]);
  };
  push(true, 1000, 400);
  push(false, 1001, 401);
  push(true, 1002, 26_000);
  push(true, 1003, 100);
  expect(seen).toEqual(['live 1000 100', 'stale 1000 100', 'live 1003 100']);
  await ms(1000);
  expect(server.script.filter((line) => line.includes('depth_subscribe')).length).toBeGreaterThan(1);
});

const assets = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `ASSET${first + index}`);

describe('a balance', () => {
  function watched() {
    const all = accountSetup();
    const size = (value: object) => Object.keys(value).length;
    const seen = collected(all.exchange.live.my.balances(), ({ status, value }) => ({ status, assets: size(value) }));
    const push = (of: readonly string[]) => {
      const balances = of.map((asset) => [asset, { available: '1', freeze: '0' }] as const);
      all.server.last.push('balanceSpot_update', [Object.fromEntries(balances)]);
    };
    return { ...all, seen, push };
  }

  it('has at most 10,000 assets: with more it is stale until it is read again', async () => {
    const { seen, push } = watched();
    await ms(1000);
    for (let times = 0; times < 15; times += 1) {
      push(assets(1000, 1000 * times));
      await ms(10);
    }
    expect(Math.max(...seen.map(({ assets }) => assets))).toBeLessThanOrEqual(10_000);
    expect(seen.at(-1)?.status).toBe('stale');
    await ms(10_000);
    expect(seen.at(-1)).toMatchObject({ status: 'live' });
  });

  it.each([
    ['11,000 assets', 11, (times: number) => assets(1000, 1000 * times)],
    ['one asset, 2,000 times', 2000, () => ['USDT']],
  ])('that changes during its read (%s) is live after another read, and has at most 10,000 assets', async (...row) => {
    const [, count, assetsOf] = row;
    const { account, server, seen, push } = watched();
    const respond = account.holdQueries();
    await ms(1000);
    expect(seen).toEqual([]);
    for (let times = 0; times < count; times += 1) push(assetsOf(times));
    respond();
    await ms(11_000);
    expect(server.connections).toHaveLength(1);
    expect(seen.at(-1)?.status).toBe('live');
    expect(Math.max(...seen.map(({ assets }) => assets))).toBeLessThanOrEqual(10_001);
  });

  it('of 300 assets that all change each second stays live', async () => {
    const { seen, push } = watched();
    await ms(1000);
    // Longer than until an audit.
    for (let second = 0; second < 65; second += 1) {
      push(assets(300));
      await ms(1000);
    }
    expect(seen.every(({ status }) => status === 'live')).toBe(true);
  });
});

it('the open orders of a market are at most those that can be listed, 10,100: with more they are stale', async () => {
  const { account, server, exchange } = accountSetup();
  const orderOf = (orderId: number) => ({
    ...{ orderId, clientOrderId: '', market, side: 'buy', type: 'limit', timestamp: 1, dealMoney: '0' },
    ...{ dealStock: '0', amount: '1', left: '1', dealFee: '0', price: '10', status: 'OPEN' },
  });
  const listed = 10_090;
  account.rest = (path, body) => {
    if (!path.endsWith('/orders')) return json(200, []);
    const { limit, offset } = JSON.parse(body) as { readonly limit: number; readonly offset: number };
    const count = Math.max(0, Math.min(limit, listed - offset));
    return json(
      200,
      Array.from({ length: count }, (_, index) => orderOf(offset + index + 1)),
    );
  };
  const seen = collected(exchange.live.my.openOrders({ markets: [market] }), ({ status, orders }) => ({
    status,
    size: orders.length,
  }));
  await ms(20_000);
  expect(seen).toEqual([{ status: 'live', size: listed }]);
  for (let id = 1; id <= 20; id += 1) {
    const { orderId, clientOrderId, dealMoney, dealStock, ...order } = orderOf(100_000 + id);
    server.last.push('ordersPending_update', [
      1,
      {
        ...order,
        ...{ id: orderId, client_order_id: clientOrderId, deal_money: dealMoney, deal_stock: dealStock },
        ...{ side: 2, type: 1, ctime: 1, mtime: Date.now() / 1000, deal_fee: '0' },
      },
    ]);
  }
  expect(seen.at(-1)).toEqual({ status: 'stale', size: 10_100 });
});
