// Permits in hand and the leases that cover them, on fake time.
import Bottleneck from 'bottleneck';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Leases } from '../../src/scheduler/leases.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();
afterEach(() => {
  vi.restoreAllMocks();
});

/** Permits in hand are 16 to 1024: 1 in 40. */
function setup(permits: number, reserved = 0) {
  const schedule = vi.spyOn(Bottleneck.prototype, 'schedule');
  const onGrant = vi.fn();
  const leases = new Leases(permits, reserved, onGrant);
  let seen = 0;
  const weights = () => schedule.mock.calls.map(([lease]) => Number(Reflect.get(lease, 'weight')));
  return {
    leases,
    onGrant,
    take: (count: number) => {
      for (let taken = 0; taken < count; taken += 1) leases.take();
    },
    /** Weights of the leases that were requested since the last time. */
    requested: () => {
      const since = weights().slice(seen);
      seen += since.length;
      return since;
    },
    /** Weights of the leases that have ended. */
    ended: async () => {
      await vi.advanceTimersByTimeAsync(50);
      return weights().filter((_, index) => schedule.mock.settledResults[index]?.type === 'fulfilled');
    },
  };
}

const granted = () => vi.advanceTimersByTimeAsync(50);

describe('permits in hand', () => {
  it.each([
    [1, 0, 1, [1]],
    [10, 2, 10, [10]],
    [640, 0, 16, [16]],
    [8000, 0, 200, [128, 72]],
    [100_000, 0, 1024, [1024]],
  ])('of a limit of %i with %i reserved are %i at the start, without waiting', (permits, reserved, inHand, weights) => {
    const { leases, requested } = setup(permits, reserved);
    expect([leases.available, requested()]).toEqual([inHand, weights]);
  });

  it('are requested for waiting requests and the hand, in at most four leases of the maximum size at once', () => {
    const { leases, requested } = setup(10_000);
    requested();
    leases.want(10);
    expect(requested()).toEqual([]);
    leases.want(130);
    expect(requested()).toEqual([128]);
    leases.want(9000);
    leases.want(9000);
    expect(requested()).toEqual([128, 128, 128]);
  });

  it('are 1/80 of a limit above 10,240', () => {
    const { leases, requested } = setup(100_000);
    requested();
    leases.want(4000);
    expect(requested()).toEqual([1250, 1250, 1250]);
  });

  it('are never requested beyond the permits that are left', () => {
    const { leases, requested } = setup(150);
    leases.want(1000);
    expect(requested()).toEqual([16, 128, 6]);
  });

  it('are available when they are granted, which calls onGrant', async () => {
    const { leases, onGrant } = setup(640);
    leases.want(20);
    expect([leases.available, onGrant.mock.calls.length]).toEqual([16, 0]);
    await granted();
    expect([leases.available, onGrant.mock.calls.length]).toEqual([36, 1]);
  });

  it('are requested again only when half of the hand is used', () => {
    const { leases, requested, take } = setup(640, 12);
    requested();
    take(8);
    leases.want(0);
    expect(requested()).toEqual([]);
    take(1);
    leases.want(0);
    expect(requested()).toEqual([9]);
  });

  it('are returned when they exceed the need by a whole lease', async () => {
    const { leases, ended } = setup(640);
    leases.want(20);
    await granted();
    leases.want(5);
    expect([leases.available, await ended()]).toEqual([36, []]);
    leases.want(4);
    expect([leases.available, await ended()]).toEqual([20, [16]]);
  });
});

describe('permits that are put back', () => {
  it('end the oldest lease when their count reaches its weight, and can be used again until then', async () => {
    const { leases, ended, take } = setup(640);
    take(16);
    leases.putBack(15);
    expect([leases.available, await ended()]).toEqual([15, []]);
    take(15);
    leases.putBack(16);
    expect([leases.available, await ended()]).toEqual([0, [16]]);
  });

  it.each([
    ['are available at once when they were not used', 10, 0, 10, true],
    ['end no lease with permits that are reserved', 18, 2, 2, false],
  ])('%s', async (_, permits, reserved, back, isUnused) => {
    const { leases, ended, take } = setup(permits, reserved);
    take(permits);
    leases.putBack(back, isUnused);
    expect([leases.available, await ended()]).toEqual([back, []]);
  });

  it('can be requested again for the next lease', () => {
    const { leases, requested, take } = setup(10);
    take(10);
    requested();
    leases.want(10);
    expect(requested()).toEqual([]);
    leases.putBack(10);
    leases.want(10);
    expect(requested()).toEqual([10]);
  });
});

describe('after the wall clock was set back', () => {
  const setBack = () => vi.setSystemTime(Date.now() - 3_600_000);

  it('another limiter has the permits that are out, and the jobs of the old one end', async () => {
    const { leases, ended, requested, take } = setup(640);
    take(3);
    await granted();
    setBack();
    leases.want(0);
    expect([leases.available, requested(), await ended()]).toEqual([0, [16, 3, 16], [16]]);
    leases.putBack(3);
    expect([leases.available, await ended()]).toEqual([16, [16, 3]]);
  });

  it('permits are requested again that were not granted; late grants of the old limiter are ignored', async () => {
    const { leases, requested, onGrant } = setup(640);
    leases.want(20);
    setBack();
    leases.want(6);
    // By then the wall clock has caught up.
    await vi.advanceTimersByTimeAsync(3_700_000);
    expect([requested(), leases.available, onGrant.mock.calls.length]).toEqual([[16, 20, 22], 22, 1]);
  });

  it('no more permits are requested than those that are out leave', () => {
    const { leases, requested, take } = setup(15);
    take(10);
    setBack();
    leases.want(100);
    expect(requested()).toEqual([15, 10, 5]);
  });

  it('nothing changes when the step was small or forward; small steps add up', () => {
    const { leases } = setup(640);
    const availableAfter = (stepMs: number) => {
      vi.advanceTimersByTime(1000);
      vi.setSystemTime(Date.now() + stepMs);
      leases.want(0);
      return leases.available;
    };
    expect([-200, 450, -200, -50].map(availableAfter)).toEqual([16, 16, 16, 0]);
  });
});
