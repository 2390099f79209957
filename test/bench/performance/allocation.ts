// One measurement, in a process of its own: the memory that an order allocates, by the sampling profiler of V8, with
// what is collected at once.
import { Session } from 'node:inspector/promises';
import { givenOptions, sendToParent } from '../../support/children.js';
import { placeMany } from './contenders/contender.js';
import { contenders } from './contenders/index.js';
import type { CostOptions } from './cost.js';

const orders = 20_000;
const everyBytes = 2048;

const { contender, baseUrl, concurrency } = givenOptions() as CostOptions;
const opened = await contenders[contender](baseUrl, concurrency);

await placeMany(opened, orders, concurrency);
const session = new Session();
session.connect();
await session.post('HeapProfiler.startSampling', {
  samplingInterval: everyBytes,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
});
await placeMany(opened, orders, concurrency);
const { profile } = await session.post('HeapProfiler.stopSampling');

type Node = (typeof profile)['head'];
function total({ selfSize, children }: Node): number {
  return children.reduce((sum, child) => sum + total(child), selfSize);
}

/** Bytes an order. */
const allocation = { bytes: total(profile.head) / orders };
export type Allocation = typeof allocation;
sendToParent(allocation);
process.exit();
