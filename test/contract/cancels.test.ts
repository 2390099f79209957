// Cancels of more than one order, the kill switches that are set, and the orders that a delisting ended, against the
// sandbox.
import type { Order } from 'exchange-rx';
import type { SandboxOptions } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { clientOf, collateralTypes, inLedger, sendRaw, setup } from './setup.js';

const market = 'BTC_USDT';
const markets = [
  { name: market, price: '60000' },
  { name: 'ETH_USDT', price: '3000', stockPrec: 5, minAmount: '0.001' },
  { name: 'BTC_PERP', price: '60000' },
];
const bulkPath = '/api/v4/order/cancel/bulk';

function world(options: SandboxOptions = {}) {
  const { sandbox, exchange } = setup({ clock: 'manual', markets, ...options });
  const bid = (more: object = {}) =>
    firstValueFrom(
      exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000', ...more }),
    );
  const open = async () => (await firstValueFrom(exchange.orders.open({ limit: 100 }))).map(({ order_id }) => order_id);
  const statusOf = (order: Order) => inLedger({ sandbox }, order)?.status;
  return { sandbox, ...exchange, bid, open, statusOf };
}

const notFound = { kind: 'api', outcome: 'rejected', status: 422, code: 2, reason: 'order-not-found' };

describe('cancelAll', () => {
  it('cancels the open orders of every kind and market, and needs none', async () => {
    const one = world();
    const placed = [await one.bid(), await one.bid({ market: 'BTC_PERP' })];
    const stop = { market: 'ETH_USDT', side: 'buy', amount: '1', price: '4000', activation_price: '4000' };
    await sendRaw(one, '/api/v4/order/stop_limit', stop);
    expect(await firstValueFrom(one.orders.cancelAll())).toEqual([]);
    expect(await one.open()).toEqual([]);
    expect(placed.map((order) => one.statusOf(order))).toEqual(['CANCELED', 'CANCELED']);
    expect(await firstValueFrom(one.orders.cancelAll())).toEqual([]);
  });

  it('cancels those of a market, or of some kinds, only', async () => {
    const one = world();
    const margin = await one.bid();
    const futures = await one.bid({ market: 'BTC_PERP' });
    await firstValueFrom(one.orders.cancelAll({ market: 'ETH_USDT' }));
    await firstValueFrom(one.orders.cancelAll({ type: ['spot'] }));
    expect((await one.open()).sort()).toEqual([margin.order_id, futures.order_id]);
    await firstValueFrom(one.orders.cancelAll({ type: ['spot', 'futures'] }));
    expect(await one.open()).toEqual([margin.order_id]);
    await firstValueFrom(one.orders.cancelAll({ market, type: ['margin'] }));
    expect(await one.open()).toEqual([]);
  });

  it('cancels futures orders of one side of the position', async () => {
    const one = world();
    one.sandbox.account().setHedgeMode(true);
    const long = await one.bid({ market: 'BTC_PERP', positionSide: 'LONG' });
    const short = await one.bid({ market: 'BTC_PERP', positionSide: 'SHORT', side: 'sell', price: '70000' });
    await firstValueFrom(one.orders.cancelAll({ market: 'BTC_PERP', positionSide: 'short' }));
    expect([one.statusOf(long), one.statusOf(short)]).toEqual(['NEW', 'CANCELED']);
  });
});

it.each(['cancelAll', 'killSwitches'] as const)('%s rejects an unknown market', async (method) => {
  const error = await failureOf(world().orders[method]({ market: 'NO_ONE' }));
  expect(error).toMatchObject({ kind: 'api', code: 31, reason: 'market' });
});

describe('cancelMany', () => {
  it('has a result for each order, in the order of the request', async () => {
    const one = world();
    const first = await one.bid({ client_order_id: 'first' });
    const second = await one.bid({ market: 'BTC_PERP', client_order_id: 'second' });
    const results = await firstValueFrom(
      one.orders.cancelMany({
        orders: [
          { market: 'BTC_PERP', client_order_id: 'second' },
          { market, order_id: 1 },
          { market, order_id: first.order_id },
          { market, client_order_id: 'first' },
        ],
      }),
    );
    const errors = { orderId: ['Unexecuted order was not found.'] };
    const gone = { result: 'not-found', code: 404, message: 'Inner validation failed', errors };
    expect(results).toEqual([
      { result: 'canceled', market: 'BTC_PERP', order_id: second.order_id, client_order_id: 'second' },
      gone,
      { result: 'canceled', market, order_id: first.order_id, client_order_id: 'first' },
      gone,
    ]);
    expect(await one.open()).toEqual([]);
  });

  it('of an item that the exchange rejects has the reason, and cancels the others', async () => {
    const one = world();
    const { order_id } = await one.bid();
    const id = 'orderId';
    const { status, body } = await sendRaw(one, bulkPath, {
      orders: [{ market }, { [id]: order_id }, 'order', { market, [id]: order_id }],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { error: { code: 30, errors: { [id]: ['OrderId field is required.'] } } },
      { error: { code: 30, errors: { market: ['Market field is required.'] } } },
      { error: { code: 30 } },
      { result: { [id]: order_id, market } },
    ]);
    expect(await one.open()).toEqual([]);
  });

  it.each([
    [{}, 'validation.required'],
    [{ orders: {} }, 'validation.array'],
    [{ orders: [] }, 'validation.between'],
    [{ orders: Array.from({ length: 101 }, () => ({ market, orderId: 1 })) }, 'validation.between'],
  ])('rejects a request without 1 to 100 orders: %#', async (fields, message) => {
    const response = await sendRaw(world(), bulkPath, fields);
    expect(response).toMatchObject({ status: 422, body: { code: 30, errors: { orders: [message] } } });
  });
});

describe('the cancel of an OTO order', () => {
  it.each(['cancelOto', 'cancelConditional'] as const)('%s cancels it once', async (method) => {
    const one = world();
    const order = await one.bid({ stopLoss: '45000' });
    const id = order.oto?.otoId ?? 0;
    const [cancel$, field] =
      method === 'cancelOto'
        ? [one.orders.cancelOto({ market, otoId: id }), 'otoId']
        : [one.orders.cancelConditional({ market, id }), 'id'];
    expect(await firstValueFrom(cancel$)).toEqual([]);
    expect(one.statusOf(order)).toBe('CANCELED');
    const errors = { [field]: ['Unexecuted order was not found.'] };
    expect(await failureOf(cancel$)).toMatchObject({ ...notFound, errors });
  });

  it('cancels its stop orders, too, once it was filled', async () => {
    const one = world();
    const order = await one.bid({ price: '61000', stopLoss: '45000', takeProfit: '70000' });
    expect([order.status, (await one.open()).length]).toEqual(['FILLED', 2]);
    await firstValueFrom(one.orders.cancelOto({ market, otoId: order.oto?.otoId ?? 0 }));
    expect(await one.open()).toEqual([]);
  });

  it('leaves other orders, markets and accounts alone', async () => {
    const accounts = ['main', 'other'].map((name) => ({ name, balances: { collateral: { USDT: '100000' } } }));
    const one = world({ accounts });
    const order = await one.bid({ stopLoss: '45000' });
    const id = order.oto?.otoId ?? 0;
    const other = clientOf(one.sandbox, 'other');
    const cancels = [
      one.orders.cancelOto({ market: 'BTC_PERP', otoId: id }),
      one.orders.cancelOto({ market, otoId: id + 1 }),
      other.orders.cancelConditional({ market, id }),
    ];
    for (const cancel$ of cancels) expect(await failureOf(cancel$)).toMatchObject(notFound);
    expect(one.statusOf(order)).toBe('NEW');
  });
});

describe('kill switches', () => {
  it('are listed with their times and kinds of orders while they are set', async () => {
    const one = world();
    expect(await firstValueFrom(one.orders.killSwitches())).toEqual([]);
    const all = await firstValueFrom(one.orders.setKillSwitch({ market, timeout: 60 }));
    const some = await firstValueFrom(
      one.orders.setKillSwitch({ market: 'ETH_USDT', timeout: 10, types: ['spot', 'margin'] }),
    );
    expect(await firstValueFrom(one.orders.killSwitches())).toEqual([all, some]);
    expect(some.types).toEqual(['spot', 'margin']);
    expect(all).not.toHaveProperty('types');
    expect((all.cancellationTime ?? 0) - (all.startTime ?? 0)).toBe(60);
    expect(await firstValueFrom(one.orders.killSwitches({ market: 'ETH_USDT' }))).toEqual([some]);
    one.sandbox.clock.advance(10_000);
    await firstValueFrom(one.orders.setKillSwitch({ market, timeout: null }));
    expect(await firstValueFrom(one.orders.killSwitches())).toEqual([]);
  });

  it("cancel the market's orders when they are not set again in time, once, unless they are removed", async () => {
    const one = world();
    const [order, other] = [await one.bid(), await one.bid({ market: 'BTC_PERP' })];
    const arm = (timeout: number | null) => firstValueFrom(one.orders.setKillSwitch({ market, timeout }));
    for (let beat = 0; beat < 5; beat += 1) {
      await arm(5);
      one.sandbox.clock.advance(4999);
    }
    expect((await one.open()).sort()).toEqual([order.order_id, other.order_id]);
    one.sandbox.clock.advance(1);
    expect([await one.open(), one.statusOf(order)]).toEqual([[other.order_id], 'CANCELED']);
    const later = await one.bid();
    one.sandbox.clock.advance(600_000);
    await arm(5);
    await arm(null);
    one.sandbox.clock.advance(600_000);
    expect(one.statusOf(later)).toBe('NEW');
  });

  it('cancel orders of their kinds only', async () => {
    const one = world();
    const [margin, futures] = [await one.bid(), await one.bid({ market: 'BTC_PERP' })];
    await firstValueFrom(one.orders.setKillSwitch({ market, timeout: 5, types: ['futures'] }));
    await firstValueFrom(one.orders.setKillSwitch({ market: 'BTC_PERP', timeout: 5, types: ['futures'] }));
    one.sandbox.clock.advance(6000);
    expect([one.statusOf(margin), one.statusOf(futures)]).toEqual(['NEW', 'CANCELED']);
  });
});

describe('orders of a delisted market', () => {
  const delisted = async () => {
    const one = world();
    const partial = await one.bid({ client_order_id: 'mine' });
    one.sandbox.clock.advance(1000);
    const other = await one.bid({ market: 'BTC_PERP' });
    one.sandbox.clock.advance(1000);
    one.sandbox.market(market).delist();
    return { ...one, partial, other };
  };

  it('are listed with the time at which they ended; those of other markets stay open', async () => {
    const one = await delisted();
    expect([one.statusOf(one.partial), one.statusOf(one.other)]).toEqual(['DELISTING', 'NEW']);
    const [order, ...others] = await firstValueFrom(one.orders.delisted());
    expect(others).toEqual([]);
    const none = '0.0000000000';
    expect(order).toEqual({
      ...{ order_id: one.partial.order_id, client_order_id: 'mine', market, side: 'buy', type: collateralTypes.limit },
      ...{ createdAt: one.partial.timestamp, finishAt: one.sandbox.clock.now() / 1000, feeAsset: 'USDT' },
      ...{ price: '50000.0000000000', amount: '0.0100000000', deal_stock: none, deal_money: none, fee: none },
      ...{ status: 'canceled', delistingKind: 'canceled' },
    });
  });

  it('are filtered by market, status and period', async () => {
    const one = await delisted();
    const endedAt = Math.floor(one.sandbox.clock.now() / 1000);
    const count = async (params: Parameters<typeof one.orders.delisted>[0]) =>
      (await firstValueFrom(one.orders.delisted(params))).length;
    expect(await count({ market, status: 'delisting', startDate: endedAt - 1, endDate: endedAt + 1 })).toBe(1);
    expect(await count({ market: 'BTC_PERP' })).toBe(0);
    expect(await count({ status: 'filled' })).toBe(0);
    expect(await count({ endDate: endedAt - 1 })).toBe(0);
    expect(await count({ offset: 1 })).toBe(0);
  });

  it('cannot be placed any more, and the market is not listed', async () => {
    const one = await delisted();
    await expect(one.bid()).rejects.toMatchObject({ code: 31 });
    expect((await firstValueFrom(one.public.markets())).map(({ name }) => name)).toEqual(['ETH_USDT', 'BTC_PERP']);
  });
});
