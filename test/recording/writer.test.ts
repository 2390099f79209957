// When a recording's files begin and end, when lines are on the disk, and what happens when it is full or read-only.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordingError } from '../../src/errors/index.js';
import { openRecording, readRecording, type RecordedLine } from '../../src/recording/index.js';
import { bordersOf, filesOf, frame, hourMs, linesOf, newFolder, newWriter, start } from './folders.js';

const namesIn = (folder: string) => filesOf(folder).map((path) => basename(path));

/** Writes a recording with a frame at each of these times. */
function framesAt(folder: string, ...afterMs: readonly number[]) {
  const writer = newWriter(folder);
  const lines = afterMs.map((after) => frame(start + after));
  for (const line of lines) writer.write(line);
  writer.close();
  return lines;
}

describe('the files of a recording', () => {
  it('are one for each hour, which begins with what is recorded', async () => {
    const folder = newFolder();
    const lines = framesAt(folder, 0, 1, hourMs - 1, hourMs, 3 * hourMs);
    expect(namesIn(folder)).toEqual([
      '000001-20261128T11Z.ndjson.gz',
      '000002-20261128T12Z.ndjson.gz',
      '000003-20261128T14Z.ndjson.gz',
    ]);
    expect(await linesOf(folder)).toEqual(lines);
    const { files, isStopped } = await openRecording(folder);
    expect(files.map((file) => [file.from - start, file.to - start, file.lines, file.isVerified])).toEqual([
      [0, hourMs - 1, 4, true],
      [hourMs, hourMs, 2, true],
      [3 * hourMs, 3 * hourMs, 2, true],
    ]);
    expect(isStopped).toBe(false);
  });

  it('have members of 256 KiB of text at most, and a last one', async () => {
    const folder = newFolder();
    const writer = newWriter(folder);
    for (let n = 0; n < 300; n += 1) writer.write(frame(start + n, 'x'.repeat(2000)));
    writer.close({ t: start + 300, k: 'stop' });
    const [path = ''] = filesOf(folder);
    expect(bordersOf(readFileSync(path))).toHaveLength(3 + 1);
    expect(await openRecording(folder)).toMatchObject({ lines: 302, isStopped: true });
  });
});

describe('a part of a recording', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is on the disk within a second, and no timer runs when nothing waits', async () => {
    const folder = newFolder();
    const writer = newWriter(folder, { fsync: true });
    writer.write(frame(start));
    await vi.advanceTimersByTimeAsync(799);
    expect(namesIn(folder)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(namesIn(folder)).toHaveLength(1);
    writer.close();
    expect(await linesOf(folder)).toEqual([frame(start)]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a burst of frames is on the disk up to its last second before the turn ends', () => {
  const folder = newFolder();
  const writer = newWriter(folder);
  for (let after = 0; after <= 5000; after += 1) writer.write(frame(start + after));
  const [path = ''] = filesOf(folder);
  const texts = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
  const last = JSON.parse(texts.at(-1) ?? '') as RecordedLine;
  expect(last.t).toBeGreaterThan(start + 4000);
  expect(texts).toHaveLength(last.t - start + 2);
  writer.close();
});

describe('a disk', () => {
  it('that has no space left ends the recording with an error, and what was written stays', async () => {
    const folder = newFolder();
    const failures: RecordingError[] = [];
    // The kernel refuses every write to it.
    symlinkSync('/dev/full', join(folder, '000002-20261128T12Z.ndjson.gz'));
    const writer = newWriter(folder, { onFailure: (error) => failures.push(error) });
    writer.write(frame(start));
    writer.write(frame(start + hourMs));
    writer.flush();
    expect(failures).toMatchObject([{ kind: 'recording', reason: 'disk-full', outcome: 'none' }]);
    writer.write(frame(start + hourMs + 1));
    writer.close({ t: start + hourMs + 2, k: 'stop' });
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toBe('record: the disk is full: free some space, and record again');
    expect(await linesOf(folder)).toEqual([frame(start)]);
  });

  it('that cannot be written ends the recording with an error', () => {
    const folder = newFolder();
    // In the place of the first file.
    mkdirSync(join(folder, '000001-20261128T11Z.ndjson.gz'));
    const failures: RecordingError[] = [];
    const writer = newWriter(folder, { onFailure: (error) => failures.push(error) });
    writer.write(frame(start));
    writer.close();
    expect(failures).toMatchObject([{ reason: 'unwritable' }]);
    expect(failures[0]?.message).toBe(`record: ${folder} cannot be written (EISDIR)`);
  });
});

it('a long recording is read in a range of time', async () => {
  const folder = newFolder();
  const lines = framesAt(folder, 0, 10, hourMs, 2 * hourMs, 2 * hourMs + 5);
  const recording = await openRecording(folder);
  const read = async (range: { from?: number; to?: number }) => {
    const found: RecordedLine[] = [];
    for await (const line of readRecording(recording, range)) if (line.k === 'frame') found.push(line);
    return found;
  };
  expect(await read({ from: start + 10, to: start + 2 * hourMs })).toEqual(lines.slice(1, 4));
  expect(await read({ from: start + hourMs })).toEqual(lines.slice(2));
  expect(await read({ to: start + 9 })).toEqual(lines.slice(0, 1));
  const act = () => readRecording(recording, { from: Number.NaN });
  expect(act).toThrow('readRecording: from NaN must be a time, Unix ms');
});
