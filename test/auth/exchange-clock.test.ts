// What responses show of the exchange's clock, and what is not believed.
import { defer, EMPTY } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ExchangeClock, readUntilConfirmed } from '../../src/auth/index.js';
import { useFakeTimers, within } from '../support/fake-timers.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const local = 1_795_000_000_000;

/** A clock, and readings of it at times of the local clock, which begins at 0 here. */
function setup() {
  let now = local;
  const clock = new ExchangeClock(() => now);
  return {
    clock,
    offset: () => clock.now() - now,
    read: (offset: number, at: number, tookMs = 0) => {
      now = local + at;
      clock.learn({ shown: now + offset, resolutionMs: 0, sentAt: now - tookMs, receivedAt: now });
    },
  };
}

function clockThatLearned(...offsets: readonly number[]): ExchangeClock {
  const clock = new ExchangeClock(() => local);
  for (const offset of offsets)
    clock.learn({ shown: local + offset, resolutionMs: 0, sentAt: local, receivedAt: local });
  return clock;
}

describe('a reading of the exchange’s clock', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -2 * local, 9e15])(
    'without a valid time is ignored: %d ms away',
    (offset) => {
      expect(clockThatLearned(offset).atLeast()).toBeUndefined();
      expect(clockThatLearned(5000, offset)).toMatchObject({ isUnconfirmed: false });
      expect(clockThatLearned(5000, offset).now()).toBe(local + 5000);
    },
  );

  it.each([-minute, -1, 5000, minute])('moves the clock immediately by %i ms', (offset) => {
    expect(clockThatLearned(offset).now()).toBe(local + offset);
    expect(clockThatLearned(offset).isUnconfirmed).toBe(false);
    expect(clockThatLearned(30_000, 30_000 + offset).now()).toBe(local + 30_000 + offset);
  });

  it.each([-300 * day, -minute - 1, minute + 1, 300 * day])(
    'is doubted when it would move the clock by %i ms, until a later one shows the same',
    (by) => {
      const { clock, offset, read } = setup();
      read(by, 0);
      expect([offset(), clock.atLeast(), clock.isUnconfirmed]).toEqual([0, undefined, true]);
      read(by, 1);
      expect([offset(), clock.atLeast(), clock.isUnconfirmed]).toEqual([by, local + 1 + by, false]);
    },
  );

  it('is not confirmed by the same cached response', () => {
    const { clock, offset, read } = setup();
    for (const at of [0, 0, 1000, 30_000, 3_600_000]) read(day - at, at);
    expect([offset(), clock.isUnconfirmed]).toEqual([0, true]);
  });

  it('is not confirmed by a request that was sent before its response', () => {
    const { offset, read } = setup();
    read(day, 1000);
    read(day, 2000, 1001);
    expect(offset()).toBe(0);
    read(day, 3000, 2000);
    expect(offset()).toBeGreaterThan(day - 2000);
  });

  it('is not confirmed by a different reading, or by one more than a minute later', () => {
    const { offset, read } = setup();
    read(day, 0);
    read(day + 1, 1000);
    expect(offset()).toBe(0);
    read(day + 1, 61_001);
    expect(offset()).toBe(0);
    read(day + 1, 61_002);
    expect(offset()).toBe(day + 1);
  });

  it('is discarded when the next reading is accepted', () => {
    const { clock, offset, read } = setup();
    read(day, 0);
    read(1000, 1);
    expect(clock.isUnconfirmed).toBe(false);
    read(day, 2);
    expect(offset()).toBe(1000);
  });
});

describe('reading the clock until it is confirmed', () => {
  useFakeTimers();

  /** How many readings of a clock this far away were made, with pages that a cache keeps for so long. */
  async function readings(offset: number, cachedMs: number): Promise<[count: number, isBelieved: boolean]> {
    const clock = new ExchangeClock(() => Date.now());
    let count = 0;
    let cached = { at: Number.NEGATIVE_INFINITY, shown: 0 };
    const reading$ = defer(() => {
      count += 1;
      const now = Date.now();
      if (now - cached.at >= cachedMs) cached = { at: now, shown: Math.floor((now + offset) / 1000) * 1000 };
      clock.learn({ shown: cached.shown, resolutionMs: 2000, sentAt: now, receivedAt: now });
      return EMPTY;
    });
    const seen = await within(60_000, readUntilConfirmed(clock, reading$));
    expect(seen).toEqual([]);
    return [count, Math.abs(clock.now() - Date.now() - offset) <= 2000];
  }

  it('takes one reading for a small change, two for a large one, and at most three', async () => {
    expect(await readings(20_000, 0)).toEqual([1, true]);
    expect(await readings(day, 0)).toEqual([2, true]);
    expect((await readings(day, 1200))[1]).toBe(true);
    expect(await readings(day, 60_000)).toEqual([3, false]);
  });
});

describe('an expired nonce', () => {
  const windowMs = 5000;
  const refuse = (clock: ExchangeClock, nonce: number, isTooOld: boolean, tookMs = 0) => {
    clock.learnRejection({ nonce, isTooOld, sentAt: local - tookMs, receivedAt: local });
  };

  it.each([
    ['ahead of a nonce that was too old', local - 2000, true, local + 3000, local],
    ['behind a nonce that was too new', local, false, local - windowMs, local - windowMs],
  ])('moves the time for nonces one window %s, and proves nothing', (_, nonce, isTooOld, now, earliest) => {
    const clock = new ExchangeClock(() => local);
    refuse(clock, nonce, isTooOld);
    expect([clock.atLeast(), clock.now()]).toEqual([undefined, now]);
    expect(clock.toExchangeAtLeast(local)).toBe(earliest);
  });

  it('allows for the latency of the response', () => {
    const [old, early] = [new ExchangeClock(() => local), new ExchangeClock(() => local)];
    refuse(old, local - 10_000, true, 8000);
    refuse(early, local + 10_000, false, 8000);
    expect(old.now()).toBe(local);
    expect([early.atLeast(), early.now()]).toEqual([undefined, local]);
  });

  it('replaces an estimate that it contradicts, because a clock was set', () => {
    const clock = clockThatLearned(0);
    refuse(clock, local + 40_000, true);
    expect(clock.now()).toBe(local + 45_000);
    refuse(clock, local, false);
    expect([clock.atLeast(), clock.now()]).toEqual([undefined, local - 5000]);
  });

  it('proves no more than a slow reading, although both agree', () => {
    const clock = new ExchangeClock(() => local);
    refuse(clock, local - 2000, true);
    clock.learn({ shown: local - 543, resolutionMs: 2000, sentAt: local - 2400, receivedAt: local });
    expect([clock.atLeast(), clock.now()]).toEqual([local - 543, local + 3428.5]);
  });

  it('makes proofs wait for the next reading when it contradicts the last one', () => {
    const clock = clockThatLearned(0);
    refuse(clock, local + 6000, true);
    expect(clock.atLeast()).toBeUndefined();
    clock.learn({ shown: local, resolutionMs: 0, sentAt: local, receivedAt: local });
    expect([clock.atLeast(), clock.now()]).toEqual([local, local]);
  });

  it('moves the clock at most a minute from the last reading, together with all other expired nonces', () => {
    for (const isTooOld of [true, false]) {
      const clock = clockThatLearned(20_000);
      for (let count = 0; count < 1000; count += 1) refuse(clock, clock.now(), isTooOld);
      expect(clock.now() - local).toBe(isTooOld ? 80_000 : -40_000);
      refuse(clock, local + 300 * day, isTooOld);
      expect(Math.abs(clock.now() - local - 20_000)).toBeLessThanOrEqual(minute);
    }
  });

  it('narrows an estimate that it agrees with', () => {
    const clock = new ExchangeClock(() => local);
    clock.learn({ shown: local - 10_000, resolutionMs: 20_000, sentAt: local, receivedAt: local });
    refuse(clock, local, true);
    expect([clock.atLeast(), clock.now()]).toEqual([local - 10_000, local + 7500]);
  });
});

it('the earliest possible exchange time is the lower bound of the last reading, or the local time before it', () => {
  const clock = new ExchangeClock(() => local);
  expect([clock.toExchangeAtLeast(local), clock.atLeast()]).toEqual([local, undefined]);
  clock.learn({ shown: local - 60_000, resolutionMs: 2000, sentAt: local - 1000, receivedAt: local });
  expect([clock.toExchangeAtLeast(local + 7), clock.now()]).toEqual([local - 59_993, local - 58_500]);
});
