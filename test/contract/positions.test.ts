// The life of collateral positions against the sandbox: closing, history, profit, funding and rank.
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { clientOf, sendRaw, setup } from './setup.js';

const perpetual = 'BTC_PERP';
const margin = 'BTC_USDT';
const markets = [
  { name: margin, price: '60000' },
  { name: perpetual, price: '60030', stockPrec: 3, minAmount: '0.001' },
];
const hourMs = 3_600_000;

/** An account on a manual clock that is at no whole second. */
function world() {
  const { sandbox } = setup({ markets, clock: 'manual', accounts: [{ name: 'alice' }, { name: 'bob' }] });
  sandbox.clock.advance(1500);
  const exchange = clientOf(sandbox, 'alice');
  const { collateral } = exchange;
  const trade = (market: string, side: 'buy' | 'sell', amount: string, more: object = {}) => {
    const order = { market, side, amount, price: side === 'buy' ? '90000' : '30000', ioc: true, ...more };
    return firstValueFrom(collateral.placeLimitOrder(order));
  };
  const position = async () => (await firstValueFrom(collateral.openPositions()))[0] ?? { positionId: 0, market: '' };
  return { sandbox, exchange, bob: clientOf(sandbox, 'bob').collateral, collateral, trade, position };
}

describe('closing a position', () => {
  it.each(['buy', 'sell'] as const)('that a %s opened trades its whole amount at the market', async (side) => {
    const { sandbox, collateral, trade, position } = world();
    await trade(perpetual, side, '0.5');
    const { positionId } = await position();
    expect(await firstValueFrom(collateral.closePosition({ market: perpetual, positionId }))).toEqual({});
    expect(await firstValueFrom(collateral.openPositions())).toEqual([]);
    const closing = { side: side === 'buy' ? 'sell' : 'buy', type: 'market', amount: '0.5', client_order_id: '' };
    expect(sandbox.ledger.orders.at(-1)).toMatchObject({ ...closing, status: 'FILLED' });
  });

  it('cancels its stop loss and its take profit, which the position shows', async () => {
    const { sandbox, collateral, trade, position } = world();
    await trade(margin, 'buy', '0.5', { stopLoss: '50000', takeProfit: '70000' });
    await firstValueFrom(
      collateral.placeTriggerMarketOrder({
        ...{ market: margin, side: 'sell', amount: '0.5', activation_price: '40000', reduceOnly: true },
      }),
    );
    const stopOrders = () => sandbox.ledger.orders.filter(({ type }) => type === 'stop market');
    const [stopLossId, takeProfitId] = stopOrders().map(({ order_id }) => order_id);
    const { positionId, ...shown } = await position();
    expect(shown).toMatchObject({ tpsl: { stopLoss: '50000', stopLossId, takeProfit: '70000', takeProfitId } });
    await firstValueFrom(collateral.closePosition({ market: margin, positionId }));
    const stops = stopOrders();
    // Spec: reduceOnly is published before it is accepted.
    const own = 'AUTO_CANCELED_REDUCE_ONLY';
    expect(stops.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED', own]);
  });

  it('leaves the rest that the market does not take', async () => {
    const { sandbox, collateral, trade, position } = world();
    await trade(margin, 'buy', '0.5');
    const { positionId } = await position();
    sandbox.market(margin).setDepth({ levels: 1, step: 0.0005, size: '0.2' });
    await firstValueFrom(collateral.closePosition({ market: margin, positionId }));
    expect(await position()).toMatchObject({ positionId, amount: '0.3' });
    sandbox.market(margin).setDepth({ levels: 0, step: 0.0005, size: '0' });
    const before = sandbox.ledger.orders.length;
    await firstValueFrom(collateral.closePosition({ market: margin, positionId }));
    expect(sandbox.ledger.orders).toHaveLength(before);
  });

  it('is rejected with code 104 when it is closed, unknown, of another market or of another account', async () => {
    const { collateral, bob, trade, position } = world();
    await trade(perpetual, 'buy', '0.5');
    const { positionId } = await position();
    const notFound = { kind: 'api', code: 104, reason: 'position-not-found', outcome: 'rejected' };
    for (const call of [
      bob.closePosition({ market: perpetual, positionId }),
      collateral.closePosition({ market: margin, positionId }),
      collateral.closePosition({ market: perpetual, positionId: positionId + 1 }),
    ])
      expect(await failureOf(call)).toMatchObject(notFound);
    await firstValueFrom(collateral.closePosition({ market: perpetual, positionId }));
    expect(await failureOf(collateral.closePosition({ market: perpetual, positionId }))).toMatchObject(notFound);
    const error = await failureOf(collateral.closePosition({ market: 'NO_ONE', positionId }));
    expect(error).toMatchObject({ reason: 'market' });
  });

  it('names its side in hedge mode', async () => {
    const { collateral, trade, position } = world();
    expect(await firstValueFrom(collateral.setHedgeMode({ hedgeMode: true }))).toEqual({ hedgeMode: true });
    await trade(perpetual, 'sell', '0.5', { positionSide: 'SHORT' });
    const { market, positionId } = await position();
    const close = (more: object) => collateral.closePosition({ market, positionId, ...more });
    for (const more of [{}, { positionSide: 'BOTH' }])
      expect(await failureOf(close(more))).toMatchObject({ code: 114, reason: 'position-side' });
    expect(await failureOf(close({ positionSide: 'LONG' }))).toMatchObject({ reason: 'position-not-found' });
    await firstValueFrom(close({ positionSide: 'SHORT' }));
    expect(await firstValueFrom(collateral.openPositions())).toEqual([]);
  });
});

describe('the history of positions', () => {
  it('has a record of each change, newest first, with the order and what it realized', async () => {
    const { sandbox, collateral, trade } = world();
    sandbox.market(perpetual).setDepth({ levels: 1, step: 0.0005, size: '9' });
    const opened = await trade(perpetual, 'sell', '0.4');
    sandbox.clock.advance(1000);
    const reduced = await trade(perpetual, 'buy', '0.1');
    sandbox.clock.advance(1000);
    const turned = await trade(perpetual, 'buy', '0.5');
    const changes = await firstValueFrom(collateral.positionHistory());
    expect(changes.map(({ amount, side, orderDetail }) => [amount, side, orderDetail?.id])).toEqual([
      ['0.2', 'LONG', turned.order_id],
      ['0', 'SHORT', turned.order_id],
      ['-0.3', 'SHORT', reduced.order_id],
      ['-0.4', 'SHORT', opened.order_id],
    ]);
    const fees = changes.map(({ orderDetail }) => Number(orderDetail?.tradeFee));
    const beforeFees = changes.map(({ orderDetail: { tradeAmount, realizedPnl } = {} }, index) => [
      tradeAmount,
      realizedPnl === undefined ? undefined : (Number(realizedPnl) + (fees[index] ?? 0)).toFixed(3),
    ]);
    expect(beforeFees).toEqual([
      ['0.2', undefined],
      ['0.3', '-9.006'],
      ['0.1', '-3.002'],
      ['0.4', undefined],
    ]);
    expect(fees[0]).toBeCloseTo((Number(turned.deal_fee) * 2) / 5, 6);
    expect((fees[0] ?? 0) + (fees[1] ?? 0)).toBeCloseTo(Number(turned.deal_fee), 8);
    expect(new Set(changes.map(({ positionId }) => positionId)).size).toBe(2);
    const dates = { openDate: opened.timestamp, modifyDate: turned.timestamp };
    const closing = { market: perpetual, ...dates, basePrice: changes[3]?.basePrice, realizedFunding: '0' };
    expect(changes[1]).toMatchObject({ ...closing, isHedge: false });
  });

  it('is that of a market, a position, a period or a page', async () => {
    const { sandbox, collateral, trade } = world();
    const from = sandbox.clock.now() / 1000;
    for (const market of [perpetual, margin, perpetual]) {
      await trade(market, 'buy', '0.1');
      sandbox.clock.advance(10_000);
    }
    const all = await firstValueFrom(collateral.positionHistory());
    expect(all).toHaveLength(3);
    const read = (params: object) => firstValueFrom(collateral.positionHistory(params));
    expect(await read({ market: perpetual })).toEqual([all[0], all[2]]);
    expect(await read({ positionId: all[1]?.positionId ?? 0 })).toEqual([all[1]]);
    expect(await read({ startDate: Math.ceil(from), endDate: Math.ceil(from) + 10 })).toEqual([all[1]]);
    expect(await read({ limit: 1, offset: 1 })).toEqual([all[1]]);
    expect(await read({ market: 'ETH_USDT' })).toEqual([]);
  });

  it('rejects an invalid period or page, with the parameter', async () => {
    const one = world();
    const history = '/api/v4/collateral-account/positions/history';
    const closed = '/api/v4/collateral-account/positions/closed-pnl';
    const funding = '/api/v4/collateral-account/funding-history';
    for (const [path, fields, field] of [
      [history, { limit: 101 }, 'limit'],
      [history, { startDate: 2, endDate: 1 }, 'endDate'],
      [closed, { limit: 0 }, 'limit'],
      [closed, { limit: 50, offset: 9951 }, 'offset'],
      [closed, { startDate: 2, endDate: 1 }, 'endDate'],
      [funding, { limit: 101 }, 'limit'],
      [funding, { offset: -1 }, 'offset'],
      [funding, { startDate: 2, endDate: 1 }, 'endDate'],
    ] as const) {
      const response = await sendRaw(one, path, fields);
      expect(response).toMatchObject({ status: 422, body: { code: 30, errors: { [field]: [/./] } } });
    }
    expect(await sendRaw(one, funding, { market: 'NO_ONE' })).toMatchObject({ status: 422, body: { code: 31 } });
  });
});

it('closed positions are listed with what they realized, the last one first', async () => {
  const { sandbox, collateral, trade } = world();
  const first = await trade(perpetual, 'buy', '0.4');
  sandbox.clock.advance(8 * hourMs);
  const second = await trade(perpetual, 'sell', '0.4');
  await trade(margin, 'sell', '0.1');
  await trade(margin, 'buy', '0.1');
  const closings = await firstValueFrom(collateral.closedPositions());
  expect(closings).toMatchObject([
    { market: margin, side: 'SHORT' },
    { market: perpetual, side: 'LONG', closedSize: '0.4', openDate: Math.floor(first.timestamp ?? 0) },
  ]);
  const booked = sandbox.ledger.balanceChanges
    .filter(({ wallet, reason, at }) => wallet === 'collateral' && reason !== 'deposit' && at > 0)
    .reduce((sum, { delta }) => sum + Number(delta), 0);
  expect(closings.reduce((sum, { netPnl }) => sum + Number(netPnl), 0)).toBeCloseTo(booked, 6);
  expect(await firstValueFrom(collateral.closedPositions({ offset: 1, limit: 1 }))).toEqual(closings.slice(1));
  const later = { startDate: Math.floor(second.timestamp ?? 0) + 1 };
  expect(await firstValueFrom(collateral.closedPositions(later))).toEqual([]);
});

it('funding is paid by longs to shorts at each settlement, and listed newest first', async () => {
  const { sandbox, collateral, bob, trade } = world();
  const start = Math.floor(sandbox.clock.now() / (8 * hourMs)) * 8 * 3600;
  await trade(perpetual, 'buy', '0.5');
  await trade(margin, 'buy', '0.5');
  const sold = { market: perpetual, side: 'sell', amount: '0.2', price: '30000', ioc: true } as const;
  await firstValueFrom(bob.placeLimitOrder(sold));
  const balance = () => Number(sandbox.ledger.balances('alice').collateral['USDT']);
  const before = balance();
  sandbox.clock.advance(16 * hourMs);
  const { records, limit, offset } = await firstValueFrom(collateral.fundingPayments());
  const payment = (settlement: number, positionAmount: string, fundingAmount: string) => ({
    ...{ market: perpetual, fundingRate: '0.0006', fundingAmount, positionAmount, settlementPrice: '60030' },
    fundingTime: String(start + settlement * 8 * 3600),
    rateCalculatedTime: String(start + settlement * 8 * 3600 - 60),
  });
  expect([limit, offset]).toEqual([100, 0]);
  expect(records).toEqual([payment(2, '0.5', '-18.009'), payment(1, '0.5', '-18.009')]);
  expect(balance() - before).toBeCloseTo(-36.018, 8);
  const received = await firstValueFrom(bob.fundingPayments({ market: perpetual, limit: 1 }));
  expect(received.records).toEqual([payment(2, '-0.2', '7.2036')]);
  expect(sandbox.ledger.balanceChanges.filter(({ reason }) => reason === 'funding')).toMatchObject([
    { account: 'alice', delta: '-18.009', at: (start + 8 * 3600) * 1000 },
    { account: 'bob', delta: '7.2036' },
    { account: 'alice', delta: '-18.009' },
    { account: 'bob', delta: '7.2036' },
  ]);
  const period = { startDate: start, endDate: start + 8 * 3600 };
  expect((await firstValueFrom(collateral.fundingPayments(period))).records).toEqual(records.slice(1));
  expect((await firstValueFrom(collateral.fundingPayments({ offset: 1 }))).records).toEqual(records.slice(1));
  expect((await firstValueFrom(collateral.fundingPayments({ market: margin }))).records).toEqual([]);
  expect(await failureOf(collateral.fundingPayments({ market: 'NO_ONE' }))).toMatchObject({ reason: 'market' });
});

it('the rank for deleveraging grows with profit and leverage, from 0 to 4, for each side', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { sandbox } = setup({ markets, accounts: names.map((name) => ({ name })) });
  const traders = names.map((name) => clientOf(sandbox, name).collateral);
  const ranks = () => Promise.all(traders.map((trader) => firstValueFrom(trader.adlQuantiles())));
  expect((await ranks())[0]).toEqual([]);
  const order = { market: perpetual, side: 'buy', price: '61000', ioc: true } as const;
  for (const [index, trader] of traders.entries())
    await firstValueFrom(trader.placeLimitOrder({ ...order, amount: String(1 + index) }));
  sandbox.market(perpetual).setPrice('62000');
  expect(await ranks()).toEqual(names.map((_, rank) => [{ market: perpetual, long: rank }]));
  sandbox.market(perpetual).setPrice('58000');
  // Of two losses, that of the higher leverage counts less.
  expect((await ranks())[0]).toMatchObject([{ long: 0 }]);
});

it('the hedge mode changes only while no position and no order is open', async () => {
  const { collateral, exchange, trade, position } = world();
  const locked = { code: 113, reason: 'positions-open', outcome: 'rejected' };
  const { order_id } = await trade(margin, 'buy', '0.1', { price: '50000', ioc: false });
  expect(await failureOf(collateral.setHedgeMode({ hedgeMode: true }))).toMatchObject(locked);
  await firstValueFrom(exchange.orders.cancel({ market: margin, order_id }));
  await trade(margin, 'buy', '0.1');
  expect(await failureOf(collateral.setHedgeMode({ hedgeMode: true }))).toMatchObject(locked);
  const { market, positionId } = await position();
  await firstValueFrom(collateral.closePosition({ market, positionId }));
  for (const hedgeMode of [true, false]) {
    expect(await firstValueFrom(collateral.setHedgeMode({ hedgeMode }))).toEqual({ hedgeMode });
    expect(await firstValueFrom(collateral.hedgeMode())).toEqual({ hedgeMode });
  }
});
