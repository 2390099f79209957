// An order that was placed before is found, or its absence is proven by what this client knows of it.
import { createExchange, type Exchange, type Fetch } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { watch } from '../support/watch.js';

useFakeTimers();

const market = 'BTC_USDT';
const endpoint = 'spot.placeStockMarketOrder';

function setup(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ volatility: 0, ...options });
  const exchange = createExchange(sandbox.clientOptions());
  return {
    sandbox,
    exchange,
    find: (client_order_id: string, sentTo: string = endpoint) =>
      watch(exchange.orders.find({ market, client_order_id, endpoint: sentTo })),
  };
}

const buy = ({ spot }: Exchange, client_order_id: string) =>
  within(100, spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01', client_order_id }));

it.each<[string, (exchange: Exchange, order$: ReturnType<Exchange['spot']['placeStockMarketOrder']>) => unknown]>([
  ['what undecided$ emits', ({ undecided$ }) => watch(undecided$)[0]],
  ['its observable', (_, order$) => order$],
  ['an entry of a journal', (_, { client_order_id }) => ({ client_order_id, endpoint, state: 'pending' })],
])('orders.find finds an order in doubt by %s', async (_, recordOf) => {
  const { sandbox, exchange } = setup();
  sandbox.fault({ kind: 'hang', path: '/api/v4/order/stock_market', executed: true });
  const order$ = exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' });
  const sent = order$.subscribe();
  await vi.advanceTimersByTimeAsync(100);
  sent.unsubscribe();
  const [record] = [recordOf(exchange, order$)].flat();
  const { client_order_id } = order$;
  const found = await within(1000, exchange.orders.find(Object.assign({ market, client_order_id }, record)));
  expect(found).toMatchObject([{ client_order_id }]);
});

it('an order that was reported for another client_order_id is not the one that is looked up, although a list shows it so', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const timestamp = Date.now() / 1000;
  const listed = () => [
    { market, side: 'buy', timestamp, orderId: sandbox.ledger.orders[0]?.order_id, clientOrderId: 'mine' },
  ];
  const fetch: Fetch = (url, init) =>
    url.endsWith('/api/v4/orders') ? Promise.resolve(Response.json(listed())) : sandbox.fetch(url, init);
  const exchange = createExchange({ ...sandbox.clientOptions(), fetch });
  await buy(exchange, 'other');
  const found = await within(40_000, exchange.orders.find({ market, client_order_id: 'mine', endpoint }));
  expect(found).toMatchObject([{ outcome: 'unknown' }]);
  expect(String(found[0])).toContain('the lookup found the order of another client_order_id');
});

it('an order is found in a market that the exchange does not list any more', async () => {
  const { sandbox, exchange } = setup();
  await buy(exchange, 'mine');
  const fetch: Fetch = (url, init) =>
    url.endsWith('/public/markets') ? Promise.resolve(Response.json([])) : sandbox.fetch(url, init);
  const later = createExchange({ ...sandbox.clientOptions(), fetch });
  expect(await within(1000, later.orders.find({ market, client_order_id: 'mine', endpoint }))).toMatchObject([
    { client_order_id: 'mine', market },
  ]);
});

it('orders.findOco proves nothing by orders of another endpoint, whatever the key names', async () => {
  const { exchange } = setup();
  await buy(exchange, 'shown');
  const key = { market, client_order_id: 'never-sent', endpoint };
  const found = await within(40_000, exchange.orders.findOco(key));
  expect(found).toMatchObject([{ outcome: 'unknown' }]);
});

describe('the proof that an order does not exist', () => {
  it('fails for an order that this client placed while the lists did not show it', async () => {
    const { exchange, find } = setup({ historyLagMs: 60_000 });
    await buy(exchange, 'shown');
    const found = find('mine');
    await vi.advanceTimersByTimeAsync(19_000);
    expect(found).toEqual([]);
    await buy(exchange, 'mine');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(found).toMatchObject([{ outcome: 'unknown' }]);
    expect(String(found[0])).toContain('has seen an order of this client_order_id');
  });

  it.each([{ stopLoss: '10000' }, { takeProfit: '30000' }])(
    'reads the conditional orders for an order with %j, whatever endpoint the caller names',
    async (linked) => {
      const { sandbox, exchange, find } = setup({ unkindSeed: 0 });
      await buy(exchange, 'shown');
      sandbox.fault({ kind: 'hang', path: '/api/v4/order/collateral/limit', executed: true });
      const order = { market, side: 'buy', amount: '0.01', price: '20000', client_order_id: 'mine' } as const;
      const seen = exchange.collateral.placeLimitOrder({ ...order, ...linked }).subscribe();
      await vi.advanceTimersByTimeAsync(100);
      seen.unsubscribe();
      const found = find('mine');
      await vi.advanceTimersByTimeAsync(40_000);
      expect(found).toMatchObject([{ client_order_id: 'mine' }]);
      expect(sandbox.ledger.requests.map(({ path }) => path)).toContain('/api/v4/conditional-orders');
    },
  );
});

it('callTimeoutMs of a lookup bounds the read of the markets, too', async () => {
  const { sandbox, exchange } = setup();
  sandbox.fault({ kind: 'hang', path: '/api/v4/public/markets' });
  const call$ = exchange.orders.find({ market, client_order_id: 'mine', endpoint }, { callTimeoutMs: 500 });
  const found = await within(600, call$);
  expect(found).toMatchObject([{ kind: 'timeout', phase: 'call', endpoint: 'orders.find', outcome: 'unknown' }]);
});

it.each([
  ['its endpoint', endpoint, { kind: 'not-placed' }],
  ['no other endpoint', 'spot.placeMarketOrder', { outcome: 'unknown' }],
])('an order that is found shows of %s that it takes identifiers', async (_, sentTo, result) => {
  const { sandbox, find } = setup();
  await buy(createExchange(sandbox.clientOptions()), 'earlier');
  const [first, second] = [find('earlier'), find('never-sent', sentTo)];
  await vi.advanceTimersByTimeAsync(40_000);
  expect([first, second]).toMatchObject([[{ client_order_id: 'earlier' }], [result]]);
});
