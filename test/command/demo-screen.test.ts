// The screen of `npm start`: an order book below what it shows of requests, on 80 by 24 characters.
import type { Health, LiveOrderBook } from 'exchange-rx';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bookTable } from '../../src/cli/market/book-view.js';
import { formatScreen, type View } from '../../src/cli/demo/view.js';
import { createColors } from '../../src/cli/terminal/index.js';

const plain = createColors(false);
const colored = createColors(true);

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
  ...{ state: 'degraded', reason: 'unavailable', since: 0, successRatio: 1 },
  latency: { lastMs: 12.5, p50Ms: 1, p99Ms: 2 },
};

const assets = ['BTC', 'ETH', 'LTC', 'USDT', 'XLM'];
const balance = Object.fromEntries(assets.map((asset) => [asset, { main_balance: '123456.12345678' }]));
const latencies = Array.from({ length: 200 }, () => 9999.9);
const view: View = {
  health,
  balance: { balance, changes: [], readAt: 1, stale: true, staleAssets: [] },
  statistics: { requests: { public: 123_456 }, retried: 99, found: 0, latencies },
  book: {
    ...book,
    asks: Array.from({ length: 4 }, (_, index) => [`6000${index}.12`, '0.12345678']),
    bids: Array.from({ length: 4 }, (_, index) => [`5999${9 - index}.12`, '0.12345678']),
  },
  bot: { trades: [], prices: [60_000.5] },
};

describe('the screen', () => {
  it('fits on 80 by 24 characters, with and without colors', () => {
    for (const colors of [plain, colored]) {
      const lines = stripVTControlCharacters(formatScreen(view, colors).value).split('\n');
      // One line is left for the cursor.
      expect(lines.length).toBeLessThanOrEqual(23);
      for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(80);
    }
  });

  it('shows health, requests, balances, the last price and the book', () => {
    const screen = formatScreen(view, plain).value;
    for (const part of [
      'degraded (unavailable)',
      'ping          12.5 ms',
      '123456, retries 99',
      '123456.12345678 XLM (stale)',
      'last price 60000.50',
      'ask  60003.12  0.12345678',
      'bid  59999.12  0.12345678',
      'Ctrl-C to stop',
    ])
      expect(screen).toContain(part);
  });
});
