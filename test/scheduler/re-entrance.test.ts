// Subscribers that use the scheduler while it grants them their permit.
import { createScheduler, type AcquireOptions, type AnyExchangeError, type RateLimit } from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { InFlight, type PermitUse } from '../../src/scheduler/index.js';
import { granted, requestPermit, requestPermits, settle, usageOf } from '../support/permits.js';
import { useFakeTimers } from '../support/fake-timers.js';

const rateLimit = { name: 'test', limit: 1, windowMs: 1000 };
const other = { ...rateLimit, name: 'other' };

useFakeTimers();

const idle = { used: 0, queued: { urgent: 0, normal: 0 } };

describe('a permit that is released while it is granted', () => {
  it.each<[string, AcquireOptions, readonly string[]]>([
    ['without a bound of requests in flight', {}, ['test']],
    ['with a bound of requests in flight', { inFlight: new InFlight(1) }, ['test']],
    [
      'of several rate limits that share a bound of requests in flight',
      { inFlight: new InFlight(1) },
      ['test', 'two', 'three'],
    ],
  ])('goes to each of 10000 waiting requests in turn: %s', async (_, options, names) => {
    const scheduler = createScheduler();
    const limits = names.map((name) => ({ ...rateLimit, name }));
    const first = requestPermit(scheduler, rateLimit, options);
    let grants = 0;
    for (let request = 0; request < 10_000; request += 1) {
      scheduler.acquire(limits[request % limits.length] ?? rateLimit, options).subscribe((permit) => {
        grants += 1;
        permit.release('unsent');
      });
    }
    first.permit?.release('unsent');
    await settle();
    expect(grants).toBe(10_000);
    expect(usageOf(scheduler)).toMatchObject(Object.fromEntries(names.map((name) => [name, idle])));
    expect(requestPermit(scheduler, rateLimit, options).permit).toBeDefined();
  });

  it.each<[string, string, PermitUse, readonly RateLimit[], readonly RateLimit[], AcquireOptions, AcquireOptions]>([
    ['its request', 'for the same rate limit', 'unsent', [rateLimit], [rateLimit], {}, {}],
    ['its request', 'for another rate limit, too', 'unsent', [rateLimit], [rateLimit, other], {}, {}],
    ['later', 'after it has used the permit', 'responded', [rateLimit], [rateLimit], {}, {}],
    ['later', 'of another client', 'unsent', [rateLimit], [rateLimit], {}, { inFlight: new InFlight(5) }],
    ['later', 'of another priority', 'unsent', [rateLimit], [rateLimit], { priority: 'urgent' }, {}],
    ['later', 'for fewer rate limits', 'unsent', [rateLimit, other], [rateLimit], {}, {}],
  ])('goes to %s when its subscriber makes a request %s', async (next, _, use, limits, its, ofFirst, ofIts) => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, rateLimit);
    const order: string[] = [];
    scheduler.acquire(limits, ofFirst).subscribe((permit) => {
      permit.release(use);
      scheduler.acquire(its, ofIts).subscribe(() => order.push('its request'));
      order.push('maker');
    });
    scheduler.acquire(rateLimit).subscribe(() => order.push('later'));
    first.permit?.release('unsent');
    await vi.advanceTimersByTimeAsync(1100);
    expect(order).toEqual(['maker', next]);
  });

  it('goes to one such request only; the next one waits for its turn', async () => {
    const scheduler = createScheduler();
    const first = requestPermit(scheduler, rateLimit);
    const order: string[] = [];
    scheduler.acquire(rateLimit).subscribe((permit) => {
      permit.release('unsent');
      for (const name of ['of another client', 'one', 'two']) {
        const options = name.startsWith('of') ? { inFlight: new InFlight(5) } : {};
        scheduler.acquire(rateLimit, options).subscribe((own) => {
          order.push(name);
          own.release('unsent');
        });
      }
    });
    scheduler.acquire(rateLimit).subscribe((permit) => {
      order.push('later');
      permit.release('unsent');
    });
    first.permit?.release('unsent');
    await settle();
    expect(order).toEqual(['one', 'later', 'of another client', 'two']);
  });

  it('goes in turn to a request that is made after that moment', async () => {
    const scheduler = createScheduler();
    const two = { ...rateLimit, limit: 2 };
    const [limited, unsent] = requestPermits(2, scheduler, two);
    const later = requestPermit(scheduler, two);
    limited?.permit?.release('rate-limited');
    unsent?.permit?.release('unsent');
    const last = requestPermit(scheduler, two);
    await vi.advanceTimersByTimeAsync(1100);
    expect(granted([later, last])).toEqual([true, false]);
  });
});

describe('a request that is made while another is granted its permit', () => {
  it('gets a free permit after that grant in the same tick, or expires, and leaves no timer', async () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    const three = { ...rateLimit, limit: 3 };
    const order: unknown[] = [];
    scheduler.acquire(three).subscribe(() => {
      for (const maxWaitMs of [0, 60_000, 30])
        scheduler.acquire(three, { maxWaitMs }).subscribe({
          next: () => order.push('inner'),
          error: ({ kind }: AnyExchangeError) => order.push(kind),
        });
      order.push('outer');
    });
    expect(order).toEqual(['outer', 'inner', 'inner']);
    await settle();
    expect(order.slice(3)).toEqual(['queue-timeout']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is refused when the queue is full, unlike the requests before it', () => {
    const scheduler = createScheduler({ maxQueued: 2 });
    const order: string[] = [];
    scheduler.acquire(rateLimit).subscribe(() => {
      for (const name of ['one', 'two', 'three', 'four']) {
        scheduler.acquire(rateLimit).subscribe({ error: () => order.push(name) });
      }
    });
    expect(order.sort()).toEqual(['four', 'three']);
    expect(usageOf(scheduler)['test']?.queued.normal).toBe(2);
  });
});
