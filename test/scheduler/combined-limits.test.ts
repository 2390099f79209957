// Requests that count against several rate limits: one permit of each, all or none.
import {
  createScheduler,
  type AcquireOptions,
  type Priority,
  type RateLimit,
  type Scheduler,
  type SchedulerEvent,
} from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import { RateLimiter, type Demand, type PermitTerms } from '../../src/scheduler/rate-limiter.js';
import { failureOf } from '../support/failure.js';
import { granted, requestPermit, requestPermits, settle, usageOf } from '../support/permits.js';
import { useFakeTimers } from '../support/fake-timers.js';

const own: RateLimit = { name: 'own', limit: 1, windowMs: 1000 };
const shared: RateLimit = { name: 'shared', limit: 3, windowMs: 2000 };
const other: RateLimit = { name: 'other', limit: 1, windowMs: 1000 };
const both = [own, shared];

useFakeTimers();

const used = (scheduler: Scheduler) => Object.values(usageOf(scheduler)).map((one) => one.used);

describe('a request that counts against several rate limits', () => {
  it('counts once against a rate limit that is listed twice', () => {
    const scheduler = createScheduler();
    expect(requestPermit(scheduler, [own, { ...own }]).permit).toBeDefined();
    expect(used(scheduler)).toEqual([1]);
  });

  it("does not count against its endpoint's own limit where another one is as tight", () => {
    const scheduler = createScheduler();
    const ofTicker = [shared, { ...shared, name: 'ticker' }];
    const ofLonger = { name: 'trades', limit: 15, windowMs: 10_000 };
    scheduler.acquire(ofTicker, { endpoint: 'ticker' }).subscribe();
    scheduler.acquire([shared, ofLonger], { endpoint: 'trades' }).subscribe();
    expect(usageOf(scheduler)).toMatchObject({ shared: { used: 2 } });
    expect(Object.keys(usageOf(scheduler))).toEqual(['shared']);
    // Any other request counts against both.
    scheduler.acquire(ofTicker).subscribe();
    expect(Object.keys(usageOf(scheduler))).toEqual(['shared', 'ticker']);
  });

  it.each([
    ['is tighter', { ...shared, name: 'ticker', limit: 2 }],
    ['has a longer window', { ...shared, name: 'ticker', windowMs: 4000 }],
  ])("counts against its endpoint's own limit where that one %s", (_, ofTicker) => {
    const scheduler = createScheduler();
    scheduler.acquire([shared, ofTicker], { endpoint: 'ticker' }).subscribe();
    expect(Object.keys(usageOf(scheduler)).sort()).toEqual(['shared', 'ticker']);
  });

  it("counts against its endpoint's own limit where an option makes the other one wider", () => {
    const scheduler = createScheduler({ limits: { public: { limit: 30, windowMs: 2000 } } });
    const rateLimits = [
      { ...shared, name: 'public' },
      { ...shared, name: 'ticker' },
    ];
    for (let count = 0; count < 5; count += 1) scheduler.acquire(rateLimits, { endpoint: 'ticker' }).subscribe();
    expect(usageOf(scheduler)).toMatchObject({ public: { used: 3 }, ticker: { used: 3, free: 0 } });
  });

  it('fails before it takes a permit when one of them belongs to a different rate limit', async () => {
    const scheduler = createScheduler();
    requestPermit(scheduler, shared).permit?.release('unsent');
    const error = await failureOf(scheduler.acquire([own, { ...shared, limit: 9 }]));
    expect(error).toMatchObject({ kind: 'request', endpoint: 'own', issues: [{ field: 'rateLimit' }] });
    expect(used(scheduler)).toEqual([0, 0]);
  });
});

describe('the release of its permit', () => {
  it('frees the permits of all rate limits at once when the request was not sent', () => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, both);
    const [next, third] = [requestPermit(scheduler, both), requestPermit(scheduler, own)];
    first.permit?.release('unsent');
    expect(granted([next, third])).toEqual([true, false]);
    next.permit?.release('unsent');
    expect(used(scheduler)).toEqual([1, 0]);
  });

  it('returns each permit after the window of its own rate limit', async () => {
    const scheduler = createScheduler({ lateArrivalMs: 5000 });
    const usedAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return used(scheduler);
    };
    requestPermit(scheduler, both).permit?.release('responded');
    for (const ms of [1004, 6004]) {
      expect([await usedAfter(ms), await usedAfter(100), await usedAfter(1000)]).toEqual([
        [1, 1],
        [0, 1],
        [0, 0],
      ]);
      requestPermit(scheduler, both).permit?.release('unknown');
    }
  });

  it('starts a cool-down of all rate limits after a 429, before a listener can send another request', async () => {
    const scheduler = createScheduler();
    const events: SchedulerEvent[] = [];
    const fromListener: boolean[] = [];
    scheduler.events$.subscribe((event) => {
      events.push(event);
      const requested = requestPermit(scheduler, shared);
      fromListener.push(requested.permit !== undefined);
      requested.unsubscribe();
    });
    requestPermit(scheduler, both).permit?.release('rate-limited', 5000);
    expect(events).toEqual([
      { type: 'limit', rateLimit: 'own', coolDownMs: 5000 },
      { type: 'limit', rateLimit: 'shared', coolDownMs: 5000 },
    ]);
    expect(fromListener).toEqual([false, false]);
    const waits = requestPermit(scheduler, shared);
    await vi.advanceTimersByTimeAsync(4999);
    expect(waits.permit).toBeUndefined();
    await settle();
    expect(waits.permit).toBeDefined();
  });

  it('leaves its turn, behind those that have waited for longer, to a request that its subscriber makes at that moment', async () => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, own);
    requestPermit(scheduler, shared).permit?.release('rate-limited', 1000);
    const order: string[] = [];
    const request = (name: string) =>
      scheduler.acquire(both).subscribe((permit) => {
        order.push(name);
        permit.release('responded');
      });
    request('earlier');
    scheduler.acquire(own).subscribe((permit) => {
      permit.release('unsent');
      request('its request');
    });
    request('later');
    first.permit?.release('unsent');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toEqual(['earlier', 'its request', 'later']);
  });
});

describe('during the cool-down of one of its rate limits', () => {
  it('sends one urgent request per window, when every rate limit that cools down allows a probe', async () => {
    const scheduler = createScheduler();
    requestPermit(scheduler, other).permit?.release('rate-limited', 60_000);
    await vi.advanceTimersByTimeAsync(600);
    requestPermit(scheduler, shared).permit?.release('rate-limited', 60_000);
    const probes = [0, 1].map(() => requestPermit(scheduler, [other, shared], { priority: 'urgent' }));
    const quote = requestPermit(scheduler, [other, shared]);
    await vi.advanceTimersByTimeAsync(1990);
    expect(granted(probes)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(100);
    expect(granted([...probes, quote])).toEqual([true, false, false]);
    probes[0]?.permit?.release('responded');
    expect(usageOf(scheduler)).toMatchObject({
      other: { coolDownUntil: undefined },
      shared: { coolDownUntil: undefined },
    });
  });

  it.each([
    ['urgent', 'too early for a probe', 0],
    ['normal', 'while a probe may be sent', 1100],
  ] as const)('keeps no permit of the others for a request: %s, %s', async (priority, _, ms) => {
    const scheduler = createScheduler();
    // Of two rate limits that are equally narrow, the one that was used first has the place of the narrower one.
    requestPermit(scheduler, other).permit?.release('unsent');
    requestPermit(scheduler, own).permit?.release('rate-limited', 5000);
    await vi.advanceTimersByTimeAsync(ms);
    const waits = requestPermit(scheduler, [own, other], { priority });
    expect(granted([waits, requestPermit(scheduler, other, { priority })])).toEqual([false, true]);
  });
});

describe('while one of its rate limits has no permit', () => {
  /** A request that keeps the permit of the narrow rate limit, and waits for the wide one. */
  function holding(options: AcquireOptions = {}) {
    const scheduler = createScheduler();
    const sent = requestPermits(3, scheduler, shared);
    const waits = requestPermit(scheduler, both, options);
    expect(usageOf(scheduler)).toMatchObject({ own: { used: 0, queued: { normal: 1 } }, shared: { used: 3 } });
    return { scheduler, sent, waits };
  }

  it('it takes no permit of a wider one, so that other requests get all of them', async () => {
    const scheduler = createScheduler();
    // Which of them is used first does not matter.
    requestPermit(scheduler, shared).permit?.release('unsent');
    requestPermit(scheduler, own);
    requestPermits(100, scheduler, both);
    const singles = requestPermits(3, scheduler, shared);
    await settle();
    expect(granted(singles)).toEqual([true, true, true]);
  });

  it('it has its place by arrival in the queue of the wider one, whenever it gets the permit of the narrower one', async () => {
    const scheduler = createScheduler({ lateArrivalMs: 0 });
    const order: string[] = [];
    const request = (name: string, limits: readonly RateLimit[], priority: Priority = 'normal') => {
      scheduler.acquire(limits, { priority }).subscribe((permit) => {
        order.push(name);
        permit.release('responded');
      });
    };
    requestPermit(scheduler, own).permit?.release('responded');
    for (const { permit } of requestPermits(3, scheduler, shared)) permit?.release('responded');
    request('single 1', [shared]);
    request('combined 1', both);
    for (let single = 2; single <= 5; single += 1) request(`single ${single}`, [shared]);
    request('cancel', [shared], 'urgent');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toEqual(['cancel', 'single 1', 'combined 1', 'single 2', 'single 3', 'single 4', 'single 5']);
  });

  it('an urgent request takes the permit that it keeps', async () => {
    const { scheduler, sent, waits } = holding();
    const [quote, cancel] = [requestPermit(scheduler, own), requestPermit(scheduler, own, { priority: 'urgent' })];
    expect(granted([waits, quote, cancel])).toEqual([false, false, true]);
    sent[0]?.permit?.release('unsent');
    cancel.permit?.release('responded');
    await vi.advanceTimersByTimeAsync(1100);
    expect(granted([waits, quote])).toEqual([true, false]);
  });

  it('a request of another client takes the permit that it keeps, when its client has too many requests in flight', async () => {
    const inFlight = new InFlight(1);
    const { scheduler, sent, waits } = holding({ inFlight });
    const ofOther = requestPermit(scheduler, own);
    await settle();
    expect(ofOther.permit).toBeUndefined();
    const hangs = requestPermit(scheduler, other, { inFlight });
    const next = requestPermit(scheduler, own);
    expect(granted([hangs, ofOther, next])).toEqual([true, true, false]);
    ofOther.permit?.release('responded');
    sent[0]?.permit?.release('unsent');
    hangs.permit?.release('responded');
    await vi.advanceTimersByTimeAsync(1100);
    expect(granted([waits, next])).toEqual([true, false]);
  });

  it('no more of them keep a permit than their client may send', () => {
    const scheduler = createScheduler();
    const narrow = { name: 'narrow', limit: 4, windowMs: 4000 };
    requestPermits(3, scheduler, shared);
    requestPermits(3, scheduler, [narrow, shared], { inFlight: new InFlight(2) });
    expect(granted(requestPermits(3, scheduler, narrow))).toEqual([true, true, false]);
  });

  it.each([
    ['unsubscribes', 0],
    ['expires', 300],
  ])('the permit that it keeps goes to the next request when it %s', async (_, maxWaitMs) => {
    const { scheduler, waits } = holding(maxWaitMs === 0 ? {} : { maxWaitMs });
    const next = requestPermit(scheduler, own);
    await vi.advanceTimersByTimeAsync(299);
    expect(next.permit).toBeUndefined();
    if (maxWaitMs === 0) waits.unsubscribe();
    else await vi.advanceTimersByTimeAsync(1);
    expect(next.permit).toBeDefined();
    expect(usageOf(scheduler)).toMatchObject({ own: { used: 1 }, shared: { used: 3, queued: { normal: 0 } } });
  });

  it('a ramp-up goes on step by step while a request waits for another rate limit', async () => {
    const scheduler = createScheduler();
    const busy = { name: 'busy', limit: 100, windowMs: 5000 };
    requestPermit(scheduler, busy).permit?.release('rate-limited', 100);
    requestPermit(scheduler, own);
    requestPermit(scheduler, [own, busy]);
    const singles = requestPermits(100, scheduler, busy);
    const counts: number[] = [];
    for (let step = 0; step < 20; step += 1) {
      await vi.advanceTimersByTimeAsync(200);
      counts.push(granted(singles).filter(Boolean).length);
    }
    const steps = counts.map((count, index) => count - (counts[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(4);
    expect(counts.at(-1)).toBeGreaterThan(25);
  });
});

describe('the errors of its queue', () => {
  it('name the rate limit whose queue is full', () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    const wide = { name: 'public', limit: 1, windowMs: 1000 };
    requestPermits(2, scheduler, wide);
    expect(requestPermit(scheduler, [own, wide]).error).toMatchObject({ kind: 'queue-full', rateLimit: 'public' });
    expect(usageOf(scheduler)['own']?.queued.normal).toBe(0);
  });

  const narrow: RateLimit = { name: 'narrow', limit: 10, windowMs: 10_000 };

  /** How many permits are in use and how many requests of the client in flight; which rate limit had a 429, and when. */
  it.each<
    [string, string, Priority, { narrow?: number; shared?: number; client?: number; limited?: [RateLimit, number] }]
  >([
    ['narrow limit', 'that had no permit', 'normal', { narrow: 10 }],
    ['shared limit', 'that had no permit', 'normal', { shared: 3 }],
    ['narrow limit', 'that had no permit for an urgent request', 'urgent', { narrow: 10, client: 1 }],
    ['shared limit', 'that cools down', 'normal', { narrow: 10, client: 1, limited: [shared, 5000] }],
    ['shared in-flight', 'when too many requests are in flight', 'normal', { client: 1 }],
  ])(
    'name %s, %s',
    async (expected, _, priority, { narrow: ofNarrow = 0, shared: ofShared = 0, client = 0, limited }) => {
      const scheduler = createScheduler();
      const inFlight = new InFlight(1, 1);
      requestPermits(ofNarrow, scheduler, narrow);
      requestPermits(ofShared, scheduler, shared);
      requestPermits(client, scheduler, other, { inFlight });
      if (limited !== undefined) requestPermit(scheduler, limited[0]).permit?.release('rate-limited', limited[1]);
      const waits = requestPermit(scheduler, [narrow, shared], { maxWaitMs: 100, priority, inFlight });
      await vi.advanceTimersByTimeAsync(100);
      const [rateLimit, waitedFor] = expected.split(' ');
      expect(waits.error).toMatchObject({ kind: 'queue-timeout', rateLimit, waitedFor });
    },
  );
});

describe('rate limits that processes share', () => {
  /** A scheduler whose rate limits count as shared, its limiters, and how many permits it requests of each. */
  function setup() {
    const wanted: Record<string, Demand[]> = {};
    const limiters: RateLimiter[] = [];
    const limiter = (terms: PermitTerms, onAvailable: (limiter: RateLimiter) => void) => {
      const one = new RateLimiter(terms, onAvailable);
      limiters.push(one);
      const asked: Demand[] = (wanted[terms.name] = []);
      vi.spyOn(one, 'want').mockImplementation((demand = { all: 0, urgent: 0 }) => asked.push({ ...demand }));
      return one;
    };
    const start = () => ({ limiter });
    return { wanted, limiters, scheduler: createScheduler({ redis: { name: 'of the test', start } }) };
  }

  it('get requests for at most the permits that the other rate limit allows', () => {
    const { scheduler, wanted } = setup();
    const narrow = { ...own, limit: 3 };
    requestPermits(3, scheduler, narrow);
    const limits = [narrow, { ...shared, limit: 500 }];
    requestPermits(100, scheduler, limits);
    requestPermit(scheduler, limits, { priority: 'urgent' });
    expect(wanted['own']?.at(-1)).toEqual({ all: 101, urgent: 1 });
    expect(wanted['shared']?.filter(({ all }) => all > 0)).toEqual([]);
  });

  it('get no request for permits while the other one cools down', () => {
    const { scheduler, wanted } = setup();
    requestPermit(scheduler, other).permit?.release('rate-limited', 5000);
    requestPermit(scheduler, [other, shared]);
    expect(wanted['shared']?.filter(({ all }) => all > 0) ?? []).toEqual([]);
  });

  it('are named by an error when more is in use than the share of this process', async () => {
    const { limiters, scheduler } = setup();
    requestPermit(scheduler, both);
    for (const one of limiters.slice(0, 1)) vi.spyOn(one, 'available').mockReturnValue(-1);
    const waits = requestPermit(scheduler, both, { maxWaitMs: 100 });
    await vi.advanceTimersByTimeAsync(100);
    expect(waits.error).toMatchObject({ kind: 'queue-timeout', rateLimit: 'own' });
  });

  it('get no request from calls that do not need them', () => {
    const { scheduler, wanted } = setup();
    requestPermits(2, scheduler, both);
    expect(Object.keys(wanted)).toEqual(['own', 'shared']);
  });
});

describe('10,000 requests that wait for a rate limit of their own', () => {
  it('do not slow the other requests of the rate limit that they share', () => {
    vi.useRealTimers();
    const scheduler = createScheduler();
    const wide = { name: 'wide', limit: 100_000, windowMs: 10_000 };
    const msOf = (count: number) => {
      const from = performance.now();
      for (let request = 0; request < count; request += 1) requestPermit(scheduler, wide).permit?.release('unsent');
      return performance.now() - from;
    };
    requestPermit(scheduler, [own, wide]);
    const first = requestPermit(scheduler, [own, wide]);
    msOf(5000);
    const alone = msOf(5000);
    const waiting = [first, ...requestPermits(9999, scheduler, [own, wide])];
    expect(msOf(5000)).toBeLessThan(5 * alone + 500);
    for (const requested of waiting) requested.unsubscribe();
  });
});
