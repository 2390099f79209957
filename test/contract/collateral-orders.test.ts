// Collateral market orders and stop orders against the sandbox: positions, linked orders, margin, and reduceOnly.
import type { Exchange, Order } from 'exchange-rx';
import { firstValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { collateralTypes, inLedger, setup, type Setup } from './setup.js';

const market = 'BTC_USDT';
const order = { market, side: 'buy', amount: '0.01' } as const;

type Place = (exchange: Exchange, more?: object) => Observable<Order>;

const placeMarket: Place = ({ collateral }, more) => collateral.placeMarketOrder({ ...order, ...more });
const kinds: readonly (readonly [name: string, place: Place])[] = [
  ['a market order', placeMarket],
  [
    'a stop limit order',
    ({ collateral }, more) =>
      collateral.placeStopLimitOrder({ ...order, price: '62000', activation_price: '61000', ...more }),
  ],
  [
    'a trigger market order',
    ({ collateral }, more) => collateral.placeTriggerMarketOrder({ ...order, activation_price: '61000', ...more }),
  ],
];

const placed = ({ exchange }: Setup, place: Place, more: object = {}) => firstValueFrom(place(exchange, more));
const openPositions = ({ exchange }: Setup) => firstValueFrom(exchange.collateral.openPositions({ market }));

it('a collateral market order executes an amount of the base currency at once, and opens a position', async () => {
  const one = setup();
  expect(await placed(one, placeMarket)).toMatchObject({
    ...{ market, side: 'buy', type: collateralTypes.market, status: 'FILLED', amount: '0.01', left: '0' },
    ...{ deal_stock: '0.01', deal_money: '600.15', positionSide: 'BOTH', reduceOnly: false },
  });
  expect(await openPositions(one)).toMatchObject([{ amount: '0.01' }]);
  expect(one.sandbox.ledger.balances().trade['BTC']).toBe('100');
});

it.each(kinds.slice(1))('%s with linked orders is a conditional order while it waits', async (_, place) => {
  const one = setup({ unkindSeed: 0 });
  const waiting = await placed(one, place, { stopLoss: '55000', takeProfit: '70000' });
  expect(await firstValueFrom(one.exchange.orders.open({ market }))).toEqual([]);
  expect(await firstValueFrom(one.exchange.orders.conditional({ market }))).toMatchObject({
    records: [{ id: waiting.oto?.otoId, type: 'oto', conditionalOrder: { order_id: waiting.order_id } }],
  });
});

describe.each(kinds)('%s on collateral', (_, place) => {
  it('places its stop loss and its take profit when it is filled, and the one reached closes the position', async () => {
    const one = setup();
    const order = await placed(one, place, { stopLoss: '50000', takeProfit: '70000' });
    expect(order.oto).toMatchObject({ otoId: expect.any(Number) as number, stopLoss: '50000', takeProfit: '70000' });
    one.sandbox.market(market).setPrice('61000');
    expect(inLedger(one, order)?.status).toBe('FILLED');
    const open = await firstValueFrom(one.exchange.orders.open({ market }));
    const stops = open.map(({ side, activation_price }) => `${side} ${activation_price}`);
    expect(stops.sort()).toEqual(['sell 50000', 'sell 70000']);
    one.sandbox.market(market).setPrice('50000');
    expect(await openPositions(one)).toEqual([]);
    expect(await firstValueFrom(one.exchange.orders.open({ market }))).toEqual([]);
  });

  it('needs LONG or SHORT in hedge mode', async () => {
    const one = setup();
    one.sandbox.account().setHedgeMode(true);
    await expect(placed(one, place)).rejects.toMatchObject({ status: 422, code: 114, reason: 'position-side' });
    expect(await placed(one, place, { positionSide: 'LONG' })).toMatchObject({ positionSide: 'LONG' });
  });

  it('with reduceOnly is cut down to the position, and rejected without one', async () => {
    const one = setup();
    const refused = { status: 422, code: 116, reason: 'reduce-only', errors: { reduceOnly: [expect.any(String)] } };
    await expect(placed(one, place, { reduceOnly: true })).rejects.toMatchObject(refused);
    await placed(one, placeMarket, { side: 'sell' });
    const reducing = await placed(one, place, { amount: '0.05', reduceOnly: true });
    expect(reducing).toMatchObject({ amount: '0.01', reduceOnly: true });
    one.sandbox.market(market).setPrice('61000');
    expect(inLedger(one, reducing)?.status).toBe('FILLED');
    expect(await openPositions(one)).toEqual([]);
  });

  it('is rejected without the margin for it', async () => {
    const one = setup({ accounts: [{ name: 'main', balances: { collateral: { USDT: '50' } } }] });
    await expect(placed(one, place)).rejects.toMatchObject({ status: 422, code: 10, reason: 'insufficient-balance' });
    expect(one.sandbox.ledger.orders).toEqual([]);
  });

  it('trades on collateral markets only', async () => {
    await expect(placed(setup(), place, { market: 'LTC_USDT' })).rejects.toMatchObject({ code: 31, reason: 'market' });
  });
});

it('the margin of a stop order is held while it waits', async () => {
  const one = setup({ accounts: [{ name: 'main', balances: { collateral: { USDT: '100' } } }] });
  await firstValueFrom(one.exchange.collateral.placeTriggerMarketOrder({ ...order, activation_price: '61000' }));
  const { margin, freeMargin } = await firstValueFrom(one.exchange.collateral.summary());
  // A tenth of 0.01 at 61000.
  expect([margin, freeMargin]).toEqual(['61', '39']);
  await expect(placed(one, placeMarket)).rejects.toMatchObject({ code: 10 });
});
