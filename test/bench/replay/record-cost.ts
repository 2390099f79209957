// One measurement, in a process of its own: what a frame costs a program that watches an order book, and a recorder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createExchange } from 'exchange-rx';
import { record } from 'exchange-rx/recording';
import { givenOptions, sendToParent, start } from '../../support/children.js';
import type { FeedOpened, FeedOptions } from '../live/feed.js';

export interface RecordCostOptions {
  readonly isRecorder: boolean;
}

const perSecond = 5000;
const warmUpMs = 4000;
const measuredMs = 10_000;
const market = 'BTC_USDT';

const { isRecorder } = givenOptions() as RecordCostOptions;
const feed = start(new URL('../live/feed.ts', import.meta.url), { perSecond, levels: 100 } satisfies FeedOptions);
const { url } = await feed.ask<FeedOpened>();
const folder = mkdtempSync(join(tmpdir(), 'record-cost-'));
const exchange = createExchange({
  baseUrl: 'https://exchange.example',
  fetch: () => Promise.reject(new TypeError('fetch failed')),
  live: { url },
});
let frames = 0;
if (isRecorder) {
  record(exchange, { markets: [market], channels: ['orderBook'], to: folder }).subscribe((progress) => {
    frames = progress.frames;
  });
} else {
  exchange.live.orderBook({ market }).subscribe(() => {
    frames += 1;
  });
}

await sleep(warmUpMs);
const framesBefore = frames;
const before = process.cpuUsage();
const since = performance.now();
await sleep(measuredMs);
const { user, system } = process.cpuUsage(before);
// The progress of a recorder is that of the last second.
const expected = (perSecond * (performance.now() - since)) / 1000;
if (frames - framesBefore < 0.8 * expected) throw new Error(`${frames - framesBefore} of ${expected} frames`);
/** CPU of the whole process a frame, microseconds. */
const cost = { cpuMicros: (user + system) / expected };
export type RecordCost = typeof cost;
feed.process.kill();
rmSync(folder, { recursive: true });
sendToParent(cost);
process.exit();
