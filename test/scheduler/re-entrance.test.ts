// Subscribers that use the scheduler while it grants them their permit.
import { createScheduler, type RateLimitUsage, type Scheduler } from 'exchange-rx';
import { config, Subscriber } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { ask, granted, settle } from '../support/permits.js';

const group = { name: 'test', limit: 1, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  config.onUnhandledError = null;
  vi.useRealTimers();
});

function usageOf(scheduler: Scheduler): RateLimitUsage | undefined {
  let usage: RateLimitUsage | undefined;
  scheduler.usage$.subscribe(([first]) => (usage = first)).unsubscribe();
  return usage;
}

const idle = { used: 0, queued: { urgent: 0, normal: 0, background: 0 } };

describe('a permit that is given back while it is granted', () => {
  it.each([
    ['of the permit alone', () => undefined],
    ['of room in flight, too', () => new InFlight(1)],
  ])('goes to the next of 100000 waiters, and to each after it: waiters %s', async (_, inFlightOf) => {
    const scheduler = createScheduler();
    const inFlight = inFlightOf();
    const options = inFlight === undefined ? {} : { inFlight };
    const first = ask(scheduler, group, options);
    let grants = 0;
    for (let waiter = 0; waiter < 100_000; waiter += 1) {
      scheduler.acquire(group, options).subscribe((permit) => {
        grants += 1;
        permit.release('unsent');
      });
    }
    first.permit?.release('unsent');
    await settle();
    expect(grants).toBe(100_000);
    expect(usageOf(scheduler)).toMatchObject(idle);
    expect(ask(scheduler, group, options).permit).toBeDefined();
  });

  it('goes to waiters of several groups that share room in flight', async () => {
    const scheduler = createScheduler();
    const inFlight = new InFlight(1);
    const groups = ['one', 'two', 'three'].map((name) => ({ ...group, name }));
    inFlight.enter();
    let grants = 0;
    for (let waiter = 0; waiter < 30_000; waiter += 1) {
      scheduler.acquire(groups[waiter % 3] ?? group, { inFlight }).subscribe((permit) => {
        grants += 1;
        permit.release('unsent');
      });
    }
    inFlight.leave();
    await settle();
    expect([grants, inFlight.free]).toEqual([30_000, 1]);
  });

  it('goes to a request that is made at that moment, before those that came later than its maker', async () => {
    const scheduler = createScheduler();
    const first = ask(scheduler, group);
    const order: string[] = [];
    scheduler.acquire(group).subscribe((permit) => {
      permit.release('unsent');
      scheduler.acquire(group).subscribe(() => order.push('its request'));
      order.push('maker');
    });
    scheduler.acquire(group).subscribe(() => order.push('later'));
    first.permit?.release('unsent');
    await settle();
    expect(order).toEqual(['maker', 'its request']);
  });

  it('goes to one such request only: the next has to wait its turn', async () => {
    const scheduler = createScheduler();
    const first = ask(scheduler, group);
    const order: string[] = [];
    scheduler.acquire(group).subscribe((permit) => {
      permit.release('unsent');
      for (const name of ['one', 'two']) {
        scheduler.acquire(group).subscribe((own) => {
          order.push(name);
          own.release('unsent');
        });
      }
    });
    scheduler.acquire(group).subscribe((permit) => {
      order.push('later');
      permit.release('unsent');
    });
    first.permit?.release('unsent');
    await settle();
    expect(order).toEqual(['one', 'later', 'two']);
  });
});

describe('a request that is made while another is granted its permit', () => {
  it('is granted in the same tick when there is a permit, though nobody may wait', () => {
    const scheduler = createScheduler({ maxQueued: 0 });
    const two = { ...group, limit: 2 };
    const order: string[] = [];
    scheduler.acquire(two).subscribe(() => {
      scheduler.acquire(two).subscribe({ next: () => order.push('inner'), error: () => order.push('refused') });
    });
    expect(order).toEqual(['inner']);
  });

  it('is refused when the line is full, and those before it are not', () => {
    const scheduler = createScheduler({ maxQueued: 2 });
    const order: string[] = [];
    scheduler.acquire(group).subscribe(() => {
      for (const name of ['one', 'two', 'three', 'four']) {
        scheduler.acquire(group).subscribe({ error: () => order.push(name) });
      }
    });
    expect(order.sort()).toEqual(['four', 'three']);
    expect(usageOf(scheduler)?.queued.normal).toBe(2);
  });

  it('expires like any other', async () => {
    const scheduler = createScheduler();
    const errors: unknown[] = [];
    scheduler.acquire(group).subscribe(() => {
      scheduler.acquire(group, { maxWaitMs: 30 }).subscribe({ error: (error: unknown) => errors.push(error) });
    });
    await vi.advanceTimersByTimeAsync(30);
    expect(errors).toMatchObject([{ kind: 'queue-timeout' }]);
  });
});

describe('a subscriber that throws', () => {
  it('and forgets its permit keeps it no longer than its request can count', async () => {
    vi.useRealTimers();
    config.onUnhandledError = () => undefined;
    const scheduler = createScheduler({ lateArrivalMs: 10 });
    const brief = { ...group, windowMs: 20 };
    scheduler.acquire(brief).subscribe(() => {
      throw new Error('of the subscriber');
    });
    const waits = ask(scheduler, brief);
    await expect
      .poll(() => {
        collectGarbage();
        return waits.permit !== undefined;
      })
      .toBe(true);
  });

  it('does not keep others from their permits, and its own returns when its request can no longer count', async () => {
    const unhandled: unknown[] = [];
    config.onUnhandledError = (error) => unhandled.push(error);
    const scheduler = createScheduler({ lateArrivalMs: 2000 });
    const two = { ...group, limit: 2 };
    const [first, second] = [ask(scheduler, two), ask(scheduler, two)];
    const fault = new RangeError('of the subscriber');
    ask(scheduler, two);
    const after = ask(scheduler, two);
    vi.spyOn(Subscriber.prototype, 'next').mockImplementationOnce(() => {
      throw fault;
    });
    first.permit?.release('unsent');
    vi.restoreAllMocks();
    second.permit?.release('unsent');
    await vi.advanceTimersByTimeAsync(1);
    expect(granted([after])).toEqual([true]);
    expect(unhandled).toEqual([fault]);
    after.permit?.release('unsent');
    expect(usageOf(scheduler)?.used).toBe(1);
    await vi.advanceTimersByTimeAsync(3100);
    expect(usageOf(scheduler)).toMatchObject(idle);
  });
});
