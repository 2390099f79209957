// Folders with recordings, for tests of their files.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RecordedLine, RecordedRun } from '../../src/recording/index.js';
import { openRecording, readRecording } from '../../src/recording/index.js';
import { RecordingWriter, type WriterOptions } from '../../src/recording/writer.js';

const host = 'wss://exchange.example/ws';
/** On the hour. */
export const start = Date.UTC(2026, 10, 28, 11);
export const hourMs = 3_600_000;

const run: Omit<RecordedRun, 't'> = {
  ...{ k: 'run', format: 1, host, markets: ['BTC_USDT'], channels: ['orderBook', 'trades'] },
};

/** An empty folder, which is deleted after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A writer whose failure fails the test, unless the test says otherwise. */
export function newWriter(folder: string, options: Partial<WriterOptions> = {}): RecordingWriter {
  const onFailure = (error: Error) => {
    throw error;
  };
  return new RecordingWriter({ ...{ folder, run, firstFile: 1, files: [], fsync: false, onFailure }, ...options });
}

export function frame(t: number, text = `{"at":${t}}`): RecordedLine {
  return { t, k: 'frame', c: 1, d: text };
}

/** Files of these lines, each a member of its own. */
export function written(folder: string, files: readonly (readonly RecordedLine[])[]): void {
  const writer = newWriter(folder);
  for (const lines of files)
    for (const line of lines) {
      writer.write(line);
      writer.flush();
    }
  writer.close();
}

export function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .map((name) => join(folder, name));
}

/** Where each gzip member begins, and the end of the file. */
export function bordersOf(bytes: Buffer): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 16)) starts.push(at);
  return [...starts, bytes.length];
}

/** The lines of a folder, without the first one of each file. */
export async function linesOf(folder: string): Promise<RecordedLine[]> {
  const lines: RecordedLine[] = [];
  for await (const line of readRecording(await openRecording(folder))) if (line.k !== 'run') lines.push(line);
  return lines;
}
