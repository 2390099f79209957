// The tape of a market: each trade once, and a gap where some may be missing.
import { createExchange, watchTrades, type TradeItem } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, scripted } from './scripted.js';

const market = 'BTC_USDT';

/** The time of the first poll, Unix seconds. */
const start = 1_790_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: start * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const trade = (tradeID: number, trade_timestamp = tradeID) => ({
  tradeID,
  trade_timestamp,
  price: '60000',
  quote_volume: '1',
  type: 'buy',
});
/** A page, newest first. */
const page = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => trade(to - index));

/** The numbers of the trades, and the other items as they are. */
const shortened = (items: readonly TradeItem[]) =>
  items.map((item) => (item.kind === 'trade' ? item.trade.tradeID : item.kind === 'gap' ? item : item.kind));

async function itemsOf(bodies: readonly unknown[], history = true): Promise<unknown[]> {
  const { exchange } = scripted(bodies);
  const items = collect(watchTrades(exchange, market, { history, random: () => 0 }));
  await vi.advanceTimersByTimeAsync(bodies.length * 1000 - 500);
  return shortened(items);
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('watchTrades', () => {
  it('emits each trade once, oldest first', async () => {
    expect(await itemsOf([page(1, 3), page(1, 3), page(2, 5), page(4, 7)])).toEqual(numbers(1, 7));
  });

  it('emits later trades only, without history', async () => {
    expect(await itemsOf([page(1, 3), page(1, 5)], false)).toEqual([4, 5]);
  });

  it('emits the first trade of a market that had none', async () => {
    expect(await itemsOf([[], page(1, 1)], false)).toEqual([1]);
  });

  it('misses no trade while 99 arrive between two polls', async () => {
    expect(await itemsOf([page(1, 100), page(100, 199)])).toEqual(numbers(1, 199));
  });

  it('reports a gap, with its times, before the trades after it', async () => {
    expect(await itemsOf([page(1, 100), page(151, 250)])).toEqual([
      ...numbers(1, 100),
      { kind: 'gap', reason: 'overflow', from: 100, to: 151 },
      ...numbers(151, 250),
    ]);
  });

  it('reports a gap when 100 new trades arrived: whether one is missing cannot be known', async () => {
    expect(await itemsOf([page(1, 100), page(101, 200)], false)).toEqual([
      { kind: 'gap', reason: 'overflow', from: 100, to: 101 },
      ...numbers(101, 200),
    ]);
  });

  it('reports no gap while a market has fewer trades than a page', async () => {
    expect(await itemsOf([[], page(1, 99)], false)).toEqual(numbers(1, 99));
  });

  it('reports a gap after polls that failed for too long, and none after those that did not', async () => {
    expect(await itemsOf([page(1, 100), 503, page(90, 189)], false)).toEqual(['error', ...numbers(101, 189)]);
    const long = await itemsOf([page(1, 100), 503, page(301, 400)], false);
    expect(long.slice(0, 2)).toEqual(['error', { kind: 'gap', reason: 'overflow', from: 100, to: 301 }]);
  });

  it('does not rely on the order of numbers: a later trade may have a lower one', async () => {
    const pages = [
      [trade(70, 2), trade(80, 1)],
      [trade(10, 4), trade(90, 3), trade(70, 2), trade(80, 1)],
    ];
    expect(await itemsOf(pages)).toEqual([80, 70, 90, 10]);
  });

  it('emits a trade that is listed late, with an older number, among others', async () => {
    expect(
      await itemsOf([
        [trade(5), trade(3)],
        [trade(6), trade(5), trade(4), trade(3)],
      ]),
    ).toEqual([3, 5, 4, 6]);
  });

  it('emits nothing twice when a response is older than the one before', async () => {
    expect(await itemsOf([page(1, 100), page(51, 150), page(1, 100), page(61, 160)])).toEqual(numbers(1, 160));
  });

  it('emits a trade once that a page lists twice', async () => {
    expect(await itemsOf([[], [trade(2), trade(1), trade(2), trade(1)]])).toEqual([1, 2]);
  });

  it('reports a gap for a full page of new trades that lists each of them twice', async () => {
    const doubled = [...page(201, 250), ...page(201, 250)];
    expect((await itemsOf([page(1, 100), doubled], false))[0]).toMatchObject({ kind: 'gap', reason: 'overflow' });
  });

  it('reports a gap for a trade that cannot be read, and none for the same one again', async () => {
    const odd = { tradeID: null };
    const items = await itemsOf([page(1, 2), [odd, ...page(1, 2)], [odd, ...page(1, 2)], page(1, 3)]);
    expect(items).toEqual([1, 2, { kind: 'gap', reason: 'unreadable', from: 1, to: start + 1 }, 3]);
  });

  it('reports a gap when a trade of the history cannot be read, or when the first trades are too many', async () => {
    expect(await itemsOf([[{ tradeID: null }, ...page(1, 2)]])).toEqual([
      { kind: 'gap', reason: 'unreadable', from: 0, to: expect.any(Number) as number },
      1,
      2,
    ]);
    expect((await itemsOf([[], page(1, 100)]))[0]).toEqual({ kind: 'gap', reason: 'overflow', from: 0, to: 1 });
  });

  it('reports a gap that holds the time of an unreadable trade, also when it is the newest or listed late', async () => {
    const odd = { ...trade(start), price: null };
    const newest = await itemsOf([page(1, 2), [odd, ...page(1, 2)]], false);
    expect(newest).toEqual([{ kind: 'gap', reason: 'unreadable', from: 1, to: start + 1 }]);
    const late = await itemsOf(
      [
        [trade(5), trade(1)],
        [trade(5), { ...trade(3), price: null }, trade(1)],
      ],
      false,
    );
    expect(late).toMatchObject([{ kind: 'gap', reason: 'unreadable', from: 1 }]);
  });

  it('reports both gaps of a full page of new trades with an unreadable one', async () => {
    const odd = page(301, 400).map((one) => (one.tradeID === 350 ? { ...one, price: null } : one));
    expect((await itemsOf([page(1, 100), odd], false)).slice(0, 3)).toMatchObject([
      { reason: 'overflow', from: 100, to: 301 },
      { reason: 'unreadable', from: 100 },
      301,
    ]);
  });

  it('reports a gap when one unreadable trade leaves a full page and another one comes', async () => {
    const odd = (number: number) => ({ ...trade(number), price: null });
    const pages = [
      [...page(2, 100), odd(1)],
      [odd(101), ...page(2, 100)],
      [odd(101), ...page(2, 100)],
    ];
    expect(await itemsOf(pages, false)).toMatchObject([{ kind: 'gap', reason: 'unreadable' }]);
  });

  it('emits no trade from before the subscription when the second response is older than the first', async () => {
    expect(await itemsOf([page(101, 200), page(91, 190)], false)).toEqual([]);
    expect(await itemsOf([page(101, 200), page(91, 190)], true)).toEqual(numbers(101, 200));
    expect(await itemsOf([page(101, 200), page(1, 100)], true)).toEqual(numbers(101, 200));
  });

  it('emits trades inside a reported gap when a later response lists them', async () => {
    const items = await itemsOf([page(1, 100), page(151, 250), page(60, 159)], false);
    expect(items.slice(0, 1)).toMatchObject([{ kind: 'gap', from: 100, to: 151 }]);
    expect(items.slice(1)).toEqual([...numbers(151, 250), ...numbers(101, 150)]);
  });

  it('does not run out of numbers to recognize trades by', async () => {
    const pages = Array.from({ length: 250 }, (_, index) => page(index * 90 + 1, index * 90 + 100));
    expect(await itemsOf(pages)).toEqual(numbers(1, 249 * 90 + 100));
  });

  it('emits every trade of the sandbox, also its own ones, exactly once', async () => {
    const sandbox = createSandbox({ seed: 3 });
    const items = collect(watchTrades(createExchange(sandbox.clientOptions()), market, { history: true }));
    for (let second = 0; second < 60; second += 1) {
      sandbox.market(market).setPrice(String(60_000 + second));
      await vi.advanceTimersByTimeAsync(1000);
    }
    const traded = sandbox
      .market(market)
      .trades()
      .map(({ id }) => id);
    await vi.advanceTimersByTimeAsync(2000);
    expect(shortened(items).slice(0, traded.length)).toEqual(traded);
    expect(traded.length).toBeGreaterThan(60);
  });
});
