// Measures every figure in a process of its own, with the contenders taking turns in each round. Writes
// docs/evidence/performance.md and the results, or with `--compare` prints the differences to the recorded results.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundled } from '../../support/bundle.js';
import { start } from '../../support/children.js';
import type { BookCost, BookCostOptions } from '../live/book-cost.js';
import { bookKeepers, type BookKeeper } from '../live/books.js';
import type { WatchCost, WatchCostOptions } from '../live/watch-cost.js';
import { bookWatchers, type BookWatcher } from '../live/watchers.js';
import type { RecordCost, RecordCostOptions } from '../replay/record-cost.js';
import type { ReplayCost, ReplayCostOptions } from '../replay/replay-cost.js';
import { ways, type Way } from '../replay/ways.js';
import type { Allocation } from './allocation.js';
import { contenders, type ContenderName } from './contenders/index.js';
import type { Cost, CostOptions } from './cost.js';
import type { ExchangeOpened } from './exchange.js';
import type { Latency, LatencyOptions } from './latency.js';
import { writeReport } from './report.js';
import { comparison, record, recorded } from './results.js';

const rounds = 3;
const allocating = ['undici by hand', 'lean fetch by hand', 'exchange-rx', 'ccxt'] as const;
const results: Record<string, number[]> = {};

function add(figure: string, value: number): void {
  (results[figure] ??= []).push(value);
}

/** What each measurement takes, and what it finds. */
interface Measurements {
  readonly 'cost.ts': readonly [CostOptions, Cost];
  readonly 'allocation.ts': readonly [CostOptions, Allocation];
  readonly 'latency.ts': readonly [LatencyOptions, Latency];
  readonly '../live/book-cost.ts': readonly [BookCostOptions, BookCost];
  readonly '../live/watch-cost.ts': readonly [WatchCostOptions, WatchCost];
  readonly '../replay/record-cost.ts': readonly [RecordCostOptions, RecordCost];
  readonly '../replay/replay-cost.ts': readonly [ReplayCostOptions, ReplayCost];
}

function measure<File extends keyof Measurements>(file: File, options: Measurements[File][0]) {
  console.error(file, JSON.stringify(options));
  return start(new URL(file, import.meta.url), options).ask<Measurements[File][1]>();
}

const exchange = start(new URL('exchange.ts', import.meta.url), {});
const { baseUrl } = await exchange.ask<ExchangeOpened>();

for (let round = 0; round < rounds; round += 1) {
  for (const concurrency of [1, 32, 256]) {
    for (const contender of Object.keys(contenders) as ContenderName[]) {
      const { cpuMicros, perSecond } = await measure('cost.ts', { contender, baseUrl, concurrency });
      add(`${contender}, ${concurrency} at once: CPU µs an order`, cpuMicros);
      add(`${contender}, ${concurrency} at once: orders a second`, perSecond);
    }
  }
  for (const contender of allocating) {
    const { bytes } = await measure('allocation.ts', { contender, baseUrl, concurrency: 32 });
    add(`${contender}, 32 at once: bytes an order`, bytes);
  }
  for (const pace of ['idle', 'paced'] as const) {
    for (const contender of ['undici by hand', 'exchange-rx'] as const) {
      const { p50, p99, p999 } = await measure('latency.ts', { contender, baseUrl, pace });
      add(`${contender}, ${pace}: µs to the socket, p50`, p50);
      add(`${contender}, ${pace}: µs to the socket, p99`, p99);
      add(`${contender}, ${pace}: µs to the socket, p99.9`, p999);
    }
  }
  await measureBooks();
  await measureWatchers();
  await measureRecordings();
  for (const name of ['exchange-rx', 'ccxt'] as const) {
    const { importMs, bytes } = startUpOf(name, new URL(name === 'ccxt' ? 'contenders/ccxt/' : '.', import.meta.url));
    add(`${name}: ms to import`, importMs);
    add(`${name}: bytes of memory when imported`, bytes);
  }
}
exchange.process.kill();

const { text } = await bundled("export * from 'exchange-rx';");
add('bundle: bytes', Buffer.byteLength(text));
add('bundle: bytes, gzipped', gzipSync(text).length);

if (process.argv.includes('--compare')) {
  console.log(comparison(results, recorded()));
} else {
  record(results);
  writeReport(results, rounds);
}
process.exit();

async function measureBooks(): Promise<void> {
  for (const keeper of Object.keys(bookKeepers) as BookKeeper[]) {
    const { cpuMicros, perSecond, bytes } = await measure('../live/book-cost.ts', { keeper });
    add(`${keeper}, order book: CPU µs a message`, cpuMicros);
    add(`${keeper}, order book: messages a second`, perSecond);
    add(`${keeper}, order book: bytes a book`, bytes);
  }
}

/** Order books watched on a connection: many at the rate that was recorded, and one at 1,000 messages a second. */
async function measureWatchers(): Promise<void> {
  const loads = [
    { markets: 397, limit: 50, perSecond: 500 },
    { markets: 1, limit: 100, perSecond: 1000 },
  ] as const;
  for (const load of loads) {
    for (const watcher of Object.keys(bookWatchers) as BookWatcher[]) {
      const options = { watcher, ...load };
      const { share, cpuMicros, p50, p99 } = await measure('../live/watch-cost.ts', options);
      const name = `${watcher}, ${load.markets} watched`;
      add(`${name}: share of a core`, share);
      add(`${name}: CPU µs a message`, cpuMicros);
      if (p50 !== undefined) add(`${name}: µs to the subscriber, p50`, p50);
      if (p99 !== undefined) add(`${name}: µs to the subscriber, p99`, p99);
    }
  }
}

async function measureRecordings(): Promise<void> {
  for (const way of Object.keys(ways) as Way[]) {
    const { cpuMicros } = await measure('../replay/replay-cost.ts', { way });
    add(`${way}: CPU µs a frame`, cpuMicros);
  }
  for (const isRecorder of [false, true]) {
    const { cpuMicros } = await measure('../replay/record-cost.ts', { isRecorder });
    add(`${isRecorder ? 'a recorder' : 'a subscription'}, 5,000 frames a second: CPU µs a frame`, cpuMicros);
  }
}

/** The time and the resident memory that importing this takes in a fresh process, which finds the folder's packages. */
function startUpOf(specifier: string, folder: URL) {
  const program = `
    const rss = process.memoryUsage().rss;
    const since = performance.now();
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify({ importMs: performance.now() - since, bytes: process.memoryUsage().rss - rss }));
  `;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(folder),
      encoding: 'utf8',
    }),
  ) as { readonly importMs: number; readonly bytes: number };
}
