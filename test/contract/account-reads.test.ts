// The reads of an account against the state of the sandbox, in both dialects.
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { dialects, sendRaw, setup } from './setup.js';

const market = 'BTC_USDT';

describe.each(dialects)('the trade balance in the %s dialect', (dialect) => {
  const accounts = [{ name: 'main', balances: { trade: { BTC: '1', USDT: '10000' }, collateral: { ETH: '7' } } }];
  const world = () => setup({ dialect, accounts });
  const path = '/api/v4/trade-account/balance';

  it('is by asset, and changes as spot orders trade', async () => {
    const { sandbox, exchange } = world();
    expect(await firstValueFrom(exchange.spot.balance())).toEqual({
      BTC: { available: '1', freeze: '0' },
      USDT: { available: '10000', freeze: '0' },
    });
    await firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '1' }));
    const { trade } = sandbox.ledger.balances();
    expect(await firstValueFrom(exchange.spot.balance())).toEqual({
      USDT: { available: trade['USDT'], freeze: '0' },
    });
    expect(Number(trade['USDT'])).toBeGreaterThan(60_000);
  });

  it('of one asset is published under its name, and sent bare by the live exchange', async () => {
    const one = world();
    const bare = { available: '1', freeze: '0' };
    expect((await sendRaw(one, path, { ticker: 'BTC' })).body).toEqual(dialect === 'live' ? bare : { BTC: bare });
    expect(await firstValueFrom(one.exchange.spot.balanceOf({ ticker: 'BTC' }))).toMatchObject(bare);
  });

  it('of an asset without a balance is 0, and that of an unknown asset is rejected', async () => {
    const { exchange } = world();
    expect(await firstValueFrom(exchange.spot.balanceOf({ ticker: 'LTC' }))).toMatchObject({
      available: '0',
      freeze: '0',
    });
    expect(await failureOf(exchange.spot.balanceOf({ ticker: 'constructor' }))).toMatchObject({
      kind: 'api',
      code: 30,
      reason: 'validation',
      errors: { ticker: ['Currency was not found.'] },
    });
  });
});

describe.each(dialects)('the collateral account in the %s dialect', (dialect) => {
  const accounts = [{ name: 'main', balances: { collateral: { ETH: '7', USDT: '10000' }, trade: { BTC: '1' } } }];
  const world = () => setup({ dialect, accounts });
  const order = { market, side: 'buy', amount: '0.1', price: '60100', ioc: true } as const;

  it('has its balance by asset, of all or of one', async () => {
    const one = world();
    const { collateral } = one.exchange;
    expect(await firstValueFrom(collateral.balance())).toEqual({ ETH: '7', USDT: '10000' });
    expect(await firstValueFrom(collateral.balance({ ticker: 'ETH' }))).toEqual({ ETH: '7' });
    expect(await firstValueFrom(collateral.balance({ ticker: 'BTC' }))).toEqual({ BTC: '0' });
    const { body } = await sendRaw(one, '/api/v4/collateral-account/balance', { ticker: 'ETH' });
    expect(body).toEqual({ ETH: dialect === 'live' ? '7' : 7 });
  });

  it('rejects an asset that the exchange does not have', async () => {
    const { collateral } = world().exchange;
    for (const call of [collateral.balance({ ticker: 'NONE' }), collateral.balanceSummary({ ticker: 'NONE' })])
      expect(await failureOf(call)).toMatchObject({ reason: 'validation', errors: { ticker: ['ticker is invalid.'] } });
  });

  it('shows what a position and its margin leave available', async () => {
    const { sandbox, exchange } = world();
    expect(await firstValueFrom(exchange.collateral.summary())).toEqual({
      ...{ equity: '10000', margin: '0', freeMargin: '10000', unrealizedFunding: '0', pnl: '0', leverage: 10 },
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
    expect(Number(used.freeMargin)).toBeCloseTo(balance - margin, 6);
    expect(leverage).toBe(5);
    const assets = await firstValueFrom(exchange.collateral.balanceSummary());
    expect(assets).toMatchObject([
      { asset: 'ETH', balance: '7', borrow: '0', availableWithoutBorrow: '7' },
      { asset: 'USDT', balance: sandbox.ledger.balances().collateral['USDT'], availableWithBorrow: used.freeMargin },
    ]);
    expect(await firstValueFrom(exchange.collateral.balanceSummary({ ticker: 'USDT' }))).toEqual(assets.slice(1));
  });
});

describe.each(dialects)('the fees in the %s dialect', (dialect) => {
  const markets = [
    { name: market, price: '60000' },
    { name: 'ETH_USDT', price: '3000', makerFee: '0.02', takerFee: '0.05' },
  ];

  it('are those that orders are charged, with those of a market that differs', async () => {
    const { exchange } = setup({ dialect, markets });
    const fees = await firstValueFrom(exchange.spot.fees());
    expect(fees).toEqual({
      taker: '0.1',
      maker: '0.1',
      futures_taker: '0.1',
      futures_maker: '0.1',
      custom_fee: { ETH_USDT: { taker: '0.05', maker: '0.02' } },
    });
    for (const one of [market, 'ETH_USDT']) {
      const order = await firstValueFrom(
        exchange.spot.placeStockMarketOrder({ market: one, side: 'buy', amount: '0.1' }),
      );
      const { taker } = fees.custom_fee?.[one] ?? fees;
      expect(Number(order.deal_fee)).toBeCloseTo((Number(order.deal_money) * Number(taker)) / 100, 6);
    }
  });
});
