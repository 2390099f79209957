// The requests of one client in flight: how many may be sent, and which rate limits are pumped when one ends.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import type { WaitingRequest } from '../../src/scheduler/in-flight.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Rate limits with a waiting request, and the order in which they are pumped. */
function setup() {
  const pumped: string[] = [];
  const limiter = (name: string, first?: WaitingRequest) => ({
    queue: { firstOf: () => first },
    pump: () => {
      pumped.push(name);
    },
  });
  return { pumped, limiter };
}

const urgent = (client: InFlight, arrival: number): WaitingRequest => ({ client, priority: 'urgent', arrival });
const normal = (client: InFlight, arrival: number): WaitingRequest => ({ client, priority: 'normal', arrival });

describe('free requests', () => {
  it('are unbounded by default', () => {
    const client = new InFlight();
    client.enter();
    expect(client.free(false)).toBe(Number.POSITIVE_INFINITY);
  });

  it('are the maximum without those in flight', () => {
    const client = new InFlight(2);
    client.enter();
    expect(client.free(false)).toBe(1);
    client.enter();
    expect(client.free(false)).toBe(0);
    client.leave();
    expect(client.free(false)).toBe(1);
  });

  it('of a part are bounded by the client, by its own maximum, and by its nonces', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(5);
    const part = client.paced(pace, 3);
    expect(part.free(false)).toBe(3);
    part.enter();
    expect([part.free(false), client.free(false)]).toEqual([2, 4]);
    for (let sent = 0; sent < 3; sent += 1) client.enter();
    expect(part.free(false)).toBe(1);
    pace.free.mockReturnValue(0);
    expect(part.free(false)).toBe(0);
    part.leave();
    pace.free.mockReturnValue(9);
    expect([part.free(false), client.free(false)]).toEqual([2, 2]);
  });
});

describe('free urgent requests', () => {
  it('include those that are reserved for urgent requests', () => {
    const client = new InFlight(2, { urgent: 1 });
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

  it('of a part are bounded by the client, by its own maximum, and by its nonces', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(1, { urgent: 1 });
    const [part, oneByOne] = [client.paced(pace), client.paced(pace, 1)];
    expect([part.free(true), oneByOne.free(true)]).toEqual([2, 1]);
    oneByOne.enter();
    expect([part.free(true), oneByOne.free(true)]).toEqual([1, 0]);
    pace.free.mockReturnValue(0);
    expect(part.free(true)).toBe(0);
  });

  it('that are used up are distinguished from a missing nonce', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(1, { urgent: 1 });
    const part = client.paced(pace);
    expect([client.blockedBy(false), part.blockedBy(false)]).toEqual([undefined, undefined]);
    client.enter();
    expect([client.blockedBy(false), part.blockedBy(false), part.blockedBy(true)]).toEqual([
      'in-flight',
      'in-flight',
      undefined,
    ]);
    client.leave();
    pace.free.mockReturnValue(0);
    expect([client.blockedBy(false), part.blockedBy(false), part.blockedBy(true)]).toEqual([
      undefined,
      'nonce',
      'nonce',
    ]);
  });
});

describe('free urgent reads', () => {
  it('include half of those that are reserved for urgent requests', () => {
    const client = new InFlight(2, { urgent: 5 });
    const { reads } = client;
    expect([reads.free(false), reads.free(true)]).toEqual([2, 4]);
    for (let read = 0; read < 4; read += 1) reads.enter();
    expect([reads.free(false), reads.free(true), client.free(false), client.free(true)]).toEqual([0, 0, 0, 3]);
    client.enter();
    reads.leave();
    expect([reads.free(true), client.free(true)]).toEqual([0, 3]);
    expect(new InFlight(2, { urgent: Number.POSITIVE_INFINITY }).reads.free(true)).toBe(Number.POSITIVE_INFINITY);
    expect(client.reads).toBe(reads);
  });

  it('are bounded by the maximum and the nonces of their part', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(1, { urgent: 2 });
    const { reads } = client.paced(pace, 1);
    expect([reads.free(true), reads.blockedBy(true)]).toEqual([1, undefined]);
    reads.enter();
    expect([reads.free(true), reads.blockedBy(true), client.free(true)]).toEqual([0, 'nonce', 2]);
    client.enter();
    expect(reads.blockedBy(true)).toBe('in-flight');
    reads.leave();
    pace.free.mockReturnValue(0);
    expect(reads.blockedBy(true)).toBe('nonce');
  });

  it('pump their rate limit when a request ends, and when a nonce is free', () => {
    const { pumped, limiter } = setup();
    const pace = { free: vi.fn(() => 0), freeInMs: () => 40 };
    const client = new InFlight(1, { urgent: 2 });
    const { reads } = client.paced(pace);
    reads.wakeWhenFree(limiter('reads', urgent(reads, 1)));
    client.enter();
    client.leave();
    expect(pumped).toEqual(['reads']);
    const paced = client.paced(pace).reads;
    paced.wakeWhenFree(limiter('paced', urgent(paced, 2)));
    vi.advanceTimersByTime(40);
    expect(pumped).toEqual(['reads', 'paced']);
  });
});

describe('rate limits that wait for a free request', () => {
  it('are pumped once when a request of the client, or of a part, ends', () => {
    const { pumped, limiter } = setup();
    const client = new InFlight(1);
    const part = client.paced({ free: () => 1, freeInMs: () => 0 });
    part.enter();
    client.wakeWhenFree(limiter('one', normal(client, 1)));
    expect(pumped).toEqual([]);
    part.leave();
    expect(pumped).toEqual(['one']);
    client.enter();
    client.leave();
    expect(pumped).toEqual(['one']);
  });

  it('are pumped in the order of their first requests: by priority, then by arrival', () => {
    const { pumped, limiter } = setup();
    const client = new InFlight(1);
    client.enter();
    client.wakeWhenFree(limiter('third', normal(client, 3)));
    client.wakeWhenFree(limiter('second', normal(client, 2)));
    client.wakeWhenFree(limiter('first', urgent(client, 9)));
    client.leave();
    expect(pumped).toEqual(['first', 'second', 'third']);
  });

  it('are pumped for other urgent requests before urgent reads, which come first once after three others', () => {
    const { pumped, limiter } = setup();
    const client = new InFlight(1);
    const cancels = limiter('cancel', urgent(client, 9));
    const lookups = limiter('lookup', urgent(client.reads, 1));
    const first: (string | undefined)[] = [];
    for (let end = 0; end < 9; end += 1) {
      client.reads.wakeWhenFree(lookups);
      client.wakeWhenFree(cancels);
      client.enter();
      client.leave();
      first.push(pumped.splice(0)[0]);
    }
    expect(first.join(' ')).toBe('cancel cancel cancel lookup cancel cancel cancel lookup cancel');
  });

  it('are pumped for urgent reads before requests that are not urgent', () => {
    const { pumped, limiter } = setup();
    const client = new InFlight(1);
    client.enter();
    client.wakeWhenFree(limiter('order', normal(client, 1)));
    client.reads.wakeWhenFree(limiter('lookup', urgent(client.reads, 2)));
    client.leave();
    expect(pumped[0]).toBe('lookup');
  });

  it('are not pumped when no request waits any more', () => {
    const { pumped, limiter } = setup();
    const client = new InFlight(1);
    client.enter();
    client.wakeWhenFree(limiter('left'));
    client.leave();
    expect(pumped).toEqual([]);
  });

  it('are pumped by one timer when a nonce is free', () => {
    const { pumped, limiter } = setup();
    const client = new InFlight(5);
    const part = client.paced({ free: () => 0, freeInMs: () => 2.5 });
    part.wakeWhenFree(limiter('one', normal(part, 1)));
    part.wakeWhenFree(limiter('two', normal(part, 2)));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2);
    expect(pumped).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(pumped).toEqual(['one', 'two']);
    part.wakeWhenFree(limiter('three', normal(part, 3)));
    vi.advanceTimersByTime(3);
    expect(pumped).toEqual(['one', 'two', 'three']);
  });

  it('need no timer while a nonce is free, or without nonces', () => {
    const { limiter } = setup();
    const client = new InFlight(1);
    client.wakeWhenFree(limiter('one', normal(client, 1)));
    client.paced({ free: () => 1, freeInMs: () => 1 }).wakeWhenFree(limiter('two', normal(client, 2)));
    expect(vi.getTimerCount()).toBe(0);
  });
});
