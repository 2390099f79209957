// What a client of a soak test uses while it works: its heap and its share of a core.
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '../support/collect-garbage.js';
import { percent, type Row } from '../support/figures.js';

export interface Usage {
  /** Heap after garbage collection, bytes: after the warm-up, then ten times. */
  readonly heap: readonly number[];
  /** Of one core, 0 to 1. */
  readonly share: number;
}

const samples = 10;
const megabyte = 2 ** 20;

export async function measureUsage(warmUpMs: number, seconds: number): Promise<Usage> {
  // The first stack of an error would load the source maps of the package, which take 19 MB.
  process.setSourceMapsEnabled(false);
  await sleep(warmUpMs);
  const heap = [heapBytes()];
  const cpu = process.cpuUsage();
  for (let sample = 0; sample < samples; sample += 1) {
    await sleep((seconds * 1000) / samples);
    heap.push(heapBytes());
  }
  const { user, system } = process.cpuUsage(cpu);
  return { heap, share: (user + system) / 1e6 / seconds };
}

export function usageRows({ heap, share }: Usage): readonly Row[] {
  const inMegabytes = heap.map((bytes) => (bytes / megabyte).toFixed(1));
  return [
    ['CPU of the client, of one core', percent(share)],
    ['heap at the beginning, then ten times, MB', inMegabytes.join(', ')],
  ];
}

/** How much the heap has grown since the warm-up, MB. */
export function heapGrowth({ heap }: Usage): number {
  const [first = Number.NaN] = heap;
  return ((heap.at(-1) ?? Number.NaN) - first) / megabyte;
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
