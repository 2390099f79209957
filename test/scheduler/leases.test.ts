// Permits in hand and the leases that cover them, on fake time, with a limiter that grants on command.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Leases, type LeaseTerms } from '../../src/scheduler/leases.js';

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
    readonly job: (granted: number) => Promise<void>;
  }[] = [];
  /** Weights of the jobs that have ended. */
  readonly ended: number[] = [];

  schedule(
    { weight, first }: { readonly weight: number; readonly first: boolean },
    job: (granted: number) => Promise<void>,
  ): void {
    this.requested.push({ weight, first, job });
  }

  get weights(): number[] {
    return this.requested.map(({ weight }) => weight);
  }

  /** Starts the oldest job that waits, with at most this many permits. */
  grant(permits = Number.POSITIVE_INFINITY): void {
    const next = this.requested.shift();
    if (next === undefined) throw new Error('no lease was requested');
    const granted = Math.min(permits, next.weight);
    next.job(granted).then(
      () => this.ended.push(granted),
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

  it('are not requested twice, and in at most four leases at once', () => {
    const { limiter, leases } = setup();
    leases.want(100);
    leases.want(100);
    expect(limiter.weights).toEqual([10, 10, 10, 10]);
    limiter.grant();
    leases.want(100);
    expect(limiter.weights).toEqual([10, 10, 10, 10]);
  });

  it('may be fewer than were requested: the rest is requested again', () => {
    const { limiter, leases } = setup();
    leases.want(6);
    limiter.grant(3);
    expect(leases.available).toBe(3);
    leases.want(6);
    expect(limiter.weights).toEqual([7]);
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
  it('gets no request for the permits in hand', () => {
    const { leases } = setup();
    leases.takeFirst(10, 'hand');
    leases.take();
    const next = new Limiter();
    leases.replaceLimiter(next);
    expect([leases.available, leases.out, next.weights]).toEqual([0, 1, [1]]);
  });

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

describe('permits that other processes use, too', () => {
  it('are available until their time, and again when it is later', () => {
    const terms = { size: 10, inHand: 4, usableUntil: performance.now() + 1000 };
    const limiter = new Limiter();
    const leases = new Leases(limiter, terms, () => undefined);
    leases.want(6);
    limiter.grant();
    expect(leases.available).toBe(10);
    expect(leases.take()).toBe(terms.usableUntil);
    vi.advanceTimersByTime(1000);
    expect([leases.available, leases.take()]).toEqual([0, undefined]);
    terms.usableUntil += 1000;
    expect(leases.available).toBe(9);
  });

  it('do not return to the hand when they are too few to end a lease', async () => {
    const { limiter, leases } = setup({ usableUntil: performance.now() + 1000 });
    leases.want(6);
    limiter.grant();
    for (let taken = 0; taken < 10; taken += 1) leases.take();
    leases.putBack(9);
    expect([leases.available, leases.spare]).toEqual([0, 9]);
    leases.putBack(1);
    await settled();
    expect([leases.spare, limiter.ended]).toEqual([0, [10]]);
  });

  it('end a lease together with those in hand that are too many', async () => {
    const { limiter, leases } = setup({ inHand: 0, usableUntil: performance.now() + 1000 });
    leases.want(6);
    limiter.grant();
    for (let taken = 0; taken < 3; taken += 1) leases.take();
    leases.putBack(3);
    leases.want(0);
    await settled();
    expect([leases.available, leases.spare, limiter.ended]).toEqual([0, 0, [6]]);
  });

  it('are in hand again when they were not used', () => {
    const { limiter, leases } = setup({ usableUntil: performance.now() + 1000 });
    leases.want(6);
    limiter.grant();
    leases.take();
    leases.putBackUnused();
    expect([leases.available, leases.out]).toEqual([10, 0]);
  });
});
