import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createNonces, ExchangeClock, nonceWindowMs, steadyClock, type NonceRange } from '../../src/auth/index.js';

/** Nonces of a key of their own, by this clock. */
function noncesOf(now: () => number, used: NonceRange[] = []) {
  const nonces = createNonces(used);
  return { free: () => nonces.free(now()), freeInMs: () => nonces.freeInMs(now()), take: () => nonces.take(now()) };
}

describe('nonces', () => {
  it('start two seconds behind the exchange’s clock, so a request can execute for three more', () => {
    expect(noncesOf(() => 1_795_221_417_556.7).take()).toBe(1_795_221_415_556);
  });

  it('are unique and within 5 s of the exchange’s clock, however the clock jumps', () => {
    const jump = fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) },
      { weight: 1, arbitrary: fc.integer({ min: -100_000, max: 100_000 }) },
    );
    fc.assert(
      fc.property(fc.array(jump, { maxLength: 400, size: 'max' }), (jumps) => {
        let now = 10_000_000;
        const nonces = noncesOf(() => now);
        const seen = new Set<number>();
        for (const by of jumps) {
          now += by;
          if (nonces.free() === 0) continue;
          const nonce = nonces.take() ?? Number.NaN;
          expect(seen.has(nonce)).toBe(false);
          expect(Math.abs(nonce - now)).toBeLessThanOrEqual(nonceWindowMs);
          seen.add(nonce);
        }
        expect(seen.size).toBeGreaterThanOrEqual(Math.min(jumps.length, 1));
      }),
    );
  });

  it('are not used again when the clock returns to where it was a hundred settings ago', () => {
    let now = 1_000_000;
    const nonces = noncesOf(() => now);
    const first = nonces.take();
    for (let setting = 0; setting < 100; setting += 1) {
      now += 20_000;
      nonces.take();
    }
    now = 1_000_000;
    expect(nonces.take()).not.toBe(first);
  });

  it('allow a burst of 5000, then one per millisecond, and are refused beyond', () => {
    let now = 1_000_000;
    const nonces = noncesOf(() => now);
    let taken = 0;
    for (; nonces.free() > 0; taken += 1) nonces.take();
    expect([taken, nonces.freeInMs()]).toEqual([5001, 1]);
    expect([nonces.take(), nonces.take()]).toEqual([undefined, undefined]);
    now += 100;
    expect([nonces.free(), nonces.take()]).toEqual([100, 1_003_001]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'are not taken, and none is used up, while the clock says %d',
    (invalid) => {
      let now = invalid;
      const used: NonceRange[] = [];
      const nonces = noncesOf(() => now, used);
      expect([nonces.free(), nonces.take(), used]).toEqual([Number.POSITIVE_INFINITY, invalid, []]);
      now = 1_000_000;
      expect([nonces.free(), nonces.take()]).toEqual([5001, 998_000]);
    },
  );

  it('of a clock that is set a thousand times are remembered for 256 settings', () => {
    let now = 1_000_000;
    const used: NonceRange[] = [];
    const nonces = noncesOf(() => now, used);
    for (let setting = 0; setting < 1000; setting += 1) {
      now += 20_000;
      nonces.take();
    }
    expect(used).toHaveLength(256);
  });

  it('differ between clients that share the used nonces', () => {
    const shared: NonceRange[] = [];
    const both = [noncesOf(() => 1_000_000, shared), noncesOf(() => 1_000_000, shared)];
    const taken = Array.from({ length: 100 }, (_, index) => both[index % 2]?.take());
    expect(new Set(taken).size).toBe(100);
  });

  it.each([
    ['back', -100_000],
    ['ahead and then back, to between', 50_000],
  ])('are free immediately after the clock was set %s', (_, by) => {
    let now = 1_000_000;
    const nonces = noncesOf(() => now);
    nonces.take();
    now += by > 0 ? 100_000 : 0;
    nonces.take();
    now = 1_000_000 + by;
    expect([nonces.free(), nonces.take()]).toEqual([5001, now - 2000]);
  });
});

const reading = (shown: number, sentAt: number, receivedAt: number) => ({
  shown,
  resolutionMs: 1000,
  sentAt,
  receivedAt,
});

describe('the exchange’s clock', () => {
  it('proves nothing by a reading that came before the request', () => {
    const clock = new ExchangeClock(() => 20_000);
    clock.learn(reading(9000, 9500, 9600));
    expect([9600, 9601].map((since) => clock.atLeast(20_000, since))).toEqual([19_400, undefined]);
  });

  it('is followed within a second and the latency', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -58_000, max: 58_000 }),
        fc.array(
          fc.record({
            pause: fc.integer({ min: 0, max: 5000 }),
            up: fc.integer({ min: 0, max: 500 }),
            down: fc.integer({ min: 0, max: 500 }),
          }),
          { minLength: 1 },
        ),
        (offset, responses) => {
          let local = 100_000_000;
          const clock = new ExchangeClock(() => local);
          for (const { pause, up, down } of responses) {
            local += pause;
            const sentAt = local;
            const shown = Math.floor((local + up + offset) / 1000) * 1000;
            local += up + down;
            clock.learn(reading(shown, sentAt, local));
            expect(clock.atLeast()).toBeLessThanOrEqual(local + offset);
            expect(Math.abs(clock.now() - (local + offset))).toBeLessThanOrEqual(2000);
          }
        },
      ),
    );
  });

  it.each([
    ['begins at the local time', reading(10_000, 10_000, 10_000)],
    ['ends at the local time', reading(9000, 10_000, 10_010)],
    ['contains the local time', reading(9000, 9500, 9600)],
  ])('equals the local clock when the second in the response %s', (_, same) => {
    const clock = new ExchangeClock(() => 10_000);
    clock.learn(same);
    expect(clock.now()).toBe(10_000);
  });

  it.each([
    ['overlap', [reading(11_000, 9900, 10_000), reading(12_000, 10_000, 10_100)]],
    ['touch', [reading(11_000, 10_000, 10_000), reading(12_000, 10_000, 10_000)]],
  ])('is narrowed by responses that %s, in any order; proofs use the last one', (_, readings) => {
    for (const order of [readings, readings.toReversed()]) {
      const clock = new ExchangeClock(() => 10_000);
      for (const reading of order) clock.learn(reading);
      const { shown = Number.NaN, receivedAt = Number.NaN } = order.at(-1) ?? {};
      expect([clock.now(), clock.atLeast()]).toEqual([12_000, shown + 10_000 - receivedAt]);
    }
  });
});

it('the local clock does not jump when the machine’s clock is set', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.advanceTimersByTime(500);
  const now = steadyClock();
  expect(now()).toBe(1_000_500);
  vi.setSystemTime(7);
  vi.advanceTimersByTime(250);
  expect(now()).toBe(1_000_750);
  vi.useRealTimers();
});
