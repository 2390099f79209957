// The past of a new sandbox: candles and trades before its begin, of which every interval shows the same trades.
import { BigNumber } from 'bignumber.js';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { clientOf } from '../contract/setup.js';

const market = 'BTC_USDT';

function open(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ clock: 'manual', ...options });
  const exchange = clientOf(sandbox);
  const candles = (interval: '1s' | '1m' | '5m' | '1h' | '1d' | '1w', limit: number, name = market) =>
    firstValueFrom(exchange.public.candles({ market: name, interval, limit }));
  /** Oldest first. */
  const trades = async (name = market) =>
    (await firstValueFrom(exchange.public.recentTrades({ market: name }))).reverse();
  const ticker = async () => (await firstValueFrom(exchange.public.tickers()))[market];
  return { sandbox, candles, trades, ticker };
}

describe('a new sandbox', () => {
  it('has 24 candles of the last 24 hours, and a ticker with a change', async () => {
    const { candles, ticker } = open();
    const found = await candles('1h', 24);
    expect(found).toHaveLength(24);
    expect(found.every(({ volume }) => Number(volume) > 0)).toBe(true);
    const { last_price, change, base_volume } = (await ticker()) ?? {};
    expect(last_price).toBe('60000');
    expect(Number(change)).not.toBe(0);
    expect(Number(base_volume)).toBeGreaterThan(1);
  });

  it('has 7 days of candles, or as many as its option says', async () => {
    expect(await open().candles('1d', 100)).toHaveLength(7);
    expect(await open({ history: 2 }).candles('1h', 100)).toHaveLength(48);
    expect(await open({ history: 0 }).candles('1h', 100)).toHaveLength(0);
    expect(await open({ volatility: 0 }).candles('1h', 100)).toHaveLength(0);
    expect(open({ history: 0 }).sandbox.market(market).trades()).toHaveLength(1);
    for (const history of [-1, 1.5, 32]) expect(() => createSandbox({ history })).toThrow('history');
  });

  it('ends its past at the price at which the market begins', async () => {
    const { candles, trades, sandbox } = open();
    expect((await candles('1m', 1))[0]?.close).toBe(sandbox.market(market).price());
    expect((await trades()).slice(-2).map(({ price }) => price)).toEqual(['60000', '60000']);
    expect(sandbox.market(market).trades()).toHaveLength(1);
  });

  it('has the same past for the same seed, whatever its length and whenever it is read', async () => {
    const read = async ({ candles, trades }: ReturnType<typeof open>) => [await candles('5m', 100), await trades()];
    const one = await read(open());
    expect(await read(open())).toEqual(one);
    expect(await read(open({ history: 3 }))).toEqual(one);
    expect(await read(open({ seed: 2 }))).not.toEqual(one);
    const late = open();
    const early = open();
    await read(early);
    for (const { sandbox } of [early, late]) sandbox.clock.advance(90_000);
    expect(await read(late)).toEqual(await read(early));
  });
});

describe('the candles of the past and of the present', () => {
  const whole = (parts: Awaited<ReturnType<ReturnType<typeof open>['candles']>>) => ({
    open: parts[0]?.open,
    close: parts.at(-1)?.close,
    high: BigNumber.max(...parts.map(({ high }) => high)).toFixed(),
    low: BigNumber.min(...parts.map(({ low }) => low)).toFixed(),
    volume: parts.reduce((sum, { volume }) => sum.plus(volume ?? 0), decimal(0)).toFixed(),
    money_volume: parts.reduce((sum, { money_volume }) => sum.plus(money_volume ?? 0), decimal(0)).toFixed(),
  });

  it.each([
    ['before the begin', 0],
    ['across the begin', 20 * 60_000],
  ])('of an hour are those of its minutes, and those of a day those of its hours, %s', async (_, advanced) => {
    const { candles, sandbox } = open();
    // Neither a full hour nor a full minute: the begin is in the middle of a candle.
    sandbox.clock.advance(3_600_000 - advanced - 7000);
    sandbox.clock.advance(advanced);
    const hours = await candles('1h', 30);
    const minutes = await candles('1m', 1440);
    const of = (time: number) => minutes.filter((minute) => minute.time >= time && minute.time < time + 3600);
    for (const hour of hours.slice(-20)) expect(hour).toMatchObject(whole(of(hour.time)));
    const [day] = await candles('1d', 1);
    const ofDay = hours.filter(({ time }) => time >= (day?.time ?? 0) && time < (day?.time ?? 0) + 86_400);
    expect(ofDay).toHaveLength(24);
    expect(day).toMatchObject(whole(ofDay));
  });

  it('are those of the trades, without a gap in time or price', async () => {
    const { candles, sandbox, ...one } = open();
    sandbox.clock.advance(150_000);
    const trades = await one.trades();
    const times = trades.map(({ trade_timestamp }) => trade_timestamp);
    const ids = trades.map(({ tradeID }) => tradeID);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
    const minutes = await candles('1m', 5);
    for (const { time, open: first, close, volume } of minutes) {
      const within = trades.filter(({ trade_timestamp: at }) => at >= time && at < time + 60);
      expect([first, close]).toEqual([within[0]?.price, within.at(-1)?.price]);
      expect(within.reduce((sum, { quote_volume }) => sum.plus(quote_volume), decimal(0)).toFixed()).toBe(volume);
    }
    expect(minutes).toHaveLength(5);
    const seconds = await candles('1s', 60);
    expect(seconds).toHaveLength(60);
    expect(seconds.at(-1)?.close).toBe(trades.at(-1)?.price);
  });

  it('keep the steps of the market, and the numbers of all trades differ', async () => {
    const markets = [
      { name: 'BIG_USDT', price: '0.00001234', moneyPrec: 8, stockPrec: -3, minAmount: '1000' },
      { name: 'ETH_USDT', price: '3000', tickSize: '0.5', stepSize: '0.02' },
    ];
    const { trades } = open({ markets });
    const [big, eth] = [await trades('BIG_USDT'), await trades('ETH_USDT')];
    expect(big.every(({ quote_volume }) => Number(quote_volume) % 1000 === 0)).toBe(true);
    for (const { price, quote_volume: amount } of eth) {
      expect(decimal(price).modulo('0.5').isZero()).toBe(true);
      expect(decimal(amount).modulo('0.02').isZero()).toBe(true);
    }
    expect(new Set([...big, ...eth].map(({ tradeID }) => tradeID)).size).toBe(big.length + eth.length);
  });
});
