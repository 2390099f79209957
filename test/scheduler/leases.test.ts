// Permits in hand and the leases that cover them, on fake time, with a limiter that grants on command.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Leases, type Grant, type LeaseTerms } from '../../src/scheduler/leases.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A limiter that records the requested leases. */
class Limiter {
  readonly requested: {
    readonly weight: number;
    readonly first: boolean;
    readonly job: (grant: Grant) => Promise<void>;
  }[] = [];
  /** Weights of the jobs that have ended. */
  readonly ended: number[] = [];

  schedule(
    { weight, first }: { readonly weight: number; readonly first: boolean },
    job: (grant: Grant) => Promise<void>,
  ): void {
    this.requested.push({ weight, first, job });
  }

  get weights(): number[] {
    return this.requested.map(({ weight }) => weight);
  }

  /** Starts the oldest job that waits. */
  grant(takenAt = performance.now(), extend?: Grant['extend']): void {
    const next = this.requested.shift();
    if (next === undefined) throw new Error('no lease was requested');
    next.job({ takenAt, ...(extend && { extend }) }).then(
      () => this.ended.push(next.weight),
      () => undefined,
    );
  }
}

function setup(terms: Partial<LeaseTerms> = {}) {
  const limiter = new Limiter();
  const granted = vi.fn();
  return { limiter, granted, leases: new Leases(limiter, { size: 10, inHand: 4, ...terms }, granted) };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe('permits in hand', () => {
  it('are requested for waiting requests and the hand, in leases of the maximum size', () => {
    const { limiter, leases } = setup();
    leases.want(21);
    expect(limiter.weights).toEqual([10, 10, 5]);
    expect(limiter.requested.map(({ first }) => first)).toEqual([false, false, false]);
  });

  it('are requested only while that is allowed, and can all be put back', async () => {
    let isAllowed = false;
    const mayRequest = vi.fn(() => isAllowed);
    const { limiter, leases } = setup({ mayRequest });
    leases.want(3);
    expect(mayRequest).toHaveBeenLastCalledWith(3);
    expect(limiter.weights).toEqual([]);
    isAllowed = true;
    leases.want(3);
    expect([limiter.weights, leases.requested]).toEqual([[7], 7]);
    limiter.grant();
    expect([leases.available, leases.requested]).toEqual([7, 0]);
    leases.putHandBack();
    await settled();
    expect([leases.available, limiter.ended]).toEqual([0, [7]]);
  });

  it('are not requested twice, and in at most four leases at once', () => {
    const { limiter, leases } = setup();
    leases.want(100);
    leases.want(100);
    expect(limiter.weights).toEqual([10, 10, 10, 10]);
    limiter.grant();
    leases.want(100);
    expect(limiter.weights).toEqual([10, 10, 10, 10]);
  });

  it('are never out in larger numbers than maxOut, whatever the limiter grants', () => {
    const { limiter, leases } = setup({ maxOut: 3 });
    leases.want(8);
    limiter.grant();
    for (let taken = 0; taken < 3; taken += 1) leases.take();
    expect(leases.available).toBe(0);
    leases.putBack(2);
    expect(leases.available).toBe(2);
  });

  it('are never requested beyond the permits that the limiter has left', () => {
    const { limiter, leases } = setup({ permits: 12 });
    leases.want(100);
    expect(limiter.weights).toEqual([10, 2]);
    limiter.grant();
    leases.want(100);
    expect(limiter.weights).toEqual([2]);
  });

  it('are available when they are granted, which calls onGrant', () => {
    const { limiter, granted, leases } = setup();
    leases.want(3);
    expect([leases.available, granted.mock.calls.length]).toEqual([0, 0]);
    limiter.grant();
    expect([leases.available, granted.mock.calls.length]).toEqual([7, 1]);
    leases.take();
    expect([leases.available, leases.out]).toEqual([6, 1]);
  });

  it('are requested again only when half of the hand is used', () => {
    const { limiter, leases } = setup();
    leases.takeFirst(4, 'hand');
    limiter.requested.length = 0;
    leases.take();
    leases.take();
    leases.want(0);
    expect(limiter.weights).toEqual([]);
    leases.take();
    leases.want(0);
    expect(limiter.weights).toEqual([3]);
  });

  it('are returned when they exceed the need by a whole lease', async () => {
    const { limiter, leases } = setup();
    leases.want(10);
    limiter.grant();
    limiter.grant();
    expect(leases.available).toBe(14);
    leases.want(1);
    await settled();
    expect([leases.available, limiter.ended]).toEqual([14, []]);
    leases.want(0);
    await settled();
    expect([leases.available, limiter.ended]).toEqual([4, [10]]);
  });

  it('are available at once from a new limiter, in leases of the maximum size', () => {
    const { limiter, leases } = setup();
    leases.takeFirst(25, 'hand');
    expect([leases.available, leases.out, limiter.weights]).toEqual([25, 0, [10, 10, 5]]);
    expect(limiter.requested.every(({ first }) => first)).toBe(true);
  });

  it('can be out from the start', async () => {
    const { limiter, leases } = setup();
    leases.takeFirst(10, 'out');
    expect([leases.available, leases.out]).toEqual([0, 10]);
    limiter.grant();
    leases.putBack(10);
    await settled();
    expect([leases.out, limiter.ended]).toEqual([0, [10]]);
  });
});

describe('permits that are put back', () => {
  it('end the oldest lease when their count reaches its weight, and can be used again until then', async () => {
    const { limiter, leases } = setup();
    leases.takeFirst(20, 'hand');
    limiter.grant();
    limiter.grant();
    for (let taken = 0; taken < 20; taken += 1) leases.take();
    leases.putBack(9);
    await settled();
    expect([leases.available, leases.out, limiter.ended]).toEqual([9, 11, []]);
    for (let taken = 0; taken < 9; taken += 1) leases.take();
    leases.putBack(10);
    await settled();
    expect([leases.available, leases.out, limiter.ended]).toEqual([0, 10, [10]]);
  });

  it('can be requested again for the next lease', () => {
    const { limiter, leases } = setup({ permits: 10 });
    leases.takeFirst(10, 'out');
    limiter.requested.length = 0;
    leases.want(10);
    expect(limiter.weights).toEqual([]);
    leases.putBack(10);
    leases.want(10);
    expect(limiter.weights).toEqual([10]);
  });
});

describe('a new limiter', () => {
  it('takes over the held leases first, and ends the jobs of the old one', async () => {
    const { limiter, leases } = setup();
    leases.takeFirst(10, 'out');
    limiter.grant();
    const next = new Limiter();
    leases.replaceLimiter(next);
    await settled();
    expect([limiter.ended, next.weights, next.requested[0]?.first, leases.out]).toEqual([[10], [10], true, 10]);
    next.grant();
    leases.putBack(10);
    await settled();
    expect(next.ended).toEqual([10]);
  });

  it('gets the requests that the old one had not granted; late grants of the old one are ignored', async () => {
    const { limiter, granted, leases } = setup();
    leases.want(6);
    const next = new Limiter();
    leases.replaceLimiter(next);
    leases.want(6);
    expect(next.weights).toEqual([10]);
    limiter.grant();
    await settled();
    expect([leases.available, granted.mock.calls.length, limiter.ended]).toEqual([0, 0, [10]]);
  });

  it('has the permits left that the held leases do not use', () => {
    const { leases } = setup({ permits: 15 });
    leases.takeFirst(10, 'out');
    const next = new Limiter();
    leases.replaceLimiter(next);
    next.requested.length = 0;
    leases.want(100);
    expect(next.weights).toEqual([5]);
  });
});

describe('permits with a usable time', () => {
  const terms = { usableMs: 1000, renewMs: 200, lifeMs: 5000 };

  it('are not available after it, and end their lease', async () => {
    const { limiter, leases } = setup(terms);
    leases.want(6);
    limiter.grant();
    await vi.advanceTimersByTimeAsync(999);
    expect(leases.available).toBe(10);
    await vi.advanceTimersByTimeAsync(1);
    expect(leases.available).toBe(0);
    await settled();
    expect(limiter.ended).toEqual([10]);
  });

  it('count the time from when they were taken, not from the grant', async () => {
    const { limiter, leases } = setup(terms);
    await vi.advanceTimersByTimeAsync(600);
    leases.want(6);
    limiter.grant(100);
    await vi.advanceTimersByTimeAsync(499);
    expect(leases.available).toBe(10);
    await vi.advanceTimersByTimeAsync(1);
    expect(leases.available).toBe(0);
  });

  it('are replaced shortly before it ends', async () => {
    const { limiter, leases } = setup(terms);
    leases.want(0);
    limiter.grant();
    await vi.advanceTimersByTimeAsync(799);
    leases.want(0);
    expect(limiter.weights).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    leases.want(0);
    expect(limiter.weights).toEqual([4]);
  });

  it('are dropped oldest first, and only after their time', async () => {
    const { limiter, leases } = setup(terms);
    leases.want(6);
    limiter.grant();
    await vi.advanceTimersByTimeAsync(500);
    leases.want(16);
    limiter.grant();
    expect(leases.available).toBe(20);
    leases.take();
    await vi.advanceTimersByTimeAsync(500);
    expect(leases.available).toBe(10);
  });

  it('of several leases that were taken together end together', async () => {
    const { limiter, leases } = setup(terms);
    leases.want(16);
    limiter.grant(0);
    limiter.grant(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(leases.available).toBe(0);
    await settled();
    expect(limiter.ended).toEqual([10, 10]);
  });

  it('do not return to the hand when they are too few to end a lease, which may soon expire', () => {
    const { limiter, leases } = setup(terms);
    leases.want(6);
    limiter.grant();
    leases.take();
    leases.putBack(1);
    expect([leases.available, leases.out]).toEqual([9, 0]);
  });
});

describe('leases that expire', () => {
  const terms = { lifeMs: 5000, usableMs: 1000 };

  /** Ten permits of one lease, all out; the lease is extended as Redis would. */
  function allOut(extend = vi.fn((): Promise<number | undefined> => Promise.resolve(performance.now()))) {
    const made = setup(terms);
    made.leases.want(6);
    made.limiter.grant(0, extend);
    for (let taken = 0; taken < 10; taken += 1) made.leases.take();
    return { ...made, extend };
  }

  it('are not extended before the time', () => {
    const { extend, leases } = allOut();
    expect([leases.extend(3999, 1000), extend.mock.calls.length]).toEqual([true, 0]);
  });

  it('are extended once before they expire, without another permit', async () => {
    const { limiter, extend, leases } = allOut();
    await vi.advanceTimersByTimeAsync(4000);
    expect([leases.extend(4000, 1000), leases.extend(4001, 1000)]).toEqual([true, true]);
    expect([limiter.weights, extend.mock.calls.length]).toEqual([[], 1]);
  });

  it('last for a whole life from their extension, and are extended again', async () => {
    const { limiter, extend, leases } = allOut();
    await vi.advanceTimersByTimeAsync(4000);
    leases.extend(4000, 1000);
    await settled();
    expect([leases.extend(7999, 1000), extend.mock.calls.length]).toEqual([true, 1]);
    expect([leases.extend(8000, 1000), extend.mock.calls.length]).toEqual([true, 2]);
    expect([limiter.ended, leases.available, leases.out]).toEqual([[], 0, 10]);
  });

  it('have permits that have returned in hand again after an extension, for the usable time', async () => {
    const { limiter, granted, leases } = allOut();
    leases.putBack(3);
    expect([leases.available, leases.out]).toEqual([0, 7]);
    await vi.advanceTimersByTimeAsync(4000);
    const grants = granted.mock.calls.length;
    leases.extend(4000, 1000);
    await settled();
    expect([leases.available, leases.out, granted.mock.calls.length]).toEqual([3, 7, grants + 1]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([leases.available, leases.out]).toEqual([0, 7]);
    leases.putBack(7);
    await settled();
    expect(limiter.ended).toEqual([10]);
  });

  it('are extended before their permits in hand become too old, which are usable for the whole time again', async () => {
    const { limiter, leases } = setup(terms);
    const extend = vi.fn((): Promise<number | undefined> => Promise.resolve(performance.now()));
    leases.want(6);
    limiter.grant(0, extend);
    leases.take();
    await vi.advanceTimersByTimeAsync(700);
    expect([leases.extend(699, 1000, 300), extend.mock.calls.length]).toEqual([true, 0]);
    expect([leases.extend(700, 1000, 300), extend.mock.calls.length]).toEqual([true, 1]);
    await vi.advanceTimersByTimeAsync(999);
    expect([leases.available, leases.out]).toEqual([9, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([leases.available, leases.out]).toEqual([0, 1]);
  });

  it('are not extended for permits in hand when there are none', async () => {
    const { extend, leases } = allOut();
    await vi.advanceTimersByTimeAsync(900);
    expect([leases.extend(900, 1000, 300), extend.mock.calls.length]).toEqual([true, 0]);
  });

  it('expire when the extension fails', async () => {
    const { extend, leases } = allOut(vi.fn(() => Promise.resolve(undefined)));
    leases.extend(4000, 1000);
    await settled();
    expect([leases.extend(4999, 1000), leases.extend(5000, 1000)]).toEqual([true, false]);
    expect(extend.mock.calls.length).toBe(1);
  });

  it('end when their permits return while they are extended', async () => {
    const { limiter, leases } = allOut();
    leases.extend(4000, 1000);
    leases.putBack(10);
    await settled();
    expect([limiter.ended, leases.out]).toEqual([[10], 0]);
    expect(leases.extend(1e6, 1000)).toBe(true);
  });

  it('end before one that was extended, which was taken earlier', async () => {
    const { limiter, leases } = allOut();
    await vi.advanceTimersByTimeAsync(4000);
    leases.want(3);
    limiter.grant();
    leases.extend(4000, 1000);
    await settled();
    leases.putBack(7);
    await settled();
    expect(limiter.ended).toEqual([7]);
  });

  it('that expired before their permits returned make extend() return false', () => {
    const { leases } = allOut();
    expect([leases.extend(4999, 0), leases.extend(5000, 0)]).toEqual([true, false]);
  });

  it('put back unusable permits first, and end instead of being extended', async () => {
    const { limiter, leases } = setup(terms);
    const extend = vi.fn(() => Promise.resolve(undefined));
    leases.want(6);
    limiter.grant(0, extend);
    await vi.advanceTimersByTimeAsync(1000);
    expect(leases.extend(4500, 1000)).toBe(true);
    await settled();
    expect([limiter.ended, extend.mock.calls.length]).toEqual([[10], 0]);
  });

  it('never expire by default', () => {
    const { leases } = setup();
    leases.takeFirst(10, 'out');
    expect(leases.extend(1e12, 1000)).toBe(true);
  });
});
