// An order that was placed before is found, or its absence is proven by what this client knows of it.
import { ClientRegistry, createExchange } from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { watch } from '../support/watch.js';

useFakeTimers();

const market = 'BTC_USDT';
const endpoint = 'spot.placeStockMarketOrder';

interface Sent {
  readonly client_order_id?: string;
  readonly [field: string]: unknown;
}

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
const none = () => json({ code: 30, message: 'Validation failed', errors: { orderHistory: ['not found'] } }, 422);

/** An exchange whose lists show no order but those in `history` and `conditional`. */
function setup() {
  const history = new Map<string, object>();
  const conditional: object[] = [];
  let isLost = false;
  let isHanging = false;
  let placed = 0;
  const place = (sent: Sent) => {
    placed += 1;
    const order = { ...sent, orderId: placed, clientOrderId: sent.client_order_id, type: 'market', left: '0' };
    if (isLost) throw new TypeError('the connection was reset');
    return json({ ...order, timestamp: Date.now() / 1000 });
  };
  const respond = (path: string, sent: Sent) => {
    if (path === '/api/v4/public/time') return json({ time: Math.floor(Date.now() / 1000) });
    if (path === '/api/v4/public/markets')
      return json([{ name: market, stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2', type: 'spot' }]);
    if (path === '/api/v4/orders') return json([]);
    if (path === '/api/v4/conditional-orders') return json({ limit: 100, offset: 0, records: conditional });
    if (!path.endsWith('/history')) return place(sent);
    const found = history.get(sent.client_order_id ?? '');
    return found === undefined ? none() : json({ [market]: [found] });
  };
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    registry: new ClientRegistry(),
    fetch: (url, { body }) =>
      new Promise((resolve) => {
        const sent = JSON.parse(body ?? '{}') as Sent;
        const { pathname } = new URL(url);
        if (!(isHanging && pathname.endsWith('/markets'))) resolve(respond(pathname, sent));
      }),
  });
  return {
    exchange,
    history,
    conditional,
    hangMarkets: () => {
      isHanging = true;
    },
    loseOrders: () => {
      isLost = true;
    },
    find: (client_order_id: string, sentTo: string = endpoint) =>
      watch(exchange.orders.find({ market, client_order_id, endpoint: sentTo })),
    buy: (client_order_id: string) =>
      watch(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01', client_order_id })),
  };
}

describe('the proof that an order does not exist', () => {
  it('fails for an order that this client placed while the lists did not show it', async () => {
    const { buy, find } = setup();
    buy('shown');
    const found = find('mine');
    await vi.advanceTimersByTimeAsync(19_000);
    expect(found).toEqual([]);
    expect(buy('mine')).toEqual([]);
    await vi.advanceTimersByTimeAsync(20_000);
    const [error] = found;
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(String(error)).toContain('has seen an order of this client_order_id');
  });

  it('reads the conditional orders for an order with a stop loss, whatever endpoint the caller names', async () => {
    const { buy, conditional, exchange, find, loseOrders } = setup();
    const bid = { market, side: 'buy', amount: '0.01', price: '20000' } as const;
    watch(exchange.collateral.placeLimitOrder(bid));
    buy('shown');
    await vi.advanceTimersByTimeAsync(100);
    loseOrders();
    const order$ = exchange.collateral.placeLimitOrder({ ...bid, stopLoss: '10000', client_order_id: 'mine' });
    const seen = order$.subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(10);
    seen.unsubscribe();
    const limit = { orderId: 9, clientOrderId: 'mine', market, side: 'buy', type: 'margin limit', amount: '0.01' };
    conditional.push({ id: 1, type: 'oto', conditionalOrder: limit });
    const found = find('mine');
    await vi.advanceTimersByTimeAsync(40_000);
    expect(found).toMatchObject([{ order_id: 9 }]);
  });
});

describe('callTimeoutMs of a lookup', () => {
  it('bounds the read of the markets, too', async () => {
    const { exchange, hangMarkets } = setup();
    hangMarkets();
    const found = watch(exchange.orders.find({ market, client_order_id: 'mine', endpoint }, { callTimeoutMs: 500 }));
    await vi.advanceTimersByTimeAsync(600);
    expect(found).toMatchObject([{ kind: 'timeout', phase: 'call', endpoint: 'orders.find', outcome: 'unknown' }]);
  });
});

describe('an order that is found', () => {
  const earlier = {
    id: 5,
    clientOrderId: 'earlier',
    side: 'buy',
    type: 'market',
    amount: '0.01',
    ctime: 1_700_000_000,
  };

  it.each([
    ['its endpoint', endpoint, { kind: 'not-placed' }],
    ['no other endpoint', 'spot.placeMarketOrder', { outcome: 'unknown' }],
  ])('shows of %s that it takes identifiers', async (_, sentTo, result) => {
    const { find, history } = setup();
    history.set('earlier', earlier);
    const [first, second] = [find('earlier'), find('never-sent', sentTo)];
    await vi.advanceTimersByTimeAsync(40_000);
    expect([first, second]).toMatchObject([[{ order_id: 5 }], [result]]);
  });
});
