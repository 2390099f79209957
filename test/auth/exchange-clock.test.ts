// What responses show of the exchange's clock, and what is not believed.
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

describe('a nonce that was refused for its age', () => {
  const windowMs = 5000;
  const refuse = (clock: ExchangeClock, nonce: number, isTooOld: boolean, tookMs = 0) => {
    clock.learnRefusal({ nonce, isTooOld, windowMs, sentAt: local - tookMs, receivedAt: local });
  };

  it('shows that the clock is ahead by the window at least when the nonce was too old', () => {
    const clock = new ExchangeClock(() => local);
    refuse(clock, local - 2000, true);
    expect([clock.atLeast(), clock.now()]).toEqual([local + 3000, local + 3000]);
  });

  it('shows no more than that: the response may have been on its way for as long as it took', () => {
    const [old, early] = [new ExchangeClock(() => local), new ExchangeClock(() => local)];
    refuse(old, local - 10_000, true, 8000);
    refuse(early, local + 10_000, false, 8000);
    expect(old.atLeast()).toBe(local - 5000);
    expect([early.atLeast(), early.now()]).toEqual([undefined, local]);
  });

  it('shows that the clock is behind by the window at least when the nonce was too new, and nothing of how far', () => {
    const clock = new ExchangeClock(() => local);
    refuse(clock, local, false);
    expect([clock.atLeast(), clock.now()]).toEqual([undefined, local - windowMs]);
  });

  it('replaces what was known when it contradicts it, because a clock was set', () => {
    const clock = clockThatLearned(0);
    refuse(clock, local + 60_000, true);
    expect(clock.now()).toBe(local + 65_000);
    refuse(clock, local, false);
    expect([clock.atLeast(), clock.now()]).toEqual([undefined, local - 5000]);
  });

  it('narrows what was known when it fits', () => {
    const clock = new ExchangeClock(() => local);
    clock.learn({ shown: local - 10_000, resolutionMs: 20_000, sentAt: local, receivedAt: local });
    refuse(clock, local, true);
    expect([clock.atLeast(), clock.now()]).toEqual([local + 5000, local + 7500]);
  });
});

describe('the earliest that the clock of the exchange can show', () => {
  it('is the pessimistic end of what is known, and the best guess while nothing is', () => {
    const clock = new ExchangeClock(() => local);
    expect([clock.toExchangeAtLeast(local), clock.atLeast()]).toEqual([local, undefined]);
    clock.learn({ shown: local - 60_000, resolutionMs: 2000, sentAt: local - 1000, receivedAt: local });
    expect([clock.toExchangeAtLeast(local + 7), clock.now()]).toEqual([local - 59_993, local - 58_500]);
  });
});
