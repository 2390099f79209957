// What is known of the files of a recording: a summary of each, in manifest.json. A file without a summary, such as that
// of a killed recorder, is read again.
import { createHash } from 'node:crypto';
import { createReadStream, renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { RecordingError } from '../errors/index.js';
import type { RecordedGap, RecordedLine } from './line.js';

/** The version of the format that this package writes, and the last one that it reads. */
export const format = 1;
const manifestName = 'manifest.json';
const fileName = /^\d{6}-\d{8}T\d{2}Z\.ndjson\.gz$/;

const number = v.pipe(v.number(), v.finite());
const gapSchema: v.GenericSchema<unknown, RecordedGap> = v.object({
  ...{ t: number, k: v.literal('gap'), market: v.exactOptional(v.string()), channel: v.exactOptional(v.string()) },
  reason: v.string(),
});
const summarySchema = v.object({
  /** Name of the file. */
  name: v.string(),
  /** See {@link RecordedRun}. */
  host: v.string(),
  markets: v.array(v.string()),
  channels: v.array(v.string()),
  /** Time of the first line. */
  from: number,
  /** Time of the last line. */
  to: number,
  lines: number,
  gaps: v.array(gapSchema),
  /** Round trips, milliseconds. */
  pings: v.array(number),
  /** Whether the recorder has stopped properly in this file. */
  isStopped: v.boolean(),
});
const storedSchema = v.object({ ...summarySchema.entries, bytes: number, sha256: v.string() });
const manifestSchema = v.object({ format: number, files: v.array(storedSchema) });

/** What the lines of a file say together. */
export type FileSummary = v.InferOutput<typeof summarySchema>;
/** The same with the sums of its bytes. */
export type StoredFile = v.InferOutput<typeof storedSchema>;

/** The summary of a file without lines. */
export function emptySummary(name: string): FileSummary {
  return {
    ...{ name, host: '', markets: [], channels: [], from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
    ...{ lines: 0, gaps: [], pings: [], isStopped: false },
  };
}

/** Adds a line to a summary, in place: for every frame, a copy would cost more than writing it. */
export function addLine(summary: FileSummary, line: RecordedLine): void {
  summary.from = Math.min(summary.from, line.t);
  summary.to = Math.max(summary.to, line.t);
  summary.lines += 1;
  if (line.k === 'gap') summary.gaps.push(line);
  else if (line.k === 'ping') summary.pings.push(line.ms);
  else if (line.k === 'stop') summary.isStopped = true;
  else if (line.k === 'run') {
    summary.host = line.host;
    summary.markets = [...line.markets];
    summary.channels = [...line.channels];
  }
}

/** The names of the files of a recording, the oldest first. */
export async function fileNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => fileName.test(name)).toSorted();
}

/** Name of a file by its number in the recording, and the time of its first line. */
export function nameOfFile(count: number, t: number): string {
  const hour = new Date(t).toISOString().slice(0, 'yyyy-mm-ddThh'.length).replaceAll('-', '');
  return `${String(count).padStart(6, '0')}-${hour}Z.ndjson.gz`;
}

/** The number of a file in its recording, from 1. */
export function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** The files that the manifest has; none when it is missing or unreadable. Throws for a later format. */
export async function readManifest(where: string, folder: string): Promise<readonly StoredFile[]> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => '');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), manifestSchema), text);
  if (!read.success) return [];
  if (read.output.format > format) {
    const message = `${folder} has format ${read.output.format}; this version reads ${format}`;
    throw new RecordingError(where, 'unreadable', message);
  }
  return read.output.files;
}

/** Replaces the manifest as a whole: a reader sees the old one or the new one. */
export function writeManifest(folder: string, files: readonly StoredFile[]): void {
  const path = join(folder, manifestName);
  writeFileSync(`${path}.new`, `${JSON.stringify({ format, files }, undefined, 2)}\n`, { flush: true });
  renameSync(`${path}.new`, path);
}

/** Whether the bytes of a file are those that were written. */
export async function isIntact(folder: string, { name, bytes, sha256 }: StoredFile): Promise<boolean> {
  const path = join(folder, name);
  const { size } = await stat(path);
  if (size !== bytes) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === sha256;
}
