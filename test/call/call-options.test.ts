// The bounds of a call: its own options, else those of its client, else the defaults.
import { createExchange, type CallOptions } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callLimits, type CallDefaults } from '../../src/call/call-options.js';
import { failureOf } from '../support/failure.js';
import type { Safety } from '../../src/endpoint/index.js';

const client: CallDefaults = {};
const endpoint = {};

describe('the bounds of a call', () => {
  it('are those of the client, and else 10 s for an attempt and 60 s for the call', () => {
    expect(callLimits(endpoint, {}, client)).toMatchObject({ timeoutMs: 10_000, callTimeoutMs: 60_000 });
    expect(callLimits(endpoint, {}, { ...client, timeoutMs: 1, callTimeoutMs: 2 })).toMatchObject({
      timeoutMs: 1,
      callTimeoutMs: 2,
    });
  });

  it('are its own, where it has any', () => {
    const bounds = { timeoutMs: 3, callTimeoutMs: 4, validForMs: 5 };
    expect(callLimits(endpoint, bounds, { ...client, timeoutMs: 1, callTimeoutMs: 2 })).toMatchObject(bounds);
  });

  it('let the attempts of an order start for 5 s, and those of other calls without end, where the call does not say', () => {
    const validForMs = (safety: Safety, own?: number) =>
      callLimits({ ...endpoint, safety }, own === undefined ? {} : { validForMs: own }, client).validForMs;
    expect((['order', 'read', 'idempotent', 'once'] as const).map((safety) => validForMs(safety))).toEqual([
      5000,
      undefined,
      undefined,
      undefined,
    ]);
    expect([validForMs('order', 1), validForMs('order', 60_000), validForMs('read', 7)]).toEqual([1, 60_000, 7]);
    expect(callLimits(endpoint, {}, client)).toMatchObject({ validForMs: undefined, onEvent: undefined });
  });

  it('are urgent as the call says, else as the endpoint does, else normally', () => {
    expect(callLimits(endpoint, {}, client).priority).toBe('normal');
    expect(callLimits({ ...endpoint, priority: 'urgent' }, {}, client).priority).toBe('urgent');
    expect(callLimits({ ...endpoint, priority: 'urgent' }, { priority: 'normal' }, client).priority).toBe('normal');
  });

  it('retry a call unless the call or the client says retry: false', () => {
    const isRetried = (own: CallOptions, retry?: false | object) =>
      callLimits(endpoint, own, { ...client, ...(retry === undefined ? {} : { retry }) }).isRetried;
    expect([
      isRetried({}),
      isRetried({}, {}),
      isRetried({ retry: false }),
      isRetried({}, false),
      isRetried({ retry: false }, false),
    ]).toEqual([true, true, false, false, false]);
  });
});

describe('an exchange that does not respond', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends a call while it waits for a permit with nothing sent', async () => {
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), limits: { public: { limit: 1, windowMs: 60_000 } } });
    exchange.public.ping().subscribe();
    const failure = failureOf(exchange.public.ping({ callTimeoutMs: 500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await failure).toMatchObject({
      kind: 'timeout',
      phase: 'call',
      outcome: 'not-executed',
      endpoint: 'public.ping',
    });
    expect(sandbox.ledger.requests).toHaveLength(1);
  });
});
