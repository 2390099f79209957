// Requests that the SDK does not send, signed by hand: the sandbox responds as the live exchange was recorded or documented
// to respond.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { rawAnswer, sendRaw, signed } from './setup.js';

const market = 'BTC_USDT';
const paths = {
  balance: '/api/v4/main-account/balance',
  stock: '/api/v4/order/stock_market',
  limit: '/api/v4/order/collateral/limit',
  cancel: '/api/v4/order/cancel',
  cancelAll: '/api/v4/order/cancel/all',
  placeBulk: '/api/v4/order/bulk',
  killSwitch: '/api/v4/order/kill-switch',
  open: '/api/v4/orders',
  history: '/api/v4/trade-account/order/history',
  delisted: '/api/v4/trade-account/order/history/query',
};
const order = { market, side: 'buy', amount: '0.01' };
const limitOrder = { ...order, price: '50000' };
const still = (options = {}) => createSandbox({ clock: 'manual', volatility: 0, ...options });
const place = (sandbox: Sandbox, clientOrderId: string) =>
  sendRaw({ sandbox }, paths.limit, { ...limitOrder, clientOrderId });
const fill = (sandbox: Sandbox) => sendRaw({ sandbox }, paths.stock, { ...order, clientOrderId: 'filled' });
const idField = 'clientOrderId';
const firstId = ({ ledger }: Sandbox) => ledger.orders[0]?.order_id;

describe('a request', () => {
  const until = { endDate: 1_790_000_000 };

  it.each([
    ['a client order ID that is too long', paths.stock, { ...order, [idField]: 'x'.repeat(65) }, 36, idField],
    ['a flag that is not a boolean', paths.limit, { ...limitOrder, rpi: 'yes' }, 30, 'rpi'],
    ['an invalid position side', paths.limit, { ...limitOrder, positionSide: 'UP' }, 114, 'positionSide'],
    ['a stop loss with reduceOnly', paths.limit, { ...limitOrder, reduceOnly: true, stopLoss: '1' }, 30, 'reduceOnly'],
    ['a profit with reduceOnly', paths.limit, { ...limitOrder, reduceOnly: true, takeProfit: '7' }, 30, 'reduceOnly'],
    ['a kill switch below its range', paths.killSwitch, { market, timeout: '4' }, 30, 'timeout'],
    ['a kill switch above its range', paths.killSwitch, { market, timeout: '601' }, 30, 'timeout'],
    ['a timeout that is not a string', paths.killSwitch, { market, timeout: 10 }, 30, 'timeout'],
    ['a filter that is not a string', '/api/v4/mining/accounts', { name: 5 }, 30, 'name'],
    ['an unknown position side', paths.cancelAll, { market, positionSide: 'up' }, 30, 'positionSide'],
    ['a position side in a spot market', paths.cancelAll, { market, positionSide: 'long' }, 30, 'positionSide'],
    ['orders that are no list', paths.placeBulk, { orders: 'all' }, 30, 'orders'],
    ['no orders', paths.placeBulk, { orders: [] }, 30, 'orders'],
    ['an unknown status of delisted orders', paths.delisted, { status: 'new' }, 30, 'status'],
    ['a period that ends before it starts', paths.delisted, { ...until, startDate: 1_790_000_001 }, 30, 'endDate'],
    ['a period of 32 days', paths.delisted, { ...until, startDate: 1_790_000_000 - 32 * 86_400 }, 30, 'endDate'],
    ['rows beyond the ten thousandth', paths.delisted, { offset: 9990, limit: 11 }, 30, 'offset'],
  ])('is rejected for %s', async (_, path, fields, code, field) => {
    const response = await sendRaw({ sandbox: still() }, path, fields);
    expect(response).toMatchObject({ status: 422, body: { code, errors: { [field]: [expect.any(String)] } } });
  });

  it.each([
    ['an order that is not open', paths.cancel, { orderId: 1 }, 2, 'orderId', 'Unexecuted order was not found.'],
    ['an unknown identifier', paths.history, { clientOrderId: 'x' }, 30, 'orderHistory', 'OrderHistory was not found.'],
    ['an unknown market', paths.open, { market: 'NO_SUCH' }, 31, 'market', 'Market is not available'],
  ])('is rejected for %s with the documented error', async (_, path, fields, code, field, text) => {
    const message = code === 2 ? 'Inner validation failed' : 'Validation failed';
    const response = await sendRaw({ sandbox: still() }, path, { market, ...fields });
    expect(response).toEqual({ status: 422, body: { code, message, errors: { [field]: [text] } } });
  });

  it('without key, payload or signature, or with a body that is not a compact JSON object, is rejected', async () => {
    const sandbox = still();
    const send = async (body: string, headers: Record<string, string>) =>
      rawAnswer(await sandbox.fetch(sandbox.baseUrl + paths.balance, { method: 'POST', headers, body }));
    const { 'x-txc-payload': payload, 'x-txc-apikey': apiKey } = signed({ sandbox }, '{}').headers;
    expect(await send('{}', {})).toMatchObject({ status: 400, body: { code: 0 } });
    expect(await send('{}', { 'x-txc-payload': payload })).toMatchObject({ status: 401, body: { code: 10 } });
    const withKey = { 'x-txc-payload': payload, 'x-txc-apikey': apiKey };
    expect(await send('{}', withKey)).toMatchObject({ status: 401, body: { code: 10 } });
    for (const body of ['[]', 'null', '{"a": 1}', '{'])
      expect(await send(body, signed({ sandbox }, body).headers)).toMatchObject({ status: 400, body: { code: 9 } });
  });

  it('cannot use a nonce with nonceWindow that was used without it, nor one that is not an integer in digits', async () => {
    const sandbox = still();
    const statusOf = async (fields: object) => (await sendRaw({ sandbox }, paths.balance, { ...fields })).status;
    const nonce = sandbox.clock.now();
    expect([await statusOf({ nonce }), await statusOf({ nonce, nonceWindow: true })]).toEqual([200, 429]);
    for (const odd of ['0x10', '1e3', ' 5', '5.0']) expect(await statusOf({ nonce: odd })).toBe(400);
  });
});

describe('the open orders and the order history', () => {
  it('accept an orderId as digits in a string, and canceling does not', async () => {
    const sandbox = still();
    await place(sandbox, 'mine');
    const orderId = String(firstId(sandbox));
    const response = await sendRaw({ sandbox }, paths.open, { market, orderId });
    expect(response).toMatchObject({ body: [{ orderId: Number(orderId) }] });
    expect(await sendRaw({ sandbox }, paths.cancel, { market, orderId })).toMatchObject({ status: 422 });
    await sendRaw({ sandbox }, paths.cancel, { market, orderId: Number(orderId) });
    const history = await sendRaw({ sandbox }, paths.history, { market, orderId });
    expect(history).toMatchObject({ status: 200, body: { [market]: [{ id: Number(orderId) }] } });
  });

  it('match every identifier that the request has', async () => {
    const sandbox = still();
    for (const name of ['one', 'other']) await place(sandbox, name);
    const orderId = firstId(sandbox);
    const open = async (fields: object) => {
      const { body } = await sendRaw({ sandbox }, paths.open, { market, orderId, ...fields });
      return (body as { clientOrderId: string }[]).map(({ clientOrderId }) => clientOrderId);
    };
    expect([await open({}), await open({ clientOrderId: 'one' })]).toEqual([['one'], ['one']]);
    expect(await open({ clientOrderId: 'other' })).toEqual([]);
    await fill(sandbox);
    const filled = sandbox.ledger.orders.at(-1)?.order_id;
    const statusOf = async (id?: number) =>
      (await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'filled', orderId: id })).status;
    expect([await statusOf(filled), await statusOf(1)]).toEqual([200, 422]);
  });

  it('show an ended order by its status, after historyLagMs, and a market order with the price "0"', async () => {
    for (const [historyLagMs, seen] of [
      [0, 1],
      [500, 0],
    ] as const) {
      const sandbox = still({ historyLagMs });
      expect(await sendRaw({ sandbox }, paths.history, { market })).toEqual({ status: 200, body: [] });
      expect((await fill(sandbox)).body).not.toHaveProperty('price');
      const ended = async (status: string) => {
        const { body } = await sendRaw({ sandbox }, paths.history, { market, status });
        return (body as Readonly<Record<string, unknown[]>>)[market] ?? [];
      };
      expect([await ended('FILLED'), await ended('CANCELED')]).toMatchObject([{ length: seen }, []]);
      sandbox.clock.advance(500);
      expect(await ended('FILLED')).toMatchObject([{ type: 'stock market', price: '0' }]);
    }
  });
});

it('a cancel by an empty client order ID, or by both identifiers, cancels no order', async () => {
  const sandbox = still();
  await sendRaw({ sandbox }, paths.limit, limitOrder);
  for (const identifiers of [{ clientOrderId: '' }, { clientOrderId: 'mine', orderId: firstId(sandbox) }])
    expect((await sendRaw({ sandbox }, paths.cancel, { market, ...identifiers })).status).toBe(422);
  expect(sandbox.ledger.orders.map(({ status }) => status)).toEqual(['NEW']);
});

it('a kill switch has its times in seconds, and an empty list when it is removed', async () => {
  const sandbox = still();
  const startTime = Math.floor(sandbox.clock.now() / 1000);
  const set = await sendRaw({ sandbox }, paths.killSwitch, { market, timeout: '60' });
  expect(set).toEqual({ status: 200, body: { market, startTime, cancellationTime: startTime + 60, types: null } });
  expect(await sendRaw({ sandbox }, paths.killSwitch, { market, timeout: null })).toEqual({ status: 200, body: [] });
});
