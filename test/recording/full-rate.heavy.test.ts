// A recorder at thousands of frames a second: what is left when it is killed, and the memory that it takes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { openRecording } from '../../src/recording/index.js';
import { start } from '../support/children.js';
import { listening } from '../support/ports.js';
import { linesOf, newFolder } from './folders.js';
import type { RecorderOptions, RecorderReport } from './recorder-program.js';

const perSecond = 5000;
const tickMs = 10;
let http: ReturnType<typeof createServer>;
let sockets: WebSocketServer;
let baseUrl: string;
/** Number of the trades that were sent, and id of the last one. */
let sent: number;

beforeEach(async () => {
  sent = 0;
  http = createServer((_request, response) => response.writeHead(404).end());
  sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket) => {
    const connectedAt = performance.now();
    let due = 0;
    const push = setInterval(() => {
      for (; due < ((performance.now() - connectedAt) / 1000) * perSecond; due += 1) {
        sent += 1;
        const trade = { id: sent, time: sent / 1000, price: '60012.5', amount: '0.01', type: 'buy', rpi: false };
        socket.send(JSON.stringify({ method: 'trades_update', params: ['BTC_USDT', [trade]], id: null }));
      }
    }, tickMs);
    socket.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString()) as { id: number };
      socket.send(JSON.stringify({ id, result: { status: 'success' }, error: null }));
    });
    socket.on('close', () => {
      clearInterval(push);
    });
  });
  baseUrl = `http://127.0.0.1:${await listening(http)}`;
});

afterEach(() => {
  http.closeAllConnections();
  http.close();
});

async function startRecorder(to: string) {
  const options: RecorderOptions = { baseUrl, to };
  const child = start(new URL('recorder-program.ts', import.meta.url), options);
  const nextReport = () => child.ask<RecorderReport>();
  const kill = async () => {
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    while (sockets.clients.size > 0) await sleep(tickMs);
  };
  let report = await nextReport();
  while (report.frames < 1000) report = await nextReport();
  return { report, nextReport, kill };
}

describe(`a recorder at ${perSecond} frames a second`, () => {
  it('loses at most its last second each time it is killed', async () => {
    const to = newFolder();
    let recordedBefore = 0;
    for (let run = 1; run <= 3; run += 1) {
      const before = sent;
      const { report, nextReport, kill } = await startRecorder(to);
      // A second later by its own timers, however busy the machine is.
      await nextReport();
      await kill();
      const frames = (await linesOf(to)).flatMap((line) => (line.k === 'frame' ? [line.d ?? ''] : []));
      const recorded = frames.slice(recordedBefore);
      recordedBefore = frames.length;
      expect(recorded.length).toBeGreaterThanOrEqual(report.frames);
      const ids = recorded.flatMap((text) => [...text.matchAll(/"id":(\d+),"time"/g)].map(([, id]) => Number(id)));
      expect(ids).toEqual(ids.map((_, index) => before + 1 + index));
    }
    const { gaps, isStopped, files } = await openRecording(to);
    expect(gaps.filter(({ reason }) => reason === 'restart')).toHaveLength(2);
    expect(files).toHaveLength(3);
    expect(isStopped).toBe(false);
  }, 180_000);

  it('has flat memory', async () => {
    const { report, nextReport, kill } = await startRecorder(newFolder());
    let last = report;
    while (last.frames < report.frames + 6 * perSecond) last = await nextReport();
    await kill();
    expect(last.memory - report.memory).toBeLessThan(8 * 1024 * 1024);
  }, 180_000);
});
