import {
  createExchange,
  createScheduler,
  rateLimits,
  QueueFullError,
  throttleToLimit,
  type Fetch,
  type RateLimit,
  type Permit,
} from 'exchange-rx';
import { firstValueFrom, Subject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { collected } from '../support/watch.js';

const rateLimit: RateLimit = { name: 'quotes', limit: 2, windowMs: 1000 };

useFakeTimers();

function setup(options: Parameters<typeof createScheduler>[0] = {}) {
  const scheduler = createScheduler(options);
  const source$ = new Subject<string>();
  const seen: string[] = [];
  const ends: unknown[] = [];
  const take = (): Permit | undefined => {
    let taken: Permit | undefined;
    scheduler.acquire(rateLimit).subscribe((permit) => (taken = permit));
    return taken;
  };
  const subscription = source$.pipe(throttleToLimit(scheduler, rateLimit)).subscribe({
    next: (value) => seen.push(value),
    error: (error: unknown) => ends.push(error),
    complete: () => ends.push('complete'),
  });
  return { scheduler, source$, seen, ends, take, subscription };
}

describe('throttleToLimit', () => {
  it('passes a value on at once while a permit is free, and leaves the permit to the request', () => {
    const { source$, seen, take } = setup();
    for (const value of ['a', 'b', 'c', 'd']) source$.next(value);
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
    expect([take(), take()]).not.toContain(undefined);
    expect(take()).toBeUndefined();
  });

  it('keeps the latest value while no permit is free, and passes it on when one returns', async () => {
    const { source$, seen, take } = setup();
    const permits = [take(), take()];
    for (const value of ['a', 'b', 'c']) source$.next(value);
    permits.forEach((permit) => permit?.release('responded'));
    await vi.advanceTimersByTimeAsync(900);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(300);
    expect(seen).toEqual(['c']);
  });

  it('completes with the source, after the waiting value', async () => {
    const { source$, seen, ends, take } = setup();
    const permits = [take(), take()];
    source$.next('a');
    source$.complete();
    expect(ends).toEqual([]);
    permits.forEach((permit) => permit?.release('unsent'));
    await vi.advanceTimersByTimeAsync(100);
    expect([seen, ends]).toEqual([['a'], ['complete']]);
  });

  it('passes the error of the source on at once', () => {
    const { source$, ends } = setup();
    source$.error('broken');
    expect(ends).toEqual(['broken']);
  });

  it('fails when the queue is full', () => {
    const { source$, ends, take } = setup({ maxQueued: 0 });
    take();
    take();
    source$.next('a');
    expect(ends).toEqual([expect.any(QueueFullError)]);
    expect(ends).toMatchObject([{ endpoint: 'throttleToLimit', rateLimit: 'quotes' }]);
  });

  it('waits while a client with maxInFlight: 1 has a request in flight', async () => {
    const responses: (() => void)[] = [];
    const fetch: Fetch = () =>
      new Promise((resolve) =>
        responses.push(() => {
          resolve(new Response('{}'));
        }),
      );
    const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch, retry: false, maxInFlight: 1 });
    const source$ = new Subject<string>();
    const seen = collected(source$.pipe(throttleToLimit(exchange.scheduler, [rateLimits.public])));
    exchange.public.ping().subscribe({ error: () => undefined });
    for (const value of ['a', 'b']) source$.next(value);
    await vi.advanceTimersByTimeAsync(5000);
    expect([seen, responses.length]).toEqual([[], 1]);
    source$.next('c');
    responses[0]?.();
    await vi.advanceTimersByTimeAsync(50);
    expect(seen).toEqual(['c']);
  });

  it('passes as many values of several sources as permits are free', async () => {
    const { scheduler, take } = setup();
    const permits = [take(), take()];
    const sources = Array.from({ length: 300 }, () => new Subject<number>());
    const sent: number[] = [];
    let passed = 0;
    for (const source$ of sources) {
      source$.pipe(throttleToLimit(scheduler, rateLimit)).subscribe((value) => {
        passed += 1;
        scheduler.acquire(rateLimit).subscribe(() => sent.push(value));
      });
      source$.next(1);
    }
    permits[0]?.release('unsent');
    await vi.advanceTimersByTimeAsync(50);
    expect([passed, sent.length]).toEqual([1, 1]);
    for (const source$ of sources) source$.next(2);
    permits[1]?.release('responded');
    await vi.advanceTimersByTimeAsync(1100);
    expect([passed, sent]).toEqual([2, [1, 2]]);
  });

  it('waits among the normal requests, and leaves the queue when it is unsubscribed', async () => {
    const { scheduler, source$, take, subscription } = setup();
    const queued = async () => (await firstValueFrom(scheduler.usage$))[0]?.queued;
    take();
    take();
    source$.next('a');
    expect(await queued()).toEqual({ urgent: 0, normal: 1 });
    subscription.unsubscribe();
    expect(await queued()).toEqual({ urgent: 0, normal: 0 });
    expect(source$.observed).toBe(false);
  });
});
