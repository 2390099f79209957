// The requests of one client in flight: how many may be sent.
import { describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';

describe('free requests', () => {
  it('are unbounded by default', () => {
    const client = new InFlight();
    client.enter();
    expect(client.free(false)).toBe(Number.POSITIVE_INFINITY);
  });

  it('of a part are bounded by the client and by its nonces', () => {
    const nonces = { free: vi.fn(() => 3), freeInMs: () => 7 };
    const client = new InFlight(5);
    const part = client.paced({ nonces, clock: Date });
    part.enter();
    expect([part.free(false), client.free(false)]).toEqual([3, 4]);
    for (let sent = 0; sent < 3; sent += 1) client.enter();
    expect([part.free(false), part.freeInMs()]).toEqual([1, Number.POSITIVE_INFINITY]);
    nonces.free.mockReturnValue(0);
    expect([part.free(false), part.freeInMs(), client.freeInMs()]).toEqual([0, 7, Number.POSITIVE_INFINITY]);
  });
});

describe('free urgent requests', () => {
  it('include those that are reserved for urgent requests', () => {
    const client = new InFlight(2, 1);
    expect([client.free(false), client.free(true)]).toEqual([2, 3]);
    client.enter();
    client.enter();
    expect([client.free(false), client.free(true)]).toEqual([0, 1]);
    client.enter();
    expect([client.free(false), client.free(true)]).toEqual([0, 0]);
    client.leave();
    client.leave();
    expect([client.free(false), client.free(true)]).toEqual([1, 2]);
  });

  it('that are used up are distinguished from a missing nonce', () => {
    const nonces = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(1, 1);
    const part = client.paced({ nonces, clock: Date });
    expect([client.blockedBy(false), part.blockedBy(false)]).toEqual([undefined, undefined]);
    client.enter();
    expect([client.blockedBy(false), part.blockedBy(false), part.blockedBy(true)]).toEqual([
      'in-flight',
      'in-flight',
      undefined,
    ]);
    client.leave();
    nonces.free.mockReturnValue(0);
    expect([client.blockedBy(false), part.blockedBy(false), part.blockedBy(true)]).toEqual([
      undefined,
      'nonce',
      'nonce',
    ]);
  });
});

describe('free urgent reads', () => {
  it('include half of those that are reserved for urgent requests', () => {
    const client = new InFlight(2, 5);
    const { reads } = client;
    expect([reads.free(false), reads.free(true)]).toEqual([2, 4]);
    for (let read = 0; read < 4; read += 1) reads.enter();
    expect([reads.free(false), reads.free(true), client.free(false), client.free(true)]).toEqual([0, 0, 0, 3]);
    client.enter();
    reads.leave();
    expect([reads.free(true), client.free(true)]).toEqual([0, 3]);
    const { reads: unbounded } = new InFlight(2, Number.POSITIVE_INFINITY);
    expect([unbounded.free(false), unbounded.free(true)]).toEqual([2, Number.POSITIVE_INFINITY]);
    expect(client.reads).toBe(reads);
  });

  it('are bounded by the nonces of their part', () => {
    const nonces = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const { reads } = new InFlight(1, 2).paced({ nonces, clock: Date });
    expect([reads.free(true), reads.blockedBy(true)]).toEqual([2, undefined]);
    nonces.free.mockReturnValue(0);
    expect(reads.blockedBy(true)).toBe('nonce');
  });
});
