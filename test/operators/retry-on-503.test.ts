import { retryOn503, RequestError, UnavailableError } from 'exchange-rx';
import { defer, mergeMap, throwError, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const answer = { status: 503, code: undefined, exchangeMessage: undefined, errors: {}, body: '' };
const unavailable = new UnavailableError(answer, undefined, 'ping');
const askedToWait = new UnavailableError(answer, 50, 'ping');
const other = new RequestError('public.ping', []);
const options = { maxRetries: 2, baseDelayMs: 10, random: () => 1 };

let scheduler: TestScheduler;
beforeEach(() => {
  vi.useFakeTimers();
  scheduler = new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('retryOn503', () => {
  it('passes values and completion on', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('  --a-b-|');
      expectObservable(source.pipe(retryOn503(options))).toBe('--a-b-|');
      expectSubscriptions(source.subscriptions).toBe('^-----!');
    });
  });

  it('subscribes again after a wait that doubles, and passes the last 503 on', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-#', undefined, unavailable);
      expectObservable(source.pipe(retryOn503(options))).toBe('33ms #', undefined, unavailable);
      expectSubscriptions(source.subscriptions).toBe(['^!', '11ms ^!', '32ms ^!']);
    });
  });

  it('never waits less than Retry-After requests', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-#', undefined, askedToWait);
      expectObservable(source.pipe(retryOn503({ ...options, maxRetries: 1 }))).toBe('52ms #', undefined, askedToWait);
      expectSubscriptions(source.subscriptions).toBe(['^!', '51ms ^!']);
    });
  });

  it('passes any other error on at once', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-#', undefined, other);
      expectObservable(source.pipe(retryOn503(options))).toBe('-#', undefined, other);
      expectSubscriptions(source.subscriptions).toBe(['^!']);
    });
  });

  it('leaves nothing behind when unsubscribed in the wait', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-#', undefined, unavailable);
      expectObservable(source.pipe(retryOn503(options)), '-----!').toBe('------');
      expectSubscriptions(source.subscriptions).toBe(['^!']);
    });
  });

  it('leaves the source when unsubscribed in a try', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('---#', undefined, unavailable);
      expectObservable(source.pipe(retryOn503(options)), '--!').toBe('---');
      expectSubscriptions(source.subscriptions).toBe(['^-!']);
    });
  });

  it('waits a random share of the bound, which never exceeds the longest wait', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('#', undefined, unavailable);
      const policy = { maxRetries: 4, baseDelayMs: 20, maxDelayMs: 40, random: () => 0.5 };
      expectObservable(source.pipe(retryOn503(policy))).toBe('70ms #', undefined, unavailable);
      // After 10, 20, 20 and 20 ms.
      const moments = [0, 10, 30, 50, 70].map((ms) => (ms === 0 ? '(^!)' : `${ms}ms (^!)`));
      expectSubscriptions(source.subscriptions).toBe(moments);
    });
  });

  it('starts no retry later than maxTotalMs, and one at the last moment', () => {
    scheduler.run(({ cold, expectObservable }) => {
      const source = cold('#', undefined, unavailable);
      expectObservable(source.pipe(retryOn503({ ...options, maxTotalMs: 9 }))).toBe('#', undefined, unavailable);
      const once = { ...options, maxRetries: 1, maxTotalMs: 10 };
      expectObservable(source.pipe(retryOn503(once))).toBe('10ms #', undefined, unavailable);
    });
  });

  it.each([
    [0, 5],
    [10_001, 3],
  ])('retries by default four times within 30 s from the subscription: requests of %i ms', async (requestMs, most) => {
    await vi.advanceTimersByTimeAsync(1000);
    let attempts = 0;
    const source = defer(() => {
      attempts += 1;
      return timer(requestMs).pipe(mergeMap(() => throwError(() => unavailable)));
    });
    source.pipe(retryOn503({ random: () => 0 })).subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts).toBe(most);
  });
});
