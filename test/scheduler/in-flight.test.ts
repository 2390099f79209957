// The requests of one client on the parent: how many may leave, and who is woken when there is room.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InFlight } from '../../src/scheduler/index.js';
import type { Waiter } from '../../src/scheduler/waiting-line.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Groups whose first ones wait; tells in which order they were woken. */
function setup() {
  const woken: string[] = [];
  const group = (name: string, first: Waiter | ((client: InFlight) => Waiter | undefined) | undefined) => ({
    firstOf: (client: InFlight) => (typeof first === 'function' ? first(client) : first),
    pump: () => {
      woken.push(name);
    },
  });
  return { woken, group };
}

const urgent = (arrival: number): Waiter => ({ priority: 'urgent', arrival });
const normal = (arrival: number): Waiter => ({ priority: 'normal', arrival });

describe('room on the wire', () => {
  it('is without end, where nothing is said', () => {
    const client = new InFlight();
    client.enter();
    expect(client.free).toBe(Number.POSITIVE_INFINITY);
  });

  it('is what is left of the most', () => {
    const client = new InFlight(2);
    client.enter();
    expect(client.free).toBe(1);
    client.enter();
    expect(client.free).toBe(0);
    client.leave();
    expect(client.free).toBe(1);
  });

  it('of a part is bound by the whole, by its own number, and by its pace', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(5);
    const part = client.paced(pace, 3);
    expect(part.free).toBe(3);
    part.enter();
    expect([part.free, client.free]).toEqual([2, 4]);
    for (let sent = 0; sent < 3; sent += 1) client.enter();
    expect(part.free).toBe(1);
    pace.free.mockReturnValue(0);
    expect(part.free).toBe(0);
    part.leave();
    pace.free.mockReturnValue(9);
    expect([part.free, client.free]).toEqual([2, 2]);
  });
});

describe('room for urgent requests', () => {
  it('is what the others leave of all, and more that is theirs alone', () => {
    const client = new InFlight(2, { urgent: 1 });
    expect([client.free, client.urgentFree]).toEqual([2, 3]);
    client.enter();
    client.enter();
    expect([client.free, client.urgentFree]).toEqual([0, 1]);
    client.enter();
    expect([client.free, client.urgentFree]).toEqual([0, 0]);
    client.leave();
    client.leave();
    expect([client.free, client.urgentFree]).toEqual([1, 2]);
  });

  it('of a part is bound by the whole, by its own number, and by its pace: no urgent request is sent without a nonce', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(1, { urgent: 1 });
    const [part, oneByOne] = [client.paced(pace), client.paced(pace, 1)];
    expect([part.urgentFree, oneByOne.urgentFree]).toEqual([2, 1]);
    oneByOne.enter();
    expect([part.urgentFree, oneByOne.urgentFree]).toEqual([1, 0]);
    pace.free.mockReturnValue(0);
    expect(part.urgentFree).toBe(0);
  });

  it('is told apart from a nonce, when it is what a request lacks', () => {
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

describe('room for urgent reads', () => {
  it('is what the others leave of all, and of half of what is for urgent requests', () => {
    const client = new InFlight(2, { urgent: 5 });
    const { reads } = client;
    expect([reads.free, reads.urgentFree]).toEqual([2, 4]);
    for (let read = 0; read < 4; read += 1) reads.enter();
    expect([reads.free, reads.urgentFree, client.free, client.urgentFree]).toEqual([0, 0, 0, 3]);
    client.enter();
    reads.leave();
    expect([reads.urgentFree, client.urgentFree]).toEqual([0, 3]);
    expect(new InFlight(2, { urgent: Number.POSITIVE_INFINITY }).reads.urgentFree).toBe(Number.POSITIVE_INFINITY);
    expect(client.reads).toBe(reads);
  });

  it('is bound by the number and the pace of the part that they are of, and told apart from a nonce', () => {
    const pace = { free: vi.fn(() => 9), freeInMs: () => 0 };
    const client = new InFlight(1, { urgent: 2 });
    const { reads } = client.paced(pace, 1);
    expect([reads.urgentFree, reads.blockedBy(true)]).toEqual([1, undefined]);
    reads.enter();
    expect([reads.urgentFree, reads.blockedBy(true), client.urgentFree]).toEqual([0, 'nonce', 2]);
    client.enter();
    expect(reads.blockedBy(true)).toBe('in-flight');
    reads.leave();
    pace.free.mockReturnValue(0);
    expect(reads.blockedBy(true)).toBe('nonce');
  });

  it('is waited for as any other: they are woken when a request ends, and when there is a nonce', () => {
    const { woken, group } = setup();
    const pace = { free: vi.fn(() => 0), freeInMs: () => 40 };
    const client = new InFlight(1, { urgent: 2 });
    client.paced(pace).reads.wakeWhenFree(group('reads', urgent(1)));
    client.enter();
    client.leave();
    expect(woken).toEqual(['reads']);
    client.paced(pace).reads.wakeWhenFree(group('paced', urgent(2)));
    vi.advanceTimersByTime(40);
    expect(woken).toEqual(['reads', 'paced']);
  });
});

describe('those who wait for room', () => {
  it('are woken when a request of the client ends, be it of a part, and then not again', () => {
    const { woken, group } = setup();
    const client = new InFlight(1);
    const part = client.paced({ free: () => 1, freeInMs: () => 0 });
    part.enter();
    client.wakeWhenFree(group('one', normal(1)));
    expect(woken).toEqual([]);
    part.leave();
    expect(woken).toEqual(['one']);
    client.enter();
    client.leave();
    expect(woken).toEqual(['one']);
  });

  it('are woken by turn: the more urgent group first, and of equal ones that whose first came first', () => {
    const { woken, group } = setup();
    const client = new InFlight(1);
    client.enter();
    client.wakeWhenFree(group('third', normal(3)));
    client.wakeWhenFree(group('second', normal(2)));
    client.wakeWhenFree(group('first', urgent(9)));
    client.leave();
    expect(woken).toEqual(['first', 'second', 'third']);
  });

  it('have the turn of the first of all parts of the client', () => {
    const { woken, group } = setup();
    const client = new InFlight(1);
    const part = client.paced({ free: () => 1, freeInMs: () => 0 });
    client.enter();
    const both = group('both', (of) => (of === part ? urgent(5) : normal(1)));
    part.wakeWhenFree(both);
    client.wakeWhenFree(both);
    client.wakeWhenFree(group('other', urgent(6)));
    client.leave();
    expect(woken).toEqual(['both', 'other']);
  });

  it('are not woken when nobody waits any more', () => {
    const { woken, group } = setup();
    const client = new InFlight(1);
    client.enter();
    client.wakeWhenFree(group('left', undefined));
    client.leave();
    expect(woken).toEqual([]);
  });

  it('are woken when there is a nonce for one, by one timer', () => {
    const { woken, group } = setup();
    const client = new InFlight(5);
    const part = client.paced({ free: () => 0, freeInMs: () => 2.5 });
    part.wakeWhenFree(group('one', normal(1)));
    part.wakeWhenFree(group('two', normal(2)));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2);
    expect(woken).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(woken).toEqual(['one', 'two']);
    part.wakeWhenFree(group('three', normal(3)));
    vi.advanceTimersByTime(3);
    expect(woken).toEqual(['one', 'two', 'three']);
  });

  it('need no timer while there is a nonce, or none is needed', () => {
    const { group } = setup();
    const client = new InFlight(1);
    client.wakeWhenFree(group('one', normal(1)));
    client.paced({ free: () => 1, freeInMs: () => 1 }).wakeWhenFree(group('two', normal(2)));
    expect(vi.getTimerCount()).toBe(0);
  });
});
