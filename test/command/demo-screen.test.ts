// The screen of `npm start`: an order book and a candle chart beside what it shows of requests, on 80 by 24 characters.
import type { Candle, Health, LiveOrderBook } from 'exchange-rx';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bookTable } from '../../src/cli/market/book-table.js';
import { candleChart } from '../../src/cli/market/candle-chart.js';
import { formatScreen, type View } from '../../src/cli/demo/view.js';
import { createColors } from '../../src/cli/terminal/index.js';

const plain = createColors(false);
const colored = createColors(true);

const candle = (
  time: number,
  open: number,
  close: number,
  high = Math.max(open, close),
  low = Math.min(open, close),
) => ({
  time,
  open: String(open),
  close: String(close),
  high: String(high),
  low: String(low),
});

describe('the candle chart', () => {
  it('draws bodies and wicks, and distinguishes rising, falling and unchanged candles without colors', () => {
    const candles = [candle(1, 100, 103, 104), candle(2, 103, 101, 103, 100), candle(3, 102, 102)];
    expect(
      candleChart(candles, 5, plain)
        .value.split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual(['    104.00 │', '           █ ▒', '           █ ▒ ━', '           █ ▒', '    100.00 █ │']);
  });

  it('paints them with colors and keeps the same characters', () => {
    const candles = [candle(1, 100, 103), candle(2, 103, 101)];
    const painted = candleChart(candles, 4, colored).value;
    expect(painted).toContain('\u001b[32m█');
    expect(painted).toContain('\u001b[31m▒');
    expect(stripVTControlCharacters(painted)).toBe(candleChart(candles, 4, plain).value);
  });

  it('draws candles of one price, and an empty chart', () => {
    expect(candleChart([candle(1, 5, 5)], 3, plain).value).toContain('5.00 ━');
    expect(candleChart([], 3, plain).value).toBe('no candles yet');
  });
});

const book: LiveOrderBook = {
  ...{ market: 'BTC_USDT', status: 'live', since: 1, receivedAt: 1, updateId: 1, engineTime: 1, eventTime: 1 },
  asks: [
    ['101', '1.5'],
    ['102', '2'],
  ],
  bids: [['99', '3']],
};

describe('the order book', () => {
  it('lists asks above bids, the best ones in the middle', () => {
    const lines = bookTable(book, plain).value.split('\n');
    expect(lines.map((line) => line.split(/ +/).filter((word) => word !== ''))).toEqual([
      ['price', 'amount'],
      ['ask', '102', '2'],
      ['ask', '101', '1.5'],
      ['bid', '99', '3'],
    ]);
  });

  it('says that it is stale, or missing', () => {
    expect(bookTable({ ...book, status: 'stale' }, plain).value).toMatch(/^stale +price/);
    expect(bookTable(undefined, plain).value).toBe('no order book');
  });

  it('replaces an amount that is too long', () => {
    const long: LiveOrderBook = { ...book, asks: [], bids: [['1', '9'.repeat(80)]] };
    expect(bookTable(long, plain).value).toContain('(80 characters, not shown)');
  });
});

const health: Health = {
  state: 'degraded',
  reason: 'unavailable',
  since: 0,
  latency: { lastMs: 12.5, p50Ms: 1, p99Ms: 2 },
  successRatio: 1,
};

const view: View = {
  health,
  balance: {
    balance: Object.fromEntries(
      ['BTC', 'ETH', 'LTC', 'USDT', 'XLM'].map((asset) => [asset, { main_balance: '123456.12345678' }]),
    ),
    changes: [],
    readAt: 1,
    stale: true,
    staleAssets: [],
  },
  statistics: {
    requests: { public: 123_456 },
    retried: 99,
    found: 0,
    latencies: Array.from({ length: 200 }, () => 9999.9),
  },
  market: {
    interval: '1s',
    book: {
      ...book,
      asks: Array.from({ length: 4 }, (_, index) => [`6000${index}.12`, '0.12345678']),
      bids: Array.from({ length: 4 }, (_, index) => [`5999${9 - index}.12`, '0.12345678']),
    },
    candles: Array.from({ length: 20 }, (_, index): Candle => candle(index, 60_000 + index, 60_010 - index)),
  },
  bot: { trades: [], prices: [60_000.5] },
};

const { bot: _bot, ...readOnly } = view;

describe('the screen', () => {
  it.each([
    ['with a bot', view],
    ['read-only', readOnly],
  ])('fits on 80 by 24 characters, with and without colors: %s', (_what, shown) => {
    for (const colors of [plain, colored]) {
      const lines = stripVTControlCharacters(formatScreen(shown, colors).value).split('\n');
      // One line is left for the cursor.
      expect(lines.length).toBeLessThanOrEqual(23);
      for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(80);
    }
  });

  it('shows health, requests, balances, the last price, the candles and the book', () => {
    const screen = formatScreen(view, plain).value;
    for (const part of [
      'degraded (unavailable)',
      'ping          12.5 ms',
      '123456, retries 99',
      '123456.12345678 XLM (stale)',
      'last price 60000.50',
      'BTC_USDT, candles of 1s',
      'ask  60003.12  0.12345678',
      'bid  59999.12  0.12345678',
      'Ctrl-C to stop',
    ])
      expect(screen).toContain(part);
    expect(screen).toMatch(/^latency \S/m);
  });
});
