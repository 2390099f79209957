// What other requests say of the exchange while pings are kept back.
import type { ResponseEvent, ClientEvent } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OtherRequests } from '../../src/streams/other-requests.js';

const about = { endpoint: 'orders.open', rateLimit: 'orders', call: 1, attempt: 1 };
const request: ClientEvent = { type: 'request', ...about };
const response = (ended: Partial<ResponseEvent>): ResponseEvent => ({
  type: 'response',
  ...about,
  durationMs: 10,
  result: 'error',
  ...ended,
});

let others: OtherRequests;

beforeEach(() => {
  vi.useFakeTimers();
  others = new OtherRequests(1000, 3);
});
afterEach(() => {
  vi.useRealTimers();
});

/** The verdict after a request that ended so, and was followed by silence. */
function verdictAfter(ended: Partial<ResponseEvent>) {
  others.add(request);
  others.add(response(ended));
  vi.advanceTimersByTime(1000);
  return others.result();
}

describe('the verdict', () => {
  it.each<readonly [string, Partial<ResponseEvent>, ReturnType<OtherRequests['result']>]>([
    ['a success', { result: 'ok', status: 200 }, 'responded'],
    ['a refusal', { kind: 'api', status: 422 }, 'responded'],
    ['a refused key', { kind: 'auth', status: 401 }, 'responded'],
    ['a 503', { kind: 'unavailable', status: 503 }, 'unavailable'],
    ['a 502', { kind: 'api', status: 502 }, 'failing'],
    ['a malformed response', { kind: 'response', status: 200 }, 'failing'],
    ['a lost connection', { kind: 'transport' }, 'unreachable'],
    ['a time-out', { kind: 'timeout' }, 'unreachable'],
    ['a subscriber that left after a long time', { result: 'canceled', durationMs: 1000 }, 'unreachable'],
    ['a subscriber that left early', { result: 'canceled', durationMs: 999 }, undefined],
    ['a 429', { kind: 'rate-limited', status: 429 }, undefined],
  ])('after %s is %j: %s', (_what, ended, verdict) => {
    expect(verdictAfter(ended)).toBe(verdict);
  });

  it('is none when nothing was sent, and of one response counts once', () => {
    expect(others.result()).toBeUndefined();
    expect(verdictAfter({ kind: 'transport' })).toBe('unreachable');
    expect(others.result()).toBeUndefined();
    expect(verdictAfter({ result: 'ok' })).toBe('responded');
    expect(others.result()).toBeUndefined();
  });

  it('is that the exchange is unreachable as long as a request is in flight and nothing is answered', () => {
    others.add(request);
    vi.advanceTimersByTime(999);
    expect(others.result()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect([others.result(), others.result()]).toEqual(['unreachable', 'unreachable']);
    others.add(request);
    others.add(response({ result: 'ok' }));
    expect([others.result(), others.result()]).toEqual(['responded', undefined]);
    vi.advanceTimersByTime(1000);
    expect(others.result()).toBe('unreachable');
  });

  it('stays what as many failures in a row as make the exchange down have shown, until one is answered', () => {
    for (let failure = 0; failure < 3; failure += 1) verdictAfter({ kind: 'unavailable', status: 503 });
    vi.advanceTimersByTime(10_000);
    expect(others.result()).toBe('unavailable');
    others.add(response({ result: 'ok' }));
    expect([others.result(), others.result()]).toEqual(['responded', undefined]);
  });
});
