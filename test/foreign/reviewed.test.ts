// Orders that a cold review doubled, misreported or could not decide: one test for each way.
import { createExchange, type Fetch } from 'exchange-rx';
import { retry } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { foreignKey, paths } from '../support/foreign-exchange.js';
import { refusal } from '../support/foreign-network.js';
import {
  expectTruth,
  follow,
  getAcquainted,
  linked,
  marketOrder,
  mistakes,
  seconds,
  setup,
  stockMarket,
  useFakeTime,
} from './setup.js';

useFakeTime();

/** A client between which and the exchange every response to a path is rewritten. */
function rewriting(path: string, rewrite: (response: Response) => Promise<Response> | Response) {
  const all = setup();
  let isOn = false;
  const fetch: Fetch = async (url, init) => {
    const response = await all.network.fetch(url, init);
    return isOn && new URL(url).pathname === path ? rewrite(response) : response;
  };
  const exchange = createExchange({
    baseUrl: `https://rewritten-${Math.random().toString(36).slice(2)}.example`,
    credentials: foreignKey,
    fetch,
  });
  const start = () => {
    isOn = true;
  };
  return { ...all, exchange, start };
}

describe('a nonce that is rejected for its age', () => {
  it.each([2000, 2700, 2800, 2900, 2950, 2990])(
    'is no proof when a proxy may have repeated the request, by a local clock %i ms behind',
    async (behindMs) => {
      for (const afterMs of [100, 500, 900]) {
        const { foreign, network, exchange } = setup({ now: () => Date.now() - behindMs });
        network.plan(paths.stockMarket, { kind: 'replayed', afterMs });
        const report = follow(stockMarket.place(exchange, 'a', { validForMs: 60_000 }));
        await seconds(90);
        expectTruth(foreign, 'a', report, 'placed');
      }
    },
  );
});

describe('a retry() without a delay', () => {
  it('keeps the identifier of its order: another observable with the same one is rejected', async () => {
    const { foreign, network, exchange } = setup();
    await getAcquainted(exchange);
    network.plan(
      paths.stockMarket,
      { kind: 'response', response: refusal(422, 'Market is not available.') },
      { kind: 'lost after', how: 'hang' },
    );
    const first = follow(stockMarket.place(exchange, 'same').pipe(retry(1)));
    await seconds(1);
    const second = follow(stockMarket.place(exchange, 'same'));
    await seconds(60);
    expect(second.error).toMatchObject({ kind: 'request', issues: [{ field: 'client_order_id' }] });
    expectTruth(foreign, 'same', first, 'placed');
  });
});

describe('a conditional order that is listed without its identifier', () => {
  it('does not prove that the order is absent', async () => {
    const { foreign, network, exchange, start } = rewriting(paths.conditional, async (response) => {
      const text = (await response.text()).replaceAll(/"clientOrderId":"[^"]*"/g, '"clientOrderId":null');
      return new Response(text, { status: response.status });
    });
    await getAcquainted(exchange);
    start();
    network.plan(linked.path, { kind: 'lost after', how: 'reset' });
    const report = follow(linked.place(exchange, 'a'));
    await seconds(120);
    expectTruth(foreign, 'a', report, 'unknown');
  });
});

describe('a 429 in JSON that an executed order gets', () => {
  it.each([
    ['the code as text', { code: '0', message: 'Too many requests.', errors: [] }],
    ['no code', { message: 'Too many requests.' }],
    ['another text', { code: 0, message: 'Забагато запитів' }],
  ])('is ambiguous: %s', async (_, body) => {
    const { foreign, exchange, start } = rewriting(
      paths.stockMarket,
      () => new Response(JSON.stringify(body), { status: 429 }),
    );
    await getAcquainted(exchange);
    start();
    const report = follow(stockMarket.place(exchange, 'a', { validForMs: 60_000 }));
    await seconds(90);
    expectTruth(foreign, 'a', report, 'placed');
  });
});

describe('orders.find', () => {
  it('finds a spot order without the permission to read conditional orders', async () => {
    const { exchange, start } = rewriting(
      paths.conditional,
      () =>
        new Response('{"code":4,"message":"This API Key is not authorized to perform this action.","errors":[]}', {
          status: 401,
        }),
    );
    await getAcquainted(exchange);
    start();
    const report = follow(
      exchange.orders.find({
        market: 'BTC_USDT',
        client_order_id: 'never-placed',
        endpoint: 'spot.placeStockMarketOrder',
      }),
    );
    await seconds(60);
    expect(report.error).toMatchObject({ kind: 'not-placed' });
  });
});

describe('an order without a timestamp', () => {
  it('is found by the identifier of the caller', async () => {
    const { foreign, network, exchange, start } = rewriting(paths.history, async (response) => {
      const text = (await response.text()).replaceAll(/"ctime":[\d.]+/g, '"ctime":null');
      return new Response(text, { status: response.status });
    });
    start();
    network.plan(paths.market, { kind: 'lost after', how: 'reset' });
    const report = follow(marketOrder.place(exchange, 'a'));
    await seconds(60);
    expect(mistakes(foreign, 'a', report)).toEqual([]);
    expect(report.as).toBe('placed');
  });
});
