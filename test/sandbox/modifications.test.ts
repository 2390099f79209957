// Modifications of orders: an order keeps its kind and the currency of its amount, and the ledger adds up.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const limit = { market, side: 'buy', amount: '0.001', price: '10000' };
const stopLimit = { market, side: 'buy', amount: '0.001', price: '61000', activation_price: '60500' };
const stopMarketBuy = { market, side: 'buy', amount: '50', activation_price: '60500' };
const stopMarketSell = { market, side: 'sell', amount: '0.001', activation_price: '59500' };
const paths = {
  limit: '/api/v4/order/new',
  stopLimit: '/api/v4/order/stop_limit',
  stopMarket: '/api/v4/order/stop_market',
  modify: '/api/v4/order/modify',
};

async function placed(path: string, order: Readonly<Record<string, unknown>>) {
  const sandbox = createSandbox({ volatility: 0 });
  expect(await sendRaw({ sandbox }, path, order)).toMatchObject({ status: 200 });
  return sandbox;
}

const modify = (sandbox: Sandbox, changes: Readonly<Record<string, string>>) =>
  sendRaw({ sandbox }, paths.modify, { market, orderId: sandbox.ledger.orders[0]?.order_id, ...changes });

describe('a modification', () => {
  it.each([
    ['the price of a stop market order that buys', paths.stopMarket, stopMarketBuy, { price: '60000' }, 'price'],
    ['the price of a stop market order that sells', paths.stopMarket, stopMarketSell, { price: '60000' }, 'price'],
    ['the amount of an order whose amount is money', paths.stopMarket, stopMarketBuy, { amount: '60' }, 'amount'],
    ['the total of a stop market order that sells', paths.stopMarket, stopMarketSell, { total: '60' }, 'total'],
    ['the total of a limit order', paths.limit, limit, { total: '20' }, 'total'],
    ['the total of a stop limit order', paths.stopLimit, stopLimit, { total: '20' }, 'total'],
    [
      'the activation price of a limit order',
      paths.limit,
      limit,
      { activation_price: '60500', activationPrice: '60500' },
      'activationPrice',
    ],
  ])('of %s is rejected, and the order stands', async (_, path, order, changes, field) => {
    const sandbox = await placed(path, order);
    const [before] = sandbox.ledger.orders;
    expect(await modify(sandbox, changes)).toMatchObject({
      status: 422,
      body: { code: 30, errors: { [field]: [expect.any(String)] } },
    });
    expect(sandbox.ledger.orders).toEqual([before]);
  });

  it.each([
    ['the total of a stop market order that buys', paths.stopMarket, stopMarketBuy, { total: '60' }, '60'],
    ['the amount of a stop market order that sells', paths.stopMarket, stopMarketSell, { amount: '0.002' }, '0.002'],
    ['the amount of a limit order', paths.limit, limit, { amount: '0.002' }, '0.002'],
  ])('of %s places the order with the new amount', async (_, path, order, changes, amount) => {
    const sandbox = await placed(path, order);
    expect(await modify(sandbox, changes)).toMatchObject({ status: 200 });
    expect(sandbox.ledger.orders.map((one) => [one.amount, one.status])).toEqual([
      [order.amount, 'CANCELED'],
      [amount, 'NEW'],
    ]);
  });
});
