// Open orders from the live connection, and from polls while it has none.
import { createExchange, RequestError, watchOpenOrders, type OpenOrdersUpdate } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds } from '../live/setup.js';
import { collect } from './scripted.js';

onFakeTime();

const market = 'BTC_USDT';

function setup() {
  const sandbox = createSandbox({ volatility: 0, markets: [{ name: market, price: '60000', minAmount: '0.0001' }] });
  const exchange = createExchange(sandbox.clientOptions());
  const place = (price: string) => exchange.spot.placeLimitOrder({ market, side: 'buy', amount: '0.1', price });
  const polls = () => sandbox.ledger.requests.filter(({ path }) => path === '/api/v4/orders').length;
  return { sandbox, exchange, place, polls };
}

async function resultOf<Value>(source$: Observable<Value>): Promise<Value> {
  const value = firstValueFrom(source$);
  await seconds(0.2);
  return value;
}

const changesOf = (updates: readonly OpenOrdersUpdate[]) =>
  updates.flatMap(({ changes }) => changes.map(({ kind }) => kind));

describe('watchOpenOrders with live: true', () => {
  it('emits the orders as they are pushed, and polls no more than the audit', async () => {
    const { exchange, place, polls } = setup();
    const updates = collect(watchOpenOrders(exchange, { market, live: true }));
    await seconds(3);
    const before = polls();
    const { order_id } = await resultOf(place('50000'));
    expect(updates.at(-1)?.orders.get(order_id)).toMatchObject({ price: '50000', status: 'OPEN' });
    await seconds(40);
    await resultOf(exchange.orders.cancel({ market, order_id }));
    await seconds(2);
    expect(changesOf(updates)).toEqual(['added', 'gone']);
    expect(updates.at(-1)).toMatchObject({ stale: false });
    expect(polls() - before).toBeLessThan(2);
  });

  it('polls while the connection is down', async () => {
    const { sandbox, exchange, place } = setup();
    const updates = collect(watchOpenOrders(exchange, { market, live: true }));
    await seconds(3);
    sandbox.liveFault({ kind: 'refuse', times: 20 });
    sandbox.liveFault({ kind: 'cut' });
    await seconds(5);
    const { order_id } = await resultOf(place('50000'));
    await seconds(3);
    expect(updates.at(-1)).toMatchObject({ stale: false });
    expect([...(updates.at(-1)?.orders.keys() ?? [])]).toEqual([order_id]);
  });

  it('requires a market', () => {
    const { exchange } = setup();
    expect(() => watchOpenOrders(exchange, { live: true })).toThrow(RequestError);
  });
});
