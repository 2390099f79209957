// The sandbox is as strict as the exchange, so that no mistake of a client passes unnoticed.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const paths = {
  balance: '/api/v4/main-account/balance',
  stock: '/api/v4/order/stock_market',
  limit: '/api/v4/order/collateral/limit',
  cancel: '/api/v4/order/cancel',
  open: '/api/v4/orders',
  history: '/api/v4/trade-account/order/history',
};

const place = (sandbox: Sandbox, clientOrderId?: string) =>
  sendRaw({ sandbox }, paths.limit, {
    market,
    side: 'buy',
    amount: '0.01',
    price: '50000',
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
  });

const namesOf = (body: unknown) => (body as { clientOrderId: string }[]).map(({ clientOrderId }) => clientOrderId);

describe('client order IDs', () => {
  it('an empty client order ID cancels no order, not even an order without one', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await place(sandbox);
    expect((await sendRaw({ sandbox }, paths.cancel, { market, clientOrderId: '' })).status).toBe(422);
    expect(sandbox.ledger.orders.map(({ status }) => status)).toEqual(['NEW']);
  });

  it('order ID and client order ID together cancel no order', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await place(sandbox, 'mine');
    const [order] = sandbox.ledger.orders;
    expect(
      (await sendRaw({ sandbox }, paths.cancel, { market, orderId: order?.order_id, clientOrderId: 'mine' })).status,
    ).toBe(422);
  });

  it('a list matches every ID that the request has', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await place(sandbox, 'one');
    await place(sandbox, 'other');
    const [one] = sandbox.ledger.orders;
    const open = async (fields: object) =>
      namesOf((await sendRaw({ sandbox }, paths.open, { market, ...fields })).body);
    expect(await open({ orderId: one?.order_id })).toEqual(['one']);
    expect(await open({ orderId: one?.order_id, clientOrderId: 'one' })).toEqual(['one']);
    expect(await open({ orderId: one?.order_id, clientOrderId: 'other' })).toEqual([]);
  });

  it('the history rejects an unknown client order ID, and one that does not belong to the order ID', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await sendRaw({ sandbox }, paths.stock, { market, side: 'buy', amount: '0.01', clientOrderId: 'filled' });
    const [filled] = sandbox.ledger.orders;
    expect(
      (await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'filled', orderId: filled?.order_id }))
        .status,
    ).toBe(200);
    expect((await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'filled', orderId: 1 })).status).toBe(
      422,
    );
  });

  it('the history has an order from the millisecond of its end', async () => {
    const sandbox = createSandbox({ volatility: 0, clock: 'manual' });
    await sendRaw({ sandbox }, paths.stock, { market, side: 'buy', amount: '0.01', clientOrderId: 'filled' });
    expect((await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'filled' })).status).toBe(200);
  });
});

describe('the order history', () => {
  it('has an order at the moment of its end on a manual clock, or after historyLagMs', async () => {
    const ended = async (sandbox: Sandbox) => {
      const { body } = await sendRaw({ sandbox }, paths.history, { market });
      return (body as Readonly<Record<string, unknown[]>>)[market]?.length ?? 0;
    };
    const sandboxes = [createSandbox({ clock: 'manual' }), createSandbox({ clock: 'manual', historyLagMs: 500 })];
    for (const sandbox of sandboxes) await sendRaw({ sandbox }, paths.stock, { market, side: 'buy', amount: '0.01' });
    expect(await Promise.all(sandboxes.map(ended))).toEqual([1, 0]);
    for (const sandbox of sandboxes) sandbox.clock.advance(500);
    expect(await Promise.all(sandboxes.map(ended))).toEqual([1, 1]);
  });
});

describe('an order that self-trade prevention canceled', () => {
  it.each(['0', '0.01'])('has a status of its own, filled %s', async (filled) => {
    const sandbox = createSandbox({ volatility: 0, clock: 'manual' });
    sandbox.market(market).setDepth({ levels: filled === '0' ? 0 : 1, step: 0.0005, size: '0.01' });
    const place = async (side: string, price: string, more: object) =>
      (await sendRaw({ sandbox }, paths.limit, { market, side, amount: '0.02', price, ...more })).body;
    await place('sell', '60100', { clientOrderId: 'resting' });
    const taker = await place('buy', '60100', { stp: 'cancel_new', clientOrderId: 'taker' });
    expect(sandbox.ledger.orders.at(-1)).toMatchObject({ status: 'CANCELED_STP', deal_stock: filled });
    expect(taker).toMatchObject({ status: 'CANCELED_STP' });
    const { body } = await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'taker' });
    expect(body).toMatchObject({ [market]: [{ status: 'CANCELED_STP' }] });
  });
});

describe('nonces', () => {
  const statusOf = async (sandbox: Sandbox, fields: object) =>
    (await sendRaw({ sandbox }, paths.balance, { ...fields })).status;

  it('used without nonceWindow cannot be used again with it', async () => {
    const sandbox = createSandbox({ clock: 'manual' });
    const nonce = sandbox.clock.now();
    expect([await statusOf(sandbox, { nonce }), await statusOf(sandbox, { nonce, nonceWindow: true })]).toEqual([
      200, 429,
    ]);
  });

  it.each(['0x10', '1e3', ' 5', '5.0'])('are integers in digits: %j is rejected', async (nonce) => {
    expect(await statusOf(createSandbox(), { nonce })).toBe(400);
  });
});

describe('the ledger', () => {
  it('has every request, whatever its path and method, even of concurrent requests', async () => {
    const sandbox = createSandbox();
    const { baseUrl, fetch } = sandbox;
    const responses = await Promise.all([
      fetch(`${baseUrl}/nowhere`),
      fetch(`${baseUrl}/api/v4/public/ping`),
      fetch(`${baseUrl}/api/v4/public/ping`, { method: 'POST' }),
      fetch(`${baseUrl}/elsewhere`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([404, 200, 405, 404]);
    const logged = sandbox.ledger.requests.map(({ method, path, status }) => `${method} ${path} ${status}`);
    expect(logged.sort()).toEqual([
      'GET /api/v4/public/ping 200',
      'GET /elsewhere 404',
      'GET /nowhere 404',
      'POST /api/v4/public/ping 405',
    ]);
  });
});

describe('signatures', () => {
  it('with characters outside ASCII are rejected', async () => {
    const sandbox = createSandbox();
    const response = await sendRaw({ sandbox }, paths.balance, {}, { 'x-txc-signature': 'ÿ'.repeat(128) });
    expect(response).toMatchObject({ status: 401, body: { code: 10 } });
  });
});
