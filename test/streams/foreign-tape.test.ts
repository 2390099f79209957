// The tape of a second exchange, at random: every trade that was listed comes once, and whatever is missing has a gap.
import { watchTrades, type TradeItem } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../src/sandbox/random.js';
import { createForeignTape, type TapePremises } from '../support/foreign-tape.js';
import { collect, scripted } from './scripted.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

async function run(premises: TapePremises, failChance = 0) {
  const tape = createForeignTape(premises);
  const listed = new Set<number>();
  const { exchange } = scripted(() => {
    if (premises.random() < failChance) return 503;
    const list = tape.list(Date.now());
    for (const { tradeID } of list) if (typeof tradeID === 'number') listed.add(tradeID);
    return list;
  });
  const items: TradeItem[] = collect(
    watchTrades(exchange, 'BTC_USDT', { history: true, everyMs: 1000, random: premises.random }),
  );
  for (let second = 0; second < 120; second += 1) {
    await vi.advanceTimersByTimeAsync(500);
    tape.trade(Date.now());
    await vi.advanceTimersByTimeAsync(500);
  }
  const emitted = items.flatMap((item) => (item.kind === 'trade' ? [item.trade.tradeID] : []));
  const gaps = items.flatMap((item) => (item.kind === 'gap' ? [item] : []));
  return { tape, listed, emitted, gaps };
}

describe('the tape of another exchange', () => {
  it.each([1, 2, 3, 4, 5])('is emitted whole and without a gap while it is slow: seed %i', async (seed) => {
    const random = createRandom(seed);
    const { tape, listed, emitted, gaps } = await run({ random, maxPerSecond: 20, lateChance: 0.1, cacheChance: 0.2 });
    expect(gaps).toEqual([]);
    expect(new Set(emitted).size).toBe(emitted.length);
    expect(new Set(emitted)).toEqual(listed);
    // All but those of the last seconds, which were not listed yet.
    const due = tape.trades.filter(({ at }) => at < Date.now() / 1000 - 8).map(({ tradeID }) => tradeID);
    expect(due.filter((number) => !listed.has(number))).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5])('has a gap around every trade that is missing when it is fast: seed %i', async (seed) => {
    const random = createRandom(seed);
    const premises = { random, maxPerSecond: 150, lateChance: 0, cacheChance: 0 };
    const { tape, listed, emitted, gaps } = await run(premises, 0.1);
    expect(new Set(emitted).size).toBe(emitted.length);
    expect(new Set(emitted)).toEqual(listed);
    const last = Math.max(...tape.trades.filter(({ tradeID }) => listed.has(tradeID)).map(({ at }) => at));
    const missing = tape.trades.filter(({ tradeID, at }) => !listed.has(tradeID) && at < last);
    expect(missing.length).toBeGreaterThan(0);
    for (const { at } of missing) expect(gaps.some(({ from, to }) => from <= at && at <= to)).toBe(true);
  });
});
