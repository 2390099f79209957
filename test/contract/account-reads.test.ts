// The reads of an account against the state of the sandbox.
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { sendRaw, setup } from './setup.js';

const market = 'BTC_USDT';

describe('the trade balance', () => {
  const accounts = [{ name: 'main', balances: { trade: { BTC: '1', USDT: '10000' }, collateral: { ETH: '7' } } }];
  const world = () => setup({ accounts });
  const path = '/api/v4/trade-account/balance';

  it('is by asset, and changes as spot orders trade', async () => {
    const { sandbox, exchange } = world();
    expect(await firstValueFrom(exchange.spot.balance())).toEqual({
      BTC: { available: '1', freeze: '0' },
      USDT: { available: '10000', freeze: '0' },
    });
    await firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '1' }));
    const { trade } = sandbox.ledger.balances();
    expect(await firstValueFrom(exchange.spot.balance())).toEqual({ USDT: { available: trade['USDT'], freeze: '0' } });
    expect(Number(trade['USDT'])).toBeGreaterThan(60_000);
  });

  it('of one asset is published under its name, and sent bare by the live exchange', async () => {
    const one = world();
    const bare = { available: '1', freeze: '0' };
    expect((await sendRaw(one, path, { ticker: 'BTC' })).body).toEqual(bare);
    expect(await firstValueFrom(one.exchange.spot.balanceOf({ ticker: 'BTC' }))).toMatchObject(bare);
  });

  it('of an asset without a balance is 0, and that of an unknown asset is rejected', async () => {
    const { exchange } = world();
    const output = await firstValueFrom(exchange.spot.balanceOf({ ticker: 'LTC' }));
    expect(output).toMatchObject({ available: '0', freeze: '0' });
    expect(await failureOf(exchange.spot.balanceOf({ ticker: 'constructor' }))).toMatchObject({
      kind: 'api',
      code: 30,
      reason: 'validation',
      errors: { ticker: ['Currency was not found.'] },
    });
  });
});

describe('the collateral account', () => {
  const accounts = [{ name: 'main', balances: { collateral: { ETH: '7', USDT: '10000' }, trade: { BTC: '1' } } }];
  const world = () => setup({ accounts });
  const order = { market, side: 'buy', amount: '0.1', price: '60100', ioc: true } as const;

  it('has its balance by asset, of all or of one', async () => {
    const one = world();
    const { collateral } = one.exchange;
    expect(await firstValueFrom(collateral.balance())).toEqual({ ETH: '7', USDT: '10000' });
    expect(await firstValueFrom(collateral.balance({ ticker: 'ETH' }))).toEqual({ ETH: '7' });
    expect(await firstValueFrom(collateral.balance({ ticker: 'BTC' }))).toEqual({ BTC: '0' });
    const { body } = await sendRaw(one, '/api/v4/collateral-account/balance', { ticker: 'ETH' });
    expect(body).toEqual({ ETH: '7' });
  });

  it('rejects an asset that the exchange does not have', async () => {
    const { collateral } = world().exchange;
    for (const call of [collateral.balance({ ticker: 'NONE' }), collateral.balanceSummary({ ticker: 'NONE' })])
      expect(await failureOf(call)).toMatchObject({ reason: 'validation', errors: { ticker: ['ticker is invalid.'] } });
  });

  it('shows the available rest beside a position and its margin', async () => {
    const { sandbox, exchange } = world();
    expect(await firstValueFrom(exchange.collateral.summary())).toEqual({
      ...{ equity: '10000', margin: '0', freeMargin: '10000', unrealizedFunding: '0', pnl: '0', leverage: 10 },
      // Live: a number that means nothing.
      ...{ marginFraction: '1000000000000000000000', maintenanceMarginFraction: '1000000000000000000000' },
    });
    await firstValueFrom(exchange.collateral.setLeverage({ leverage: 5 }));
    const { deal_money, deal_fee } = await firstValueFrom(exchange.collateral.placeLimitOrder(order));
    sandbox.market(market).setPrice('61000');
    const balance = 10_000 - Number(deal_fee);
    const margin = Number(deal_money) / 5;
    const { equity, leverage, pnl, ...used } = await firstValueFrom(exchange.collateral.summary());
    expect(Number(pnl)).toBeCloseTo(6100 - Number(deal_money), 6);
    expect(Number(equity)).toBeCloseTo(balance + Number(pnl), 6);
    expect(Number(used.margin)).toBeCloseTo(margin, 6);
    expect(Number(used.freeMargin)).toBeCloseTo(Number(equity) - margin, 6);
    expect(leverage).toBe(5);
    // Half a percent of the value, at the market's maximum leverage of 100.
    expect(Number(used.maintenanceMarginFraction)).toBeCloseTo((6100 * 0.005) / Number(equity), 6);
    expect(Number(used.marginFraction)).toBeCloseTo(margin / Number(equity), 6);
    const assets = await firstValueFrom(exchange.collateral.balanceSummary());
    expect(assets).toMatchObject([
      { asset: 'ETH', balance: '7', borrow: '0', availableWithoutBorrow: '7' },
      { asset: 'USDT', balance: sandbox.ledger.balances().collateral['USDT'], availableWithBorrow: used.freeMargin },
    ]);
    expect(await firstValueFrom(exchange.collateral.balanceSummary({ ticker: 'USDT' }))).toEqual(assets.slice(1));
  });
});

const markets = [
  { name: market, price: '60000' },
  { name: 'ETH_USDT', price: '3000', makerFee: '0.02', takerFee: '0.05' },
];

it('the fees are those that orders are charged, with those of a market that differs', async () => {
  const { exchange } = setup({ markets });
  const fees = await firstValueFrom(exchange.spot.fees());
  const custom_fee = { ETH_USDT: { taker: '0.05', maker: '0.02' } };
  const ofFutures = { futures_taker: '0.1', futures_maker: '0.1' };
  expect(fees).toEqual({ taker: '0.1', maker: '0.1', ...ofFutures, custom_fee });
  for (const one of [market, 'ETH_USDT']) {
    const order = await firstValueFrom(
      exchange.spot.placeStockMarketOrder({ market: one, side: 'buy', amount: '0.1' }),
    );
    const { taker } = fees.custom_fee?.[one] ?? fees;
    expect(Number(order.deal_fee)).toBeCloseTo((Number(order.deal_money) * Number(taker)) / 100, 6);
  }
});

describe('deals', () => {
  const other = 'ETH_USDT';
  const limit = { market, side: 'buy', amount: '0.1', price: '59000' } as const;
  /** A taker of two markets, and a maker. */
  async function traded() {
    const { sandbox, exchange } = setup({ clock: 'manual' });
    const { spot, collateral } = exchange;
    const first = await firstValueFrom(
      spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01', client_order_id: 'first' }),
    );
    sandbox.clock.advance(10_000);
    const second = await firstValueFrom(spot.placeStockMarketOrder({ market: other, side: 'buy', amount: '0.5' }));
    sandbox.clock.advance(10_000);
    const rested = await firstValueFrom(collateral.placeLimitOrder(limit));
    sandbox.market(market).setPrice('58000');
    return { sandbox, exchange, first, second, rested };
  }

  it('are the executions of the orders, newest first, with fee and role, numbered as the public trades', async () => {
    const { sandbox, exchange, first, rested } = await traded();
    const deals = await firstValueFrom(exchange.orders.deals({ market }));
    const fills = sandbox.ledger.fills.filter((fill) => fill.market === market).toReversed();
    expect(deals).toEqual(
      fills.map(({ at, role, money: deal, id, side, amount, price, fee, order_id, client_order_id }) => ({
        ...{ id, order_id, client_order_id, time: at / 1000, role: role === 'maker' ? 1 : 2 },
        ...{ side, amount, price, deal, fee, feeAsset: 'USDT' },
      })),
    );
    expect(new Set(deals.map(({ id }) => id)).size).toBe(deals.length);
    expect(deals[0]).toMatchObject({ role: 1, side: 'buy', order_id: rested.order_id });
    expect(deals.at(-1)).toMatchObject({ role: 2, order_id: first.order_id, client_order_id: 'first' });
    const ids = (await firstValueFrom(exchange.public.recentTrades({ market }))).map(({ tradeID }) => tradeID);
    for (const { id } of deals) expect(ids).toContain(id);
  });

  it('of all markets are by market, and a page of them counts over all markets', async () => {
    const { exchange } = await traded();
    const { orders } = exchange;
    const all = await firstValueFrom(orders.dealsByMarket());
    expect(all).toEqual({
      [market]: await firstValueFrom(orders.deals({ market })),
      [other]: await firstValueFrom(orders.deals({ market: other })),
    });
    const count = Object.values(all).flat().length;
    const oldest = await firstValueFrom(orders.dealsByMarket({ offset: count - 1 }));
    expect(oldest).toEqual({ [market]: all[market]?.slice(-1) });
    expect(Object.keys(await firstValueFrom(orders.dealsByMarket({ limit: 1 })))).toEqual([market]);
  });

  it('are those of a period, in seconds', async () => {
    const { exchange, second } = await traded();
    const { timestamp = 0 } = second;
    const period = { startDate: Math.floor(timestamp) - 1, endDate: Math.ceil(timestamp) + 1 };
    expect(Object.keys(await firstValueFrom(exchange.orders.dealsByMarket(period)))).toEqual([other]);
    expect(await firstValueFrom(exchange.orders.deals({ market, ...period }))).toEqual([]);
  });

  it('are those of an identifier, and an unknown one is rejected', async () => {
    const { exchange, first } = await traded();
    const { orders } = exchange;
    const key = { client_order_id: 'first' };
    const deals = await firstValueFrom(orders.deals({ market, ...key }));
    expect([...new Set(deals.map(({ order_id }) => order_id))]).toEqual([first.order_id]);
    expect(await firstValueFrom(orders.dealsByMarket(key))).toEqual({ [market]: deals });
    const unknown = { client_order_id: 'unknown' };
    for (const call of [orders.deals({ market, ...unknown }), orders.dealsByMarket(unknown)])
      expect(await failureOf(call)).toMatchObject({ kind: 'api', code: 30, reason: 'order-not-found' });
  });

  it('of an order add up to the order', async () => {
    const { exchange, first } = await traded();
    const { order_id, deal_stock: amount, deal_money: deal, deal_fee: fee } = first;
    const { records, ...page } = await firstValueFrom(exchange.orders.dealsOfOrder({ order_id, limit: 100 }));
    expect(page).toEqual({ offset: 0, limit: 100 });
    for (const [field, total] of Object.entries({ amount, deal, fee }))
      expect(records.reduce((sum, record) => sum + Number(record[field]), 0)).toBeCloseTo(Number(total), 8);
    for (const record of records) {
      expect(record).toMatchObject({ role: 2, client_order_id: 'first', feeAsset: 'USDT', dealOrderId: order_id });
      expect(record).not.toHaveProperty('side');
    }
  });

  it('of an empty account are empty', async () => {
    const { exchange } = setup();
    expect(await firstValueFrom(exchange.orders.deals({ market }))).toEqual([]);
    expect(await firstValueFrom(exchange.orders.dealsByMarket())).toEqual({});
    const output = await firstValueFrom(exchange.orders.dealsOfOrder({ order_id: 1 }));
    expect(output).toEqual({ records: [], offset: 0, limit: 50 });
  });
});

it('positions are those that orders opened, at their average price and the current profit', async () => {
  const { sandbox, exchange } = setup({ clock: 'manual' });
  const { collateral } = exchange;
  expect(await firstValueFrom(collateral.openPositions())).toEqual([]);
  const openedAt = sandbox.clock.now() / 1000;
  const order = { market, side: 'buy', price: '61000', amount: '0.1', ioc: true } as const;
  const bought = await firstValueFrom(collateral.placeLimitOrder(order));
  sandbox.clock.advance(5000);
  sandbox.market(market).setPrice('62000');
  const [position] = await firstValueFrom(collateral.openPositions({ market }));
  const opened = { market, amount: '0.1', positionSide: 'BOTH', openDate: openedAt, modifyDate: openedAt };
  const { freeMargin } = await firstValueFrom(collateral.summary());
  expect(position).toMatchObject({ ...opened, freeMargin });
  expect(Number(position?.basePrice)).toBeCloseTo(Number(bought.deal_money) / 0.1, 6);
  expect(Number(position?.unrealizedPnl)).toBeCloseTo(6200 - Number(bought.deal_money), 6);
  expect(Number(position?.margin)).toBeCloseTo(Number(bought.deal_money) / 10, 6);
  expect(position?.pnl).toBe(position?.unrealizedPnl);
  expect(Number(position?.pnlPercent)).toBeCloseTo(
    (Number(position?.unrealizedPnl) / Number(position?.margin)) * 100,
    1,
  );
  expect(position).not.toHaveProperty('tpsl');
  expect(await firstValueFrom(collateral.openPositions({ market: 'ETH_USDT' }))).toEqual([]);
});
