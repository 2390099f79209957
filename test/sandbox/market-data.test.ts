// Tickers, candles, recent trades, order book and depth agree with each other: each can be computed again from the trades
// of the market, and those from the ledger.
import { createSandbox, type Sandbox, type SandboxTrade } from 'exchange-rx/sandbox';
import { BigNumber } from 'bignumber.js';
import { decimal } from '../../src/model/decimal.js';
import { Tape } from '../../src/sandbox/market-data/index.js';
import { describe, expect, it } from 'vitest';
import { read, sendRaw } from '../contract/setup.js';
import { levels } from '../support/recording.js';

const market = 'BTC_USDT';
const stock = '/api/v4/order/stock_market';
const limit = '/api/v4/order/collateral/limit';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type CandleRow = [time: number, ...decimals: string[]];
type Tickers = Record<string, Record<string, string>>;
interface Book {
  readonly asks: [string, string][];
  readonly bids: [string, string][];
}

const tickerOf = async (sandbox: Sandbox) => (await read<Tickers>(sandbox, '/api/v4/public/ticker'))[market];
const candlesOf = async (sandbox: Sandbox, query: string) =>
  (await read<{ result: CandleRow[] }>(sandbox, `/api/v1/public/kline?market=${market}&${query}`)).result;
const bookOf = (sandbox: Sandbox, query = '') => read<Book>(sandbox, `/api/v4/public/orderbook/${market}${query}`);

const sum = (values: readonly string[]) =>
  values.reduce((total, value) => total.plus(value), new BigNumber(0)).toFixed();
const extreme = (kind: 'max' | 'min', values: readonly string[]) => BigNumber[kind](...values).toFixed();

/** The candles of trades, closed before `now`, with the gaps filled: written without the sandbox's code. */
function candlesFrom(trades: readonly SandboxTrade[], seconds: number, now: number): CandleRow[] {
  const rows: CandleRow[] = [];
  const slotOf = (at: number) => Math.floor(at / 1000 / seconds) * seconds;
  const bySlot = new Map<number, SandboxTrade[]>();
  for (const trade of trades) bySlot.set(slotOf(trade.at), [...(bySlot.get(slotOf(trade.at)) ?? []), trade]);
  for (let time = slotOf(trades[0]?.at ?? 0); (time + seconds) * 1000 <= now; time += seconds) {
    const inside = bySlot.get(time) ?? [];
    const prices = inside.length === 0 ? [rows.at(-1)?.[2] ?? ''] : inside.map(({ price }) => price);
    const ends = [prices[0] ?? '', prices.at(-1) ?? '', extreme('max', prices), extreme('min', prices)];
    rows.push([time, ...ends, sum(inside.map(({ amount }) => amount)), sum(inside.map(({ money }) => money))]);
  }
  return rows;
}

/** A market of an account and of the sandbox's own traders, for a while. */
async function traded(ms: number, tickMs = 10_000): Promise<Sandbox> {
  const markets = [{ name: market, price: '60000', minAmount: '0.0001' }];
  const sandbox = createSandbox({ history: 0, clock: 'manual', seed: 5, tickMs, markets });
  for (let passed = 0; passed < ms; passed += 20 * minuteMs) {
    await sendRaw({ sandbox }, stock, { market, side: passed % hourMs === 0 ? 'buy' : 'sell', amount: '0.75' });
    const price = new BigNumber(sandbox.market(market).price()).times(0.9995).toFixed(2);
    await sendRaw({ sandbox }, limit, { market, side: 'buy', amount: '0.02', price });
    sandbox.clock.advance(20 * minuteMs);
  }
  return sandbox;
}

describe('the trades of a market', () => {
  it('have every execution of the ledger, and those of the sandbox itself', async () => {
    const sandbox = await traded(4 * hourMs);
    const trades = sandbox.market(market).trades();
    const { fills } = sandbox.ledger;
    expect(new Set(fills.map(({ role }) => role))).toEqual(new Set(['maker', 'taker']));
    const executed = trades.flatMap(({ id, at, side, price, amount, money, taker_order_id, maker_order_id }) => {
      const of = { id, at, price, amount, money };
      const other = side === 'buy' ? 'sell' : 'buy';
      return [
        ...(taker_order_id === undefined ? [] : [{ ...of, order_id: taker_order_id, side, role: 'taker' }]),
        ...(maker_order_id === undefined ? [] : [{ ...of, order_id: maker_order_id, side: other, role: 'maker' }]),
      ];
    });
    expect(fills).toMatchObject(executed);
    expect(fills).toHaveLength(executed.length);
    const own = trades.filter((trade) => trade.taker_order_id === undefined && trade.maker_order_id === undefined);
    expect(own.length).toBeGreaterThan(1000);
    expect(trades.map(({ id }) => id)).toEqual([...new Set(trades.map(({ id }) => id))].sort((a, b) => a - b));
    expect(trades.map(({ at }) => at)).toEqual(trades.map(({ at }) => at).sort((a, b) => a - b));
  });

  it('begin with the initial price, follow a price that is set, and stop while the market is closed', async () => {
    const sandbox = createSandbox({ clock: 'manual', volatility: 0 });
    const controls = sandbox.market(market);
    expect(controls.trades()).toMatchObject([{ price: '60000', amount: '0.0001', at: sandbox.clock.now() }]);
    sandbox.clock.advance(hourMs);
    expect(controls.trades()).toHaveLength(1);
    controls.setPrice('58900');
    expect(controls.trades().at(-1)).toMatchObject({ side: 'sell', price: '58900', money: '5.89' });
    expect(await tickerOf(sandbox)).toMatchObject({ last_price: '58900', change: '-1.83', isFrozen: false });
    controls.setTradesEnabled(false);
    expect(await tickerOf(sandbox)).toMatchObject({ isFrozen: true });
  });

  it('are the newest 10000 to 20000, while candles and the ticker have older ones, too', () => {
    let ids = 0;
    const [price, amount] = [decimal('2'), decimal('3')];
    const trade = { side: 'buy', price, amount, rpi: false } as const;
    const tape = new Tape(() => (ids += 1), { ...trade, at: 0 });
    for (let minute = 0; minute < 250; minute += 1) {
      for (let count = 0; count < 100; count += 1) tape.record({ ...trade, at: minute * minuteMs });
    }
    expect([tape.trades.length, tape.trades[0]?.id, tape.last.id]).toEqual([15_000, 10_002, 25_001]);
    expect(tape.day(249 * minuteMs)).toMatchObject({ stock: decimal(75_003), money: decimal(150_006) });
    expect(tape.day(1700 * minuteMs)).toMatchObject({ last: price, stock: decimal(0), change: decimal(0) });
  });
});

const record = ({ id, at, side, price, amount, money, rpi }: SandboxTrade) => ({
  ...{ tradeID: id, price, quote_volume: amount, base_volume: money, type: side, rpi },
  trade_timestamp: Math.floor(at / 1000),
});

it('the recent trades are the newest 100, newest first, with the amount as quote_volume and the money as base_volume', async () => {
  const sandbox = await traded(2 * hourMs);
  const trades = sandbox.market(market).trades().toReversed();
  const path = `/api/v4/public/trades/${market}`;
  expect(await read(sandbox, path)).toEqual(trades.slice(0, 100).map(record));
  for (const type of ['buy', 'sell']) {
    const ofType = trades.filter(({ side }) => side === type).slice(0, 100);
    expect(ofType).toHaveLength(100);
    expect(await read(sandbox, `${path}?type=${type}`)).toEqual(ofType.map(record));
  }
});

it.each([3, 25])(
  'the ticker after %i hours: last price, volumes and change of 1440 minutes of trades',
  async (hours) => {
    const sandbox = await traded(hours * hourMs, minuteMs);
    const now = sandbox.clock.now();
    const trades = sandbox.market(market).trades();
    const inDay = trades.filter(({ at }) => Math.floor(at / minuteMs) > Math.floor(now / minuteMs) - 1440);
    const [first, last] = [inDay[0]?.price ?? '', inDay.at(-1)?.price ?? ''];
    expect(await tickerOf(sandbox)).toEqual({
      base_id: 1,
      quote_id: 825,
      last_price: last,
      base_volume: sum(inDay.map(({ amount }) => amount)),
      quote_volume: sum(inDay.map(({ money }) => money)),
      isFrozen: false,
      change: new BigNumber(last).minus(first).dividedBy(first).times(100).decimalPlaces(2).toFixed(),
    });
    expect(inDay.length < trades.length).toBe(hours > 24);
  },
);

describe('candles', () => {
  const sixHours = traded(6 * hourMs);

  it.each([
    ['1s', 1],
    ['10s', 10],
    ['1m', 60],
    ['5m', 300],
    ['30m', 1800],
    ['1h', 3600],
    ['2h', 7200],
  ])('of %s are the closed ones, oldest first, computed from the trades', async (interval, seconds) => {
    const sandbox = await sixHours;
    const expected = candlesFrom(sandbox.market(market).trades(), seconds, sandbox.clock.now());
    expect(await candlesOf(sandbox, `interval=${interval}`)).toEqual(expected.slice(-1440));
    const [start, end] = [expected.at(-9)?.[0] ?? 0, expected.at(-4)?.[0] ?? 0];
    if (expected.length < 10) return;
    expect(await candlesOf(sandbox, `interval=${interval}&start=${start}&end=${end}`)).toEqual(expected.slice(-9, -3));
    expect(await candlesOf(sandbox, `interval=${interval}&start=${start}&limit=2`)).toEqual(expected.slice(-9, -7));
    expect(await candlesOf(sandbox, `interval=${interval}&end=${end}&limit=2`)).toEqual(expected.slice(-5, -3));
  });

  it('have an hour as their default interval, and no candle of the time before the market or of the future', async () => {
    const sandbox = await traded(3 * hourMs);
    const hours = await candlesOf(sandbox, 'start=0');
    expect(hours).toEqual(candlesFrom(sandbox.market(market).trades(), 3600, sandbox.clock.now()));
    expect(hours).toHaveLength(3);
    expect(await candlesOf(sandbox, `start=${sandbox.clock.now() / 1000 + 1}`)).toEqual([]);
    expect(await candlesOf(sandbox, 'end=1000')).toEqual([]);
  });

  it('of days, weeks and months begin at midnight, on Mondays and on the first day', async () => {
    const markets = [{ name: market, price: '60000' }];
    const sandbox = createSandbox({ clock: 'manual', tickMs: hourMs, history: 0, markets });
    for (let day = 0; day < 70; day += 1) sandbox.clock.advance(24 * hourMs);
    const beginsOf = async (interval: string) =>
      (await candlesOf(sandbox, `interval=${interval}`)).map(([time]) =>
        new Date(time * 1000).toISOString().slice(0, 10),
      );
    expect((await beginsOf('1d')).slice(0, 2)).toEqual(['2026-01-01', '2026-01-02']);
    expect(await beginsOf('1M')).toEqual(['2026-01-01', '2026-02-01']);
    expect((await beginsOf('1w')).slice(0, 3)).toEqual(['2025-12-29', '2026-01-05', '2026-01-12']);
    expect(await beginsOf('1w')).toHaveLength(10);
    expect((await beginsOf('3d')).slice(0, 2)).toEqual(['2026-01-01', '2026-01-04']);
  });
});

describe('the order book', () => {
  const still = () => createSandbox({ clock: 'manual', volatility: 0 });
  const rest = (sandbox: Sandbox, fields: object) => sendRaw({ sandbox }, limit, { market, amount: '0.02', ...fields });

  it('has the levels that a taker trades with, the best first, at most 100', async () => {
    const sandbox = still();
    const { asks, bids, ...rest } = await read<Book & object>(sandbox, `/api/v4/public/orderbook/${market}`);
    expect(rest).toEqual({ ticker_id: market, timestamp: sandbox.clock.now() / 1000 });
    expect([asks.length, bids.length]).toEqual([60, 60]);
    expect([asks[0], bids[0]]).toEqual(levels('60015 0.5, 59985 0.5'));
    await sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.7' });
    expect((await bookOf(sandbox)).asks.slice(0, 2)).toEqual(levels('60045 0.3, 60075 0.5'));
    expect(sandbox.ledger.fills.map(({ price, amount }) => [price, amount])).toEqual(levels('60015 0.5, 60045 0.2'));
    for (const query of ['?limit=0', '?limit=', '?limit=100'])
      expect((await bookOf(sandbox, query)).bids).toHaveLength(60);
    sandbox.market(market).setDepth({ levels: 150, step: 0.0005, size: '0.1' });
    expect((await bookOf(sandbox)).bids).toHaveLength(100);
    expect((await bookOf(sandbox, '?limit=7')).asks).toHaveLength(7);
  });

  it('has the orders of accounts, those of one price together, and no RPI order', async () => {
    const sandbox = still();
    for (const price of ['60000', '60000', '59985']) await rest(sandbox, { side: 'buy', price });
    await rest(sandbox, { side: 'sell', price: '60010', rpi: true });
    const book = await bookOf(sandbox);
    expect(book.bids.slice(0, 2)).toEqual(levels('60000 0.04, 59985 0.52'));
    expect(book.asks[0]).toEqual(['60015', '0.5']);
    await sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.01' });
    expect(sandbox.market(market).trades().at(-1)).toMatchObject({ price: '60010', rpi: true, side: 'buy' });
  });

  it('groups by a price step of ten times more with each level: bids rounded down, asks up', async () => {
    const sandbox = still();
    const [asks, bids] = [levels('60100 1.5, 60200 2'), levels('59900 1.5, 59800 2')];
    expect(await bookOf(sandbox, '?level=4&limit=2')).toMatchObject({ asks, bids });
    expect(await bookOf(sandbox, '?level=99')).toEqual(await bookOf(sandbox, '?level=10'));
    expect(await bookOf(sandbox, '?level=-1')).toEqual(await bookOf(sandbox));
  });

  it('as depth has every level within 2 % of the last price', async () => {
    const sandbox = still();
    const depth = await read<Book>(sandbox, `/api/v4/public/orderbook/depth/${market}`);
    const book = await bookOf(sandbox);
    const near = ([price]: [string, string]) => Math.abs(Number(price) - 60_000) <= 1200;
    expect(depth).toEqual({ ...book, asks: book.asks.filter(near), bids: book.bids.filter(near) });
    expect([depth.asks.length, depth.bids.length]).toEqual([40, 40]);
  });

  it('is never traded through: no taker of the sandbox passes a better order of an account', async () => {
    const sandbox = createSandbox({ clock: 'manual', history: 0, seed: 2, volatility: 0.000_000_5 });
    await rest(sandbox, { side: 'buy', price: '59995' });
    await rest(sandbox, { side: 'sell', price: '60005' });
    sandbox.clock.advance(10 * minuteMs);
    const resting = sandbox.ledger.orders.filter(({ status }) => status === 'NEW');
    expect(resting).toHaveLength(2);
    expect(sandbox.market(market).trades()).toHaveLength(1);
    for (const { order_id } of resting)
      await sendRaw({ sandbox }, '/api/v4/order/cancel', { market, orderId: order_id });
    sandbox.clock.advance(10 * minuteMs);
    expect(sandbox.market(market).trades().length).toBeGreaterThan(50);
  });
});
