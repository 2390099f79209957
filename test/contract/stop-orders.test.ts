// Stop orders by signed requests, spot and collateral: when they are activated, and what they are then.
import type { Exchange, Order } from 'exchange-rx';
import { firstValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { collateralTypes, inLedger, sendRaw, setup, type Setup } from './setup.js';

const market = 'BTC_USDT';
const paths = {
  spotLimit: '/api/v4/order/stop_limit',
  spotMarket: '/api/v4/order/stop_market',
  collateralLimit: '/api/v4/order/collateral/stop-limit',
  collateralMarket: '/api/v4/order/collateral/trigger-market',
};

type Side = 'buy' | 'sell';

/** The market is at 60000: a buy waits for 61000, a sell for 59000. */
const atMarket = (side: Side) =>
  ({ market, side, amount: '0.01', activation_price: side === 'buy' ? '61000' : '59000' }) as const;
/** Beyond the trigger price, so that it fills at once. */
const limited = (side: Side) => ({ ...atMarket(side), price: side === 'buy' ? '62000' : '58000' });
const inMoney = (side: Side) => (side === 'buy' ? { amount: '620' } : {});

type Place = (exchange: Exchange, side: Side, more?: object) => Observable<Order>;

const stops: readonly (readonly [name: string, type: string, place: Place])[] = [
  [
    'a spot stop limit order',
    'stop limit',
    ({ spot }, side, more) => spot.placeStopLimitOrder({ ...limited(side), ...more }),
  ],
  [
    'a spot stop market order',
    'stop market',
    ({ spot }, side, more) => spot.placeStopMarketOrder({ ...atMarket(side), ...inMoney(side), ...more }),
  ],
  [
    'a collateral stop limit order',
    collateralTypes['stop limit'],
    ({ collateral }, side, more) => collateral.placeStopLimitOrder({ ...limited(side), ...more }),
  ],
  [
    'a collateral trigger market order',
    collateralTypes['stop market'],
    ({ collateral }, side, more) => collateral.placeTriggerMarketOrder({ ...atMarket(side), ...more }),
  ],
];

const frozenOf = async ({ exchange }: Setup, ticker: string) =>
  (await firstValueFrom(exchange.spot.balanceOf({ ticker }))).freeze;

describe.each(stops)('%s', (_, type, place) => {
  const world = () => setup();

  it.each([
    ['gte', 'buy', '60999.99', '61000'],
    ['lte', 'sell', '59000.01', '59000'],
  ] as const)('[stop.%s] a %s waits, and is activated at its activation price', async (condition, side, before, at) => {
    const one = world();
    const placed = await firstValueFrom(place(one.exchange, side));
    expect(placed).toMatchObject({ type, side, status: 'OPEN', deal_stock: '0' });
    expect(placed.activation_price).toBe(at);
    expect(await firstValueFrom(one.exchange.orders.open({ market }))).toMatchObject([
      { order_id: placed.order_id, type, activated: 0, activationCondition: condition, activation_price: at },
    ]);
    one.sandbox.market(market).setPrice(before);
    expect(inLedger(one, placed)).toMatchObject({ activated: 0, status: 'NEW' });
    one.sandbox.market(market).setPrice(at);
    expect(inLedger(one, placed)).toMatchObject({ activated: 1, status: 'FILLED' });
    expect(one.sandbox.ledger.fills).toMatchObject([{ role: 'taker', order_id: placed.order_id }]);
  });

  it('is activated at once where the market is already beyond its activation price', async () => {
    expect((await firstValueFrom(place(world().exchange, 'buy', { activation_price: '59000' }))).status).toBe('FILLED');
  });

  it('can be canceled while it waits, and freezes nothing afterwards', async () => {
    const one = world();
    const { order_id } = await firstValueFrom(place(one.exchange, 'sell'));
    expect((await firstValueFrom(one.exchange.orders.cancel({ market, order_id }))).status).toBe('CANCELED');
    one.sandbox.market(market).setPrice('50000');
    expect(one.sandbox.ledger.fills).toEqual([]);
    expect([await frozenOf(one, 'BTC'), await frozenOf(one, 'USDT')]).toEqual(['0', '0']);
  });

  it('is rejected off the steps of its market', async () => {
    const refused = { kind: 'api', outcome: 'rejected', status: 422, reason: 'step' };
    const placed = firstValueFrom(place(world().exchange, 'buy', { activation_price: '61000.001' }));
    await expect(placed).rejects.toMatchObject(refused);
  });
});

describe.each(Object.entries(paths))('the route of %s', (name, path) => {
  const given = { market, side: 'buy', amount: '10', price: '61000', activation_price: '61000' };

  const required = ['market', 'side', 'amount', 'activation_price', ...(name.endsWith('Limit') ? ['price'] : [])];
  it.each<[what: string, field: string, value: string | undefined]>([
    ...required.map((field): [string, string, undefined] => [`an order without ${field}`, field, undefined]),
    ['an activation price that is not a number', 'activation_price', 'up'],
  ])('rejects %s', async (_, field, value) => {
    const response = await sendRaw(setup(), path, { ...given, [field]: value });
    expect(response).toMatchObject({ status: 422, body: { code: 30, errors: { [field]: [expect.any(String)] } } });
  });
});

describe('a spot stop order that waits', () => {
  const accounts = [{ name: 'main', balances: { trade: { USDT: '1000', BTC: '0.01' } } }];

  it('freezes the money of a buy with its fee, and the stock of a sell', async () => {
    const one = setup({ accounts });
    const { spot } = one.exchange;
    const stop = { market, side: 'buy', activation_price: '61000' } as const;
    await firstValueFrom(spot.placeStopLimitOrder({ ...stop, amount: '0.005', price: '61000' }));
    await firstValueFrom(spot.placeStopMarketOrder({ ...stop, amount: '100' }));
    await firstValueFrom(
      spot.placeStopMarketOrder({ market, side: 'sell', activation_price: '59000', amount: '0.01' }),
    );
    expect(await firstValueFrom(spot.balance())).toEqual({
      USDT: { available: '594.595', freeze: '405.405' },
      BTC: { available: '0', freeze: '0.01' },
    });
  });

  it('is rejected when the account cannot pay for it', async () => {
    const { spot } = setup({ accounts }).exchange;
    await expect(
      firstValueFrom(
        spot.placeStopLimitOrder({ market, side: 'buy', amount: '0.02', price: '61000', activation_price: '61000' }),
      ),
    ).rejects.toMatchObject({ status: 400, code: 32, reason: 'amount', outcome: 'rejected' });
  });

  it('is canceled when it is triggered and its money is gone', async () => {
    const one = setup();
    const stop = { market, side: 'buy', amount: '0.01', activation_price: '70000', price: '65000' } as const;
    const placed = await firstValueFrom(one.exchange.spot.placeStopLimitOrder(stop));
    one.sandbox.account().deposit('USDT', '-10000000', 'trade');
    one.sandbox.market(market).setPrice('70000');
    expect(inLedger(one, placed)?.status).toBe('CANCELED');
  });

  it('buys for its amount of money, and keeps less than a step of it', async () => {
    const one = setup();
    const stop = { market, side: 'buy', amount: '100', activation_price: '61000' } as const;
    const placed = await firstValueFrom(one.exchange.spot.placeStopMarketOrder(stop));
    expect(placed).toMatchObject({ amount: '100', left: '100' });
    one.sandbox.market(market).setPrice('61000');
    const filled = inLedger(one, placed);
    expect(filled).toMatchObject({ amount: '100', left: '0', status: 'FILLED' });
    expect(Number(filled?.deal_money)).toBeGreaterThan(99.9);
    expect(Number(filled?.deal_money)).toBeLessThanOrEqual(100);
    expect(await frozenOf(one, 'USDT')).toBe('0');
  });

  it('rests at its limit price when the market is not there, and still freezes its money', async () => {
    const one = setup();
    const stop = { market, side: 'buy', amount: '0.01', price: '60000', activation_price: '61000' } as const;
    const placed = await firstValueFrom(one.exchange.spot.placeStopLimitOrder(stop));
    one.sandbox.market(market).setPrice('61000');
    expect(inLedger(one, placed)).toMatchObject({ activated: 1, status: 'NEW' });
    expect(await frozenOf(one, 'USDT')).toBe('600.6');
    one.sandbox.market(market).setPrice('59900');
    expect(inLedger(one, placed)).toMatchObject({ status: 'FILLED', deal_money: '600', deal_fee: '0.6' });
    expect(await frozenOf(one, 'USDT')).toBe('0');
  });

  it.each([
    [1, '59985'],
    [2, '60015'],
  ] as const)('with bboRole %i has the price of the book, %s', async (bboRole, price) => {
    const { spot } = setup().exchange;
    const placed = await firstValueFrom(
      spot.placeStopLimitOrder({ market, side: 'buy', amount: '0.01', bboRole, activation_price: '61000' }),
    );
    expect(placed.price).toBe(price);
  });
});
