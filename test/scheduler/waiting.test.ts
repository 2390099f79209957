// Which requests wait, for how long, and in which order they are served.
import * as endpoints from 'exchange-rx/endpoints';
import { createScheduler, type AcquireOptions } from 'exchange-rx';
import { defaultIfEmpty, defer, map, Subject, takeUntil } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import { requestPermit, requestPermits, settle, usageOf } from '../support/permits.js';
import { useFakeTimers } from '../support/fake-timers.js';

const rateLimit = { name: 'test', limit: 1, windowMs: 1000 };

useFakeTimers();

describe('the order of permits', () => {
  it('is urgent before normal, and by arrival within a priority, over all clients of a scheduler', async () => {
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

  it('is other urgent requests of a client before its urgent reads, which come once after three others', async () => {
    const scheduler = createScheduler();
    const inFlight = new InFlight(1);
    const order: string[] = [];
    const limitOf = (name: string) => ({ ...rateLimit, name, limit: 100 });
    const request = (times: number, name: string, options: AcquireOptions) => {
      for (let time = 0; time < times; time += 1)
        scheduler.acquire(limitOf(name), options).subscribe((permit) => {
          order.push(name);
          permit.release('responded');
        });
    };
    const reads: AcquireOptions = { inFlight: inFlight.reads, priority: 'urgent' };
    for (const name of ['read', 'lookup']) requestPermit(scheduler, limitOf(name)).permit?.release('rate-limited', 900);
    const first = requestPermit(scheduler, rateLimit, { inFlight });
    request(3, 'order', { inFlight });
    request(2, 'read', reads);
    request(2, 'lookup', reads);
    // Neither those that are not urgent count, nor those of other clients.
    first.permit?.release('unsent');
    const second = requestPermit(scheduler, rateLimit, { inFlight });
    request(1, 'order', { inFlight });
    request(7, 'cancel', { inFlight, priority: 'urgent' });
    request(3, 'cancel', { inFlight: new InFlight(1), priority: 'urgent' });
    const three = 'cancel cancel cancel';
    expect(order.join(' ')).toBe(`order order order ${three}`);
    order.length = 0;
    await vi.advanceTimersByTimeAsync(1000);
    second.permit?.release('responded');
    await settle();
    expect(order.join(' ')).toBe(`${three} read lookup ${three} read lookup cancel order`);
  });

  it('goes on when a nonce is free', async () => {
    const scheduler = createScheduler();
    let free = 0;
    const paced = new InFlight(5).paced({ nonces: { free: () => free, freeInMs: () => 2.5 }, clock: Date });
    const waits = requestPermit(scheduler, rateLimit, { inFlight: paced });
    await vi.advanceTimersByTimeAsync(2);
    free = 1;
    expect(waits.permit).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(waits.permit).toBeDefined();
  });
});

describe('a full queue', () => {
  it('refuses a request at once without sending it, until another one has left', () => {
    const scheduler = createScheduler({ maxQueued: 2 });
    const { rateLimits } = endpoints.oauth.refreshToken;
    const all = requestPermits(4, scheduler, rateLimits);
    expect(all.map(({ error }) => error !== undefined)).toEqual([false, false, false, true]);
    expect(all[3]?.error).toMatchObject({
      ...{ kind: 'queue-full', endpoint: 'oauth.refreshToken', outcome: 'not-executed' },
      ...{ rateLimit: 'oauth.refreshToken', maxQueued: 2 },
    });
    expect(requestPermit(scheduler, rateLimit).error).toBeUndefined();
    all[2]?.unsubscribe();
    expect(requestPermit(scheduler, rateLimits).error).toBeUndefined();
  });

  it('of orders keeps out no cancel', () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    requestPermit(scheduler, rateLimit);
    const refused = (['normal', 'normal', 'urgent', 'urgent'] as const).map(
      (priority) => requestPermit(scheduler, rateLimit, { priority }).error !== undefined,
    );
    expect(refused).toEqual([false, true, false, true]);
  });

  it('of length 0 lets a request through that need not wait', () => {
    const scheduler = createScheduler({ maxQueued: 0 });
    const refused = requestPermits(2, scheduler, rateLimit).map(({ error }) => error !== undefined);
    expect(refused).toEqual([false, true]);
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
      ...{ kind: 'queue-timeout', outcome: 'not-executed' },
      ...{ endpoint: 'placeOrder', rateLimit: 'test', maxWaitMs: 300 },
    });
    first.permit?.release('unsent');
    await settle();
    expect(waits.permit).toBeUndefined();
  });

  it('is sent when it need not wait and maxWaitMs is 0', async () => {
    const scheduler = createScheduler();
    const [now, waits] = requestPermits(2, scheduler, rateLimit, { maxWaitMs: 0 });
    await vi.advanceTimersByTimeAsync(1);
    expect([now?.permit !== undefined, now?.error]).toEqual([true, undefined]);
    expect(waits?.permit).toBeUndefined();
    expect(waits?.error).toMatchObject({ kind: 'queue-timeout', maxWaitMs: 0 });
  });

  it.each([
    ['is sent when its turn comes just before', 299, 'permit'],
    ['expires when the event loop was blocked until later', 300, 'error'],
  ] as const)('%s', async (_, afterMs, end) => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, rateLimit);
    const waits = requestPermit(scheduler, rateLimit, { maxWaitMs: 300 });
    const since = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => since + afterMs);
    first.permit?.release('unsent');
    await settle();
    expect([waits.permit !== undefined, waits.error]).toEqual(
      end === 'permit' ? [true, undefined] : [false, expect.objectContaining({ kind: 'queue-timeout' })],
    );
    vi.restoreAllMocks();
  });
});

describe('leaving the queue', () => {
  it('leaves no timer and no queued request behind, of 3,000 requests', async () => {
    const scheduler = createScheduler({ maxQueued: 1_000_000 });
    const all = requestPermits(3000, scheduler, rateLimit, { maxWaitMs: 60_000 });
    for (const requested of all) requested.unsubscribe();
    // Of Bottleneck.
    await settle();
    expect(vi.getTimerCount()).toBe(0);
    expect(usageOf(scheduler)['test']?.queued.normal).toBe(0);
  });

  it('costs no permit when its subscriber has unsubscribed while it subscribes', () => {
    const scheduler = createScheduler();
    const leave = new Subject<void>();
    const late$ = defer(() => {
      leave.next();
      return scheduler.acquire(rateLimit);
    });
    late$.pipe(takeUntil(leave)).subscribe();
    expect(usageOf(scheduler)['test']).toMatchObject({ used: 0, queued: { normal: 0 } });
  });

  it('costs no permit when a subscriber that is granted first unsubscribes a request that joins', async () => {
    const scheduler = createScheduler();
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const used = () => usageOf(scheduler)['large']?.used ?? -1;
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
