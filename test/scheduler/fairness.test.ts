// Neither requests of one rate limit nor those of several starve, and a saturated rate limit yields its promise.
import { createScheduler, type Permit, type Priority, type RateLimit, type Scheduler } from 'exchange-rx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forgetMsOf } from '../../src/scheduler/cool-down.js';
import { useFakeTime } from '../support/fake-time.js';
import { largestWindow } from '../support/largest-window.js';

const windowMs = 10_000;
const narrow: RateLimit = { name: 'narrow', limit: 60, windowMs };
const wide: RateLimit = { name: 'wide', limit: 200, windowMs };
const alsoWide: RateLimit = { name: 'also wide', limit: 200, windowMs };
const measuredMs = 30_000;

const time = useFakeTime();

/**
 * Keeps this many requests queued or in flight; each has its response after 20 to 80 ms. Returns when they were granted
 * their permits, and for how long they waited.
 */
function load(
  scheduler: Scheduler,
  limits: readonly RateLimit[],
  loops: number,
  priorityOf: (request: number) => Priority = () => 'normal',
) {
  const sentAt: number[] = [];
  const waitedMs: number[] = [];
  let count = 0;
  const next = () => {
    const requestedAt = performance.now();
    count += 1;
    scheduler.acquire(limits, { priority: priorityOf(count) }).subscribe((permit) => {
      sentAt.push(performance.now());
      waitedMs.push(performance.now() - requestedAt);
      setTimeout(
        () => {
          permit.release('responded');
          next();
        },
        20 + ((sentAt.length * 7) % 60),
      );
    });
  };
  // The loops start at different times: requests that all start at once come in waves for ever. Fake timers are slow in
  // thousands.
  for (let loop = 0; loop < loops; loop += 1) {
    if (loop < 500) setTimeout(next, (loop * 1009) % windowMs);
    else next();
  }
  return { limits, sentAt, waitedMs };
}

type Load = ReturnType<typeof load>;

/** Lets the loads run in, and returns when the measurement begins. */
async function run(): Promise<number> {
  await time.advance(4 * windowMs);
  const from = performance.now();
  await time.advance(measuredMs);
  return from;
}

const countFrom = ({ sentAt }: Load, from: number) => sentAt.filter((time) => time >= from).length;
const maxWait = ({ sentAt, waitedMs }: Load, from: number) =>
  Math.max(...waitedMs.filter((_, index) => (sentAt[index] ?? 0) >= from));

/** The permits of a rate limit that normal requests can get: 2 % are reserved for urgent ones. */
const forNormal = ({ limit }: RateLimit) => limit - Math.floor(limit * 0.02);

/** The share of this many permits in each window that the loads of a rate limit got. */
function shareOf(
  rateLimit: RateLimit,
  loads: readonly Load[],
  from: number,
  permits: number = forNormal(rateLimit),
): number {
  const counts = loads.filter(({ limits }) => limits.includes(rateLimit)).map((one) => countFrom(one, from));
  return counts.reduce((sum, count) => sum + count, 0) / ((permits * measuredMs) / windowMs);
}

function expectWithinLimits(rateLimits: readonly RateLimit[], loads: readonly Load[]): void {
  for (const rateLimit of rateLimits) {
    const sent = loads.flatMap(({ limits, sentAt }) => (limits.includes(rateLimit) ? sentAt : []));
    expect(largestWindow(sent, forgetMsOf(rateLimit.windowMs))).toBeLessThanOrEqual(rateLimit.limit);
  }
}

describe('requests of a narrow and a wide rate limit', () => {
  it('wait no longer than those of the wide one alone, which is saturated', async () => {
    const scheduler = createScheduler();
    const loads = [load(scheduler, [narrow, wide], 40), load(scheduler, [wide], 400)] as const;
    const from = await run();
    const [combined, single] = loads;
    expect(shareOf(wide, loads, from)).toBeGreaterThanOrEqual(0.98);
    expect(countFrom(combined, from) / countFrom(single, from)).toBeGreaterThan(0.09);
    expect(maxWait(combined, from)).toBeLessThan(1.2 * maxWait(single, from));
    expectWithinLimits([narrow, wide], loads);
  });

  const restOfWide = 0.98 * (forNormal(wide) - narrow.limit) * 3 - narrow.limit;

  it.each([
    ['get the whole narrow one, and the others the rest of the wide one', 500, 401],
    ['hold no permit of the wide one while 5,000 of them wait for the narrow one', 5000, restOfWide],
  ])('%s', async (_, combinedLoops, minSingles) => {
    const scheduler = createScheduler();
    const loads = [load(scheduler, [narrow, wide], combinedLoops), load(scheduler, [wide], 300)] as const;
    const from = await run();
    const [combined, single] = loads;
    expect(shareOf(narrow, [combined], from)).toBeGreaterThanOrEqual(0.98);
    expect(shareOf(wide, loads, from)).toBeGreaterThanOrEqual(0.98);
    expect(countFrom(single, from)).toBeGreaterThanOrEqual(minSingles);
    expectWithinLimits([narrow, wide], loads);
  });

  it('yield both when no other request comes', async () => {
    const scheduler = createScheduler();
    const loads = [load(scheduler, [narrow, wide], 300)];
    const from = await run();
    expect(shareOf(narrow, loads, from)).toBeGreaterThanOrEqual(0.98);
    expectWithinLimits([narrow, wide], loads);
  });
});

/** Requests of a limit of 100, of which 2 are kept for urgent ones, and the permits that they get. */
function ofHundred() {
  const scheduler = createScheduler();
  const permits: Record<Priority, Permit[]> = { urgent: [], normal: [] };
  const acquire = (priority: Priority, count: number) => {
    for (let request = 0; request < count; request += 1)
      scheduler
        .acquire({ name: 'lists', limit: 100, windowMs }, { priority })
        .subscribe((permit) => permits[priority].push(permit));
    return time.advance(100);
  };
  return { permits, acquire };
}

describe('a saturated rate limit', () => {
  it('has permits for urgent requests, although others had used as many before', async () => {
    const { permits, acquire } = ofHundred();
    await acquire('urgent', 2);
    await acquire('normal', 300);
    await acquire('urgent', 2);
    expect(permits.urgent).toHaveLength(4);
  });

  it('keeps one permit in fifty for urgent requests, and nothing more while they use them', async () => {
    const { permits, acquire } = ofHundred();
    await acquire('normal', 98);
    await acquire('normal', 1);
    const cancels = acquire('urgent', 3);
    expect(permits.urgent).not.toEqual([]);
    await cancels;
    expect([permits.normal.length, permits.urgent.length]).toEqual([98, 2]);
    for (const permit of permits.normal.slice(0, 2)) permit.release('unsent');
    await time.advance(100);
    expect([permits.normal.length, permits.urgent.length]).toEqual([99, 3]);
  });

  it.each<[string, number, (request: number) => Priority]>([
    ['itself when one request in twenty is urgent', 2000, (request) => (request % 20 === 0 ? 'urgent' : 'normal')],
    ['what is not reserved when no request is urgent', 1960, () => 'normal'],
  ])('yields 0.98 of %s, from the start on, and never more than itself', async (_, permits, priorityOf) => {
    const rateLimit = { name: 'public', limit: 2000, windowMs };
    const loads = [load(createScheduler(), [rateLimit], 600, priorityOf)];
    const from = performance.now();
    await time.advance(measuredMs);
    expect(shareOf(rateLimit, loads, from, permits)).toBeGreaterThanOrEqual(0.98);
    expectWithinLimits([rateLimit], loads);
  });
});

describe('requests of two rate limits that are both saturated by others', () => {
  it.each([20, 100, 300])('get what %i beside 300 of each are entitled to, and wait no longer', async (count) => {
    const scheduler = createScheduler();
    const loads = [
      load(scheduler, [wide, alsoWide], count),
      load(scheduler, [wide], 300),
      load(scheduler, [alsoWide], 300),
    ] as const;
    const from = await run();
    const [combined, one, other] = loads;
    expect(shareOf(wide, [combined, one], from)).toBeGreaterThanOrEqual(0.98);
    expect(shareOf(alsoWide, [combined, other], from)).toBeGreaterThanOrEqual(0.98);
    const each = countFrom(combined, from) / count;
    expect(each / (countFrom(one, from) / 300)).toBeGreaterThan(0.9);
    expect(each / (countFrom(other, from) / 300)).toBeGreaterThan(0.9);
    expect(maxWait(combined, from)).toBeLessThan(1.2 * Math.max(maxWait(one, from), maxWait(other, from)));
    expectWithinLimits([wide, alsoWide], loads);
  });

  it('are sent before all others when they are urgent', async () => {
    const scheduler = createScheduler();
    load(scheduler, [wide], 300);
    load(scheduler, [alsoWide], 300);
    await time.advance(2 * windowMs);
    const cancels: number[] = [];
    for (let cancel = 0; cancel < 10; cancel += 1) {
      const at = performance.now();
      scheduler.acquire([wide, alsoWide], { priority: 'urgent' }).subscribe((permit) => {
        cancels.push(performance.now() - at);
        setTimeout(() => {
          permit.release('responded');
        }, 50);
      });
      await time.advance(3000);
    }
    expect(cancels).toEqual(Array.from({ length: 10 }, () => 0));
  });
});

describe('endpoints with any sets of rate limits', () => {
  const limitOf = fc.record({ limit: fc.integer({ min: 8, max: 24 }), windowMs: fc.constantFrom(1000, 2000) });
  const sets = fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), { minLength: 2, maxLength: 6 });
  const priority = fc.constantFrom<Priority>('urgent', 'normal');

  it('no request starves, and no window holds more than its limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(limitOf, limitOf, limitOf), sets, priority, async (terms, chosen, last) => {
        const scheduler = createScheduler();
        const rateLimits = terms.map((one, index) => ({ ...one, name: `limit ${index}` }));
        const loads = chosen.map((indices, index) =>
          load(
            scheduler,
            indices.flatMap((at) => rateLimits[at] ?? []),
            15,
            () => (index === 0 && last !== 'urgent' ? last : 'normal'),
          ),
        );
        await time.advance(30_000);
        for (const { sentAt } of loads) {
          const recent = sentAt.filter((time) => time > performance.now() - 15_000);
          expect(recent.length).toBeGreaterThan(3);
        }
        expectWithinLimits(rateLimits, loads);
      }),
      { numRuns: 5 },
    );
  });
});
