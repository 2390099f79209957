// One measurement, in a process of its own: from asking for an order to its head being written to a socket. undici
// tells when that is.
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { givenOptions, sendToParent } from '../../support/children.js';
import { contenders, type ContenderName } from './contenders/index.js';

export interface LatencyOptions {
  readonly contender: ContenderName;
  readonly baseUrl: string;
  /** `idle`: one at a time, seldom. `paced`: 1000 a second, evenly. */
  readonly pace: 'idle' | 'paced';
}

const connections = 64;
const idle = { count: 400, everyMs: 10 };
const paced = { seconds: 10, perSecond: 1000 };

const { contender, baseUrl, pace } = givenOptions() as LatencyOptions;
const opened = await contenders[contender](baseUrl, connections);

// Both contenders ask and write in the same order, so the n-th head written is that of the n-th order.
let written: number[] = [];
subscribe('undici:client:sendHeaders', () => {
  written.push(performance.now());
});

async function seldom(): Promise<number[]> {
  const asked: number[] = [];
  for (let count = 0; count < idle.count; count += 1) {
    await sleep(idle.everyMs);
    asked.push(performance.now());
    await opened.place();
  }
  return asked;
}

async function evenly(): Promise<number[]> {
  const asked: number[] = [];
  const placed: Promise<number>[] = [];
  const since = performance.now();
  const total = paced.seconds * paced.perSecond;
  while (asked.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - since) / 1000) * paced.perSecond));
    while (asked.length < due) {
      asked.push(performance.now());
      placed.push(opened.place());
    }
    await sleep(1);
  }
  await Promise.all(placed);
  return asked;
}

for (let warm = 0; warm < 100; warm += 1) await Promise.all(Array.from({ length: 32 }, () => opened.place()));
written = [];
const asked = await (pace === 'idle' ? seldom() : evenly());
const waits = asked.map((at, index) => ((written[index] ?? Number.NaN) - at) * 1000).sort((a, b) => a - b);
const atShare = (share: number) => waits[Math.floor(waits.length * share)] ?? Number.NaN;
/** Microseconds. */
const latency = { p50: atShare(0.5), p99: atShare(0.99), p999: atShare(0.999) };
export type Latency = typeof latency;
sendToParent(latency);
process.exit();
