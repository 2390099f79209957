// The bounds of a call: its own options, else those of its client, else the defaults.
import type { CallOptions } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { callLimits, type CallDefaults, type CallLimits } from '../../src/call/call-options.js';
import type { Priority, Safety } from '../../src/endpoint/index.js';

interface Given {
  readonly own?: CallOptions;
  readonly client?: CallDefaults;
  readonly of?: { readonly safety?: Safety; readonly priority?: Priority };
}

describe('the bounds of a call', () => {
  it.each<[string, Given, Partial<CallLimits>]>([
    ['defaults', {}, { timeoutMs: 10_000, callTimeoutMs: 60_000, priority: 'normal', isRetried: true }],
    ['those of the client', { client: { timeoutMs: 1, callTimeoutMs: 2 } }, { timeoutMs: 1, callTimeoutMs: 2 }],
    [
      'its own',
      { own: { timeoutMs: 3 }, client: { timeoutMs: 1, callTimeoutMs: 2 } },
      { timeoutMs: 3, callTimeoutMs: 2 },
    ],
    ['5 s of validity for an order', { of: { safety: 'order' } }, { validForMs: 5000 }],
    ['5 s of validity for several orders', { of: { safety: 'orders' } }, { validForMs: 5000 }],
    ['its own validity for an order', { of: { safety: 'order' }, own: { validForMs: 1 } }, { validForMs: 1 }],
    ['no end of validity for a read', { of: { safety: 'read' } }, { validForMs: undefined }],
    ['no end of validity for a setting', { of: { safety: 'idempotent' } }, { validForMs: undefined }],
    ['the priority of the endpoint', { of: { priority: 'urgent' } }, { priority: 'urgent' }],
    ['its own priority', { of: { priority: 'urgent' }, own: { priority: 'normal' } }, { priority: 'normal' }],
    ['no retries of its own', { own: { retry: false }, client: { retry: {} } }, { isRetried: false }],
    ['no retries of the client', { client: { retry: false } }, { isRetried: false }],
  ])('are %s', (_, { own = {}, client = {}, of = {} }, bounds) => {
    expect(callLimits(of, own, client)).toMatchObject(bounds);
  });
});
