// One measurement of one contender, in a process of its own: prints its figures as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { largestWindow } from '../../support/largest-window.js';
import { contenders, type Run } from './contenders.js';

/** What a measurement found, by figure. */
export type Figures = Readonly<Record<string, number>>;

const plenty = 100_000_000;
const timeBoxMs = 1500;
const nothing = () => Promise.resolve();

/** Lets it go on by itself; a failure ends the measurement. */
function goOn(work: Promise<void>): void {
  work.catch((error: unknown) => {
    throw error;
  });
}

/** CPU and rate when this number of requests waits or runs, and permits are plentiful. */
async function throughput(limit: (limit: number, windowMs: number) => Run, backlog: number): Promise<Figures> {
  const run = limit(plenty, 10_000);
  let ended = 0;
  const cpu = process.cpuUsage();
  const since = performance.now();
  // Each loop looks at the clock itself: a contender that grants at once never lets a timer run.
  const loop = async () => {
    while (performance.now() - since < timeBoxMs) {
      await run(nothing);
      ended += 1;
    }
  };
  for (let loops = 0; loops < backlog; loops += 1) goOn(loop());
  await sleep(timeBoxMs);
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (ended / ms) * 1000, cpuMicros: (user + system) / Math.max(ended, 1) };
}

/** From asking to starting, one at a time and seldom. */
async function idleLatency(limit: (limit: number, windowMs: number) => Run): Promise<Figures> {
  const run = limit(plenty, 10_000);
  const waits: number[] = [];
  for (let count = 0; count < 200; count += 1) {
    await sleep(5);
    const asked = performance.now();
    await run(() => {
      waits.push((performance.now() - asked) * 1000);
      return Promise.resolve();
    });
  }
  waits.sort((a, b) => a - b);
  return {
    p50Micros: waits[Math.floor(waits.length * 0.5)] ?? 0,
    p99Micros: waits[Math.floor(waits.length * 0.99)] ?? 0,
  };
}

const queuedRequests = 100_000;
/** Fewer: a line that is searched takes minutes to be left by all. */
const canceledRequests = 2000;

/** What it costs to keep requests waiting, and to take them back. */
async function memory(limit: (limit: number, windowMs: number) => Run, cancels: boolean): Promise<Figures> {
  const run = limit(1, 3_600_000);
  await run(nothing);
  const controllers = Array.from({ length: cancels ? canceledRequests : 0 }, () => new AbortController());
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const since = performance.now();
  for (let count = 0; count < queuedRequests; count += 1) goOn(run(nothing));
  const queueMicros = ((performance.now() - since) * 1000) / queuedRequests;
  await sleep(100);
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / queuedRequests;
  if (!cancels) return { bytes, queueMicros };

  for (const controller of controllers) goOn(run(nothing, controller.signal));
  await sleep(100);
  const leaving = performance.now();
  for (const controller of controllers) controller.abort();
  return { bytes, queueMicros, cancelMicros: ((performance.now() - leaving) * 1000) / canceledRequests };
}

/** What the exchange counts through a network of up to half a window each way, after a quiet start. */
async function exactness(limit: (limit: number, windowMs: number) => Run): Promise<Figures> {
  const [permits, windowMs, seconds] = [200, 1000, 8];
  const run = limit(permits, windowMs);
  const arrivals: number[] = [];
  const request = async () => {
    await sleep(Math.random() * 500);
    arrivals.push(performance.now());
    await sleep(Math.random() * 500);
  };
  for (let early = 0; early < 5; early += 1) goOn(run(request));
  await sleep(900);
  const since = performance.now();
  const loop = async () => {
    while (performance.now() - since < seconds * 1000) await run(request);
  };
  for (let loops = 0; loops < 1000; loops += 1) goOn(loop());
  await sleep((seconds + 1) * 1000);
  const sustained = arrivals.filter((time) => time >= since + 2000 && time < since + 8000).length;
  return { largest: largestWindow(arrivals, windowMs) / permits, sustained: sustained / (6 * permits) };
}

const [, , name, measurement, backlog] = process.argv;
const contender = contenders.find((one) => one.name === name);
if (contender === undefined) throw new Error(`no contender "${String(name)}"`);
const limit = contender.limit.bind(contender);
const figures = await (async () => {
  switch (measurement) {
    case 'throughput':
      return throughput(limit, Number(backlog));
    case 'idle':
      return idleLatency(limit);
    case 'memory':
      return memory(limit, contender.cancels);
    default:
      return exactness(limit);
  }
})();
process.stdout.write(JSON.stringify(figures));
process.exit();
