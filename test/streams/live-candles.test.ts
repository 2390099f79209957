// Candles from the live connection: the current one as it is pushed, and the closed ones as the exchange lists them.
import { watchCandles, type CandleInterval, type CandleItem } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seconds } from '../live/setup.js';
import { bothRoads } from './live-setup.js';
import { collect } from './scripted.js';

const market = 'BTC_USDT';
const live = true;
/** A full minute, and a full hour. */
const start = 1_789_999_200;

/** As on the wire: time, open, close, high, low, volumes. */
const row = (time: number, close = 1, volume = 1) => [time, '1', String(close), '9', '1', String(volume), '2'];

const shortened = (items: readonly CandleItem[]) =>
  items.map((item) =>
    item.kind === 'closed' || item.kind === 'current'
      ? `${item.kind} ${item.candle.time - start} ${item.candle.close}`
      : item.kind === 'gap'
        ? `gap ${item.reason}`
        : item.kind,
  );

/** Lists the closed candles of each interval, `lagSeconds` after their end. */
function candlesOf(interval: CandleInterval, { lagSeconds = 0, isQuiet = false } = {}) {
  const state = { isUp: true };
  const length: Record<string, number> = { '1s': 1, '10s': 10, '1m': 60, '1h': 3600 };
  const roads = bothRoads(({ searchParams }) => {
    if (!state.isUp) return 503;
    const step = length[searchParams.get('interval') ?? ''] ?? 1;
    const now = Date.now() / 1000 - lagSeconds;
    const limit = Number(searchParams.get('limit'));
    const from = Number(searchParams.get('start') ?? Math.floor(now / step) * step - limit * step);
    const result: unknown[] = [];
    for (let time = Math.ceil(from / step) * step; time + step <= now && result.length < limit; time += step)
      if (!isQuiet || time < start) result.push(row(time, 2));
    return { success: true, message: null, result };
  });
  const push = (...rows: readonly (readonly unknown[])[]) => {
    roads.server.last.push(
      'candles_update',
      rows.map((one) => [...one, market]),
    );
  };
  const items = collect(watchCandles(roads.exchange, market, interval, { live, random: () => 0 }));
  const polls = (of: string) => roads.sent.filter(({ url }) => new URL(url).searchParams.get('interval') === of).length;
  return { ...roads, state, push, items, polls };
}

beforeEach(() => {
  vi.useFakeTimers({ now: (start + 10.5) * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('live candles', () => {
  it('are the current one as it is pushed, with the time through which it counts, at most once in everyMs', async () => {
    const { push, items, server } = candlesOf('1m');
    await seconds(0.1);
    expect(server.script).toEqual([`1 candles_subscribe ["${market}",60]`]);
    for (let count = 0; count < 6; count += 1) {
      push(row(start, 3, 100 + count));
      await seconds(0.5);
    }
    const current = items.filter((item) => item.kind === 'current');
    expect(current[0]).toMatchObject({ candle: { close: '2' } });
    expect(current.slice(1)).toMatchObject([
      { candle: { time: start, close: '3', volume: '100' }, through: start + 9 },
      { candle: { volume: '101' }, through: start + 10 },
      { candle: { volume: '103' }, through: start + 11 },
      { candle: { volume: '105' }, through: start + 12 },
    ]);
    expect(current[1]?.candle).not.toHaveProperty('status');
  });

  it('take no polls until the interval has ended, and then the closed one is the listed one', async () => {
    const { push, items, polls } = candlesOf('1m');
    await seconds(0.1);
    for (let second = 0; second < 49; second += 1) {
      push(row(start, 3, 100 + second));
      await seconds(1);
    }
    expect([polls('1m'), polls('1s')]).toEqual([1, 1]);
    for (let second = 0; second < 30; second += 1) {
      push(row(start + 60, 4, 1 + second));
      await seconds(1);
    }
    expect([polls('1m'), polls('1s')]).toEqual([2, 1]);
    expect(shortened(items).filter((item) => item.startsWith('closed'))).toEqual(['closed 0 2']);
  });

  it('close without a later one, and the current one is made of parts until it is pushed', async () => {
    const { push, items, polls } = candlesOf('1m');
    await seconds(0.1);
    push(row(start, 3, 100));
    await seconds(52);
    expect(shortened(items)).toEqual(['current 0 2', 'current 0 3', 'closed 0 2', 'current 60 2']);
    const before = [polls('1m'), polls('1s')];
    push(row(start + 60, 5, 100));
    await seconds(30);
    expect(shortened(items).at(-1)).toBe('current 60 5');
    expect([polls('1m'), polls('1s')]).toEqual(before);
  });

  it('are polled until the closed one is listed', async () => {
    const { push, items, polls } = candlesOf('1m', { lagSeconds: 3 });
    await seconds(0.1);
    push(row(start, 3, 100));
    await seconds(49.9);
    push(row(start + 60, 4, 1));
    await seconds(20);
    expect(polls('1m')).toBeGreaterThan(2);
    expect(polls('1m')).toBeLessThan(6);
    expect(shortened(items).filter((item) => item.startsWith('closed'))).toEqual(['closed 0 2']);
  });

  it('are polled five times in an interval where the exchange lists no candle without a trade', async () => {
    const { push, polls } = candlesOf('1m', { isQuiet: true });
    await seconds(0.1);
    push(row(start, 3, 100));
    await seconds(0.1);
    const before = polls('1m');
    await seconds(108);
    expect(polls('1m') - before).toBe(5);
  });

  it('of an outage come from polls, and those that closed in it come once each, in order', async () => {
    const { push, items, server, polls } = candlesOf('1m');
    await seconds(0.1);
    push(row(start, 3, 100));
    await seconds(1);
    server.accepts = false;
    server.last.end();
    await seconds(200);
    expect(polls('1s')).toBeGreaterThan(150);
    server.accepts = true;
    await seconds(40);
    const { length } = items;
    push(row(start + 240, 7, 100));
    await seconds(5);
    expect(shortened(items).slice(length)).toEqual(['current 240 7']);
    const closed = shortened(items).filter((item) => item.startsWith('closed'));
    expect(closed).toEqual([0, 60, 120, 180].map((time) => `closed ${time} 2`));
  });

  it('never go back to the state of a poll that counts fewer trades', async () => {
    const { push, items, server } = candlesOf('1m');
    await seconds(0.1);
    push(row(start, 3, 12));
    await seconds(0.1);
    server.accepts = false;
    server.last.end();
    await seconds(10);
    const volumes = items.flatMap((item) => (item.kind === 'current' ? [Number(item.candle.volume)] : []));
    expect(volumes.length).toBeGreaterThan(3);
    expect(volumes).toEqual(volumes.toSorted((one, other) => one - other));
  });

  it('wait for the first response, so that the closed ones of the history come first', async () => {
    const { push, items, state } = candlesOf('1m');
    state.isUp = false;
    await seconds(0.1);
    push(row(start, 3, 100));
    expect(items.filter(({ kind }) => kind !== 'error')).toEqual([]);
    await seconds(0.5);
    state.isUp = true;
    await seconds(2);
    expect(shortened(items).find((item) => item !== 'error')).toMatch('current 0');
  });

  it('close in a market that had no closed candle before', async () => {
    const roads = bothRoads(({ searchParams }) => {
      const isWhole = searchParams.get('interval') === '1m' && Date.now() >= (start + 60) * 1000;
      return { success: true, message: null, result: isWhole ? [row(start, 2)] : [] };
    });
    const items = collect(watchCandles(roads.exchange, market, '1m', { live }));
    await seconds(0.1);
    for (let second = 0; second < 60; second += 1) {
      const rows = second < 50 ? row(start, 3, 100 + second) : row(start + 60, 4, 1);
      roads.server.last.push('candles_update', [[...rows, market]]);
      await seconds(1);
    }
    expect(shortened(items)).toContain('closed 0 2');
  });

  it('of a second have a current one, too', async () => {
    const { push, items } = candlesOf('1s');
    await seconds(0.1);
    push(row(start + 10, 6, 100));
    await seconds(0.3);
    expect(shortened(items)).toEqual(['current 10 6']);
    await seconds(2);
    expect(shortened(items)).toContain('closed 10 2');
  });

  it('of the far future are none', async () => {
    const { push, items } = candlesOf('1h');
    await seconds(0.1);
    push(row(start + 7220, 6), row(start + 36_000, 6));
    await seconds(0.1);
    expect(shortened(items).filter((item) => item.endsWith('6'))).toEqual([]);
  });

  it('leave no timer, connection or poll', async () => {
    const roads = bothRoads(() => ({ success: true, message: null, result: [] }));
    const subscription = watchCandles(roads.exchange, market, '1M', { live }).subscribe();
    await seconds(0.1);
    roads.server.last.push('candles_update', [[...row(start), market]]);
    await seconds(0.1);
    subscription.unsubscribe();
    const { length } = roads.sent;
    await seconds(60);
    expect([roads.server.open, roads.sent.length, vi.getTimerCount()]).toEqual([0, length, 0]);
  });
});
