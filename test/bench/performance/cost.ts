// One measurement, in a process of its own: what placing an order costs a contender, at so many orders at once.
import { Bench } from 'tinybench';
import { givenOptions, sendToParent } from '../../support/children.js';
import { placeMany } from './contenders/contender.js';
import { contenders, type ContenderName } from './contenders/index.js';

export interface CostOptions {
  readonly contender: ContenderName;
  readonly baseUrl: string;
  /** Orders at once. */
  readonly concurrency: number;
}

const batch = 500;
const measuredMs = 2000;

const { contender, baseUrl, concurrency } = givenOptions() as CostOptions;
const opened = await contenders[contender](baseUrl, concurrency);

// The clock of the benchmark is the process's CPU time: what other programs do to this machine is not in it.
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
// A burst at the start decides for the whole run what V8 allocates among the old objects, and differs from run to run.
await placeMany(opened, 10_000, Math.min(concurrency, 16));
const bench = new Bench({
  now: cpuMs,
  time: measuredMs,
  iterations: 3,
  warmupTime: 2000,
  warmupIterations: 2,
  throws: true,
});
let wallMs = 0;
let batches = 0;
bench.add(contender, async () => {
  const since = performance.now();
  await placeMany(opened, batch, concurrency);
  wallMs += performance.now() - since;
  batches += 1;
});
const [task] = await bench.run();
if (task?.result.state !== 'completed') throw new Error(`the measurement of ${contender} did not complete`);
const cost = {
  /** CPU of the whole process an order, microseconds: the median of the batches. */
  cpuMicros: (task.result.latency.p50 * 1000) / batch,
  perSecond: (batches * batch) / (wallMs / 1000),
};
export type Cost = typeof cost;
sendToParent(cost);
process.exit();
