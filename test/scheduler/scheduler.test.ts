// Promise 1, on fake time: the exchange's count over every window, whatever becomes of the requests.
import { createScheduler, type Permit, type PermitUse } from 'exchange-rx';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const group = { name: 'test', limit: 3, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks for a permit; tells when it came. */
function ask(scheduler: ReturnType<typeof createScheduler>) {
  const asked: { at?: number; permit?: Permit } = {};
  const subscription = scheduler.acquire(group).subscribe((permit) => {
    asked.at = Date.now();
    asked.permit = permit;
  });
  return { asked, subscription };
}

const settle = () => vi.advanceTimersByTimeAsync(50);

describe('permits', () => {
  it('are as many as the limit, and come back a window and a guard after the answer', async () => {
    const scheduler = createScheduler();
    const all = Array.from({ length: 5 }, () => ask(scheduler));
    await settle();
    expect(all.map(({ asked }) => asked.permit !== undefined)).toEqual([true, true, true, false, false]);
    const answeredAt = Date.now();
    all[0]?.asked.permit?.release('answered');
    await vi.advanceTimersByTimeAsync(1004);
    expect(all[3]?.asked.at).toBeUndefined();
    await settle();
    expect((all[3]?.asked.at ?? 0) - answeredAt).toBeGreaterThanOrEqual(1005);
  });

  it('of requests that were not sent are free at once', async () => {
    const scheduler = createScheduler();
    const all = Array.from({ length: 4 }, () => ask(scheduler));
    await settle();
    all[0]?.asked.permit?.release('unsent');
    await settle();
    expect(all[3]?.asked.permit).toBeDefined();
  });

  it('of requests that may still arrive are held for as long as they can be late, too', async () => {
    const scheduler = createScheduler({ lateArrivalMs: 5000 });
    const all = Array.from({ length: 4 }, () => ask(scheduler));
    await settle();
    all[0]?.asked.permit?.release('unknown');
    await vi.advanceTimersByTimeAsync(5900);
    expect(all[3]?.asked.permit).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(all[3]?.asked.permit).toBeDefined();
  });

  it('are not taken by those who left the line', async () => {
    const scheduler = createScheduler();
    const all = Array.from({ length: 5 }, () => ask(scheduler));
    await settle();
    all[3]?.subscription.unsubscribe();
    all[0]?.asked.permit?.release('answered');
    await vi.advanceTimersByTimeAsync(1200);
    expect([all[3]?.asked.permit, all[4]?.asked.permit !== undefined]).toEqual([undefined, true]);
  });

  it('follow the limits that replace a group’s own', async () => {
    const scheduler = createScheduler({ limits: { test: { limit: 1, windowMs: 10 } } });
    const all = [ask(scheduler), ask(scheduler)];
    await settle();
    expect(all.map(({ asked }) => asked.permit !== undefined)).toEqual([true, false]);
  });

  it('never let more than the limit into any window, whatever the latency, failures and cancellations', async () => {
    const request = fc.record({
      after: fc.integer({ min: 0, max: 400 }),
      takes: fc.integer({ min: 0, max: 2000 }),
      arrives: fc.double({ min: 0, max: 1, noNaN: true }),
      use: fc.constantFrom<PermitUse>('answered', 'answered', 'unsent', 'unknown'),
      leaves: fc.option(fc.integer({ min: 0, max: 500 }), { freq: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 25 }), async (requests) => {
        const scheduler = createScheduler({ lateArrivalMs: 3000 });
        const arrivals: number[] = [];
        let granted = 0;
        let left = 0;
        for (const { after, takes, arrives, use, leaves } of requests) {
          await vi.advanceTimersByTimeAsync(after);
          let own = false;
          const subscription = scheduler.acquire(group).subscribe((permit) => {
            own = true;
            granted += 1;
            // One whose fate is unknown arrives late; one that was not sent never does.
            const late = use === 'unknown' ? takes + arrives * 3000 : takes * arrives;
            if (use !== 'unsent') setTimeout(() => arrivals.push(Date.now()), late);
            setTimeout(() => {
              permit.release(use);
            }, takes);
          });
          if (leaves === null) continue;
          setTimeout(() => {
            if (!own) left += 1;
            subscription.unsubscribe();
          }, leaves);
        }
        await vi.advanceTimersByTimeAsync(120_000);
        expect(granted + left).toBe(requests.length);
        const sorted = arrivals.sort((a, b) => a - b);
        for (const [index, at] of sorted.entries()) {
          const fourth = sorted[index + group.limit];
          if (fourth !== undefined) expect(fourth - at).toBeGreaterThanOrEqual(group.windowMs);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
