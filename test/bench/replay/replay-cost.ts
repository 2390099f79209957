// One measurement, in a process of its own: what a frame of an order book costs on its way from a recording to a program.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecording } from 'exchange-rx/recording';
import { RecordingWriter } from '../../../src/recording/writer.js';
import { givenOptions, sendToParent } from '../../support/children.js';
import { rules } from '../../support/recording.js';
import { depthMessages } from '../live/depth-messages.js';
import { ways, type Way } from './ways.js';

export interface ReplayCostOptions {
  readonly way: Way;
}

const turns = 9;
const warmups = 2;
const market = 'BTC_USDT';
const frames = depthMessages(20_000, market);
/** Between two frames, by their engine times: those of ten markets. */
const intervalMs = 10;
/** Unix milliseconds, by the engine times. */
const start = 1_798_416_400_000;
const leadMs = 1000;

const { way } = givenOptions() as ReplayCostOptions;
const folder = mkdtempSync(join(tmpdir(), 'replay-cost-'));
write();
const recorded = { market, frames, recording: await openRecording(folder) };
let cpuMicros = Number.POSITIVE_INFINITY;
for (let turn = 0; turn < warmups + turns; turn += 1) {
  const before = process.cpuUsage();
  const count = await ways[way](recorded);
  const { user, system } = process.cpuUsage(before);
  if (count !== frames.length) throw new Error(`${way}: ${count} of ${frames.length} frames`);
  if (turn >= warmups) cpuMicros = Math.min(cpuMicros, (user + system) / frames.length);
}
rmSync(folder, { recursive: true });
/** CPU of the whole process a frame, microseconds: the minimum of the turns. */
const cost = { cpuMicros };
export type ReplayCost = typeof cost;
sendToParent(cost);
process.exit();

function write(): void {
  const writer = new RecordingWriter({
    ...{ folder, firstFile: 1, files: [], fsync: false },
    run: { k: 'run', format: 1, host: 'wss://exchange.example/ws', markets: [market], channels: ['orderBook'] },
    onFailure: (error) => {
      throw error;
    },
  });
  const body = JSON.stringify([{ ...rules, stockPrec: '6' }]);
  writer.write({ t: start, k: 'rest', path: '/api/v4/public/markets', sentAt: start, status: 200, body });
  writer.write({ t: start, k: 'open', c: 1, url: 'wss://exchange.example/ws' });
  for (const [index, d] of frames.entries())
    writer.write({ t: start + leadMs + index * intervalMs, k: 'frame', c: 1, d });
  writer.close({ t: start + leadMs + frames.length * intervalMs, k: 'stop' });
}
