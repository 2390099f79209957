// Who waits, for how long, and whose turn it is.
import * as endpoints from 'exchange-rx/endpoints';
import { createExchange, createScheduler, type RateLimit, type Priority, type Scheduler } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { defaultIfEmpty, lastValueFrom, map, mergeMap, range, Subject, takeUntil, tap, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import { ask, granted, settle } from '../support/permits.js';

const group = { name: 'test', limit: 1, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Asks for these one after another, releases each as soon as it is granted, and tells in which order they were granted.
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

describe('turns', () => {
  it('go to urgent requests first, then to normal ones, then to the background, and within each to who came first', async () => {
    const scheduler = createScheduler();
    ask(scheduler, group).permit?.release('responded');
    const order = await orderOf(scheduler, group, [
      ['poll 1', 'background'],
      ['quote 1', 'normal'],
      ['cancel 1', 'urgent'],
      ['quote 2', 'normal'],
      ['poll 2', 'background'],
      ['cancel 2', 'urgent'],
    ]);
    expect(order).toEqual(['cancel 1', 'cancel 2', 'quote 1', 'quote 2', 'poll 1', 'poll 2']);
  });

  it('of the background come once in twenty, however many others wait', async () => {
    const scheduler = createScheduler();
    ask(scheduler, group).permit?.release('responded');
    const polls = Array.from({ length: 5 }, (_, index) => [`poll ${index}`, 'background'] as const);
    const quotes = Array.from({ length: 60 }, (_, index) => [`quote ${index}`, 'normal'] as const);
    const order = await orderOf(scheduler, group, [...polls, ...quotes]);
    const turns = order.flatMap((name, index) => (name.startsWith('poll') ? [index] : []));
    expect(order).toHaveLength(65);
    expect(turns.slice(0, 3)).toEqual([18, 38, 58]);
  });

  it('are the same over all clients of a scheduler: by urgency, and within it by who came first', async () => {
    const scheduler = createScheduler();
    const clients = [new InFlight(5), new InFlight(5), new InFlight(5)];
    ask(scheduler, group).permit?.release('responded');
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
      scheduler.acquire(group, { priority, inFlight: clients[client] ?? new InFlight() }).subscribe((permit) => {
        order.push(name);
        permit.release('responded');
      });
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toEqual(['cancel 1', 'cancel 2', 'quote 1', 'quote 2', 'quote 3', 'quote 4']);
  });

  it('pass to another client while one has no room on the wire', async () => {
    const scheduler = createScheduler();
    const [full, idle] = [new InFlight(1), new InFlight(1)];
    full.enter();
    const [waits, sent] = [ask(scheduler, group, { inFlight: full }), ask(scheduler, group, { inFlight: idle })];
    await settle();
    expect(granted([waits, sent])).toEqual([false, true]);
  });

  it('never make a cancel wait behind quotes: a share of the limit is for urgent requests alone', async () => {
    const scheduler = createScheduler();
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const quotes = Array.from({ length: 2000 }, () => ask(scheduler, large));
    await vi.advanceTimersByTimeAsync(900);
    expect(granted(quotes).filter(Boolean)).toHaveLength(980);
    const cancels = Array.from({ length: 21 }, () => ask(scheduler, large, { priority: 'urgent' }));
    expect(cancels[0]?.permit).toBeDefined();
    await settle();
    expect(granted(cancels).filter(Boolean)).toHaveLength(20);
  });

  it('leave the whole limit to normal requests when nothing is reserved', async () => {
    const scheduler = createScheduler({ urgentShare: 0 });
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const quotes = Array.from({ length: 2000 }, () => ask(scheduler, large));
    await vi.advanceTimersByTimeAsync(900);
    expect(granted(quotes).filter(Boolean)).toHaveLength(1000);
  });
});

describe('a line that is full', () => {
  it('refuses at once, and sends nothing', () => {
    const scheduler = createScheduler({ maxQueued: { 'oauth.refreshToken': 2 } });
    const all = Array.from({ length: 4 }, () => ask(scheduler, endpoints.oauth.refreshToken.rateLimit));
    expect(all.map(({ error }) => error !== undefined)).toEqual([false, false, false, true]);
    expect(all[3]?.error).toMatchObject({
      kind: 'queue-full',
      outcome: 'not-executed',
      rateLimit: 'oauth.refreshToken',
      maxQueued: 2,
    });
    expect(Array.from({ length: 4 }, () => ask(scheduler, group)).map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has a place again when one leaves', () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    const [, waits] = [ask(scheduler, group), ask(scheduler, group)];
    expect(ask(scheduler, group).error).toBeDefined();
    waits.leave();
    expect(ask(scheduler, group).error).toBeUndefined();
  });

  it('of the background does not shut out orders, nor orders cancels', () => {
    const scheduler = createScheduler({ maxQueued: 1 });
    ask(scheduler, group);
    const refused = (['background', 'background', 'normal', 'normal', 'urgent', 'urgent'] as const).map(
      (priority) => ask(scheduler, group, { priority }).error !== undefined,
    );
    expect(refused).toEqual([false, true, false, true, false, true]);
  });

  it('of none lets through what need not wait', () => {
    const scheduler = createScheduler({ maxQueued: 0 });
    expect([ask(scheduler, group), ask(scheduler, group)].map(({ error }) => error !== undefined)).toEqual([
      false,
      true,
    ]);
  });
});

describe('a request that is not worth waiting longer for', () => {
  it('expires, and is not sent', async () => {
    const scheduler = createScheduler();
    const first = ask(scheduler, group);
    const waits = ask(scheduler, group, { endpoint: 'placeOrder', maxWaitMs: 300 });
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

  it('is sent when its turn comes before', async () => {
    const scheduler = createScheduler();
    const first = ask(scheduler, group);
    const waits = ask(scheduler, group, { maxWaitMs: 300 });
    first.permit?.release('unsent');
    await vi.advanceTimersByTimeAsync(1000);
    expect([waits.permit !== undefined, waits.error]).toEqual([true, undefined]);
  });

  it('is sent when it need not wait, though it be worth no wait at all', async () => {
    const scheduler = createScheduler();
    const [now, waits] = [ask(scheduler, group, { maxWaitMs: 0 }), ask(scheduler, group, { maxWaitMs: 0 })];
    await vi.advanceTimersByTimeAsync(1);
    expect([now.permit !== undefined, now.error]).toEqual([true, undefined]);
    expect([waits.permit, waits.error]).toEqual([
      undefined,
      expect.objectContaining({ kind: 'queue-timeout', maxWaitMs: 0 }),
    ]);
  });

  it('expires even when the program was too busy to notice in time', async () => {
    const scheduler = createScheduler();
    const first = ask(scheduler, group);
    const waits = ask(scheduler, group, { maxWaitMs: 300 });
    const since = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => since + 400);
    first.permit?.release('unsent');
    await settle();
    expect([waits.permit, waits.error]).toEqual([undefined, expect.objectContaining({ kind: 'queue-timeout' })]);
    vi.restoreAllMocks();
  });
});

describe('the requests of a client on the wire', () => {
  it('are as many as maxInFlight, and the next leave by urgency when one is answered', async () => {
    vi.useRealTimers();
    const sandbox = createSandbox();
    const options = sandbox.clientOptions();
    let onWire = 0;
    let most = 0;
    const exchange = createExchange({
      ...options,
      maxInFlight: 3,
      urgentInFlight: 0,
      fetch: async (input, init) => {
        onWire += 1;
        most = Math.max(most, onWire);
        await new Promise((resolve) => setTimeout(resolve, 2));
        onWire -= 1;
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
    expect(most).toBe(3);
    expect(order).toHaveLength(25);
    expect(order.indexOf('balance')).toBeLessThanOrEqual(3);
    expect(order.lastIndexOf('balance')).toBeLessThanOrEqual(8);
  });
});

describe('leaving the line', () => {
  it('while it joins, by one who is granted before it, costs no permit', async () => {
    const scheduler = createScheduler();
    const large = { name: 'large', limit: 1000, windowMs: 1000 };
    const used = () => {
      let permits = -1;
      scheduler.usage$.subscribe(([usage]) => (permits = usage?.used ?? -1)).unsubscribe();
      return permits;
    };
    // A group that opens after a 429 lets some more through every 20 ms: between two of these times one waits who would
    // be let through.
    ask(scheduler, large).permit?.release('rate-limited');
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
