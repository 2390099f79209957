// Injected faults, and other behavior that clients assume to be impossible: tested with raw requests, without the SDK.
import { createSandbox, faultKinds, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';
import { faultOf } from '../support/fault-of.js';

const market = 'BTC_USDT';
const paths = {
  stock: '/api/v4/order/stock_market',
  limit: '/api/v4/order/collateral/limit',
  cancel: '/api/v4/order/cancel',
  open: '/api/v4/orders',
  conditional: '/api/v4/conditional-orders',
  history: '/api/v4/trade-account/order/history',
};
const order = { market, side: 'buy', amount: '0.01', clientOrderId: 'mine' };
const limitOrder = { ...order, price: '50000' };
const openStill = (options = {}) => createSandbox({ clock: 'manual', volatility: 0, ...options });
const inWindow = ({ clock }: Sandbox) => ({ nonce: clock.now(), nonceWindow: true });
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a request that a proxy replays', () => {
  const tooMany = { status: 429, body: { code: 0, message: 'Too many requests.', errors: {} } };

  it.each(['window', 'increasing'])(
    'is executed once, and the client gets the response to the copy: %s nonces',
    async (mode) => {
      const sandbox = openStill();
      sandbox.fault({ kind: 'replay', path: paths.stock });
      const nonce = mode === 'window' ? inWindow(sandbox) : { nonce: sandbox.clock.now() };
      expect(await sendRaw({ sandbox }, paths.stock, { ...order, ...nonce })).toEqual(tooMany);
      const [placed, ...others] = sandbox.ledger.orders;
      expect(others).toEqual([]);
      expect(sandbox.ledger.requests).toMatchObject([
        { status: 200, fault: 'replay', order_id: placed?.order_id, client_order_id: 'mine' },
        { status: 429, fault: 'replay', client_order_id: 'mine' },
      ]);
    },
  );

  it('is rejected for the age of its nonce when the copy is late', async () => {
    const sandbox = openStill();
    sandbox.fault({ kind: 'replay', path: paths.stock, delayMs: 6000 });
    const response = sendRaw({ sandbox }, paths.stock, { ...order, ...inWindow(sandbox) });
    await aMoment();
    expect(sandbox.ledger.orders).toHaveLength(1);
    sandbox.clock.advance(6000);
    expect(await response).toMatchObject({
      status: 400,
      body: { code: 0, message: expect.stringContaining('5 seconds lesser') as string },
    });
    expect(sandbox.ledger.orders).toHaveLength(1);
  });
});

describe('a request that is executed after a delay', () => {
  it('uses its nonce at once, and is executed however old the nonce is then', async () => {
    const sandbox = openStill();
    sandbox.fault({ kind: 'late-execution', path: paths.stock, delayMs: 8000 });
    const signed = { ...order, ...inWindow(sandbox) };
    await expect(sendRaw({ sandbox }, paths.stock, signed)).rejects.toThrow('fetch failed');
    expect(await sendRaw({ sandbox }, paths.stock, signed)).toMatchObject({ status: 429 });
    sandbox.clock.advance(7999);
    expect(sandbox.ledger.orders).toEqual([]);
    const waiting = { status: undefined, fault: 'late-execution', client_order_id: 'mine' };
    expect(sandbox.ledger.requests[0]).toMatchObject(waiting);
    sandbox.clock.advance(1);
    const [placed] = sandbox.ledger.orders;
    expect(placed).toMatchObject({ client_order_id: 'mine', status: 'FILLED', timestamp: sandbox.clock.now() / 1000 });
    expect(sandbox.ledger.requests[0]).toMatchObject({ status: 200, order_id: placed?.order_id });
  });

  it('is not executed when the gateway rejects it', async () => {
    const sandbox = openStill();
    sandbox.account().setKeyEnabled(false);
    sandbox.fault({ kind: 'late-execution', path: paths.stock });
    await expect(sendRaw({ sandbox }, paths.stock, order)).rejects.toThrow('fetch failed');
    sandbox.clock.advance(60_000);
    expect([sandbox.ledger.orders, sandbox.ledger.requests]).toMatchObject([[], [{ status: 401 }]]);
  });
});

describe('a route that ignores client order IDs', () => {
  it('places orders without a client order ID in the response, lists and the history', async () => {
    const sandbox = openStill({ ignoreClientOrderIds: [paths.stock, paths.limit] });
    const placed = { status: 200, body: { clientOrderId: '' } };
    const byIdentifier = { market, clientOrderId: 'mine' };
    expect(await sendRaw({ sandbox }, paths.stock, order)).toMatchObject(placed);
    expect(await sendRaw({ sandbox }, paths.limit, limitOrder)).toMatchObject(placed);
    expect(await sendRaw({ sandbox }, paths.open, byIdentifier)).toEqual({ status: 200, body: [] });
    expect(await sendRaw({ sandbox }, paths.history, byIdentifier)).toMatchObject({ status: 422 });
    expect(await sendRaw({ sandbox }, paths.history, { market })).toMatchObject({
      body: { [market]: [{ clientOrderId: '' }] },
    });
    // The ledger still links each order to its request.
    const placedBy = sandbox.ledger.requests.filter(
      (request) => request.client_order_id === 'mine' && request.order_id !== undefined,
    );
    expect(placedBy.map(({ order_id }) => order_id)).toEqual(sandbox.ledger.orders.map(({ order_id }) => order_id));
  });

  it('is every route with ignoreClientOrderIds: true, and a list filtered by client order ID shows every order', async () => {
    const sandbox = openStill({ ignoreClientOrderIds: true });
    await sendRaw({ sandbox }, paths.limit, limitOrder);
    const { body } = await sendRaw({ sandbox }, paths.open, { market, clientOrderId: 'another' });
    expect(body).toMatchObject([{ clientOrderId: '' }]);
    expect(await sendRaw({ sandbox }, paths.cancel, { market, clientOrderId: 'mine' })).toMatchObject({ status: 422 });
  });
});

const oto = { ...limitOrder, stopLoss: '40000', takeProfit: '70000' };
it('open orders with a stop loss or take profit have the documented fields, page by page', async () => {
  const sandbox = openStill({ unkindSeed: 0 });
  await sendRaw({ sandbox }, paths.limit, { ...oto, clientOrderId: 'one' });
  await sendRaw({ sandbox }, paths.limit, { ...oto, clientOrderId: 'two' });
  await sendRaw({ sandbox }, paths.limit, limitOrder);
  const { body } = await sendRaw({ sandbox }, paths.conditional, { limit: 1, offset: 1 });
  const prices = { price: '50000', oto: { stopLoss: '40000', takeProfit: '70000' } };
  const record = {
    ...{ id: expect.any(Number) as number, type: 'oto', stopLossPrice: '40000', takeProfitPrice: '70000' },
    conditionalOrder: { clientOrderId: 'one', market, side: 'buy', ...prices },
  };
  expect(body).toMatchObject({ limit: 1, offset: 1, total: 2, records: [record] });
  const response = await sendRaw({ sandbox }, paths.conditional, { market: 'ETH_USDT' });
  expect(response).toMatchObject({ body: { total: 0, records: [] } });
});

describe('faults at random', () => {
  const metWith = async (kinds?: readonly FaultKind[]) => {
    const sandbox = createSandbox();
    sandbox.randomFaults({ seed: 4, rate: 1, maxDelayMs: 1, ...(kinds === undefined ? {} : { kinds }) });
    const abort = new AbortController();
    setTimeout(() => {
      abort.abort();
    }, 200);
    // Every kind of fault can change this response.
    const read = () =>
      sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/markets`, { signal: abort.signal }).catch(() => undefined);
    await Promise.all(Array.from({ length: 300 }, read));
    return new Set(sandbox.ledger.requests.map(({ fault }) => fault));
  };

  it('are those of networks and gateways by default', async () => {
    const uncommon: readonly unknown[] = ['replay', 'late-execution'];
    expect(await metWith()).toEqual(new Set(faultKinds.filter((kind) => !uncommon.includes(kind))));
  });

  it('are of every kind when every kind is named', async () => {
    expect(await metWith(faultKinds)).toEqual(new Set(faultKinds));
  });
});

it('pending faults are listed with their remaining requests, and assertNoPendingFaults throws', async () => {
  const sandbox = createSandbox();
  sandbox.fault({ kind: 'status', path: paths.stock, times: 3 });
  sandbox.fault({ kind: 'reset' });
  await sendRaw({ sandbox }, paths.stock, order);
  expect(sandbox.pendingFaults()).toEqual([
    { kind: 'status', path: paths.stock, times: 3, remaining: 2 },
    { kind: 'reset', remaining: 1 },
  ]);
  expect(() => {
    sandbox.assertNoPendingFaults();
  }).toThrow(
    `these faults are still pending: status at ${paths.stock} (2 of 3 remaining), reset at any path (1 of 1 remaining)`,
  );
});

describe('a request that met a fault', () => {
  it.each<FaultKind>(['refuse', 'reset', 'truncated', 'corrupt', 'empty', 'html'])(
    'is in the ledger without a status when it was lost: %s',
    async (kind) => {
      const sandbox = createSandbox();
      sandbox.fault(faultOf(kind, { path: paths.stock, executed: false }));
      await sendRaw({ sandbox }, paths.stock, order).catch(() => undefined);
      const nonce = expect.any(String) as string;
      const request = { path: paths.stock, method: 'POST', client_order_id: 'mine', nonce };
      expect(sandbox.ledger.requests).toMatchObject([{ ...request, status: undefined, fault: kind }]);
      expect(sandbox.ledger.orders).toEqual([]);
      expect(sandbox.ledger.maxRequestsInWindow(paths.stock)).toBe(0);
    },
  );

  it('has its status and its order in the ledger when only the response was lost', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'reset', path: paths.stock, executed: true });
    await sendRaw({ sandbox }, paths.stock, order).catch(() => undefined);
    const [placed] = sandbox.ledger.orders;
    expect(sandbox.ledger.requests).toMatchObject([{ status: 200, fault: 'reset', order_id: placed?.order_id }]);
  });
});
