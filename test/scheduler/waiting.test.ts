// Which requests wait, for how long, and in which order they are served.
import * as endpoints from 'exchange-rx/endpoints';
import { createExchange, createScheduler, type RateLimit, type Priority, type Scheduler } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { defaultIfEmpty, lastValueFrom, map, mergeMap, range, Subject, takeUntil, tap, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import { requestPermit, granted, settle } from '../support/permits.js';

const rateLimit = { name: 'test', limit: 1, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Requests these permits one after another, releases each one when it is granted, and returns the order of the grants.
 */
async function orderOf(
  scheduler: Scheduler,
  which: RateLimit,
  wanted: readonly (readonly [string, Priority])[],
): Promise<string[]> {
  const order: string[] = [];
  for (const [name, priority] of wanted) {
    scheduler.acquire(which, { priority }).subscribe((permit) => {
      order.push(name);
      permit.release('responded');
    });
  }
  await vi.advanceTimersByTimeAsync(wanted.length * 1100);
  return order;
}

describe('the order of permits', () => {
  it('is urgent, normal, background, and by arrival within a priority', async () => {
    const scheduler = createScheduler();
    requestPermit(scheduler, rateLimit).permit?.release('responded');
    const order = await orderOf(scheduler, rateLimit, [
      ['poll 1', 'background'],
      ['quote 1', 'normal'],
      ['cancel 1', 'urgent'],
      ['quote 2', 'normal'],
      ['poll 2', 'background'],
      ['cancel 2', 'urgent'],
    ]);
    expect(order).toEqual(['cancel 1', 'cancel 2', 'quote 1', 'quote 2', 'poll 1', 'poll 2']);
  });

  it('serves 1 background request in 20 while others wait', async () => {
    const scheduler = createScheduler();
    requestPermit(scheduler, rateLimit).permit?.release('responded');
    const polls = Array.from({ length: 5 }, (_, index) => [`poll ${index}`, 'background'] as const);
    const quotes = Array.from({ length: 60 }, (_, index) => [`quote ${index}`, 'normal'] as const);
    const order = await orderOf(scheduler, rateLimit, [...polls, ...quotes]);
    const turns = order.flatMap((name, index) => (name.startsWith('poll') ? [index] : []));
    expect(order).toHaveLength(65);
    expect(turns.slice(0, 3)).toEqual([18, 38, 58]);
  });

  it('is the same over all clients of a scheduler', async () => {
    const scheduler = createScheduler();
    const clients = [new InFlight(5), new InFlight(5), new InFlight(5)];
    requestPermit(scheduler, rateLimit).permit?.release('responded');
    const order: string[] = [];
    const wanted = [
      ['quote 1', 'normal', 2],
      ['quote 2', 'normal', 0],
      ['cancel 1', 'urgent', 1],
      ['quote 3', 'normal', 1],
      ['cancel 2', 'urgent', 0],
      ['quote 4', 'normal', 2],
    ] as const;
    for (const [name, priority, client] of wanted) {
      scheduler.acquire(rateLimit, { priority, inFlight: clients[client] ?? new InFlight() }).subscribe((permit) => {
        order.push(name);
        permit.release('responded');
      });
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toEqual(['cancel 1', 'cancel 2', 'quote 1', 'quote 2', 'quote 3', 'quote 4']);
  });

  it('skips a client that has too many requests in flight', async () => {
    const scheduler = createScheduler();
    const [full, idle] = [new InFlight(1), new InFlight(1)];
    full.enter();
    const [waits, sent] = [
      requestPermit(scheduler, rateLimit, { inFlight: full }),
      requestPermit(scheduler, rateLimit, { inFlight: idle }),
    ];
    await settle();
    expect(granted([waits, sent])).toEqual([false, true]);
  });

  it('keeps a share of the limit for urgent requests, so that no cancel waits behind quotes', async () => {
    const scheduler = createScheduler();
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const quotes = Array.from({ length: 2000 }, () => requestPermit(scheduler, large));
    await vi.advanceTimersByTimeAsync(900);
    expect(granted(quotes).filter(Boolean)).toHaveLength(980);
    const cancels = Array.from({ length: 21 }, () => requestPermit(scheduler, large, { priority: 'urgent' }));
    expect(cancels[0]?.permit).toBeDefined();
    await settle();
    expect(granted(cancels).filter(Boolean)).toHaveLength(20);
  });

  it('gives normal requests the whole limit without a reserve', async () => {
    const scheduler = createScheduler({ urgentShare: 0 });
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const quotes = Array.from({ length: 2000 }, () => requestPermit(scheduler, large));
    await vi.advanceTimersByTimeAsync(900);
    expect(granted(quotes).filter(Boolean)).toHaveLength(1000);
  });
});

describe('a full queue', () => {
  it('refuses a request at once without sending it', () => {
    const scheduler = createScheduler({ maxQueued: { 'oauth.refreshToken': 2 } });
    const all = Array.from({ length: 4 }, () => requestPermit(scheduler, endpoints.oauth.refreshToken.rateLimits));
    expect(all.map(({ error }) => error !== undefined)).toEqual([false, false, false, true]);
    expect(all[3]?.error).toMatchObject({
      kind: 'queue-full',
      outcome: 'not-executed',
      rateLimit: 'oauth.refreshToken',
      maxQueued: 2,
    });
    expect(Array.from({ length: 4 }, () => requestPermit(scheduler, rateLimit)).map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('accepts a request again when another one has left', () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    const [, waits] = [requestPermit(scheduler, rateLimit), requestPermit(scheduler, rateLimit)];
    expect(requestPermit(scheduler, rateLimit).error).toBeDefined();
    waits.unsubscribe();
    expect(requestPermit(scheduler, rateLimit).error).toBeUndefined();
  });

  it('of background requests keeps out no order, and of orders no cancel', () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    requestPermit(scheduler, rateLimit);
    const refused = (['background', 'background', 'normal', 'normal', 'urgent', 'urgent'] as const).map(
      (priority) => requestPermit(scheduler, rateLimit, { priority }).error !== undefined,
    );
    expect(refused).toEqual([false, true, false, true, false, true]);
  });

  it('of length 0 lets a request through that need not wait', () => {
    const scheduler = createScheduler({ maxQueued: 0 });
    expect(
      [requestPermit(scheduler, rateLimit), requestPermit(scheduler, rateLimit)].map(
        ({ error }) => error !== undefined,
      ),
    ).toEqual([false, true]);
  });
});

describe('a request with maxWaitMs', () => {
  it('expires without being sent', async () => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, rateLimit);
    const waits = requestPermit(scheduler, rateLimit, { endpoint: 'placeOrder', maxWaitMs: 300 });
    await vi.advanceTimersByTimeAsync(299);
    expect(waits.error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(waits.error).toMatchObject({
      kind: 'queue-timeout',
      outcome: 'not-executed',
      endpoint: 'placeOrder',
      rateLimit: 'test',
      maxWaitMs: 300,
    });
    first.permit?.release('unsent');
    await settle();
    expect(waits.permit).toBeUndefined();
  });

  it('is sent when its turn comes before that', async () => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, rateLimit);
    const waits = requestPermit(scheduler, rateLimit, { maxWaitMs: 300 });
    first.permit?.release('unsent');
    await vi.advanceTimersByTimeAsync(1000);
    expect([waits.permit !== undefined, waits.error]).toEqual([true, undefined]);
  });

  it('is sent when it need not wait and maxWaitMs is 0', async () => {
    const scheduler = createScheduler();
    const [now, waits] = [
      requestPermit(scheduler, rateLimit, { maxWaitMs: 0 }),
      requestPermit(scheduler, rateLimit, { maxWaitMs: 0 }),
    ];
    await vi.advanceTimersByTimeAsync(1);
    expect([now.permit !== undefined, now.error]).toEqual([true, undefined]);
    expect([waits.permit, waits.error]).toEqual([
      undefined,
      expect.objectContaining({ kind: 'queue-timeout', maxWaitMs: 0 }),
    ]);
  });

  it('expires even when the event loop was blocked', async () => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, rateLimit);
    const waits = requestPermit(scheduler, rateLimit, { maxWaitMs: 300 });
    const since = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => since + 400);
    first.permit?.release('unsent');
    await settle();
    expect([waits.permit, waits.error]).toEqual([undefined, expect.objectContaining({ kind: 'queue-timeout' })]);
    vi.restoreAllMocks();
  });
});

describe('the requests of a client in flight', () => {
  it('are at most maxInFlight, and the next one is sent by priority', async () => {
    vi.useRealTimers();
    const sandbox = createSandbox();
    const options = sandbox.clientOptions();
    let inFlight = 0;
    let maxSeen = 0;
    const exchange = createExchange({
      ...options,
      maxInFlight: 3,
      urgentInFlight: 0,
      fetch: async (input, init) => {
        inFlight += 1;
        maxSeen = Math.max(maxSeen, inFlight);
        await new Promise((resolve) => setTimeout(resolve, 2));
        inFlight -= 1;
        return options.fetch(input, init);
      },
    });
    const order: string[] = [];
    const background = range(0, 20).pipe(
      mergeMap(() => exchange.public.ping({ priority: 'background' }).pipe(tap(() => order.push('ping')))),
    );
    const urgent = range(0, 5).pipe(
      mergeMap(() => exchange.account.mainBalance({ priority: 'urgent' }).pipe(tap(() => order.push('balance')))),
    );
    await Promise.all([lastValueFrom(background.pipe(toArray())), lastValueFrom(urgent.pipe(toArray()))]);
    expect(maxSeen).toBe(3);
    expect(order).toHaveLength(25);
    expect(order.indexOf('balance')).toBeLessThanOrEqual(3);
    expect(order.lastIndexOf('balance')).toBeLessThanOrEqual(8);
  });
});

describe('leaving the queue', () => {
  it('costs no permit when a subscriber that is granted first unsubscribes a request that joins', async () => {
    const scheduler = createScheduler();
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const used = () => {
      let permits = -1;
      scheduler.usage$.subscribe(([usage]) => (permits = usage?.used ?? -1)).unsubscribe();
      return permits;
    };
    // A rateLimit that opens after a 429 lets some more through every 20 ms: between two of these times one waits who would
    // be let through.
    requestPermit(scheduler, large).permit?.release('rate-limited');
    await vi.advanceTimersByTimeAsync(1015);
    const leave = new Subject<void>();
    let waits = false;
    while (!waits) {
      waits = true;
      let joining = true;
      scheduler.acquire(large).subscribe(() => {
        if (joining) waits = false;
        else leave.next();
      });
      joining = false;
    }
    const before = used();
    await vi.advanceTimersByTimeAsync(6);
    expect(used()).toBe(before);
    let second = 'waits';
    const granted$ = scheduler.acquire(large).pipe(map(() => 'granted'));
    granted$.pipe(takeUntil(leave), defaultIfEmpty('left')).subscribe((is) => (second = is));
    expect([second, used()]).toEqual(['left', before + 1]);
  });
});
