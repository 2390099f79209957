// Live and polled streams of one sandbox say the same, over a random run and through lost connections.
import { createExchange, watchCandles, watchOrderBook, watchTicker, watchTrades, type Exchange } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../src/sandbox/random.js';
import { collect } from './scripted.js';

const market = 'BTC_USDT';
const live = true;

let sandbox: Sandbox;
let exchange: Exchange;
const seed = 1;

beforeEach(() => {
  sandbox = createSandbox({ clock: 'manual', seed });
  vi.useFakeTimers({ now: sandbox.clock.now() });
  exchange = createExchange(sandbox.clientOptions());
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass for both sides, trades, and cuts connections at random. */
async function run(seconds: number, everyTick: () => void | Promise<void> = () => undefined): Promise<void> {
  const random = createRandom(seed);
  for (let tick = 0; tick < seconds * 10; tick += 1) {
    if (random() < 0.01) sandbox.liveFault({ kind: 'cut', afterFrames: Math.floor(random() * 5) });
    if (random() < 0.3) sandbox.market(market).setPrice(String(60_000 + Math.floor(random() * 400)));
    sandbox.clock.advance(100);
    await vi.advanceTimersByTimeAsync(100);
    await everyTick();
  }
}

describe('live and polled streams agree', () => {
  it('about trades: each comes once', async () => {
    const items = collect(watchTrades(exchange, market, { live, history: true }));
    const polled = collect(watchTrades(exchange, market, { history: true }));
    await run(60);
    const ids = (all: typeof items) => all.flatMap((item) => (item.kind === 'trade' ? [item.trade.tradeID] : []));
    const traded = sandbox.market(market).trades();
    expect(ids(items).toSorted()).toEqual([...new Set(ids(items))].toSorted());
    expect(items.filter(({ kind }) => kind === 'gap')).toEqual([]);
    // The newest of each road may be on its way.
    const until = traded.at(-1)?.at ?? 0;
    const due = traded.filter(({ at }) => at < until - 3000).map(({ id }) => id);
    expect(due.length).toBeGreaterThan(40);
    expect(ids(items)).toEqual(expect.arrayContaining(due));
    const byId = new Map(polled.flatMap((item) => (item.kind === 'trade' ? [[item.trade.tradeID, item.trade]] : [])));
    for (const item of items)
      if (item.kind === 'trade' && byId.has(item.trade.tradeID))
        expect(item.trade).toEqual(byId.get(item.trade.tradeID));
  });

  it('about the order book, whenever the live one is not stale', async () => {
    const updates = collect(watchOrderBook(exchange, market, { live, limit: 25, everyMs: 50 }));
    let compared = 0;
    let seen = 0;
    await run(20, async () => {
      const last = updates.at(-1);
      if (last?.book === undefined || last.stale || updates.length === seen) return;
      seen = updates.length;
      const book = await firstValueFrom(exchange.public.orderBook({ market, limit: 25 }));
      expect({ asks: last.book.asks, bids: last.book.bids }).toEqual({ asks: book.asks, bids: book.bids });
      compared += 1;
    });
    expect(compared).toBeGreaterThan(50);
    // Few of them were polled.
    expect(updates.length).toBeLessThan(400);
  });

  it('about the ticker, whenever the live one is new', async () => {
    const updates = collect(watchTicker(exchange, market, { live, everyMs: 50 }));
    let compared = 0;
    let seen = 0;
    await run(60, async () => {
      const last = updates.at(-1);
      if (last?.stale !== false || updates.length === seen) return;
      seen = updates.length;
      const tickers = await firstValueFrom(exchange.public.tickers());
      const { isFrozen, base_id, quote_id, ...ticker } = tickers[market] ?? {};
      expect(isFrozen).toBe(false);
      expect(last.ticker).toMatchObject(ticker);
      // The first live value may be faster than the first poll.
      if (compared > 0) expect(last.ticker).toMatchObject({ base_id, quote_id });
      compared += 1;
    });
    expect(compared).toBeGreaterThan(30);
  });

  it.each([
    ['1s', 20, 10],
    ['10s', 65, 4],
    ['1m', 130, 2],
  ] as const)('about closed candles of %s', async (interval, seconds, least) => {
    const items = collect(watchCandles(exchange, market, interval, { live, history: 3 }));
    const polled = collect(watchCandles(exchange, market, interval, { history: 3 }));
    await run(seconds);
    const closed = (all: typeof items) => all.flatMap((item) => (item.kind === 'closed' ? [item.candle] : []));
    const count = Math.min(closed(items).length, closed(polled).length);
    expect(count).toBeGreaterThanOrEqual(least);
    expect(closed(items).slice(0, count)).toEqual(closed(polled).slice(0, count));
    expect(items.filter(({ kind }) => kind === 'gap' || kind === 'error')).toEqual([]);
    expect(items.some(({ kind }) => kind === 'current')).toBe(true);
  });
});
