import { retryOn503, RequestError, UnavailableError, type RetryOn503Options } from 'exchange-rx';
import { defer, mergeMap, throwError, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { marbles } from '../support/marbles.js';

const answer = { status: 503, code: undefined, exchangeMessage: undefined, errors: {}, body: '' };
const unavailable = new UnavailableError(answer, undefined, 'ping');
const askedToWait = new UnavailableError(answer, 50, 'ping');
const other = new RequestError('public.ping', []);
const options = { maxRetries: 2, baseDelayMs: 10, random: () => 1 };

useFakeTimers();

describe('retryOn503', () => {
  it.each<[string, string, UnavailableError | RequestError, RetryOn503Options, string, readonly string[]]>([
    ['passes values and completion on', '--a-b-|', other, options, '--a-b-|', ['^-----!']],
    [
      'subscribes again after a wait that doubles, and passes the last 503 on',
      ...(['-#', unavailable, options, '33ms #', ['^!', '11ms ^!', '32ms ^!']] as const),
    ],
    [
      'never waits less than Retry-After requests',
      ...(['-#', askedToWait, { ...options, maxRetries: 1 }, '52ms #', ['^!', '51ms ^!']] as const),
    ],
    ['passes any other error on at once', '-#', other, options, '-#', ['^!']],
  ])('%s', (_, responses, error, policy, result, subscriptions) => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(responses, undefined, error);
      expectObservable(source.pipe(retryOn503(policy))).toBe(result, undefined, error);
      expectSubscriptions(source.subscriptions).toBe([...subscriptions]);
    });
  });

  it.each([
    ['in the wait', '-#', '-----!', '^!'],
    ['in a try', '---#', '--!', '^-!'],
  ])('leaves nothing behind when it is unsubscribed %s', (_, responses, until, subscription) => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(responses, undefined, unavailable);
      expectObservable(source.pipe(retryOn503(options)), until).toBe('------');
      expectSubscriptions(source.subscriptions).toBe([subscription]);
    });
  });

  it('waits a random share of the bound, which never exceeds the longest wait', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('#', undefined, unavailable);
      const policy = { maxRetries: 4, baseDelayMs: 20, maxDelayMs: 40, random: () => 0.5 };
      expectObservable(source.pipe(retryOn503(policy))).toBe('70ms #', undefined, unavailable);
      // After 10, 20, 20 and 20 ms.
      const moments = [0, 10, 30, 50, 70].map((ms) => (ms === 0 ? '(^!)' : `${ms}ms (^!)`));
      expectSubscriptions(source.subscriptions).toBe(moments);
    });
  });

  it('starts no retry later than maxTotalMs, and one at the last moment', () => {
    marbles(({ cold, expectObservable }) => {
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
