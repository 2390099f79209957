import {
  isTransient,
  isTransientAndNotExecuted,
  RateLimitedError,
  RequestError,
  retryWith,
  TimeoutError,
  TransportError,
  UnavailableError,
} from 'exchange-rx';
import { defer, mergeMap, throwError, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryDelayMs } from '../../src/call/index.js';
import type { Retry } from '../../src/operators/retry-with.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const marbles = () =>
  new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });

const answer = (status: number) => ({
  status,
  code: undefined,
  exchangeMessage: undefined,
  errors: {},
  body: undefined,
});
const unavailable = new UnavailableError(answer(503), undefined, 'ping');
const limited = new RateLimitedError(answer(429), 30, 'ping');
const refused = new TransportError('could not connect', { endpoint: 'public.ping', outcome: 'not-executed' });
const lost = new TransportError('the connection was lost', { endpoint: 'public.ping', outcome: 'unknown' });
const bad = new RequestError('public.ping', [{ field: 'limit', message: 'is too large' }]);
const jitter = { baseDelayMs: 10, random: () => 1 };

describe('retryWith', () => {
  it('lets what succeeds pass', () => {
    marbles().run(({ cold, expectObservable }) => {
      expectObservable(cold('--a-b-|').pipe(retryWith({ when: () => true }))).toBe('--a-b-|');
    });
  });

  it('subscribes again after a wait that doubles, as often as it may, and then passes the error on', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-#', undefined, lost);
      expectObservable(source.pipe(retryWith({ ...jitter, when: isTransient, maxRetries: 2 }))).toBe(
        '33ms #',
        undefined,
        lost,
      );
      expectSubscriptions(source.subscriptions).toBe(['^!', '11ms ^!', '32ms ^!']);
    });
  });

  it('passes on at once what the policy does not repeat', () => {
    marbles().run(({ cold, expectObservable }) => {
      expectObservable(
        cold('-#', undefined, lost).pipe(retryWith({ ...jitter, when: isTransientAndNotExecuted })),
      ).toBe('-#', undefined, lost);
    });
  });

  it('waits for as long as the exchange asks, be it longer', () => {
    marbles().run(({ cold, expectObservable }) => {
      expectObservable(
        cold('-#', undefined, limited).pipe(retryWith({ ...jitter, when: isTransient, maxRetries: 1 })),
      ).toBe('32ms #', undefined, limited);
    });
  });

  it('begins no new try later than it may', () => {
    marbles().run(({ cold, expectObservable }) => {
      const source = cold('-#', undefined, lost);
      expectObservable(source.pipe(retryWith({ ...jitter, when: isTransient, maxTotalMs: 9 }))).toBe(
        '-#',
        undefined,
        lost,
      );
    });
  });

  it('begins one at the last moment that it may', () => {
    marbles().run(({ cold, expectObservable }) => {
      const source = cold('#', undefined, lost);
      expectObservable(source.pipe(retryWith({ ...jitter, when: isTransient, maxTotalMs: 10 }))).toBe(
        '10ms #',
        undefined,
        lost,
      );
    });
  });

  it('counts the time that tries take, from the first on', async () => {
    await vi.advanceTimersByTimeAsync(1000);
    let tries = 0;
    const source = defer(() => {
      tries += 1;
      return timer(100).pipe(mergeMap(() => throwError(() => lost)));
    });
    const failures: unknown[] = [];
    source
      .pipe(retryWith({ when: isTransient, maxTotalMs: 250, maxRetries: 10, random: () => 0 }))
      .subscribe({ error: (error: unknown) => failures.push(error) });
    await vi.advanceTimersByTimeAsync(1000);
    expect([tries, failures]).toEqual([3, [lost]]);
  });

  it('tries four times more, where nothing is said', () => {
    marbles().run(({ cold, flush }) => {
      const source = cold('#', undefined, lost);
      source.pipe(retryWith({ when: isTransient, random: () => 0 })).subscribe({ error: () => undefined });
      flush();
      expect(source.subscriptions).toHaveLength(5);
    });
  });

  it('begins none 30 s after the first, where nothing is said', async () => {
    let tries = 0;
    const source = defer(() => {
      tries += 1;
      return timer(10_001).pipe(mergeMap(() => throwError(() => lost)));
    });
    source.pipe(retryWith({ when: isTransient, random: () => 0 })).subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries).toBe(3);
  });

  it('waits up to 200 ms, then twice as long, up to 5 s, where nothing is said', () => {
    for (const error of [lost, new Error('foreign'), undefined]) {
      const longest = [1, 2, 3, 4, 5, 6, 20].map((retry) => retryDelayMs({ random: () => 1 }, retry, error));
      expect(longest).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
    }
  });

  it('waits no longer than a timer can: one that is longer would fire at once', () => {
    const inYears = new UnavailableError(answer(503), 1e12, 'ping');
    expect(retryDelayMs({}, 1, inYears)).toBe(2 ** 31 - 1);
  });

  it('stops waiting when unsubscribed, and the source with it', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('---#', undefined, lost);
      const retried = source.pipe(retryWith({ ...jitter, when: isTransient }));
      expectObservable(retried, '--!').toBe('---');
      expectObservable(retried, '-----!').toBe('------');
      expectSubscriptions(source.subscriptions).toBe(['^-!', '^--!']);
    });
  });

  it('reports each retry to onRetry', () => {
    const seen: Retry[] = [];
    marbles().run(({ cold, flush }) => {
      cold('-#', undefined, lost)
        .pipe(retryWith({ ...jitter, when: isTransient, maxRetries: 2, onRetry: (retry) => seen.push(retry) }))
        .subscribe({ error: () => undefined });
      flush();
    });
    expect(seen).toEqual([
      { retry: 1, delayMs: 10, error: lost },
      { retry: 2, delayMs: 20, error: lost },
    ]);
  });
});

describe('what may be repeated', () => {
  it.each([
    [unavailable, true, false],
    [limited, true, true],
    [refused, true, true],
    [lost, true, false],
    [new TimeoutError('public.ping', 1000), true, false],
    [bad, false, false],
    [new Error('foreign'), false, false],
  ])('%s: what may be done twice %s, what must not be %s', (error, twice, once) => {
    expect([isTransient(error), isTransientAndNotExecuted(error)]).toEqual([twice, once]);
  });
});
