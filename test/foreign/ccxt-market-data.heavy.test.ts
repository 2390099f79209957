// ccxt reads the public data of the served sandbox: what it shows is the book and the trades of the sandbox.
import type { Sandbox, SandboxTrade } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { read } from '../contract/setup.js';
import { hasCcxt, serve, spot, swap } from '../support/ccxt.js';

const minuteMs = 60_000;
const percent = 0.001;

/** A market with some hours of trades. */
const traded = async () => {
  const served = await serve({ volatility: 0.0004, tickMs: 1000, history: 0 });
  served.sandbox.clock.advance(120 * minuteMs);
  return served;
};

const tradesOf = (sandbox: Sandbox, market = 'BTC_USDT') => sandbox.market(market).trades();
const sum = (values: readonly string[]) => values.reduce((total, value) => total + Number(value), 0);

/** A ticker by the trades of the last 24 hours. */
function tickerOf(trades: readonly SandboxTrade[]) {
  const prices = trades.map(({ price }) => Number(price));
  return {
    last: prices.at(-1),
    close: prices.at(-1),
    high: Math.max(...prices),
    low: Math.min(...prices),
    baseVolume: expect.closeTo(sum(trades.map(({ amount }) => amount)), 6) as number,
    quoteVolume: expect.closeTo(sum(trades.map(({ money }) => money)), 4) as number,
  };
}

describe.skipIf(!hasCcxt)('ccxt on the served sandbox reads', () => {
  const withdraw = { min: 0.001 };
  const networks = { BTC: { withdraw: true } };
  const bitcoin = { deposit: true, withdraw: true, precision: 1e-8, limits: { withdraw }, networks };
  const fees = { BTC: { withdraw: { fee: 0.0004 } }, USDT: { networks: { TRC20: { withdraw: { fee: 1 } } } } };

  it.each([
    ['fetchStatus', 'that the exchange is up', { status: 'ok' }],
    ['fetchCurrencies', 'the assets with their networks and minima', { BTC: bitcoin }],
    ['fetchFundingLimits', 'the minima of assets', { BTC: { limits: { withdraw } } }],
    ['fetchDepositWithdrawFees', 'the fees of assets', fees],
    ['fetchDepositWithdrawFee', 'the fee of one asset', fees.BTC, 'BTC'],
    ['fetchTradingFees', 'the fees of trades, as shares', { [spot]: { maker: percent, taker: percent } }],
  ])('%s: %s', async (method, _, expected, ...given) => {
    const { call } = await serve();
    expect(await call(method, ...given)).toMatchObject(expected);
  });

  it('fetchTime: its time', async () => {
    const { call, sandbox } = await serve();
    expect(await call('fetchTime')).toBe(sandbox.clock.now());
  });

  it('loadMarkets, fetchMarkets: the markets with their kinds, steps, minima and fees', async () => {
    const { ccxt, call } = await serve();
    const loaded = await ccxt.loadMarkets();
    expect(Object.keys(loaded).sort()).toEqual([spot, swap, 'LTC/USDT'].sort());
    expect(loaded[spot]).toMatchObject({
      ...{ id: 'BTC_USDT', spot: true, margin: true, swap: false, active: true, maker: percent, taker: percent },
      precision: { amount: 0.000001, price: 0.01 },
      limits: { amount: { min: 0.0001 }, cost: { min: 5 } },
    });
    expect(loaded[swap]).toMatchObject({ id: 'BTC_PERP', swap: true, linear: true, settle: 'USDT', contractSize: 1 });
    expect(loaded['LTC/USDT']).toMatchObject({ spot: true, margin: false });
    expect(await call('fetchMarkets')).toHaveLength(3);
  });

  it('fetchTicker, fetchTickers: the last price, and the statistics of the trades of 24 hours', async () => {
    const { call, sandbox } = await traded();
    const trades = tradesOf(sandbox);
    const { high: _high, low: _low, ...ofAll } = tickerOf(trades);
    expect(await call('fetchTicker', spot)).toMatchObject({ ...tickerOf(trades), open: Number(trades[0]?.price) });
    expect(await call('fetchTickers')).toMatchObject({ [spot]: ofAll });
    const perpetual = tradesOf(sandbox, 'BTC_PERP');
    expect(await call('fetchTickers', [swap])).toMatchObject({
      [swap]: { ...tickerOf(perpetual), indexPrice: Number(sandbox.market('BTC_USDT').price()) },
    });
  });

  it('fetchOrderBook, fetchL2OrderBook: the best offers around the price', async () => {
    const { call, sandbox } = await serve();
    sandbox.market('BTC_USDT').setDepth({ levels: 3, step: 0.001, size: '0.7' });
    const levels = (...prices: readonly number[]) => prices.map((price) => [price, 0.7]);
    const book = { bids: levels(59_970, 59_910), asks: levels(60_030, 60_090) };
    expect(await call('fetchOrderBook', spot, 2)).toMatchObject({ ...book, timestamp: sandbox.clock.now() });
    expect(await call('fetchL2OrderBook', spot, 2)).toMatchObject(book);
  });

  it('fetchTrades: the newest hundred trades', async () => {
    const { call, sandbox } = await traded();
    expect(await call('fetchTrades', spot)).toMatchObject(
      tradesOf(sandbox)
        .slice(-100)
        .map(({ id, side, price, amount, money, at }) => ({
          ...{ id: String(id), side, price: Number(price), amount: Number(amount) },
          cost: expect.closeTo(Number(money), 6) as number,
          timestamp: Math.floor(at / 1000) * 1000,
        })),
    );
  });

  it('fetchOHLCV: the closed candles that the exchange lists', async () => {
    const { call, sandbox } = await traded();
    const path = '/api/v1/public/kline?market=BTC_USDT&interval=1h';
    const { result } = await read<{ result: readonly string[][] }>(sandbox, path);
    const candles = result.map(([time, open, close, high, low, volume]) => [
      Number(time) * 1000,
      ...[open, high, low, close, volume].map(Number),
    ]);
    expect(candles).toHaveLength(2);
    expect(await call('fetchOHLCV', spot, '1h')).toEqual(candles);
    expect(await call('fetchOHLCV', spot, '1h', candles[1]?.[0], 1)).toEqual(candles.slice(1));
  });

  it('fetchFundingRate, fetchFundingRates, fetchFundingRateHistory: the funding of perpetuals', async () => {
    const { call, sandbox } = await serve();
    const next = sandbox.clock.now() + 8 * 60 * minuteMs;
    const rate = { fundingRate: 0.0001, fundingTimestamp: next };
    expect(await call('fetchFundingRate', swap)).toMatchObject(rate);
    expect(await call('fetchFundingRates')).toMatchObject({ [swap]: rate });
    sandbox.clock.advance(8 * 60 * minuteMs);
    expect(await call('fetchFundingRateHistory', swap)).toMatchObject([{ fundingRate: 0.0001, timestamp: next }]);
  });
});
