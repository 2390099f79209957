// Measures every figure in a process of its own, with the contenders taking turns in each round. Writes
// docs/evidence/performance.md and the results, or with `--compare` prints the differences to the recorded results.
import { gzipSync } from 'node:zlib';
import { bundled } from '../../support/bundle.js';
import { start } from '../../support/children.js';
import { sum } from '../../support/figures.js';
import { hasRedisServer, startRedis } from '../../support/redis.js';
import type { ClientReport } from '../../soak/client.js';
import type { BookCost, BookCostOptions } from '../live/book-cost.js';
import { bookKeepers, type BookKeeper } from '../live/books.js';
import type { WatchCost, WatchCostOptions } from '../live/watch-cost.js';
import { bookWatchers, type BookWatcher } from '../live/watchers.js';
import type { ExchangeOpened as SandboxOpened, ExchangeReport } from '../../soak/exchange.js';
import type { Allocation, AllocationOptions } from './allocation.js';
import { contenders, type ContenderName } from './contenders/index.js';
import type { Cost, CostOptions } from './cost.js';
import type { ExchangeOpened } from './exchange.js';
import type { IdleSharingCost, IdleSharingOptions } from './idle-sharing.js';
import type { Latency, LatencyOptions } from './latency.js';
import type { PollersCost, PollersOptions } from './pollers.js';
import type { QueueCost, QueueOptions } from './queue.js';
import { writeReport } from './report.js';
import { comparison, record, recorded, Recorder } from './results.js';
import type { SharingCost, SharingOptions } from './sharing.js';
import { startUpOf } from './start-up.js';

const rounds = 3;
const allocating = ['undici by hand', 'lean fetch by hand', 'exchange-rx', 'ccxt'] as const;
const recorder = new Recorder();

function measure<Found>(file: string, options: object): Promise<Found> {
  console.error(file, JSON.stringify(options));
  return start(new URL(file, import.meta.url), options).ask<Found>();
}

const exchange = start(new URL('exchange.ts', import.meta.url), {});
const { baseUrl } = await exchange.ask<ExchangeOpened>();

for (let round = 0; round < rounds; round += 1) {
  for (const concurrency of [1, 32, 256]) {
    for (const contender of Object.keys(contenders) as ContenderName[]) {
      const options: CostOptions = { contender, baseUrl, concurrency };
      const { cpuMicros, perSecond } = await measure<Cost>('cost.ts', options);
      recorder.add(`${contender}, ${concurrency} at once: CPU µs an order`, cpuMicros);
      recorder.add(`${contender}, ${concurrency} at once: orders a second`, perSecond);
    }
  }
  for (const contender of allocating) {
    const options: AllocationOptions = { contender, baseUrl, concurrency: 32 };
    const { bytes } = await measure<Allocation>('allocation.ts', options);
    recorder.add(`${contender}, 32 at once: bytes an order`, bytes);
  }
  for (const pace of ['idle', 'paced'] as const) {
    for (const contender of ['undici by hand', 'exchange-rx'] as const) {
      const options: LatencyOptions = { contender, baseUrl, pace };
      const { p50, p99, p999 } = await measure<Latency>('latency.ts', options);
      recorder.add(`${contender}, ${pace}: µs to the socket, p50`, p50);
      recorder.add(`${contender}, ${pace}: µs to the socket, p99`, p99);
      recorder.add(`${contender}, ${pace}: µs to the socket, p99.9`, p999);
    }
  }
  for (const count of [1, 10, 100]) {
    const options: PollersOptions = { baseUrl, count };
    const { share, microsAPoll } = await measure<PollersCost>('pollers.ts', options);
    recorder.add(`${count} pollers: share of a core`, share);
    recorder.add(`${count} pollers: CPU µs a poll`, microsAPoll);
  }
  for (const waiting of [10, 1000, 100_000]) {
    const options: QueueOptions = { waiting };
    recorder.add(`${waiting} waiting: µs to enter and leave`, (await measure<QueueCost>('queue.ts', options)).micros);
  }
  await measureBooks();
  await measureWatchers();
  await measureSharing();
  await measureIdleSharing();
  for (const name of ['exchange-rx', 'ccxt'] as const) {
    const { importMs, bytes } = startUpOf(name, new URL(name === 'ccxt' ? 'contenders/ccxt/' : '.', import.meta.url));
    recorder.add(`${name}: ms to import`, importMs);
    recorder.add(`${name}: bytes of memory when imported`, bytes);
  }
}
exchange.process.kill();

for (const [name, program] of [
  [
    'ping alone',
    "import { public as endpoints } from 'exchange-rx/endpoints'; export { createClient } from 'exchange-rx'; export const { ping } = endpoints;",
  ],
  ['everything', "export * from 'exchange-rx';"],
] as const) {
  const { text } = await bundled(program);
  recorder.add(`bundle of ${name}: bytes`, Buffer.byteLength(text));
  recorder.add(`bundle of ${name}: bytes, gzipped`, gzipSync(text).length);
}
await measureSustained();

if (process.argv.includes('--compare')) {
  console.log(comparison(recorder.results, recorded()));
} else {
  record(recorder.results);
  writeReport(recorder.results, rounds);
}
process.exit();

/** The order book of a market that is maintained from the texts of its messages. */
async function measureBooks(): Promise<void> {
  for (const keeper of Object.keys(bookKeepers) as BookKeeper[]) {
    const options: BookCostOptions = { keeper };
    const { cpuMicros, perSecond, bytes } = await measure<BookCost>('../live/book-cost.ts', options);
    recorder.add(`${keeper}, order book: CPU µs a message`, cpuMicros);
    recorder.add(`${keeper}, order book: messages a second`, perSecond);
    recorder.add(`${keeper}, order book: bytes a book`, bytes);
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
      const options: WatchCostOptions = { watcher, ...load };
      const { share, cpuMicros, p50, p99 } = await measure<WatchCost>('../live/watch-cost.ts', options);
      const name = `${watcher}, ${load.markets} watched`;
      recorder.add(`${name}: share of a core`, share);
      recorder.add(`${name}: CPU µs a message`, cpuMicros);
      if (p50 !== undefined) recorder.add(`${name}: µs to the subscriber, p50`, p50);
      if (p99 !== undefined) recorder.add(`${name}: µs to the subscriber, p99`, p99);
    }
  }
}

/** One process without Redis, one over Redis, and four over Redis. */
async function measureSharing(): Promise<void> {
  const alone: SharingOptions = { baseUrl, redisUrl: undefined, perSecond: 900 };
  recorder.add('1 process alone: CPU µs an order', (await measure<SharingCost>('sharing.ts', alone)).cpuMicros);
  if (!hasRedisServer) return;
  for (const processes of [1, 4]) {
    const redis = await startRedis();
    const options: SharingOptions = { baseUrl, redisUrl: redis.url, perSecond: 900 / processes };
    const costs = await Promise.all(
      Array.from({ length: processes }, () => measure<SharingCost>('sharing.ts', options)),
    );
    for (const { cpuMicros } of costs) recorder.add(`${processes} over Redis: CPU µs an order`, cpuMicros);
    await redis.stop();
  }
}

/** One process with rate limits over Redis that are used, and then not. */
async function measureIdleSharing(): Promise<void> {
  if (!hasRedisServer) return;
  for (const rateLimits of [1, 15, 130]) {
    const redis = await startRedis();
    const options: IdleSharingOptions = { redisUrl: redis.url, rateLimits };
    const cost = await measure<IdleSharingCost>('idle-sharing.ts', options);
    recorder.add(`${rateLimits} idle over Redis: commands a second`, cost.commandsPerSecond);
    recorder.add(`${rateLimits} idle over Redis: share of a core`, cost.share);
    recorder.add(`${rateLimits} used over Redis: CPU µs a permit`, cost.cpuMicros);
    await redis.stop();
  }
}

/** Both limits saturated for a minute, as in the soak test. */
async function measureSustained(): Promise<void> {
  const seconds = 60;
  const sandbox = start(new URL('../../soak/exchange.ts', import.meta.url), { accounts: ['one', 'other'] });
  const { clients } = await sandbox.ask<SandboxOpened>();
  const reported = await start(new URL('../../soak/client.ts', import.meta.url), {
    clients,
    seconds,
  }).ask<ClientReport>();
  const seen = await sandbox.ask<ExchangeReport>({});
  sandbox.process.kill();
  const accepted = ({ bySecond }: ExchangeReport['public']) => sum(bySecond.slice(0, seconds));
  recorder.add('sustained: share of the limit of orders', accepted(seen.stockMarket) / (1000 * seconds));
  recorder.add('sustained: share of the public limit', accepted(seen.public) / (200 * seconds));
  recorder.add('sustained: responses 429', seen.stockMarket.rateLimited + seen.public.rateLimited);
  recorder.add('sustained: share of a core', reported.cpuMicros / 1e6 / seconds);
  recorder.add('sustained: event-loop delay p99, ms', reported.eventLoopDelayP99Ms);
  for (const [third, bytes] of reported.heap.slice(0, 3).entries())
    recorder.add(`sustained: heap after ${(third + 1) * 20} s, bytes`, bytes);
}
