// Permits in hand and the leases that cover them, on fake time, with a limiter that grants on command.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Leases } from '../../src/scheduler/leases.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A limiter that records the requested leases. */
class Limiter {
  readonly requested: { readonly weight: number; readonly isFirst: boolean; readonly job: () => Promise<void> }[] = [];
  /** Weights of the jobs that have ended. */
  readonly ended: number[] = [];

  schedule(
    { weight, isFirst }: { readonly weight: number; readonly isFirst: boolean },
    job: () => Promise<void>,
  ): void {
    this.requested.push({ weight, isFirst, job });
  }

  get weights(): number[] {
    return this.requested.map(({ weight }) => weight);
  }

  /** Starts the oldest jobs that wait. */
  grant(count = 1): void {
    for (const { weight, job } of this.requested.splice(0, count))
      job().then(
        () => this.ended.push(weight),
        () => undefined,
      );
  }
}

/** Leases of at most 128 permits, with 16 to 1024 in hand: 1 in 40. */
function setup(permits: number) {
  const limiters: Limiter[] = [];
  const onGrant = vi.fn();
  const leases = new Leases(
    () => {
      const limiter = new Limiter();
      limiters.push(limiter);
      return limiter;
    },
    permits,
    onGrant,
  );
  const limiter = () => limiters.at(-1) ?? new Limiter();
  const take = (count: number) => {
    for (let taken = 0; taken < count; taken += 1) leases.take();
  };
  return { leases, limiter, first: limiter(), onGrant, take };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe('permits in hand', () => {
  it.each([
    [1, 1, [1]],
    [10, 10, [10]],
    [640, 16, [16]],
    [8000, 200, [128, 72]],
    [100_000, 1024, Array.from({ length: 8 }, () => 128)],
  ])('of a limit of %i are %i at the start, without waiting', (permits, inHand, weights) => {
    const { leases, first } = setup(permits);
    expect([leases.available, leases.out, first.weights]).toEqual([inHand, 0, weights]);
    expect(first.requested.every(({ isFirst }) => isFirst)).toBe(true);
  });

  it('are requested for waiting requests and the hand, in at most four leases of the maximum size at once', () => {
    const { leases, first } = setup(10_000);
    first.requested.length = 0;
    leases.want(10);
    expect(first.weights).toEqual([]);
    leases.want(130);
    expect(first.weights).toEqual([128]);
    leases.want(9000);
    leases.want(9000);
    expect(first.weights).toEqual([128, 128, 128, 128]);
    expect(first.requested.some(({ isFirst }) => isFirst)).toBe(false);
  });

  it('are never requested beyond the permits that the limiter has left', () => {
    const { leases, first } = setup(150);
    leases.want(1000);
    expect(first.weights).toEqual([16, 128, 6]);
  });

  it('are available when they are granted, which calls onGrant', () => {
    const { leases, first, onGrant } = setup(640);
    first.requested.length = 0;
    leases.want(20);
    expect([leases.available, onGrant.mock.calls.length]).toEqual([16, 0]);
    first.grant();
    expect([leases.available, onGrant.mock.calls.length]).toEqual([36, 1]);
  });

  it('are requested again only when half of the hand is used', () => {
    const { leases, first, take } = setup(640);
    first.requested.length = 0;
    take(8);
    leases.want(0);
    expect(first.weights).toEqual([]);
    take(1);
    leases.want(0);
    expect(first.weights).toEqual([9]);
  });

  it('are returned when they exceed the need by a whole lease', async () => {
    const { leases, first } = setup(640);
    first.grant();
    leases.want(20);
    first.grant();
    leases.want(5);
    await settled();
    expect([leases.available, first.ended]).toEqual([36, []]);
    leases.want(4);
    await settled();
    expect([leases.available, first.ended]).toEqual([20, [16]]);
  });
});

describe('permits that are put back', () => {
  it('end the oldest lease when their count reaches its weight, and can be used again until then', async () => {
    const { leases, first, take } = setup(640);
    first.grant();
    take(16);
    leases.putBack(15);
    await settled();
    expect([leases.available, leases.out, first.ended]).toEqual([15, 1, []]);
    take(15);
    leases.putBack(16);
    await settled();
    expect([leases.available, leases.out, first.ended]).toEqual([0, 0, [16]]);
  });

  it('are available at once when they were not used', async () => {
    const { leases, first, take } = setup(10);
    first.grant();
    take(10);
    leases.putBack(10, true);
    await settled();
    expect([leases.available, leases.out, first.ended]).toEqual([10, 0, []]);
  });

  it('can be requested again for the next lease', () => {
    const { leases, first, take } = setup(10);
    take(10);
    first.requested.length = 0;
    leases.want(10);
    expect(first.weights).toEqual([]);
    leases.putBack(10);
    leases.want(10);
    expect(first.weights).toEqual([10]);
  });
});

describe('a new limiter', () => {
  it('takes over the permits that are out first, and ends the jobs of the old one', async () => {
    const { leases, limiter, first, take } = setup(640);
    first.grant();
    take(3);
    leases.restart();
    await settled();
    expect([first.ended, limiter().weights, limiter().requested[0]?.isFirst]).toEqual([[16], [3], true]);
    expect([leases.available, leases.out]).toEqual([0, 3]);
    limiter().grant();
    leases.putBack(3);
    await settled();
    expect(limiter().ended).toEqual([3]);
  });

  it('gets the requests that the old one had not granted; late grants of the old one are ignored', async () => {
    const { leases, limiter, first, onGrant } = setup(640);
    first.requested.length = 0;
    leases.want(20);
    leases.restart();
    leases.want(6);
    expect(limiter().weights).toEqual([22]);
    first.grant();
    await settled();
    expect([leases.available, onGrant.mock.calls.length, first.ended]).toEqual([0, 0, [20]]);
  });

  it('has the permits left that the held leases do not use', () => {
    const { leases, limiter } = setup(15);
    for (let taken = 0; taken < 10; taken += 1) leases.take();
    leases.restart();
    leases.want(100);
    expect(limiter().weights).toEqual([10, 5]);
  });
});
