// Promise 1, on fake time: the exchange's count over every window, whatever becomes of the requests.
import {
  createScheduler,
  type AcquireOptions,
  type RateLimit,
  type PermitUse,
  type Priority,
  type Scheduler,
} from 'exchange-rx';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { largestWindow } from '../support/largest-window.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const lateArrivalMs = 3000;

/** A request: when it comes, what it asks, and what the network and its sender do to it. */
interface Story {
  readonly after: number;
  readonly priority: Priority;
  readonly maxWaitMs: number | undefined;
  /** From sending to what its sender learns, milliseconds. */
  readonly takes: number;
  /** When it arrives: at this part of the time that it takes or, when its sender has given up, that it can be late. */
  readonly arrives: number;
  readonly use: PermitUse;
  /** When its sender leaves, after asking. */
  readonly leaves: number | undefined;
}

const story: fc.Arbitrary<Story> = fc.record({
  after: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 900 }) }),
  priority: fc.constantFrom('urgent', 'normal', 'normal', 'background'),
  maxWaitMs: fc.option(fc.integer({ min: 0, max: 3000 }), { freq: 5, nil: undefined }),
  takes: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 80 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2000 }) },
  ),
  arrives: fc.double({ min: 0, max: 1, noNaN: true }),
  use: fc.oneof(
    { weight: 20, arbitrary: fc.constant<PermitUse>('responded') },
    { weight: 4, arbitrary: fc.constantFrom<PermitUse>('unsent', 'unknown') },
    { weight: 1, arbitrary: fc.constant<PermitUse>('rate-limited') },
  ),
  leaves: fc.option(fc.integer({ min: 0, max: 1500 }), { freq: 5, nil: undefined }),
});

interface Told {
  granted: number;
  left: number;
  expired: number;
  readonly arrivals: number[];
}

/** Plays the stories, and tells what came of them. */
async function play(scheduler: Scheduler, group: RateLimit, stories: readonly Story[]): Promise<Told> {
  const told: Told = { granted: 0, left: 0, expired: 0, arrivals: [] };
  for (const { after, priority, maxWaitMs, takes, arrives, use, leaves } of stories) {
    if (after > 0) await vi.advanceTimersByTimeAsync(after);
    const options: AcquireOptions = { priority, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) };
    let ended = false;
    const subscription = scheduler.acquire(group, options).subscribe({
      next: (permit) => {
        ended = true;
        told.granted += 1;
        // One whose fate is unknown arrives late; one that was not sent never does.
        // In whole milliseconds: fake timers read 8e-323 as 8, which is after the answer.
        const late = Math.floor(use === 'unknown' ? takes + arrives * lateArrivalMs : takes * arrives);
        if (use !== 'unsent') setTimeout(() => told.arrivals.push(performance.now()), late);
        setTimeout(() => {
          permit.release(use);
        }, takes);
      },
      error: () => {
        ended = true;
        told.expired += 1;
      },
    });
    if (leaves === undefined) continue;
    setTimeout(() => {
      if (!ended) told.left += 1;
      subscription.unsubscribe();
    }, leaves);
  }
  await vi.advanceTimersByTimeAsync(300_000);
  return told;
}

describe('whatever the latency, failures, cancellations and priorities', () => {
  it.each([
    { name: 'one a second', limit: 1, windowMs: 1000, most: 25, runs: 40 },
    { name: 'three a second', limit: 3, windowMs: 1000, most: 60, runs: 40 },
    { name: 'with a reserve', limit: 100, windowMs: 1000, most: 400, runs: 15 },
    { name: 'in a short window', limit: 10, windowMs: 50, most: 100, runs: 25 },
  ])(
    'no window holds more than the limit, every request ends in one way, and every permit comes back: $name',
    async ({ limit, windowMs, most, runs }) => {
      const group = { name: 'test', limit, windowMs };
      await fc.assert(
        fc.asyncProperty(fc.array(story, { minLength: 1, maxLength: most, size: 'max' }), async (stories) => {
          const scheduler = createScheduler({ lateArrivalMs });
          const told = await play(scheduler, group, stories);
          expect(largestWindow(told.arrivals, windowMs)).toBeLessThanOrEqual(limit);
          expect(told.granted + told.left + told.expired).toBe(stories.length);
          scheduler.usage$
            .subscribe(([usage]) => {
              expect(usage).toMatchObject({ used: 0, free: limit, queued: { urgent: 0, normal: 0, background: 0 } });
            })
            .unsubscribe();
        }),
        { numRuns: runs },
      );
    },
    120_000,
  );

  it('a network that holds every request back to the worst moment gets no window above the limit', async () => {
    const group = { name: 'test', limit: 50, windowMs: 1000 };
    const scheduler = createScheduler({ urgentShare: 0 });
    const arrivals: number[] = [];
    const next = () => {
      scheduler.acquire(group).subscribe((permit) => {
        const boundary = Math.ceil((performance.now() + 1) / 2000) * 2000;
        const takes = boundary - performance.now();
        setTimeout(() => arrivals.push(performance.now()), takes);
        setTimeout(() => {
          permit.release('responded');
          next();
        }, takes + 1);
      });
    };
    for (let loop = 0; loop < 100; loop += 1) next();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(arrivals.length).toBeGreaterThan(200);
    expect(largestWindow(arrivals, 1000)).toBeLessThanOrEqual(50);
  });
});
