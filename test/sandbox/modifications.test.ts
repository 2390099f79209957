// Modifications of orders: an order keeps its kind and the currency of its amount, and the ledger adds up.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { inLedger, sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const limit = { market, side: 'buy', amount: '0.001', price: '10000' };
const stopLimit = { market, side: 'buy', amount: '0.001', price: '61000', activation_price: '60500' };
const stopMarketBuy = { market, side: 'buy', amount: '50', activation_price: '60500' };
const stopMarketSell = { market, side: 'sell', amount: '0.001', activation_price: '59500' };
/** Under both of its names. */
const activation = { activation_price: '60500', activationPrice: '60500' };
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
    ['the activation price of a limit order', paths.limit, limit, activation, 'activationPrice'],
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

const collateralLimit = '/api/v4/order/collateral/limit';
const balances = { trade: { USDT: '100', BTC: '1' }, collateral: { USDT: '100' } };
const poor = () => createSandbox({ volatility: 0, accounts: [{ name: 'main', balances }] });

it.each([
  ['the balance is too small', paths.limit, limit, { amount: '0.02' }, 10],
  ['the balance of a stop order is too small', paths.stopLimit, stopLimit, { amount: '0.02' }, 10],
  ['the margin is too small', collateralLimit, limit, { amount: '0.2' }, 10],
  ['a maker-only order would take', paths.limit, { ...limit, postOnly: true }, { price: '61000' }, 13],
  ['a maker-only collateral order would take', collateralLimit, { ...limit, postOnly: true }, { price: '61000' }, 13],
  ['the amount is no multiple of the step', paths.limit, limit, { amount: '0.00100001' }, 1],
  ['the total is too small', paths.limit, limit, { price: '100' }, 30],
])(
  'a modification that is refused because %s leaves the order open and unchanged',
  async (_, path, order, changes, code) => {
    const sandbox = poor();
    expect(await sendRaw({ sandbox }, path, order)).toMatchObject({ status: 200 });
    const before = sandbox.ledger.orders;
    const balance = await sendRaw({ sandbox }, '/api/v4/trade-account/balance', {});
    expect(await modify(sandbox, changes)).toMatchObject({ body: { code } });
    expect(sandbox.ledger.orders).toEqual(before);
    expect((await sendRaw({ sandbox }, '/api/v4/trade-account/balance', {})).body).toEqual(balance.body);
    expect(await modify(sandbox, { price: '9000' })).toMatchObject({ status: 200 });
  },
);

it.each([
  ['spot', paths.limit],
  ['collateral', '/api/v4/order/collateral/limit'],
])(
  'a modification of an order that takes the whole balance is paid with what the %s order had reserved',
  async (_, path) => {
    const balances = { trade: { USDT: '60.06' }, collateral: { USDT: '6' } };
    const sandbox = createSandbox({ volatility: 0, accounts: [{ name: 'main', balances }] });
    await sendRaw({ sandbox }, path, { ...limit, amount: '0.005', price: '12000' });
    expect(await modify(sandbox, { price: '11900' })).toMatchObject({ status: 200 });
    expect(sandbox.ledger.orders.map(({ status }) => status)).toEqual(['CANCELED', 'NEW']);
  },
);

describe('after a partial fill, a modification', () => {
  const partlyFilled = async () => {
    const sandbox = createSandbox({
      volatility: 0,
      markets: [{ name: market, price: '60000', depth: { levels: 1, step: 0.001, size: '0.4' } }],
    });
    await sendRaw({ sandbox }, paths.limit, { market, side: 'buy', amount: '1', price: '60100' });
    expect(sandbox.ledger.orders).toMatchObject([{ amount: '1', left: '0.6', status: 'PARTIAL_FILLED' }]);
    return sandbox;
  };

  it('with an amount places an order of this amount, whatever was filled before', async () => {
    const sandbox = await partlyFilled();
    expect(await modify(sandbox, { amount: '0.9', price: '50000' })).toMatchObject({
      status: 200,
      body: { amount: '0.9', left: '0.9', dealStock: '0' },
    });
    expect(sandbox.ledger.orders[0]).toMatchObject({ amount: '1', deal_stock: '0.4', status: 'PARTIAL_CANCELED' });
  });

  it('without an amount places an order of the rest', async () => {
    const sandbox = await partlyFilled();
    expect(await modify(sandbox, { price: '50000' })).toMatchObject({ body: { amount: '0.6', left: '0.6' } });
  });
});

it('a modified stop order of an OTO order keeps its condition and its link to the other stop order', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const linked = { market, side: 'buy', amount: '0.01', stopLoss: '55000', takeProfit: '65000' };
  await sendRaw({ sandbox }, '/api/v4/order/collateral/market', linked);
  const [, stopLoss, takeProfit] = sandbox.ledger.orders;
  const changes = { market, orderId: takeProfit?.order_id, activationPrice: '66000' };
  expect(await sendRaw({ sandbox }, paths.modify, changes)).toMatchObject({ status: 200 });
  expect(sandbox.ledger.orders.at(-1)).toMatchObject({
    ...{ status: 'NEW', activationCondition: 'gte', activation_price: '66000', reduceOnly: true },
  });
  sandbox.market(market).setPrice('66000');
  expect(sandbox.ledger.orders.at(-1)).toMatchObject({ status: 'FILLED' });
  expect(inLedger({ sandbox }, stopLoss)?.status).toBe('CANCELED');
});
