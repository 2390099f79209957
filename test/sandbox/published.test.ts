// The sandbox responds as the live exchange was recorded or documented to respond.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const paths = {
  stock: '/api/v4/order/stock_market',
  limit: '/api/v4/order/collateral/limit',
  cancel: '/api/v4/order/cancel',
  open: '/api/v4/orders',
  history: '/api/v4/trade-account/order/history',
  killSwitch: '/api/v4/order/kill-switch',
  leverage: '/api/v4/collateral-account/leverage',
};
const limitOrder = { market, side: 'buy', amount: '0.01', price: '50000' };
const still = (options = {}) => createSandbox({ clock: 'manual', volatility: 0, ...options });
const orderIdOf = (sandbox: Sandbox) => sandbox.ledger.orders[0]?.order_id;

describe('the open orders and the order history', () => {
  it('accept an orderId as digits in a string, and canceling does not', async () => {
    const sandbox = still();
    await sendRaw({ sandbox }, paths.limit, limitOrder);
    const orderId = String(orderIdOf(sandbox));
    expect(await sendRaw({ sandbox }, paths.open, { market, orderId })).toMatchObject({
      status: 200,
      body: [{ orderId: Number(orderId) }],
    });
    expect(await sendRaw({ sandbox }, paths.cancel, { market, orderId })).toMatchObject({ status: 422 });
    await sendRaw({ sandbox }, paths.cancel, { market, orderId: Number(orderId) });
    const history = await sendRaw({ sandbox }, paths.history, { market, orderId });
    expect(history).toMatchObject({ status: 200, body: { [market]: [{ id: Number(orderId) }] } });
  });

  it('give a market order the price "0" in the history', async () => {
    const sandbox = still();
    const placed = await sendRaw({ sandbox }, paths.stock, { market, side: 'buy', amount: '0.01' });
    expect(placed.body).not.toHaveProperty('price');
    const { body } = await sendRaw({ sandbox }, paths.history, { market });
    expect(body).toMatchObject({ [market]: [{ type: 'stock market', price: '0' }] });
  });

  it('return an empty list for an empty history, and the documented error for an unknown client order ID', async () => {
    const sandbox = still();
    expect(await sendRaw({ sandbox }, paths.history, { market })).toEqual({ status: 200, body: [] });
    expect(await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'none' })).toEqual({
      status: 422,
      body: { code: 30, message: 'Validation failed', errors: { orderHistory: ['OrderHistory was not found.'] } },
    });
  });

  it('reject the cancel of an order that is not open with the documented error', async () => {
    expect(await sendRaw({ sandbox: still() }, paths.cancel, { market, orderId: 1 })).toEqual({
      status: 422,
      body: { code: 2, message: 'Inner validation failed', errors: { orderId: ['Unexecuted order was not found.'] } },
    });
  });
});

describe('the open orders', () => {
  it('of an unknown market are code 31', async () => {
    expect(await sendRaw({ sandbox: still() }, paths.open, { market: 'NO_SUCH' })).toEqual({
      status: 422,
      body: { code: 31, message: 'Validation failed', errors: { market: ['Market is not available'] } },
    });
  });
});

describe('the kill switch', () => {
  it('responds with its start and cancellation time in seconds, and with an empty list when it is removed', async () => {
    const sandbox = still();
    const startTime = Math.floor(sandbox.clock.now() / 1000);
    const set = await sendRaw({ sandbox }, paths.killSwitch, { market, timeout: '60' });
    expect(set).toEqual({ status: 200, body: { market, startTime, cancellationTime: startTime + 60, types: null } });
    expect(await sendRaw({ sandbox }, paths.killSwitch, { market, timeout: null })).toEqual({ status: 200, body: [] });
  });
});

describe('collateral', () => {
  const position = { market, side: 'buy', amount: '0.01' };
  const trigger = { ...position, activation_price: '61000' };

  it.each([
    ['limit', 'margin limit', { ...position, price: '50000' }],
    ['market', 'margin market', position],
    ['stop-limit', 'margin stop limit', { ...trigger, price: '61000' }],
    ['trigger-market', 'trigger margin market', trigger],
  ])('has types of its own for its orders: %s has the type %s', async (endpoint, type, fields) => {
    const sandbox = still();
    const placed = await sendRaw({ sandbox }, `/api/v4/order/collateral/${endpoint}`, fields);
    expect(placed).toMatchObject({ status: 200, body: { type } });
    const orderId = orderIdOf(sandbox);
    const open = await sendRaw({ sandbox }, paths.open, { market });
    if (endpoint !== 'market') {
      expect(open.body).toMatchObject([{ orderId, type }]);
      expect(await sendRaw({ sandbox }, paths.cancel, { market, orderId })).toMatchObject({ body: { type } });
    }
    const history = await sendRaw({ sandbox }, paths.history, { market });
    expect(history.body).toMatchObject({ [market]: [{ id: orderId, type }] });
  });

  it('rejects with status 422 only', async () => {
    const poor = still({ accounts: [{ name: 'main', balances: { collateral: { USDT: '1' } } }] });
    expect(await sendRaw({ sandbox: poor }, paths.limit, limitOrder)).toEqual({
      status: 422,
      body: { code: 10, message: 'Validation failed', errors: { amount: ['Not enough balance.'] } },
    });
    const sandbox = still();
    expect(await sendRaw({ sandbox }, paths.limit, { ...limitOrder, price: '70000', postOnly: true })).toMatchObject({
      status: 422,
      body: { code: 13 },
    });
    expect(await sendRaw({ sandbox }, paths.limit, { ...limitOrder, reduceOnly: true })).toMatchObject({
      status: 422,
      body: { code: 116, message: 'Validation failed', errors: { reduceOnly: [expect.any(String)] } },
    });
    await sendRaw({ sandbox }, paths.limit, limitOrder);
    expect(await sendRaw({ sandbox }, paths.leverage, { leverage: 5 })).toMatchObject({
      status: 422,
      body: { code: 113 },
    });
    const empty = still({ accounts: [{ name: 'main', balances: {} }] });
    expect(await sendRaw({ sandbox: empty }, paths.leverage, { leverage: 5 })).toMatchObject({
      status: 422,
      body: { code: 17 },
    });
  });
});
