// What other requests say of the exchange while pings are kept back.
import type { ClientEvent } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OtherRequests } from '../../src/streams/other-requests.js';
import type { ResponseEvent } from '../../src/client/index.js';

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

/** The result after a request that ended like this, followed by silence. */
function resultAfter(ended: Partial<ResponseEvent>) {
  others.add(request);
  others.add(response(ended));
  vi.advanceTimersByTime(1000);
  return others.result();
}

describe('the result of other requests', () => {
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
  ])('after %s is %j: %s', (_what, ended, result) => {
    expect(resultAfter(ended)).toBe(result);
  });

  it('is undefined without requests, and of one failure is reported once', () => {
    expect(others.result()).toBeUndefined();
    expect(resultAfter({ kind: 'transport' })).toBe('unreachable');
    expect(others.result()).toBeUndefined();
    expect(resultAfter({ result: 'ok' })).toBe('responded');
    expect(others.result()).toBeUndefined();
  });

  it('is unreachable while a request is in flight and none gets a response', () => {
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

  it('stays the reason of downAfter failures in a row until a request gets a response', () => {
    for (let failure = 0; failure < 3; failure += 1) resultAfter({ kind: 'unavailable', status: 503 });
    vi.advanceTimersByTime(10_000);
    expect(others.result()).toBe('unavailable');
    others.add(response({ result: 'ok' }));
    expect([others.result(), others.result()]).toEqual(['responded', undefined]);
  });
});
