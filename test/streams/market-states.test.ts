// The ticker and the order book: what cannot be true is never shown as current.
import { createExchange, watchOrderBook, watchTicker } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, scripted } from './scripted.js';

const market = 'BTC_USDT';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('watchTicker', () => {
  it('emits the ticker of the market every second', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const updates = collect(watchTicker(createExchange(sandbox.clientOptions()), 'ETH_USDT'));
    await vi.advanceTimersByTimeAsync(500);
    sandbox.market('ETH_USDT').setPrice('3100');
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates.map(({ ticker }) => ticker?.last_price)).toEqual(['3000', '3100']);
  });

  const ticker = { last_price: '60000', base_volume: '1' };

  it.each([
    ['a market that has vanished', { ETH_USDT: ticker }, 'no readable ticker'],
    ['an unreadable ticker', { [market]: { last_price: null }, ETH_USDT: ticker }, 'no readable ticker'],
    ['a price of zero', { [market]: { last_price: '0' } }, 'not above 0'],
    ['no ticker at all', {}, 'no readable ticker'],
  ])('is stale for %s, and shows the ticker again when it is back', async (_what, odd, message) => {
    const { exchange } = scripted([{ [market]: ticker }, odd, { [market]: { ...ticker, last_price: '60001' } }]);
    const updates = collect(watchTicker(exchange, market, { random: () => 0 }));
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates).toMatchObject([
      { ticker, stale: false },
      { ticker, stale: true, error: { kind: 'response', endpoint: 'public.tickers' } },
      { ticker: { last_price: '60001' }, stale: false },
    ]);
    expect(updates[1]?.error?.message).toContain(message);
  });
});

describe('watchOrderBook', () => {
  it('emits the levels that were requested, ten times a second', async () => {
    const sandbox = createSandbox();
    const updates = collect(watchOrderBook(createExchange(sandbox.clientOptions()), market, { limit: 3, level: 1 }));
    await vi.advanceTimersByTimeAsync(950);
    expect(updates).toHaveLength(10);
    expect(updates[0]?.book?.asks).toHaveLength(3);
    expect(updates[0]?.book?.bids).toHaveLength(3);
    expect(sandbox.ledger.requests[0]?.path).toContain(`/orderbook/${market}`);
  });

  const book = { ticker_id: market, timestamp: 1, asks: [['101', '1']], bids: [['99', '1']] };

  it.each([
    ['an empty book', { ...book, asks: [], bids: [] }],
    ['a crossed book', { ...book, bids: [['102', '1']] }],
    ['an unsorted book', { ...book, asks: [...book.asks, ['100', '1']] }],
    ['an unreadable level', { ...book, asks: [['x', '1']] }],
    ['an amount of zero', { ...book, asks: [['101', '0']] }],
    ['a negative amount', { ...book, bids: [['99', '-1']] }],
    ['the book of another market', { ...book, ticker_id: 'ETH_USDT' }],
    ['no book', {}],
  ])('is stale for %s, and never shows it', async (_what, odd) => {
    const { exchange } = scripted([odd, book, odd, { ...book, bids: [] }]);
    const updates = collect(watchOrderBook(exchange, market, { random: () => 0 }));
    await vi.advanceTimersByTimeAsync(350);
    expect(updates).toMatchObject([
      { book: undefined, readAt: undefined, stale: true, error: { kind: 'response' } },
      { book, stale: false },
      { book, stale: true, error: { kind: 'response' } },
      // One side may be empty: nobody sells, or nobody buys.
      { book: { asks: book.asks, bids: [] }, stale: false },
    ]);
  });

  it('is stale for a book that is older than the last one, and tolerates a second', async () => {
    const now = Math.floor(Date.now() / 1000);
    const at = (timestamp: number) => ({ ...book, timestamp });
    const { exchange } = scripted([at(now), at(now - 1), at(now - 3600), at(now - 2), at(now + 1)]);
    const updates = collect(watchOrderBook(exchange, market, { random: () => 0 }));
    await vi.advanceTimersByTimeAsync(450);
    expect(updates.map(({ stale }) => stale)).toEqual([false, false, true, true, false]);
    expect(updates[3]).toMatchObject({ book: { timestamp: now - 1 }, error: { kind: 'response' } });
  });

  it('goes on after a book with a time far in the future', async () => {
    const now = Math.floor(Date.now() / 1000);
    const { exchange } = scripted([
      { ...book, timestamp: 9_999_999_999 },
      { ...book, timestamp: now },
    ]);
    const updates = collect(watchOrderBook(exchange, market, { random: () => 0 }));
    await vi.advanceTimersByTimeAsync(150);
    expect(updates.map(({ stale }) => stale)).toEqual([false, false]);
  });

  it('rejects a limit and a level out of range', () => {
    const { exchange } = scripted([book]);
    expect(() => watchOrderBook(exchange, market, { limit: 101 })).toThrow(
      'limit 101 must be an integer from 1 to 100',
    );
    expect(() => watchOrderBook(exchange, market, { level: 6 })).toThrow('level 6 must be an integer from 0 to 5');
  });
});
