// Permits: no request is sent without one, and the exchange's limit is the number of them.
// One Bottleneck limiter a group is the authority. A permit is held from before the request is sent until a whole window
// after its answer: by then the exchange has forgotten the request, whatever the network did to it on the way.
import Bottleneck from 'bottleneck';
import { Observable, type Subscriber } from 'rxjs';
import type { LimitGroup, LimitOverrides, RateLimit } from './limit-groups.js';

/**
 * What became of the request that a permit was for:
 * - `unsent`: it was not sent; the permit is free at once.
 * - `answered`: the exchange has counted it by now, and forgets it a window later.
 * - `unknown`: it may still arrive; the permit is held for the longest a late request can take, too.
 */
export type PermitUse = 'unsent' | 'answered' | 'unknown';

/** The right to send one request. */
export interface Permit {
  /** Gives the permit back. Later calls do nothing. */
  release(use: PermitUse): void;
}

/** Grants permits: at most a group's limit of them in any window, as the exchange counts it. */
export interface Scheduler {
  /** Waits for a permit of the group, emits it and completes. Unsubscribing before leaves the line. */
  acquire(group: LimitGroup): Observable<Permit>;
}

export interface SchedulerOptions {
  /** Limits that replace the default ones, by group. */
  readonly limits?: LimitOverrides;
  /**
   * How late a request may still arrive after its sender gave up on it, milliseconds. Default 10000: twice the ±5 s in which the
   * exchange accepts a nonce.
   */
  readonly lateArrivalMs?: number;
}

/** Timers fire up to a millisecond early, and clocks differ: a permit comes back this share of its window later, but 5 ms at least. */
const guardShare = 0.001;
const leastGuardMs = 5;

/** Makes a scheduler. Clients that share an address share its limits: give one scheduler to all of them. */
export function createScheduler({ limits = {}, lateArrivalMs = 10_000 }: SchedulerOptions = {}): Scheduler {
  const lines = new Map<string, Line>();

  return {
    acquire(group) {
      const name = group.name;
      const line = lines.get(name) ?? openLine(limits[name] ?? group, lateArrivalMs);
      lines.set(name, line);
      return new Observable(line);
    },
  };
}

/** Puts a subscriber in the line of a group; the teardown leaves it. */
type Line = (subscriber: Subscriber<Permit>) => () => void;

function openLine({ limit, windowMs }: RateLimit, lateArrivalMs: number): Line {
  const limiter = new Bottleneck({ maxConcurrent: limit });
  const forgetMs = windowMs + Math.max(leastGuardMs, windowMs * guardShare);
  const keepAlive = createKeepAlive();

  return (subscriber) => {
    let waiting = true;
    const leave = () => {
      if (waiting) keepAlive.release();
      waiting = false;
    };
    keepAlive.acquire();

    const job = async () => {
      if (!waiting) return;
      leave();
      const use = await new Promise<PermitUse>((release) => {
        subscriber.next({ release });
        subscriber.complete();
      });
      if (use !== 'unsent') await hold(use === 'answered' ? forgetMs : forgetMs + lateArrivalMs);
    };
    limiter.schedule(job).catch((error: unknown) => {
      leave();
      subscriber.error(error);
    });
    return leave;
  };
}

/** A permit on its way back does not keep the process alive. */
function hold(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** Keeps the process alive while anyone waits for a permit: what they wait for are timers that do not. */
function createKeepAlive() {
  const longestMs = 2 ** 31 - 1;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    acquire() {
      waiting += 1;
      timer ??= setInterval(() => undefined, longestMs);
    },
    release() {
      waiting -= 1;
      if (waiting > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
