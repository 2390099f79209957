// One measurement, in a process of its own: what watching order books on a connection costs, and how late they are.
import { setTimeout as sleep } from 'node:timers/promises';
import { givenOptions, sendToParent, start } from '../../support/children.js';
import { bookWatchers, type BookWatcher } from './watchers.js';
import type { FeedOpened, FeedOptions } from './feed.js';

export interface WatchCostOptions {
  readonly watcher: BookWatcher;
  readonly markets: number;
  readonly limit: 50 | 100;
  readonly perSecond: number;
}

export type WatchCost = Awaited<ReturnType<typeof measured>>;

const warmUpMs = 4000;
const measuredMs = 10_000;

const { watcher, markets, limit, perSecond } = givenOptions() as WatchCostOptions;
const feed = start(new URL('feed.ts', import.meta.url), { perSecond, levels: limit } satisfies FeedOptions);
const { url } = await feed.ask<FeedOpened>();

let received = 0;
let latencies: number[] = [];

async function measured() {
  await sleep(warmUpMs);
  received = 0;
  latencies = [];
  const before = process.cpuUsage();
  const since = performance.now();
  await sleep(measuredMs);
  const { user, system } = process.cpuUsage(before);
  const passedMs = performance.now() - since;
  const expected = Math.round((perSecond * passedMs) / 1000);
  // ccxt.pro merges messages that arrive together.
  if (received < expected * 0.5) throw new Error(`${watcher}: ${received} books of ${expected} messages`);
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)];
  return {
    /** Of one core, 0 to 1. */
    share: (user + system) / 1000 / passedMs,
    /** CPU a message, microseconds. */
    cpuMicros: (user + system) / expected,
    /** From sending to the program's function, microseconds; `undefined` where it is not known. */
    ...{ p50: at(0.5), p99: at(0.99) },
  };
}

const watching = bookWatchers[watcher]({
  ...{ url, limit, markets: Array.from({ length: markets }, (_, index) => `M${index}_USDT`) },
  onBook: (sentAt) => {
    received += 1;
    if (sentAt !== undefined) latencies.push((Number(process.hrtime.bigint()) / 1e9 - sentAt) * 1e6);
  },
});
// A contender that fails ends the measurement.
const [cost] = await Promise.all([measured(), Promise.race([watching, sleep(warmUpMs)])]);
feed.process.kill();
sendToParent(cost);
process.exit();
