// One measurement, in a process of its own: the memory that an order allocates, by the sampling profiler of V8, with
// what is collected at once.
import { Session } from 'node:inspector/promises';
import { givenOptions, sendToParent } from '../../support/children.js';
import { contenders, type ContenderName } from './contenders/index.js';

export interface AllocationOptions {
  readonly contender: ContenderName;
  readonly baseUrl: string;
  /** Orders at once. */
  readonly concurrency: number;
}

export interface Allocation {
  /** Bytes an order. */
  readonly bytes: number;
}

const orders = 20_000;
const everyBytes = 2048;

const { contender, baseUrl, concurrency } = givenOptions() as AllocationOptions;
const opened = await contenders[contender](baseUrl, concurrency);

async function placeAll(): Promise<void> {
  let left = orders;
  const placeSome = async () => {
    while (left > 0) {
      left -= 1;
      await opened.place();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, placeSome));
}

await placeAll();
const session = new Session();
session.connect();
await session.post('HeapProfiler.startSampling', {
  samplingInterval: everyBytes,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
});
await placeAll();
const { profile } = await session.post('HeapProfiler.stopSampling');

type Node = (typeof profile)['head'];
function total({ selfSize, children }: Node): number {
  return children.reduce((sum, child) => sum + total(child), selfSize);
}

const allocation: Allocation = { bytes: total(profile.head) / orders };
sendToParent(allocation);
process.exit();
