// Spot limit orders against the sandbox: prices, flags, self-trade prevention, and the balance that they freeze.
import { createExchange, type StpMode } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { inLedger, sendRaw, setup, type Setup } from './setup.js';

const market = 'BTC_USDT';
const path = '/api/v4/order/new';
const order = { market, side: 'buy', amount: '0.01', price: '50000' } as const;

const place = ({ exchange }: Setup, more = {}) => firstValueFrom(exchange.spot.placeLimitOrder({ ...order, ...more }));
const balanceOf = ({ exchange }: Setup, ticker: string) => firstValueFrom(exchange.spot.balanceOf({ ticker }));

describe('a spot limit order', () => {
  const world = () => setup();

  it('rests below the best ask, without a position side', async () => {
    const placed = await place(world(), { client_order_id: 'mine' });
    expect(placed).toMatchObject({
      ...{ market, side: 'buy', type: 'limit', client_order_id: 'mine', status: 'OPEN' },
      ...{ amount: '0.01', left: '0.01', price: '50000', deal_stock: '0', rpi: false, retail: false },
    });
    expect(placed).not.toHaveProperty('positionSide');
  });

  it('fills up to its price, and rests with the remainder', async () => {
    const one = world();
    one.sandbox.market(market).setDepth({ levels: 1, step: 0.0005, size: '0.004' });
    const placed = await place(one, { price: '60100' });
    expect(placed).toMatchObject({ deal_stock: '0.004', left: '0.006' });
    expect(inLedger(one, placed)?.status).toBe('PARTIAL_FILLED');
    one.sandbox.market(market).setPrice('60000');
    expect(inLedger(one, placed)).toMatchObject({ status: 'PARTIAL_FILLED', deal_stock: '0.008' });
    expect(one.sandbox.ledger.fills.map(({ role }) => role)).toEqual(['taker', 'maker']);
  });

  it('with ioc cancels the remainder', async () => {
    const one = world();
    one.sandbox.market(market).setDepth({ levels: 1, step: 0.0005, size: '0.004' });
    expect(await place(one, { price: '60100', ioc: true })).toMatchObject({ deal_stock: '0.004', left: '0.006' });
    expect(await balanceOf(one, 'USDT')).toMatchObject({ freeze: '0' });
  });

  it.each([
    ['postOnly', { postOnly: true }],
    ['rpi', { rpi: true }],
  ])('with %s is rejected where it would take, and rests elsewhere', async (flag, flags) => {
    const one = world();
    await expect(place(one, { ...flags, price: '60100' })).rejects.toMatchObject({
      ...{ kind: 'api', outcome: 'rejected', status: 400, code: 13, reason: 'would-take' },
      errors: { [flag]: [expect.any(String)] },
    });
    expect(await place(one, flags)).toMatchObject({ [flag]: true });
  });

  it('with retail is accepted', async () => {
    expect(await place(world(), { retail: true })).toMatchObject({ retail: true });
  });

  it.each([
    ['buy', 1, '59985', false],
    ['buy', 2, '60015', true],
    ['sell', 1, '60015', false],
    ['sell', 2, '59985', true],
  ] as const)('%s with bboRole %i gets the price %s', async (side, bboRole, price, isFilled) => {
    const one = world();
    const placed = await firstValueFrom(
      one.exchange.spot.placeLimitOrder({ market, side, amount: '0.01', bboRole, ...(isFilled ? { ioc: true } : {}) }),
    );
    expect(placed).toMatchObject({ price, status: isFilled ? 'FILLED' : 'OPEN' });
  });

  it('with bboRole is rejected by an empty order book', async () => {
    const one = world();
    one.sandbox.market(market).setDepth({ levels: 0, step: 0.0005, size: '0' });
    const response = await sendRaw(one, path, { market, side: 'buy', amount: '0.01', bboRole: 2 });
    expect(response).toMatchObject({ status: 422, body: { code: 33, errors: { bboRole: [expect.any(String)] } } });
  });

  it.each([
    ['with a price and bboRole', { bboRole: 1 }, 33, 'price'],
    ['with another bboRole', { price: undefined, bboRole: 3 }, 30, 'bboRole'],
    ['with bboRole and postOnly', { price: undefined, bboRole: 1, postOnly: true }, 30, 'bboRole'],
    ['with bboRole 1 and ioc', { price: undefined, bboRole: 1, ioc: true }, 30, 'bboRole'],
    ['with ioc and rpi', { ioc: true, rpi: true }, 40, 'ioc'],
    ['with rpi and postOnly', { postOnly: true, rpi: true }, 30, 'postOnly'],
    ['with rpi and retail', { retail: true, rpi: true }, 41, 'retail'],
    ['with a total below the minimum', { amount: '0.0001', price: '100' }, 30, 'total'],
    ['with an amount below the minimum', { amount: '0.00001' }, 32, 'amount'],
  ])('%s is rejected', async (_, fields, code, field) => {
    const one = world();
    const response = await sendRaw(one, path, { ...order, ...fields });
    expect(response).toMatchObject({ status: 422, body: { code, errors: { [field]: expect.any(Array) as unknown } } });
    expect(one.sandbox.ledger.orders).toEqual([]);
  });

  it('is rejected on a perpetual', async () => {
    const one = setup({ markets: [{ name: market, price: '60000' }, { name: 'BTC_PERP' }] });
    await expect(place(one, { market: 'BTC_PERP' })).rejects.toMatchObject({ reason: 'market' });
  });
});

describe('open spot orders', () => {
  const accounts = [{ name: 'main', balances: { trade: { USDT: '1001', BTC: '0.03' } } }];

  it('freeze the money of a buy with its fee, and the stock of a sell', async () => {
    const one = setup({ accounts });
    await place(one);
    await place(one, { side: 'sell', price: '70000' });
    expect(await firstValueFrom(one.exchange.spot.balance())).toEqual({
      USDT: { available: '500.5', freeze: '500.5' },
      BTC: { available: '0.02', freeze: '0.01' },
    });
    expect(one.sandbox.ledger.balances().trade).toEqual({ USDT: '1001', BTC: '0.03' });
  });

  it('leave nothing that could be spent twice', async () => {
    const one = setup({ accounts });
    await place(one, { amount: '0.02' });
    const refused = { status: 400, code: 10, reason: 'insufficient-balance', outcome: 'rejected' };
    await expect(place(one, { amount: '0.0001' })).rejects.toMatchObject(refused);
    const { spot } = one.exchange;
    const tooMuch = { status: 400, code: 32, reason: 'amount' };
    const bought = firstValueFrom(spot.placeMarketOrder({ market, side: 'buy', amount: '5' }));
    await expect(bought).rejects.toMatchObject(tooMuch);
    await place(one, { side: 'sell', amount: '0.03', price: '70000' });
    const sold = firstValueFrom(spot.placeStockMarketOrder({ market, side: 'sell', amount: '0.001' }));
    await expect(sold).rejects.toMatchObject(tooMuch);
  });

  it('free their frozen amounts when they are canceled or filled', async () => {
    const one = setup({ accounts });
    const { order_id } = await place(one);
    await firstValueFrom(one.exchange.orders.cancel({ market, order_id }));
    expect(await balanceOf(one, 'USDT')).toMatchObject({ available: '1001', freeze: '0' });
    await place(one);
    one.sandbox.market(market).setPrice('49000');
    // 500 USDT and the maker fee of 0.1 %.
    expect(await balanceOf(one, 'USDT')).toMatchObject({ available: '500.5', freeze: '0' });
    expect(await balanceOf(one, 'BTC')).toMatchObject({ available: '0.04', freeze: '0' });
  });
});

it.each([
  ['no', 'FILLED', 'FILLED'],
  ['cancel_new', 'NEW', 'CANCELED_STP'],
  ['cancel_old', 'CANCELED_STP', 'FILLED'],
  ['cancel_both', 'CANCELED_STP', 'CANCELED_STP'],
] as readonly (readonly [StpMode, string, string])[])(
  '[stp.%s] the resting order ends as %s, the new one as %s',
  async (stp, resting, taking) => {
    const one = setup();
    const maker = await place(one, { price: '60005' });
    const taker = await place(one, { side: 'sell', price: '59985', stp });
    expect([maker, taker].map((placed) => inLedger(one, placed)?.status)).toEqual([resting, taking]);
    expect(taker.status).toBe(taking);
    const isOpen = resting === 'NEW';
    expect(await balanceOf(one, 'USDT')).toMatchObject({ freeze: isOpen ? '600.65005' : '0' });
    expect(await balanceOf(one, 'BTC')).toMatchObject({ freeze: '0' });
  },
);

it('orders of two accounts trade by price, then by time, and pay maker and taker fees', async () => {
  const sandbox = createSandbox({
    volatility: 0,
    accounts: [{ name: 'alice' }, { name: 'bob' }],
    markets: [{ name: market, price: '60000', makerFee: '0.1', takerFee: '0.2' }],
  });
  const { spot: alice } = createExchange(sandbox.clientOptions('alice'));
  const { spot: bob } = createExchange(sandbox.clientOptions('bob'));
  const offer = (price: string) =>
    firstValueFrom(alice.placeLimitOrder({ market, side: 'sell', amount: '0.01', price }));
  const worse = await offer('60010');
  const older = await offer('60005');
  const newer = await offer('60005');
  const bought = await firstValueFrom(bob.placeLimitOrder({ market, side: 'buy', amount: '0.015', price: '60005' }));
  expect(bought).toMatchObject({ status: 'FILLED', deal_money: '900.075', deal_fee: '1.80015' });
  const makers = sandbox.ledger.fills.filter(({ role }) => role === 'maker');
  expect(makers.map(({ order_id, amount, fee }) => [order_id, amount, fee])).toEqual([
    [older.order_id, '0.01', '0.60005'],
    [newer.order_id, '0.005', '0.300025'],
  ]);
  expect(inLedger({ sandbox }, worse)?.status).toBe('NEW');
  expect(sandbox.ledger.balances('alice').trade['BTC']).toBe('99.985');
});
