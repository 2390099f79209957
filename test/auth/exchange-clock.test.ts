// What answers tell of the exchange's clock, and what is not believed.
import { describe, expect, it } from 'vitest';
import { ExchangeClock } from '../../src/auth/index.js';

const day = 24 * 3600 * 1000;
const local = 1_795_000_000_000;

function clockThatLearned(...offsets: readonly number[]): ExchangeClock {
  const clock = new ExchangeClock(() => local);
  for (const offset of offsets) clock.learn({ shown: local + offset, resolutionMs: 0, sentAt: local, receivedAt: local });
  return clock;
}

describe('an answer', () => {
  it('that shows no time tells nothing', () => {
    expect(clockThatLearned(Number.NaN).atLeast()).toBeUndefined();
    expect(clockThatLearned(5000, Number.NaN).now()).toBe(local + 5000);
  });

  it.each([-366 * day, -200 * day, 200 * day, 366 * day])('is believed at once when it differs by %i ms', (offset) => {
    expect(clockThatLearned(offset).now()).toBe(local + offset);
  });

  it.each([-366 * day - 1, 366 * day + 1])('is not believed when it differs by %i ms, before the next says the same', (offset) => {
    expect(clockThatLearned(offset).atLeast()).toBeUndefined();
    expect(clockThatLearned(offset, offset + Math.sign(offset) * 60_001).atLeast()).toBeUndefined();
    expect(clockThatLearned(offset, offset + Math.sign(offset) * 60_000).now()).toBe(local + offset + Math.sign(offset) * 60_000);
  });

  it('that is absurd is forgotten when the next is not', () => {
    expect(clockThatLearned(400 * day, 1000, 400 * day).now()).toBe(local + 1000);
  });
});
