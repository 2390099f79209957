// How often, how soon and until when a request is sent again.
import {
  ApiError,
  AuthError,
  isTransient,
  NotPlacedError,
  RateLimitedError,
  RequestError,
  TimeoutError,
  TransportError,
  UnavailableError,
  type AnyExchangeError,
  type AuthErrorReason,
} from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { isRefusedNonce, nextRetry, requestedDelayMs, type Retries, type RetryPolicy } from '../../src/call/index.js';
import { isIdentifierInUse, jitterOf } from '../../src/call/retries.js';

const answer = (status: number) => ({
  status,
  code: undefined,
  exchangeMessage: undefined,
  errors: {},
  body: undefined,
});
const lost = new TransportError('the connection was lost', { endpoint: 'place', outcome: 'unknown' });
const unavailable = (retryAfterMs?: number) => new UnavailableError(answer(503), retryAfterMs, 'place');
const nonce = (reason: AuthErrorReason) => new AuthError(answer(400), reason, 'place', 'rejected');

/** When the attempts start that fail with these errors in turn, the last one for ever, each after a time. */
function attemptsAt(
  errors: readonly AnyExchangeError[],
  { validForMs, failsAfterMs = 0, ...policy }: RetryPolicy & { validForMs?: number; failsAfterMs?: number } = {},
): number[] {
  let retries: Retries = { since: 0, ordinary: 0, nonces: 0 };
  const at = [0];
  for (;;) {
    const error = errors[Math.min(at.length, errors.length) - 1];
    const now = (at.at(-1) ?? 0) + failsAfterMs;
    const notBefore = now + requestedDelayMs(error);
    const moment = { now, jitter: 1, isNonce: isRefusedNonce(error), notBefore };
    const next = nextRetry(retries, moment, { baseDelayMs: 100, ...policy }, validForMs);
    if (next === undefined) return at;
    ({ retries } = next);
    at.push(now + next.delayMs);
  }
}

describe('the retries of a call', () => {
  it('are four, after waits that double', () => {
    expect(attemptsAt([lost])).toEqual([0, 100, 300, 700, 1500]);
  });

  it('end with validForMs: the last starts not later than that after subscription', () => {
    expect(attemptsAt([lost], { validForMs: 700 })).toEqual([0, 100, 300, 700]);
    expect(attemptsAt([lost], { validForMs: 699 })).toEqual([0, 100, 300]);
    expect(attemptsAt([lost], { validForMs: 0 })).toEqual([0]);
  });

  it('end with maxTotalMs, where that is less', () => {
    expect(attemptsAt([lost], { validForMs: 700, maxTotalMs: 300 })).toEqual([0, 100, 300]);
  });

  it.each([
    ['of a 503', unavailable(2000)],
    ['of a 429', new RateLimitedError(answer(429), 2000, 'place')],
    ['of the 503 for which an order was looked up and proven absent', new NotPlacedError('place', unavailable(2000))],
  ])('wait for the Retry-After %s, and are none when the bounds allow no such wait', (_, error) => {
    expect(requestedDelayMs(error)).toBe(2000);
    expect(attemptsAt([error], { maxRetries: 1 })).toEqual([0, 2000]);
    for (const bounds of [{ validForMs: 1999 }, { maxTotalMs: 1999 }]) expect(attemptsAt([error], bounds)).toEqual([0]);
  });
});

describe('a refused nonce', () => {
  it.each(['nonce-used', 'nonce-expired'] as const)('is retried twice, at once, whatever maxRetries: %s', (reason) => {
    for (const policy of [{}, { maxRetries: 0 }]) expect(attemptsAt([nonce(reason)], policy)).toEqual([0, 0, 0]);
  });

  it('does not count among the other retries', () => {
    const errors = [nonce('nonce-expired'), lost, nonce('nonce-expired'), lost];
    expect(attemptsAt(errors, { maxRetries: 2 })).toEqual([0, 0, 100, 100, 300]);
  });

  it('is retried within the validity of the call', () => {
    expect(attemptsAt([nonce('nonce-used')], { validForMs: 1000, failsAfterMs: 600 })).toEqual([0, 600]);
  });
});

describe('the wait before a retry', () => {
  it('is up to 200 ms, then twice as long, up to 5 s by default', () => {
    const waits = [0, 1, 2, 3, 4, 5, 19].map((ordinary) => {
      const moment = { now: 0, jitter: 1, isNonce: false, notBefore: 0 };
      return nextRetry({ since: 0, ordinary, nonces: 0 }, moment, { maxRetries: 20 })?.delayMs;
    });
    expect(waits).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it.each([
    [0, 0],
    [0.5, 0.5],
    [1.5, 1],
    [-0.5, 1],
    [Number.NaN, 1],
  ])('is the part of its maximum that random gives, and all of it for an invalid one: %s', (random, part) => {
    expect(jitterOf(() => random)).toBe(part);
  });

  it('is no longer than a timer can wait: a longer one would fire at once', () => {
    expect(attemptsAt([unavailable(1e12)], { maxRetries: 1, maxTotalMs: Infinity })).toEqual([0, 2 ** 31 - 1]);
  });
});

describe('an error', () => {
  it.each([
    [unavailable(), true],
    [new RateLimitedError(answer(429), 30, 'ping'), true],
    [lost, true],
    [new TimeoutError('ping', 1000), true],
    [new RequestError('ping', [{ field: 'limit', message: 'is too large' }]), false],
    [new Error('foreign'), false],
  ])('%s is transient: %s', (error, isPassing) => {
    expect(isTransient(error)).toBe(isPassing);
  });

  it.each([
    ['its reason', 'client-order-id', {}],
    ['its field as the exchange sends it', 'validation', { clientOrderId: ['is already used'] }],
    ['its field as the description spells it', 'validation', { client_order_id: ['is already used'] }],
  ] as const)('says by %s that client_order_id is in use', (_, reason, errors) => {
    expect(
      isIdentifierInUse(new ApiError({ ...answer(422), errors }, reason, { endpoint: 'place', outcome: 'rejected' })),
    ).toBe(true);
  });
});
