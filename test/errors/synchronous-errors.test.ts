// Refusals that come at once: whatever subscribes again to them, the stack holds, and timers run.
import { createExchange, createScheduler } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom, Observable, retry, tap, timer } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SynchronousErrors } from '../../src/errors/index.js';
import { failureOf } from '../support/failure.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a request that a full queue refuses', () => {
  function counted() {
    let times = 0;
    const { baseUrl, fetch } = createSandbox().clientOptions();
    const scheduler = createScheduler({ limits: { public: { limit: 1, windowMs: 60_000 } }, maxQueued: 0 });
    const full = createExchange({ baseUrl, fetch, scheduler, retry: false });
    full.public.ping().subscribe();
    return { times: () => times, refused$: full.public.ping().pipe(tap({ subscribe: () => (times += 1) })) };
  }

  it('fails at once', () => {
    let error: unknown;
    counted().refused$.subscribe({ error: (refusal: unknown) => (error = refusal) });
    expect(error).toMatchObject({ kind: 'queue-full', outcome: 'not-executed' });
  });

  it('does not overflow the stack when it is retried 100,000 times', async () => {
    const { refused$, times } = counted();
    const end = failureOf(refused$.pipe(retry(100_000)));
    await vi.runAllTimersAsync();
    expect(await end).toMatchObject({ kind: 'queue-full' });
    expect(times()).toBe(100_001);
  }, 60_000);

  it('is retried until a timer unsubscribes', async () => {
    const { refused$, times } = counted();
    const subscription = refused$.pipe(retry()).subscribe();
    const left = lastValueFrom(timer(20)).then(() => {
      subscription.unsubscribe();
    });
    await vi.advanceTimersByTimeAsync(20);
    await left;
    const before = times();
    await vi.advanceTimersByTimeAsync(100);
    expect(before).toBeGreaterThan(20);
    expect(times()).toBe(before);
  });
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
