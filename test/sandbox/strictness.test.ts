// Where an exchange that is less strict than the real one would let a client's mistake pass.
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

describe('identifiers', () => {
  it('an empty one cancels no order, not even one that has none', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await place(sandbox);
    expect((await sendRaw({ sandbox }, paths.cancel, { market, clientOrderId: '' })).status).toBe(422);
    expect(sandbox.ledger.orders.map(({ status }) => status)).toEqual(['NEW']);
  });

  it('both of them together cancel no order', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await place(sandbox, 'mine');
    const [order] = sandbox.ledger.orders;
    expect(
      (await sendRaw({ sandbox }, paths.cancel, { market, orderId: order?.order_id, clientOrderId: 'mine' })).status,
    ).toBe(422);
  });

  it('each that a list is asked for must be the order’s', async () => {
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

  it('a history that is asked for one that is not there is refused, and one asked for both must have both', async () => {
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

  it('a history has an order from the millisecond in which it ended', async () => {
    const sandbox = createSandbox({ volatility: 0, clock: 'manual' });
    await sendRaw({ sandbox }, paths.stock, { market, side: 'buy', amount: '0.01', clientOrderId: 'filled' });
    expect((await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'filled' })).status).toBe(200);
  });
});

describe('the history', () => {
  it('has an order in the moment in which it ended, on a clock that stands still, and after the lag when there is one', async () => {
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

describe('nonces', () => {
  const ask = async (sandbox: Sandbox, fields: object) =>
    (await sendRaw({ sandbox }, paths.balance, { ...fields })).status;

  it('that were used in one mode cannot be used again in the other', async () => {
    const sandbox = createSandbox({ clock: 'manual' });
    const nonce = sandbox.clock.now();
    expect([await ask(sandbox, { nonce }), await ask(sandbox, { nonce, nonceWindow: true })]).toEqual([200, 429]);
  });

  it.each(['0x10', '1e3', ' 5', '5.0'])('are whole numbers in digits: %j is none', async (nonce) => {
    expect(await ask(createSandbox(), { nonce })).toBe(400);
  });
});

describe('every request is in the books', () => {
  it('whatever its path and method, also when many come at once', async () => {
    const sandbox = createSandbox();
    const { baseUrl, fetch } = sandbox;
    const answers = await Promise.all([
      fetch(`${baseUrl}/nowhere`),
      fetch(`${baseUrl}/api/v4/public/ping`),
      fetch(`${baseUrl}/api/v4/public/ping`, { method: 'POST' }),
      fetch(`${baseUrl}/elsewhere`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 200, 405, 404]);
    const seen = sandbox.ledger.requests.map(({ method, path, status }) => `${method} ${path} ${status}`);
    expect(seen.sort()).toEqual([
      'GET /api/v4/public/ping 200',
      'GET /elsewhere 404',
      'GET /nowhere 404',
      'POST /api/v4/public/ping 405',
    ]);
  });
});

describe('signatures', () => {
  it('of characters that no signature has are refused, not failed at', async () => {
    const sandbox = createSandbox();
    const answer = await sendRaw({ sandbox }, paths.balance, {}, { 'x-txc-signature': 'ÿ'.repeat(128) });
    expect(answer).toMatchObject({ status: 401, body: { code: 10 } });
  });
});
