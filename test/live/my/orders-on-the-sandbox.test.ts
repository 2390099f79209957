// Live orders of a client on the sandbox: the ledger says what happened.
import { createExchange, filled, followOrder } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { endWith, firstValueFrom, map, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds } from '../setup.js';
import { collected } from '../../support/watch.js';

onFakeTime();

const market = 'BTC_USDT';
const markets = [market];

function world() {
  const sandbox = createSandbox({
    volatility: 0,
    markets: [{ name: market, price: '60000', minAmount: '0.0001', depth: { levels: 3, step: 0.001, size: '0.5' } }],
  });
  const exchange = createExchange(sandbox.clientOptions());
  const place = (price: string, amount = '0.1') =>
    exchange.spot.placeLimitOrder({ market, side: 'buy', amount, price }, { priority: 'normal' });
  return { sandbox, exchange, place };
}

async function resultOf<Value>(source$: Observable<Value>): Promise<Value> {
  const value = firstValueFrom(source$);
  await seconds(0.2);
  return value;
}

describe('live orders on the sandbox', () => {
  it('take no order of any kind for lost while every message arrives', async () => {
    const { exchange, place } = world();
    const { spot, collateral, orders } = exchange;
    const before = await resultOf(place('50000'));
    await resultOf(orders.cancel({ market, order_id: before.order_id }));
    const items = collected(exchange.live.my.orders({ markets }));
    await seconds(30);
    const order = { market, side: 'buy', amount: '0.01' } as const;
    await resultOf(place('70000', '0.01'));
    await resultOf(spot.placeMarketOrder({ ...order, amount: '600' }));
    await resultOf(spot.placeStockMarketOrder(order));
    await resultOf(spot.placeStopLimitOrder({ ...order, price: '50000', activation_price: '65000' }));
    await resultOf(spot.placeStopMarketOrder({ ...order, amount: '600', activation_price: '65000' }));
    await resultOf(collateral.placeLimitOrder({ ...order, price: '70000' }));
    await resultOf(collateral.placeMarketOrder({ ...order, stopLoss: '50000', takeProfit: '80000' }));
    const oco = { price: '50000', activation_price: '65000', stop_limit_price: '65000' };
    await resultOf(collateral.placeOcoOrder({ ...order, ...oco }));
    await resultOf(orders.cancelAll({ market }));
    await seconds(200);
    expect(items.filter(({ kind }) => kind === 'gap')).toEqual([]);
    const ended = items.flatMap((item) => (item.kind === 'ended' ? item.order.order_id : []));
    expect(ended.length).toBeGreaterThan(8);
    expect(new Set(ended).size).toBe(ended.length);
    expect(ended).not.toContain(before.order_id);
  });

  it('the record of an open order is that of the list of open orders, apart from fields that are not pushed', async () => {
    const { exchange, place } = world();
    const open = collected(exchange.live.my.openOrders({ markets }));
    await seconds(1);
    await resultOf(place('50000'));
    await seconds(1);
    const listed = (await resultOf(exchange.orders.open({ market })))[0];
    if (listed === undefined) throw new Error('no order is open');
    const pushed = open.at(-1)?.orders[0];
    const { feeAsset: _, ...record } = listed;
    expect(pushed).toEqual({ ...record, mtime: listed.timestamp, positionSide: 'BOTH', reduceOnly: false });
  });
});

it('a followed order on the sandbox is followed over a lost connection and a modification, and its fill adds up', async () => {
  const { sandbox, exchange } = world();
  const order = { market, side: 'buy', amount: '0.2', price: '59000', client_order_id: 'mine' } as const;
  const order$ = exchange.spot.placeLimitOrder(order);
  const status$ = order$.pipe(
    followOrder(exchange),
    map(({ status }) => status),
  );
  const seen = collected(status$.pipe(endWith('complete')));
  const fills = collected(order$.pipe(filled(exchange)));
  await seconds(2);
  sandbox.liveFault({ kind: 'cut' });
  await seconds(5);
  const [before] = sandbox.ledger.orders;
  await resultOf(exchange.orders.modify({ market, order_id: before?.order_id ?? 0, price: '70000' }));
  await seconds(5);
  const after = sandbox.ledger.orders.at(-1);
  expect(seen.slice(-2)).toEqual(['FILLED', 'complete']);
  expect(fills).toHaveLength(1);
  expect(fills[0]).toMatchObject({ amount: '0.2', money: after?.deal_money, fee: after?.deal_fee });
});
