// One measurement, in a process of its own: what it costs to enter and leave a line in which so many wait already.
import { createScheduler } from 'exchange-rx';
import { Bench } from 'tinybench';
import { givenOptions, sendToParent } from '../../support/children.js';

export interface QueueOptions {
  readonly waiting: number;
}

export interface QueueCost {
  /** Entering and leaving, microseconds. */
  readonly micros: number;
}

const { waiting } = givenOptions() as QueueOptions;
const group = { name: 'bench', limit: 1, windowMs: 3_600_000 };
const scheduler = createScheduler({ maxQueued: 1_000_000 });
// The one permit is out: everyone waits.
const held = Array.from({ length: waiting + 1 }, () => scheduler.acquire(group).subscribe());

const bench = new Bench({ time: 500, warmupTime: 200, throws: true });
bench.add('enter and leave', () => {
  scheduler.acquire(group).subscribe().unsubscribe();
});
const [task] = await bench.run();
if (task?.result.state !== 'completed') throw new Error('the measurement did not complete');
const cost: QueueCost = { micros: task.result.latency.p50 * 1000 };
sendToParent(cost);
for (const subscription of held) subscription.unsubscribe();
process.exit();
