// The one retry loop: how often, how soon and until when a call is retried.
import {
  AuthError,
  NotPlacedError,
  RateLimitedError,
  TransportError,
  UnavailableError,
  type AnyExchangeError,
  type AuthErrorReason,
  type Outcome,
} from 'exchange-rx';
import { defer, EMPTY, mergeMap, Observable, of, throwError, timer } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRejectedNonce, requestedDelayMs, retryLoop, type RetryLoopOptions } from '../../src/operators/retry-loop.js';
import { watch } from '../support/watch.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = (status: number) => ({
  status,
  code: undefined,
  exchangeMessage: undefined,
  errors: {},
  body: undefined,
});
const lost = new TransportError('the connection was lost', { endpoint: 'place', outcome: 'unknown' });
const unavailable = (retryAfterMs?: number) => new UnavailableError(answer(503), retryAfterMs, 'place');
const nonce = (reason: AuthErrorReason, outcome: Outcome = 'rejected') =>
  new AuthError(answer(400), reason, 'place', outcome);

/** Fake timers take up to 1 ms for 0. */
const rounded = (ms: number) => Math.round(ms / 10) * 10;

/** Subscribes to a source that fails with these errors in turn, the last one for ever; `undefined` is a success. */
async function retried(errors: readonly (AnyExchangeError | undefined)[], options: Partial<RetryLoopOptions> = {}) {
  const start = Date.now();
  const at: number[] = [];
  const source = defer((): Observable<string> => {
    const error = errors[Math.min(at.length, errors.length - 1)];
    at.push(rounded(Date.now() - start));
    return error === undefined ? of('done') : throwError(() => error);
  });
  const seen = watch(source.pipe(retryLoop({ when: () => true, baseDelayMs: 100, random: () => 1, ...options })));
  await vi.advanceTimersByTimeAsync(120_000);
  return { at, seen };
}

describe('the retries of a call', () => {
  it('are four, after waits that double', async () => {
    expect(await retried([lost])).toEqual({ at: [0, 100, 300, 700, 1500], seen: [lost] });
  });

  it('end with validForMs: the last starts not later than that after subscription', async () => {
    expect((await retried([lost], { validForMs: 700 })).at).toEqual([0, 100, 300, 700]);
    expect((await retried([lost], { validForMs: 699 })).at).toEqual([0, 100, 300]);
    expect((await retried([lost], { validForMs: 0 })).at).toEqual([0]);
  });

  it('end with maxTotalMs, where that is less', async () => {
    expect((await retried([lost], { validForMs: 700, maxTotalMs: 300 })).at).toEqual([0, 100, 300]);
  });

  it.each([
    ['of a 503', unavailable(2000)],
    ['of a 429', new RateLimitedError(answer(429), 2000, 'place')],
    ['of the 503 for which an order was looked up and proven absent', new NotPlacedError('place', unavailable(2000))],
  ])('wait for the Retry-After %s, and are none when the bounds allow no such wait', async (_, error) => {
    expect(requestedDelayMs(error)).toBe(2000);
    expect((await retried([error, undefined])).at).toEqual([0, 2000]);
    for (const bounds of [{ validForMs: 1999 }, { maxTotalMs: 1999 }])
      expect(await retried([error, undefined], bounds)).toEqual({ at: [0], seen: [error] });
  });

  it('are none for errors that the policy does not retry', async () => {
    expect(await retried([lost], { when: () => false })).toEqual({ at: [0], seen: [lost] });
  });

  it('are dropped when they make no sense any more, at the failure or when the wait is over', async () => {
    const start = Date.now();
    expect(await retried([lost], { isCurrent: () => false })).toEqual({ at: [0], seen: [lost] });
    const { at, seen } = await retried([lost], { isCurrent: () => Date.now() - start < 120_000 + 250 });
    expect([at, seen]).toEqual([[0, 100], [lost]]);
  });
});

describe('a refused nonce', () => {
  it.each(['nonce-used', 'nonce-expired'] as const)('is retried twice, at once: %s', async (reason) => {
    const error = nonce(reason);
    expect(await retried([error])).toEqual({ at: [0, 0, 0], seen: [error] });
  });

  it('does not count among the other retries, and needs no budget', async () => {
    expect((await retried([nonce('nonce-expired'), lost, nonce('nonce-expired'), lost], { maxRetries: 2 })).at).toEqual(
      [0, 0, 100, 100, 300],
    );
    expect((await retried([nonce('nonce-expired'), lost], { budget: { spend: () => false } })).at).toEqual([0, 0]);
  });

  it('is retried within the validity of the call', async () => {
    const at: number[] = [];
    const start = Date.now();
    const source = defer(() => {
      at.push(rounded(Date.now() - start));
      return timer(600).pipe(mergeMap(() => throwError(() => nonce('nonce-used'))));
    });
    watch(source.pipe(retryLoop({ when: () => true, validForMs: 1000 })));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(at).toEqual([0, 600]);
  });

  it('is no proof of anything where the outcome is unknown, and is retried like any other error', () => {
    expect(
      [
        nonce('nonce-used'),
        nonce('nonce-expired'),
        nonce('nonce-used', 'unknown'),
        nonce('nonce-expired', 'unknown'),
        nonce('signature'),
      ].map(isRejectedNonce),
    ).toEqual([true, true, false, false, false]);
  });
});

describe('what is done before a retry', () => {
  it('is done first, and the retry comes after it', async () => {
    const prepared: unknown[] = [];
    const prepare = (error: unknown) => {
      prepared.push(error);
      return timer(1000);
    };
    expect((await retried([lost, undefined], { prepare })).at).toEqual([0, 1100]);
    expect(prepared).toEqual([lost]);
  });

  it('changes nothing when it fails, or does nothing', async () => {
    for (const prepare of [() => throwError(() => lost), () => EMPTY])
      expect((await retried([lost, undefined], { prepare })).at).toEqual([0, 100]);
  });

  it('is not done, or ends, when the retry is unsubscribed as it is reported or prepared', async () => {
    for (const leaveAt of ['report', 'prepare']) {
      const prepared: string[] = [];
      const prepare = () =>
        new Observable((subscriber) => {
          prepared.push('started');
          if (leaveAt === 'prepare') subscription.unsubscribe();
          if (!subscriber.closed) prepared.push('went on');
        });
      const onRetry = () => {
        if (leaveAt === 'report') subscription.unsubscribe();
      };
      const source = timer(1).pipe(mergeMap(() => throwError(() => lost)));
      const subscription = source.pipe(retryLoop({ when: () => true, onRetry, prepare })).subscribe();
      await vi.advanceTimersByTimeAsync(1000);
      expect(prepared).toEqual(leaveAt === 'report' ? [] : ['started']);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('is not done where no retry follows', async () => {
    const prepare = vi.fn(() => EMPTY);
    await retried([lost], { prepare, maxRetries: 0 });
    expect(prepare).not.toHaveBeenCalled();
  });
});
