// OCO orders against the sandbox: of a limit order and a stop limit order, one cancels the other.
import type { Order } from 'exchange-rx';
import type { SandboxOptions } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { inLedger, sendRaw, setup } from './setup.js';

const market = 'BTC_USDT';
const common = { market, amount: '0.01' } as const;
const buy = { ...common, side: 'buy', price: '50000', activation_price: '70000', stop_limit_price: '70100' } as const;
const sell = { ...common, side: 'sell', price: '70000', activation_price: '50000', stop_limit_price: '49900' } as const;
const path = '/api/v4/order/collateral/oco';

function world(options: SandboxOptions = {}) {
  const { sandbox, exchange } = setup({ clock: 'manual', ...options });
  const place = (more: object = {}) => firstValueFrom(exchange.collateral.placeOcoOrder({ ...buy, ...more }));
  const statusOf = (order: Order | undefined) => inLedger({ sandbox }, order)?.status;
  const freeMargin = async () => Number((await firstValueFrom(exchange.collateral.summary())).freeMargin);
  return { sandbox, ...exchange, place, statusOf, freeMargin };
}

describe('an OCO order', () => {
  it('is a limit order and a stop limit order of one amount, side and identifier', async () => {
    const one = world();
    const order = await one.place({ client_order_id: 'mine', stp: 'cancel_new' });
    const status = 'OPEN';
    const fees = { takerFee: '0.001', makerFee: '0.001' };
    const stop = { activation_price: '70000', activationCondition: 'gte', activated: 0 };
    const same = { market, side: 'buy', amount: '0.01', client_order_id: 'mine', status, positionSide: 'BOTH' };
    expect(order).toMatchObject({
      id: expect.any(Number) as number,
      client_order_id: 'mine',
      reduceOnly: false,
      take_profit: { ...same, type: 'limit', price: '50000', ...fees },
      stop_loss: { ...same, ...fees, ...stop, type: 'stop limit', price: '70100' },
    });
    expect(order.take_profit?.order_id).not.toBe(order.stop_loss?.order_id);
    expect(one.sandbox.ledger.orders.map(({ order_id }) => order_id).sort()).toEqual(
      [order.take_profit?.order_id, order.stop_loss?.order_id].sort(),
    );
  });

  it('is listed among the OCO orders and the conditional orders, and its orders among the open orders', async () => {
    const one = world();
    const { id, client_order_id, take_profit, stop_loss } = await one.place();
    const ids = [take_profit?.order_id, stop_loss?.order_id].sort();
    for (const params of [{}, { market }]) {
      const [listed, ...others] = await firstValueFrom(one.orders.oco(params));
      expect([listed?.id, listed?.client_order_id, others.length]).toEqual([id, client_order_id, 0]);
      expect([listed?.take_profit?.order_id, listed?.stop_loss?.order_id].sort()).toEqual(ids);
    }
    const { records } = await firstValueFrom(one.orders.conditional({ market }));
    expect(records).toMatchObject([
      { id, type: 'oco', stopLoss: { price: '70100', activation_price: '70000' }, takeProfit: { price: '50000' } },
    ]);
    const open = await firstValueFrom(one.orders.open({ market, client_order_id }));
    expect(open.map(({ order_id }) => order_id).sort()).toEqual(ids);
    expect(await firstValueFrom(one.orders.oco({ market: 'ETH_USDT' }))).toEqual([]);
    expect(await firstValueFrom(one.orders.oco({ offset: 1 }))).toEqual([]);
  });

  it('ends its stop order when its limit order is filled', async () => {
    const one = world();
    const { take_profit, stop_loss } = await one.place();
    one.sandbox.market(market).setPrice('49000');
    expect([one.statusOf(take_profit), one.statusOf(stop_loss)]).toEqual(['FILLED', 'CANCELED']);
    expect(await firstValueFrom(one.orders.oco())).toEqual([]);
    one.sandbox.market(market).setPrice('80000');
    expect(one.sandbox.ledger.fills.every(({ order_id }) => order_id === take_profit?.order_id)).toBe(true);
  });

  it.each([
    ['with them', {}],
    ['apart', { unkindSeed: 0 }],
  ])('listed %s: ends its stop order when a part of its limit order is filled', async (_, options) => {
    const one = world(options);
    one.sandbox.market(market).setDepth({ levels: 1, step: 0.0005, size: '0.004' });
    const { take_profit, stop_loss } = await one.place();
    one.sandbox.market(market).setPrice('49000');
    expect([one.statusOf(take_profit), one.statusOf(stop_loss)]).toEqual(['PARTIAL_FILLED', 'CANCELED']);
    expect(await firstValueFrom(one.orders.oco())).toEqual([]);
    const open = await firstValueFrom(one.orders.open({ market }));
    expect(open.map(({ order_id }) => order_id)).toEqual([take_profit?.order_id]);
  });

  it.each([
    ['buy', buy, '70000'],
    ['sell', sell, '50000'],
  ] as const)('ends its limit order when its stop order is activated: a %s', async (_, params, price) => {
    const one = world();
    const { take_profit, stop_loss } = await one.place(params);
    one.sandbox.market(market).setPrice(price);
    expect([one.statusOf(take_profit), one.statusOf(stop_loss)]).toEqual(['CANCELED', 'FILLED']);
    expect(await firstValueFrom(one.orders.conditional())).toMatchObject({ records: [] });
  });

  it('ends with either of its orders', async () => {
    const one = world();
    const { take_profit, stop_loss } = await one.place();
    await firstValueFrom(one.orders.cancel({ market, order_id: stop_loss?.order_id ?? 0 }));
    expect([one.statusOf(take_profit), one.statusOf(stop_loss)]).toEqual(['CANCELED', 'CANCELED']);
  });

  it('holds the margin of one of its orders, the larger', async () => {
    const one = world();
    const before = await one.freeMargin();
    await one.place();
    expect(before - (await one.freeMargin())).toBeCloseTo((0.01 * 70_100) / 10, 6);
    await firstValueFrom(one.orders.cancelAll());
    expect(await one.freeMargin()).toBeCloseTo(before, 6);
  });

  it('closes no more than the position with reduceOnly, and needs one', async () => {
    const one = world();
    const reducing = { ...sell, amount: '5', reduceOnly: true };
    await expect(one.place(reducing)).rejects.toMatchObject({ code: 116, reason: 'reduce-only' });
    await firstValueFrom(
      one.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.02', price: '61000', ioc: true }),
    );
    const { body } = await sendRaw(one, path, { ...reducing, clientOrderId: 'raw' });
    expect(body).toMatchObject({ reduceOnly: true, stop_loss: { amount: '0.02' }, take_profit: { amount: '0.02' } });
  });

  it('names the side of its position in hedge mode', async () => {
    const one = world();
    one.sandbox.account().setHedgeMode(true);
    await expect(one.place()).rejects.toMatchObject({ code: 114, reason: 'position-side' });
    expect(await one.place({ positionSide: 'LONG' })).toMatchObject({
      take_profit: { positionSide: 'LONG' },
      stop_loss: { positionSide: 'LONG' },
    });
  });

  it.each([
    ['a price that activates it at once', { activation_price: '59000', price: '50000' }, 151, 'price'],
    ['a limit order that would trade at once', { price: '61000' }, 14, 'would-take'],
    ['too little margin for its limit order', { amount: '300' }, 152, 'insufficient-balance'],
    ['too little margin for its stop order', { amount: '190' }, 153, 'insufficient-balance'],
    ['a market that does not trade on collateral', { market: 'LTC_USDT' }, 31, 'market'],
  ] as const)('is rejected for %s', async (_, more, code, reason) => {
    const one = world();
    const refused = { kind: 'api', outcome: 'rejected', status: 422, code, reason };
    await expect(one.place(more)).rejects.toMatchObject(refused);
    expect(one.sandbox.ledger.orders).toEqual([]);
  });

  it.each(['price', 'activation_price', 'stop_limit_price'])('is rejected for a %s off the step', async (field) => {
    const response = await sendRaw(world(), path, { ...buy, [field]: '70500.001' });
    expect(response).toMatchObject({ status: 422, body: { code: 1 } });
  });

  it('is rejected while its identifier is in use', async () => {
    const one = world();
    await one.place({ client_order_id: 'mine' });
    const id = 'clientOrderId';
    expect(await sendRaw(one, path, { ...buy, [id]: 'mine' })).toMatchObject({ status: 422, body: { code: 36 } });
  });

  it.each(['order_id', 'client_order_id'] as const)('is canceled by its %s, once', async (name) => {
    const one = world();
    const { id = 0, client_order_id, take_profit, stop_loss } = await one.place();
    const cancel$ = one.orders.cancelOco({ market, ...(name === 'order_id' ? { order_id: id } : { client_order_id }) });
    expect(await firstValueFrom(cancel$)).toMatchObject({
      id,
      client_order_id,
      take_profit: { order_id: take_profit?.order_id, status: 'CANCELED' },
      stop_loss: { order_id: stop_loss?.order_id, status: 'CANCELED' },
    });
    expect(await failureOf(cancel$)).toMatchObject({ status: 422, code: 2, reason: 'order-not-found' });
  });

  it('is not canceled by the number of one of its orders, and is by that of its conditional order', async () => {
    const one = world();
    const { id = 0, take_profit } = await one.place();
    const error = await failureOf(one.orders.cancelOco({ market, order_id: take_profit?.order_id ?? 0 }));
    expect(error).toMatchObject({ code: 2, reason: 'order-not-found' });
    expect(await failureOf(one.orders.cancelOto({ market, otoId: id }))).toMatchObject({ code: 2 });
    expect(await firstValueFrom(one.orders.cancelConditional({ market, id }))).toEqual([]);
    expect(one.statusOf(take_profit)).toBe('CANCELED');
  });
});
