// `npm start`: its screen on 80 by 24 characters, its bot, and a summary that the ledger confirms.
import { createExchange, type Health, type HistoricalOrder, type LiveOrderBook } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { stripVTControlCharacters } from 'node:util';
import { firstValueFrom, lastValueFrom, Subject, takeUntil, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { trade, type BotState } from '../../src/cli/demo/bot.js';
import { reconcile } from '../../src/cli/demo/reconcile.js';
import { requestStatistics } from '../../src/cli/demo/request-statistics.js';
import { summarize } from '../../src/cli/demo/summary.js';
import { formatScreen, type View } from '../../src/cli/demo/view.js';
import { bookTable } from '../../src/cli/market/book-view.js';
import { createColors } from '../../src/cli/terminal/index.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

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

const update = (price: number, status: LiveOrderBook['status'] = 'live'): LiveOrderBook => ({
  ...{ ...book, status },
  asks: [[String(price + 1), '1']],
  bids: [[String(price - 1), '1']],
});

function startBot() {
  const sandbox = createSandbox({ volatility: 0 });
  const [book$, stop$] = [new Subject<LiveOrderBook>(), new Subject<void>()];
  const states: BotState[] = [];
  let isComplete = false;
  trade(createExchange(sandbox.clientOptions()), book$, stop$).subscribe({
    next: (state) => states.push(state),
    complete: () => {
      isComplete = true;
    },
  });
  const show = async (prices: readonly number[]) => {
    for (const price of prices) {
      book$.next(update(price));
      await vi.advanceTimersByTimeAsync(120);
    }
  };
  const orders = () => sandbox.ledger.orders.filter(({ collateral }) => !collateral);
  return { sandbox, book$, stop$, states, show, orders, isComplete: () => isComplete };
}

describe('the bot of the demo', () => {
  it('places no order before there is an order book', async () => {
    const { sandbox } = startBot();
    await vi.advanceTimersByTimeAsync(2000);
    expect(sandbox.ledger.orders).toEqual([]);
  });

  it('buys below the average of the recent prices, and sells above it', async () => {
    const { show, orders } = startBot();
    await show(Array.from({ length: 12 }, () => 60_000));
    const before = orders().length;
    await show([59_000, 58_000, 57_000]);
    expect(
      orders()
        .slice(before)
        .map(({ side }) => side),
    ).toEqual(['buy', 'buy', 'buy']);
    const falling = orders().length;
    await show([61_000, 62_000, 63_000]);
    const rising = orders().slice(falling);
    expect(rising.length).toBeGreaterThan(0);
    for (const { side } of rising) expect(side).toBe('sell');
  });

  it('places no order while the order book is stale, or has no bids', async () => {
    const { book$, show, orders } = startBot();
    await show([60_000]);
    const before = orders().length;
    book$.next(update(60_000, 'stale'));
    await vi.advanceTimersByTimeAsync(1000);
    book$.next({ ...update(60_000), asks: [['1', '1']], bids: [] });
    await vi.advanceTimersByTimeAsync(1000);
    expect(orders()).toHaveLength(before);
    await show([60_000]);
    expect(orders().length).toBeGreaterThan(before);
  });

  it('makes no decision while an order is in flight, and waits for it at the end', async () => {
    const { sandbox, stop$, states, show, orders, isComplete } = startBot();
    sandbox.fault({ kind: 'slow', path: '/api/v4/order/stock_market', delayMs: 1500 });
    await show([60_000, 60_000, 60_000]);
    expect(sandbox.ledger.requests.filter(({ path }) => path.includes('/order/'))).toHaveLength(1);
    stop$.next();
    expect(isComplete()).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect([isComplete(), orders().length, states.at(-1)?.trades.length]).toEqual([true, 1, 1]);
  });
});

const order = (side: 'buy' | 'sell', deal_money: string, deal_fee: string) =>
  ({ market: 'BTC_USDT', side, deal_stock: '0.1', deal_money, deal_fee }) as HistoricalOrder;
const bought = order('buy', '6000', '6');
const sold = order('sell', '6100', '6.1');
const before = { BTC: '1', USDT: '10000' };
const after = { BTC: '1', USDT: '10087.9' };
const bot = { trades: [], prices: [] };
const none = { requests: {}, retried: 0, found: 0, latencies: [] };

describe('the summary', () => {
  it('is reconciled when the orders explain the balances to the last decimal', () => {
    const assets = reconcile(before, after, [bought, sold]);
    expect(assets.map(({ asset, traded, agrees }) => [asset, traded, agrees])).toEqual([
      ['BTC', '0', true],
      ['USDT', '87.9', true],
    ]);
    expect(summarize(bot, none, assets, true).value).toContain('\nReconciled: ');
  });

  it.each([
    ['an order that only the ledger has', before, after, [bought]],
    ['a difference in the last decimal', before, { ...after, USDT: '10087.90000001' }, [bought, sold]],
    ['an asset that no order traded', before, { ...after, XLM: '1' }, [bought, sold]],
  ])('is not reconciled with %s', (_, ledgerBefore, ledgerAfter, orders) => {
    const assets = reconcile(ledgerBefore, ledgerAfter, orders);
    expect(assets.some(({ agrees }) => !agrees)).toBe(true);
    const text = summarize(bot, none, assets, true).value;
    expect(text).toContain('DIFFERENT');
    expect(text).toContain('NOT RECONCILED');
  });

  it('is not reconciled when the main balance changed, which the bot never uses', () => {
    const text = summarize(bot, none, reconcile(before, after, [bought, sold]), false).value;
    expect(text).toContain('Main balance: CHANGED');
    expect(text).toContain('NOT RECONCILED');
  });
});

it('the statistics of requests count the requests of each rate limit as the ledger has them, and the retries, also of a rejected limit', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), maxInFlight: 1 });
  const counted = lastValueFrom(requestStatistics(exchange.events$).pipe(takeUntil(timer(120_000))));
  sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', status: 503, times: 1 });
  sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance', status: 429, times: 1 });
  const calls = [exchange.public.ping(), exchange.account.mainBalance(), exchange.public.markets()];
  const outputs = Promise.all(calls.map((call) => firstValueFrom<unknown>(call)));
  await vi.advanceTimersByTimeAsync(120_000);
  await outputs;
  const { requests, retried, found, latencies } = await counted;
  const sent = sandbox.ledger.requests.length;
  expect(Object.values(requests).reduce((sum, count) => sum + count, 0)).toBe(sent);
  expect({ retried, found, responses: latencies.length }).toEqual({ retried: 2, found: 0, responses: sent });
});
