// Opens a recording: compares its files with the manifest, and reads again what the manifest does not know.
import { join } from 'node:path';
import { RecordingError } from '../errors/index.js';
import { recordingError } from './failures.js';
import { linesOfFile } from './file-lines.js';
import type { RecordedGap } from './line.js';
import {
  addLine,
  emptySummary,
  fileNames,
  isIntact,
  numberOf,
  readManifest,
  type FileSummary,
  type StoredFile,
} from './manifest.js';

/** A recording that was opened: {@link openRecording}. Plain data. */
export interface Recording {
  /** The folder. */
  readonly folder: string;
  /** The address of the live connection. */
  readonly host: string;
  /** The markets, `BASE_QUOTE`. */
  readonly markets: readonly string[];
  /** The channels: members of `exchange.live`. */
  readonly channels: readonly string[];
  /** Time of the first line, Unix ms. */
  readonly from: number;
  /** Time of the last line, Unix ms. */
  readonly to: number;
  /** Number of lines. */
  readonly lines: number;
  /** Where lines may be missing. */
  readonly gaps: readonly RecordedGap[];
  /** The median round trip of a request, milliseconds; `undefined` when none was measured. */
  readonly medianPingMs: number | undefined;
  /** Whether the last recorder stopped properly. False while it runs, and after it was killed. */
  readonly isStopped: boolean;
  /** The files, the oldest first. */
  readonly files: readonly RecordedFile[];
}

/** A file of a recording. */
export interface RecordedFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Time of the first line, Unix ms. */
  readonly from: number;
  /** Time of the last line, Unix ms. */
  readonly to: number;
  /** Number of lines. */
  readonly lines: number;
  /** Whether its bytes have the SHA-256 that the manifest has. The last file of a killed recorder has none there. */
  readonly isVerified: boolean;
  /** Number of lines that were written, where the manifest has it: a damaged file has fewer. */
  readonly writtenLines?: number;
  /** Whether a file before it is gone. */
  readonly isAfterMissing: boolean;
}

const where = 'openRecording';

/**
 * Opens a recording: compares the SHA-256 of each file with the manifest, and reads the files that differ or that the
 * manifest does not have, in memory. Changes nothing on the disk, and needs no lock: a recorder may be running.
 *
 * Rejects with {@link RecordingError} `unreadable` when the folder has no recording, or one of a later format.
 *
 * @param folder that of `record`
 * @example
 * ```ts
 * import { openRecording } from 'exchange-rx/recording';
 *
 * async function describe(folder: string) {
 *   const { markets, from, to, gaps } = await openRecording(folder);
 *   console.log(markets, new Date(from), new Date(to), gaps.length, 'gaps');
 * }
 * ```
 */
export async function openRecording(folder: string): Promise<Recording> {
  const [names, stored] = await Promise.all([fileNames(folder), readManifest(where, folder)]).catch(
    (error: unknown) => {
      throw recordingError(where, 'unreadable', `${folder} cannot be read`, error);
    },
  );
  const summaries: FileSummary[] = [];
  const files: RecordedFile[] = [];
  const gaps: RecordedGap[] = [];
  for (const name of names) {
    const known = stored.find((one) => one.name === name);
    const { summary, isVerified } = await summaryOf(folder, name, known);
    if (summary.lines === 0) continue;
    const { from, to, lines } = summary;
    const before = files.at(-1);
    const isAfterMissing = before !== undefined && numberOf(name) > numberOf(before.name) + 1;
    if (isAfterMissing) gaps.push({ t: from, k: 'gap', reason: 'damage' });
    gaps.push(...summary.gaps);
    const writtenLines = known === undefined ? {} : { writtenLines: known.lines };
    files.push({ name, from, to, lines, isVerified, isAfterMissing, ...writtenLines });
    summaries.push(summary);
  }
  const [first, last] = [summaries[0], summaries.at(-1)];
  if (first === undefined || last === undefined)
    throw new RecordingError(where, 'unreadable', `${folder} has no recording`);
  return {
    ...{ folder, host: last.host, isStopped: last.isStopped, files, gaps, from: first.from, to: last.to },
    markets: [...new Set(summaries.flatMap(({ markets }) => markets))],
    channels: [...new Set(summaries.flatMap(({ channels }) => channels))],
    lines: summaries.reduce((total, { lines }) => total + lines, 0),
    medianPingMs: medianOf(summaries.flatMap(({ pings }) => pings)),
  };
}

async function summaryOf(folder: string, name: string, known: StoredFile | undefined) {
  const path = join(folder, name);
  if (known !== undefined && (await isIntact(folder, known))) return { summary: known, isVerified: true };
  const summary = emptySummary(name);
  for await (const lines of linesOfFile(where, path, known?.lines))
    for (const line of lines) {
      if (line !== undefined) addLine(summary, line);
      else if (summary.lines > 0) summary.gaps.push({ t: summary.to, k: 'gap', reason: 'damage' });
    }
  return { summary, isVerified: false };
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
