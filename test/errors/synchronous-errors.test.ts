// Refusals that come at once: whatever subscribes again to them, the stack holds, and timers run.
import { createExchange, createScheduler, rateLimits } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, NEVER, Observable, retry, tap } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { SynchronousErrors } from '../../src/errors/index.js';
import { failureOf } from '../support/failure.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

function withFullQueue() {
  const { baseUrl, fetch } = createSandbox().clientOptions();
  const scheduler = createScheduler({ limits: { public: { limit: 1, windowMs: 60_000 } }, maxQueued: 0 });
  const full = createExchange({ baseUrl, fetch, scheduler, retry: false });
  full.public.ping().subscribe();
  return full;
}

it('a request that a full queue refuses does not overflow the stack when it is retried 1,000 times', async () => {
  let times = 0;
  const refused$ = withFullQueue()
    .public.ping()
    .pipe(tap({ subscribe: () => (times += 1) }));
  const end = failureOf(refused$.pipe(retry(1000)));
  await vi.runAllTimersAsync();
  expect(await end).toMatchObject({ kind: 'queue-full', outcome: 'not-executed' });
  expect(times).toBe(1001);
});

it('an error that is delayed to another turn keeps no timer when it is unsubscribed', () => {
  const errors = new SynchronousErrors();
  const failing$ = new Observable<never>((subscriber) => {
    errors.fail(subscriber, new Error('no'));
  });
  const waiting = Array.from({ length: 30 }, () => failing$.subscribe({ error: () => undefined }));
  expect(vi.getTimerCount()).toBe(10);
  for (const one of waiting) one.unsubscribe();
  expect(vi.getTimerCount()).toBe(0);
});

describe('a call that fails at once', () => {
  const refusals = (): Readonly<Record<string, () => Observable<unknown>>> => {
    const { baseUrl, fetch, credentials } = createSandbox().clientOptions();
    const exchange = createExchange({ baseUrl, fetch, credentials });
    const withoutClock = createExchange({ baseUrl, fetch, credentials, now: () => Number.NaN });
    return {
      'a full queue': () => withFullQueue().public.ping(),
      'a bad order': () => exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '-1' }),
      'a bad cancel': () => exchange.orders.cancel({ market: 'BTC_USDT', order_id: -1 }),
      'no credentials': () => createExchange({ baseUrl, fetch }).account.mainBalance(),
      'a clock that is not ready': () => withoutClock.orders.cancelAll({}),
    };
  };

  it.each(Object.keys(refusals()))('is retried without end until a timer unsubscribes: %s', async (name) => {
    let times = 0;
    const errors: unknown[] = [];
    const call$ = (refusals()[name]?.() ?? NEVER).pipe(tap({ subscribe: () => (times += 1) }));
    const retried = call$.pipe(retry()).subscribe({ error: (error: unknown) => errors.push(error) });
    await vi.advanceTimersByTimeAsync(20);
    retried.unsubscribe();
    const before = times;
    await vi.advanceTimersByTimeAsync(100);
    expect(before).toBeGreaterThan(20);
    expect([times, errors]).toEqual([before, []]);
  });
});

it('an overflow of the stack inside of a permit leaves the scheduler usable', async () => {
  const scheduler = createScheduler();
  const failing$ = scheduler.acquire(rateLimits.public).pipe(
    tap((permit) => {
      permit.release('unsent');
      throw new Error('no');
    }),
    retry(),
  );
  failing$.subscribe({ error: () => undefined }).unsubscribe();
  expect(await firstValueFrom(scheduler.acquire(rateLimits.public))).toBeDefined();
});
