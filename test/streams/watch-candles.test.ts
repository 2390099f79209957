// The candles of a market: each closed one once, in order, and the current one as it changes.
import { createExchange, watchCandles, type CandleItem } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { candleIntervals, candleSeconds, type CandleInterval } from '../../src/model/candle.js';
import { beginOf, endOf, joinCandles, partsOf } from '../../src/streams/candle-intervals.js';
import { collect, scripted } from './scripted.js';

const market = 'BTC_USDT';
/** A full minute. */
const start = 1_790_000_040;

beforeEach(() => {
  vi.useFakeTimers({ now: start * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** As on the wire: time, open, close, high, low, volumes. */
const row = (
  time: number,
  prices: readonly [open: number, close: number, high: number, low: number] = [1, 1, 1, 1],
) => [time, ...prices.map(String), '1', '2'];

const shortened = (items: readonly CandleItem[]) =>
  items.map((item) =>
    item.kind === 'closed' || item.kind === 'current' ? [item.kind, item.candle.time - start] : item,
  );

/** An exchange with these rows of each interval, by request of the interval. */
function listing(rows: Readonly<Record<string, readonly (readonly unknown[])[]>>) {
  const counts = new Map<string, number>();
  return scripted(({ url }) => {
    const query = new URL(url).searchParams;
    const interval = query.get('interval') ?? '';
    const lists = rows[interval] ?? [[]];
    const index = counts.get(interval) ?? 0;
    counts.set(interval, index + 1);
    const result = lists[Math.min(index, lists.length - 1)];
    return typeof result === 'number' ? result : { success: true, message: null, result };
  });
}

async function itemsOf(lists: readonly unknown[], history = 1): Promise<unknown[]> {
  const { exchange } = listing({ '1s': lists as readonly (readonly unknown[])[] });
  vi.setSystemTime((start + 3600) * 1000);
  const items = collect(watchCandles(exchange, market, '1s', { history, random: () => 0 }));
  await vi.advanceTimersByTimeAsync(lists.length * 1000 - 500);
  return shortened(items);
}

describe('closed candles', () => {
  it('come once each, in order, also when several closed between two polls', async () => {
    const lists = [
      [row(start)],
      [],
      [row(start + 1), row(start + 2), row(start + 3)],
      [row(start + 3), row(start + 4)],
    ];
    expect(await itemsOf(lists)).toEqual([0, 1, 2, 3, 4].map((second) => ['closed', second]));
  });

  it('come with as many earlier ones as requested', async () => {
    const list = [row(start), row(start + 1), row(start + 2)];
    expect(await itemsOf([list], 2)).toEqual([
      ['closed', 1],
      ['closed', 2],
    ]);
    expect(await itemsOf([list, [row(start + 3)]], 0)).toEqual([['closed', 3]]);
  });

  it('come in order although the exchange lists the newest first, or one twice', async () => {
    expect(await itemsOf([[], [row(start + 2), row(start), row(start + 1), row(start)]])).toEqual([
      ['closed', 0],
      ['closed', 1],
      ['closed', 2],
    ]);
  });

  it('come after failed polls that they closed in', async () => {
    const items = await itemsOf([[row(start)], 503, [row(start + 1), row(start + 2)]]);
    expect(items).toMatchObject([['closed', 0], { kind: 'error' }, ['closed', 1], ['closed', 2]]);
  });

  it('are requested from the last one on', async () => {
    const { exchange, sent } = listing({ '1s': [[row(start - 1)], [row(start)]] });
    watchCandles(exchange, market, '1s', { history: 5 }).subscribe();
    await vi.advanceTimersByTimeAsync(2500);
    const requests = sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
    expect(requests).toMatchObject([{ limit: '7' }, { start: String(start) }, { start: String(start + 1) }]);
  });

  it('have a gap where one cannot be read', async () => {
    const items = await itemsOf([[row(start)], [[start + 1, null], row(start + 2)], [row(start + 3)]]);
    expect(items).toEqual([
      ['closed', 0],
      { kind: 'gap', reason: 'unreadable', from: start + 1, to: start + 3 },
      ['closed', 2],
      ['closed', 3],
    ]);
  });

  it('have a gap where one of the history cannot be read, and none for one that was not requested', async () => {
    const list = [row(start), [start + 1, null], row(start + 2)];
    expect((await itemsOf([list], 3))[0]).toEqual({ kind: 'gap', reason: 'unreadable', from: start, to: start + 3 });
    expect(await itemsOf([list, [row(start + 3)]], 0)).toEqual([['closed', 3]]);
  });

  it('have a gap where one is listed late, behind a newer one, once', async () => {
    const late = [row(start + 1), row(start + 2)];
    const items = await itemsOf([[row(start)], [row(start + 2)], [...late, row(start + 3)], [...late, row(start + 4)]]);
    expect(items).toEqual([
      ['closed', 0],
      ['closed', 2],
      { kind: 'gap', reason: 'late', from: start + 1, to: start + 2 },
      ['closed', 3],
      ['closed', 4],
    ]);
  });

  it('are requested from a missing one on, until it is listed or ten newer ones are', async () => {
    const startsOf = async (lists: readonly (readonly (readonly unknown[])[])[]) => {
      const { exchange, sent } = listing({ '1s': lists });
      vi.setSystemTime((start + 3600) * 1000);
      const items = collect(watchCandles(exchange, market, '1s', { history: 1 }));
      await vi.advanceTimersByTimeAsync(lists.length * 1000 - 500);
      const starts = sent.slice(1).map(({ url }) => Number(new URL(url).searchParams.get('start')) - start);
      return { starts, gaps: items.filter(({ kind }) => kind === 'gap').length };
    };
    const listed = await startsOf([[row(start)], [row(start + 2)], [row(start + 1)], []]);
    expect(listed).toEqual({ starts: [1, 1, 3], gaps: 1 });
    const following = Array.from({ length: 10 }, (_, index) => [row(start + 3 + index)]);
    const never = await startsOf([[row(start)], [row(start + 2)], ...following, [row(start + 1)]]);
    expect(never).toEqual({ starts: [1, ...following.map(() => 1).slice(1), 12, 13], gaps: 0 });
  });

  it('have no second gap where one that could not be read is listed again', async () => {
    const items = await itemsOf([[row(start)], [[start + 1, null], row(start + 2)], [row(start + 1), row(start + 3)]]);
    expect(items.filter((item) => !Array.isArray(item))).toMatchObject([{ kind: 'gap', reason: 'unreadable' }]);
  });

  it('have a gap where an exchange lists the newest only of more than it can list', async () => {
    const newest = Array.from({ length: 1440 }, (_, index) => row(start + 100 + index));
    const items = await itemsOf([[row(start)], newest]);
    expect(items[1]).toEqual({ kind: 'gap', reason: 'overflow', from: start + 1, to: start + 100 });
    expect(items).toHaveLength(1442);
  });

  it('do not include a candle that has not ended, which is the current one', async () => {
    const { exchange } = listing({
      '1m': [
        [row(start - 60), row(start)],
        [row(start), row(start + 60)],
      ],
    });
    const items = collect(watchCandles(exchange, market, '1m', { history: 5, everyMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(shortened(items)).toEqual([
      ['closed', -60],
      ['current', 0],
      ['closed', 0],
      ['current', 60],
    ]);
  });

  it('come from the subscription on, also when the first one had not ended by this clock', async () => {
    const old = [row(start - 120), row(start - 60), row(start)];
    const { exchange, sent } = listing({ '1m': [[row(start)], old] });
    const items = collect(watchCandles(exchange, market, '1m', { everyMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(shortened(items)).toEqual([
      ['current', 0],
      ['closed', 0],
    ]);
    expect(new URL(sent[1]?.url ?? '').searchParams.get('start')).toBe(String(start));
  });

  it('are not skipped when the clock of the machine goes backwards', async () => {
    const { exchange } = listing({
      '1s': [[row(start - 1)], [row(start)], [row(start), row(start + 1)], [row(start + 2)]],
    });
    const items = collect(watchCandles(exchange, market, '1s', { history: 1 }));
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime((start - 3600) * 1000);
    await vi.advanceTimersByTimeAsync(1000);
    vi.setSystemTime((start + 3600) * 1000);
    await vi.advanceTimersByTimeAsync(2000);
    const closed = shortened(items).filter((item) => Array.isArray(item) && item[0] === 'closed');
    expect(closed).toEqual([-1, 0, 1, 2].map((second) => ['closed', second]));
  });
});

/** An exchange whose clock is ahead of this machine's, with a candle for each interval that has ended. */
function aheadBy(seconds: number) {
  const now = () => Date.now() / 1000 + seconds;
  const { exchange } = scripted(({ url }) => {
    const query = new URL(url).searchParams;
    const step = query.get('interval') === '1s' ? 1 : 60;
    const [from, limit] = [Number(query.get('start') ?? 0), Number(query.get('limit'))];
    const result: unknown[] = [];
    for (let time = Math.floor(now() / step) * step - step; time >= from && result.length < limit; time -= step)
      result.unshift(row(time));
    return { success: true, message: null, result };
  });
  return { exchange, now };
}

describe('a clock that is behind', () => {
  it('does not make a closed candle the current one', async () => {
    const { exchange, now } = aheadBy(90);
    const items = collect(watchCandles(exchange, market, '1m'));
    await vi.advanceTimersByTimeAsync(200_500);
    const current = items.flatMap((item) => (item.kind === 'current' ? [item.candle.time] : []));
    const closed = items.flatMap((item) => (item.kind === 'closed' ? [item.candle.time - start] : []));
    expect(current[0]).toBe(start + 60);
    expect(current.at(-1)).toBe(Math.floor(now() / 60) * 60);
    expect(closed).toEqual([60, 120, 180]);
  });

  it('does not give the interval 1s a current candle', async () => {
    const { exchange } = aheadBy(2);
    const items = collect(watchCandles(exchange, market, '1s'));
    await vi.advanceTimersByTimeAsync(6500);
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['closed']));
    const times = items.flatMap((item) => (item.kind === 'closed' ? [item.candle.time] : []));
    expect(times).toEqual(times.map((_time, index) => (times[0] ?? 0) + index));
  });
});

describe('a candle far in the future', () => {
  it('does not silence the stream, and counts as unreadable', async () => {
    const { exchange } = listing({
      '1m': [[row(start - 60)], [row(9_999_999_999)], [row(start), row(9_999_999_999)], [row(start + 60)]],
    });
    vi.setSystemTime((start + 600) * 1000);
    const items = collect(watchCandles(exchange, market, '1m', { history: 1 }));
    await vi.advanceTimersByTimeAsync(3500);
    expect(shortened(items)).toEqual([
      ['closed', -60],
      { kind: 'gap', reason: 'unreadable', from: start, to: start + 60 },
      ['closed', 0],
      ['closed', 60],
    ]);
  });

  it('is no part of the current candle', async () => {
    const { exchange } = listing({ '1m': [[row(start - 60)], []], '1s': [[row(start), row(9_999_999_999)]] });
    const items = collect(watchCandles(exchange, market, '1m', { history: 1 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(shortened(items)).toEqual([['closed', -60]]);
  });
});

describe('the current candle', () => {
  it('is made of closed candles of a shorter interval, and comes when it has changed', async () => {
    const parts = [row(start, [5, 6, 7, 4]), row(start + 1, [6, 3, 8, 3])];
    const { exchange } = listing({
      '1m': [[row(start - 60)], []],
      '1s': [[], parts, parts, [...parts, row(start + 2, [3, 9, 9, 2])]],
    });
    const items = collect(watchCandles(exchange, market, '1m', { history: 1 }));
    await vi.advanceTimersByTimeAsync(3500);
    expect(items.slice(1)).toEqual([
      {
        kind: 'current',
        candle: { time: start, open: '5', high: '8', low: '3', close: '3', volume: '2', money_volume: '4' },
        through: start + 2,
      },
      {
        kind: 'current',
        candle: { time: start, open: '5', high: '9', low: '2', close: '9', volume: '3', money_volume: '6' },
        through: start + 3,
      },
    ]);
  });

  it('begins in a later interval when nothing was traded before', async () => {
    const { exchange } = listing({ '1m': [[row(start - 60)], []], '1s': [[row(start + 121), row(start + 125)]] });
    const items = collect(watchCandles(exchange, market, '1m', { history: 1 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(shortened(items)).toEqual([
      ['closed', -60],
      ['current', 120],
    ]);
  });

  it('is left out when one of its parts cannot be read', async () => {
    const { exchange } = listing({ '1m': [[row(start - 60)], []], '1s': [[row(start), [start + 1, null]]] });
    const items = collect(watchCandles(exchange, market, '1m', { history: 1 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(shortened(items)).toEqual([['closed', -60]]);
  });

  it('fails alone: the closed candles come nevertheless', async () => {
    const { exchange } = listing({ '1m': [[row(start - 60)], []], '1s': [503] as never });
    const items = collect(watchCandles(exchange, market, '1m', { history: 1 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(shortened(items)).toMatchObject([['closed', -60], { kind: 'error', error: { kind: 'unavailable' } }]);
  });

  it('is polled with growing pauses while it alone fails', async () => {
    const { exchange, sent } = listing({ '1m': [[row(start - 60)], []], '1s': [503] as never });
    collect(watchCandles(exchange, market, '1m', { history: 1, random: () => 1 }));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(sent.filter(({ url }) => url.includes('interval=1s')).length).toBeLessThan(20);
  });

  it('becomes the closed one on the sandbox', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    await vi.advanceTimersByTimeAsync(10_000);
    const items = collect(watchCandles(exchange, market, '10s', { history: 1 }));
    await vi.advanceTimersByTimeAsync(2500);
    sandbox.market(market).setPrice('60100');
    await vi.advanceTimersByTimeAsync(10_000);
    const current = items.filter((item) => item.kind === 'current').map(({ candle }) => candle);
    const closed = items.filter((item) => item.kind === 'closed').map(({ candle }) => candle);
    expect(closed.map(({ time }) => time - start)).toEqual([0, 10]);
    expect(current.findLast(({ time }) => time === start + 10)).toEqual(closed[1]);
    expect(closed[1]).toMatchObject({ open: '60100', close: '60100', volume: '0.0001' });
  });
});

describe('the intervals', () => {
  it('are rejected when they are none of the exchange', () => {
    const { exchange } = scripted([]);
    expect(() => watchCandles(exchange, market, '7m' as CandleInterval)).toThrow(
      'interval "7m" must be one of 1s, 10s',
    );
  });

  it.each(candleIntervals.filter((interval) => interval !== '1s'))('%s consists of whole shorter ones', (interval) => {
    const parts = partsOf[interval];
    expect(parts).toBeDefined();
    expect(candleSeconds[interval] % candleSeconds[parts ?? '1s']).toBe(0);
    expect(candleSeconds[interval] / candleSeconds[parts ?? '1s']).toBeLessThanOrEqual(186);
  });

  it('end with the calendar month', () => {
    const february = Date.UTC(2028, 1) / 1000;
    expect(endOf(february, '1M')).toBe(Date.UTC(2028, 2) / 1000);
    expect(endOf(Date.UTC(2027, 11) / 1000, '1M')).toBe(Date.UTC(2028, 0) / 1000);
  });

  it.each(candleIntervals)('%s are found by division: the one that holds a time', (interval) => {
    const first = Date.UTC(2024, 0) / 1000;
    let begin = first;
    for (let step = 0; step < 100; step += 1) {
      const end = endOf(begin, interval);
      expect(beginOf(begin, first, interval)).toBe(begin);
      expect(beginOf(end - 1, first, interval)).toBe(begin);
      begin = end;
    }
    expect(beginOf(first - 1, first, interval)).toBe(first);
  });

  it('add their volumes exactly, and have none where a part has none', () => {
    const part = { time: 1, open: '1', high: '2', low: '1', close: '2', volume: '0.1' };
    expect(joinCandles([part, { ...part, volume: '0.2' }], 1)).toMatchObject({ volume: '0.3' });
    const { volume: _volume, ...without } = part;
    expect(joinCandles([part, without], 1)).not.toHaveProperty('volume');
    expect(joinCandles([], 1)).toBeUndefined();
  });
});
