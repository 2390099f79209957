// Fake time for tests with thousands of timers: vitest's searches all timers for each one that fires.
import { afterEach, beforeEach } from 'vitest';

class FakeTimer {
  readonly run: () => void;
  readonly everyMs: number | undefined;
  dueAt: number;
  /** In the order of their creation, for timers that are due at once. */
  order = 0;
  isCleared = false;

  constructor(run: () => void, dueAt: number, everyMs: number | undefined) {
    this.run = run;
    this.dueAt = dueAt;
    this.everyMs = everyMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

const isBefore = (one: FakeTimer, other: FakeTimer) =>
  one.dueAt === other.dueAt ? one.order < other.order : one.dueAt < other.dueAt;

export interface FakeTime {
  /** Runs the timers of this time, in milliseconds, and what their promises do. */
  advance(ms: number): Promise<void>;
}

/**
 * Replaces `setTimeout`, `setInterval`, `performance.now` and `Date.now` in each test of a file.
 *
 * @param start Unix ms
 */
export function useFakeTime(start = 1_000_000): FakeTime {
  /** A heap: no timer is due before its parent. */
  let timers: FakeTimer[] = [];
  let now = 0;
  let orders = 0;
  const later = globalThis.setImmediate;

  const add = (timer: FakeTimer) => {
    orders += 1;
    timer.order = orders;
    let at = timers.push(timer) - 1;
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = timers[parent];
      if (above === undefined || !isBefore(timer, above)) break;
      timers[at] = above;
      at = parent;
    }
    timers[at] = timer;
    return timer;
  };

  /** Takes the first timer out. */
  const shift = () => {
    const [first] = timers;
    const last = timers.pop();
    if (last === undefined || last === first) return first;
    let at = 0;
    for (;;) {
      const [left, right] = [timers[2 * at + 1], timers[2 * at + 2]];
      const isRight = right !== undefined && left !== undefined && isBefore(right, left);
      const below = isRight ? right : left;
      if (below === undefined || !isBefore(below, last)) break;
      timers[at] = below;
      at = 2 * at + (isRight ? 2 : 1);
    }
    timers[at] = last;
    return first;
  };

  const timerOf =
    (isRepeated: boolean) =>
    (run: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) => {
      const ms = Math.max(1, Math.trunc(delay));
      const call = () => {
        run(...values);
      };
      return add(new FakeTimer(call, now + ms, isRepeated ? ms : undefined));
    };
  const clear = (timer?: FakeTimer) => {
    if (timer !== undefined) timer.isCleared = true;
  };

  // Assigned, because a spy would keep each of a million calls.
  const fake = { setTimeout: timerOf(false), setInterval: timerOf(true), clearTimeout: clear, clearInterval: clear };
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  const dateNow = Date.now;
  beforeEach(() => {
    timers = [];
    now = start;
    Object.assign(globalThis, fake);
    performance.now = Date.now = () => now;
  });
  afterEach(() => {
    Object.assign(globalThis, real);
    Reflect.deleteProperty(performance, 'now');
    Date.now = dateNow;
  });

  return {
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await new Promise((resolve) => later(resolve));
        const [next] = timers;
        if (next === undefined || next.dueAt > end) break;
        shift();
        if (next.isCleared) continue;
        now = next.dueAt;
        if (next.everyMs !== undefined) {
          next.dueAt += next.everyMs;
          add(next);
        }
        next.run();
      }
      now = end;
    },
  };
}
