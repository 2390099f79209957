// Promise 1 on fake time: the requests that the exchange counts in every window, with any outcome of the requests.
import { createScheduler, type AcquireOptions, type RateLimit, type Priority, type Scheduler } from 'exchange-rx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import { forgetMsOf } from '../../src/scheduler/cool-down.js';
import { useFakeTime } from '../support/fake-time.js';
import { largestWindow } from '../support/largest-window.js';
import type { PermitUse } from '../../src/scheduler/index.js';

const time = useFakeTime();

const lateArrivalMs = 3000;

/** A request: its time, its options, and what the network and its sender do to it. */
const story = fc.record({
  after: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 900 }) }),
  /** Which of the rate limits it counts against. */
  counts: fc.subarray([0, 1, 2], { minLength: 1 }),
  priority: fc.constantFrom<Priority>('urgent', 'normal', 'normal'),
  maxWaitMs: fc.option(fc.integer({ min: 0, max: 3000 }), { freq: 5, nil: undefined }),
  /** From sending to the release of the permit, milliseconds. */
  takes: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 80 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2000 }) },
  ),
  /** When it arrives, as a share of `takes` or, when its sender has given up, of `lateArrivalMs`. */
  arrives: fc.double({ min: 0, max: 1, noNaN: true }),
  use: fc.oneof(
    { weight: 20, arbitrary: fc.constant<PermitUse>('responded') },
    { weight: 4, arbitrary: fc.constantFrom<PermitUse>('unsent', 'unknown') },
    { weight: 1, arbitrary: fc.constant<PermitUse>('rate-limited') },
  ),
  /** When its sender unsubscribes, milliseconds after the request. */
  leaves: fc.option(fc.integer({ min: 0, max: 1500 }), { freq: 5, nil: undefined }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays the stories and counts their results; has the arrivals of each rate limit. */
async function play(scheduler: Scheduler, rateLimits: readonly RateLimit[], stories: readonly Story[]) {
  const results = { granted: 0, left: 0, expired: 0, arrivals: rateLimits.map((): number[] => []) };
  for (const { after, counts, priority, maxWaitMs, takes, arrives, use, leaves } of stories) {
    if (after > 0) await time.advance(after);
    const options: AcquireOptions = { priority, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) };
    let ended = false;
    const indices = rateLimits.length === 1 ? [0] : counts;
    const limits = indices.flatMap((index) => rateLimits[index] ?? []);
    const subscription = scheduler.acquire(limits, options).subscribe({
      next: (permit) => {
        ended = true;
        results.granted += 1;
        // A request with an unknown outcome arrives late, an unsent one never.
        // In whole milliseconds: fake timers read 8e-323 as 8, which is after the response.
        const late = Math.floor(use === 'unknown' ? takes + arrives * lateArrivalMs : takes * arrives);
        if (use !== 'unsent')
          setTimeout(() => {
            for (const index of indices) results.arrivals[index]?.push(performance.now());
          }, late);
        setTimeout(() => {
          permit.release(use);
        }, takes);
      },
      error: () => {
        ended = true;
        results.expired += 1;
      },
    });
    if (leaves === undefined) continue;
    setTimeout(() => {
      if (!ended) results.left += 1;
      subscription.unsubscribe();
    }, leaves);
  }
  await time.advance(300_000);
  return results;
}

describe('with any latency, failures, cancellations and priorities', () => {
  const terms = fc.record({
    limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 50, max: 90 })),
    windowMs: fc.constantFrom(50, 1000, 1000, 3000),
  });

  it('no window exceeds any of several limits that requests count against, and every permit of each returns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(terms, terms, terms),
        fc.array(story, { minLength: 1, maxLength: 150, size: 'max' }),
        fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
        async (limits, stories, maxInFlight) => {
          const scheduler = createScheduler({ lateArrivalMs });
          const [inFlight, second] = [new InFlight(maxInFlight), new InFlight(3)];
          let requests = 0;
          const acquire: Scheduler['acquire'] = (which, options) => {
            requests += 1;
            return scheduler.acquire(which, { inFlight: requests % 3 === 0 ? second : inFlight, ...options });
          };
          const rateLimits = limits.map((one, index) => ({ ...one, name: `limit ${index}` }));
          const results = await play({ ...scheduler, acquire }, rateLimits, stories);
          for (const [index, { limit, windowMs }] of limits.entries()) {
            expect(largestWindow(results.arrivals[index] ?? [], forgetMsOf(windowMs))).toBeLessThanOrEqual(limit);
          }
          expect(results.granted + results.left + results.expired).toBe(stories.length);
          expect([inFlight.free(false), second.free(false)]).toEqual([maxInFlight ?? Number.POSITIVE_INFINITY, 3]);
          scheduler.usage$
            .subscribe((usage) => {
              for (const { used, free, limit, queued } of usage)
                expect([used, free, queued]).toEqual([0, limit, { urgent: 0, normal: 0 }]);
            })
            .unsubscribe();
        },
      ),
      { numRuns: 20 },
    );
  }, 120_000);

  it('no window exceeds the limit when the network delays each request to the worst moment', async () => {
    const rateLimit = { name: 'test', limit: 50, windowMs: 1000 };
    const scheduler = createScheduler();
    const arrivals: number[] = [];
    const next = () => {
      scheduler.acquire(rateLimit).subscribe((permit) => {
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
    await time.advance(20_000);
    expect(arrivals.length).toBeGreaterThan(200);
    expect(largestWindow(arrivals, 1000)).toBeLessThanOrEqual(50);
  });
});
