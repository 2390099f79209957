// What is left of a recording that was cut or damaged.
import fc from 'fast-check';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecording, type RecordedLine } from '../../src/recording/index.js';
import { memberOf } from '../../src/recording/member.js';
import { bordersOf, filesOf, frame, hourMs, linesOf, newFolder, start, written } from './folders.js';

const lines: readonly RecordedLine[] = [1, 2, 3, 4, 5].map((n) =>
  frame(start + n, `{"text":"é ${'x'.repeat(40 * n)}"}`),
);
const damage = { k: 'gap', reason: 'damage' };

function recorded() {
  const folder = newFolder();
  written(folder, [lines]);
  const [path = ''] = filesOf(folder);
  const bytes = readFileSync(path);
  return { folder, path, bytes, borders: bordersOf(bytes) };
}

describe('a recording', () => {
  it('that was cut at any byte yields all lines of its complete members', async () => {
    const { folder, path, bytes, borders } = recorded();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: borders[1] ?? 0, max: bytes.length }), async (length) => {
        writeFileSync(path, bytes.subarray(0, length));
        const complete = borders.filter((border) => border > 0 && border <= length).length;
        const read = await linesOf(folder);
        expect(read.filter(({ k }) => k === 'frame')).toEqual(lines.slice(0, complete));
        expect(read.some(({ k }) => k === 'gap')).toBe(length < bytes.length);
      }),
      { numRuns: 50 },
    );
  });

  it('with damage anywhere in a member loses that member only, and has a gap in its place', async () => {
    const { folder, path, bytes, borders } = recorded();
    const [, , from = 0, to = 0] = borders;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: from, max: to - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged.writeUInt8(damaged.readUInt8(at) ^ change, at);
        writeFileSync(path, damaged);
        const read = await linesOf(folder);
        const others = [0, 1, 3, 4].map((n) => lines[n]);
        expect(read.filter(({ k }) => k === 'frame')).toEqual(expect.arrayContaining(others));
        // Bytes that say nothing of the text, such as the operating system, may change.
        const isRead = read.some((line) => line.k === 'frame' && line.t === start + 3);
        expect(read[2]).toEqual(isRead ? lines[2] : { ...damage, t: start + 2 });
      }),
      { numRuns: 50 },
    );
  });

  it('that lost its middle finds the next member, however far it is', async () => {
    const { folder, path, bytes, borders } = recorded();
    const [, second = 0, third = 0] = borders;
    // The next member begins across the end of a window of the search.
    for (const length of [1, 256 * 1024 - 5, 700_000]) {
      const middle = Buffer.alloc(length, 0x1f);
      writeFileSync(path, Buffer.concat([bytes.subarray(0, second), middle, bytes.subarray(third)]));
      const read = await linesOf(folder);
      expect(read).toEqual([lines[0], { ...damage, t: start + 1 }, ...lines.slice(2)]);
    }
  });

  it('whose file was cut between two members has a gap at its end', async () => {
    const { folder, path, borders } = recorded();
    truncateSync(path, borders[3]);
    expect(await linesOf(folder)).toEqual([...lines.slice(0, 3), { ...damage, t: start + 3 }]);
    const { gaps, files } = await openRecording(folder);
    expect(gaps).toEqual([{ ...damage, t: start + 3 }]);
    expect(files).toMatchObject([{ isVerified: false, lines: 4, writtenLines: 6 }]);
  });

  it('with invalid lines has gaps in their places', async () => {
    const { folder, path, bytes } = recorded();
    const later = `${['nonsense', '{"t":1,"k":"frame","c":1,"d":"earlier"}', '{"k":"stop"}'].join('\n')}\n`;
    writeFileSync(path, Buffer.concat([bytes, memberOf(later)]));
    const t = start + 5;
    expect((await linesOf(folder)).slice(5)).toEqual([{ ...damage, t }, frame(t, 'earlier'), { ...damage, t }]);
  });

  it('without one of its files has a gap in its place', async () => {
    const folder = newFolder();
    written(
      folder,
      [0, 1, 2].map((hour) => [frame(start + hour * hourMs)]),
    );
    rmSync(filesOf(folder)[1] ?? '');
    const t = start + 2 * hourMs;
    expect(await linesOf(folder)).toEqual([frame(start), { ...damage, t }, frame(t)]);
    expect((await openRecording(folder)).gaps).toEqual([{ ...damage, t }]);
  });
});

it.each([
  ['deleted', undefined],
  ['cut', '{"format":1,"fil'],
])('a recording without its manifest is the same recording: %s', async (_how, text) => {
  const folder = newFolder();
  const stop: RecordedLine = { t: start + hourMs + 1, k: 'stop' };
  const others: RecordedLine[] = [
    { t: start + 1, k: 'gap', market: 'BTC_USDT', channel: 'trades', reason: 'reconnect' },
    ...[30, 10, 20].map((ms): RecordedLine => ({ t: start + 2, k: 'ping', ms })),
  ];
  written(folder, [
    [frame(start), ...others],
    [frame(start + hourMs), stop],
  ]);
  const { files, ...recording } = await openRecording(folder);
  expect(recording).toMatchObject({ isStopped: true, medianPingMs: 20, lines: 9, from: start, to: stop.t });
  if (text === undefined) rmSync(join(folder, 'manifest.json'));
  else writeFileSync(join(folder, 'manifest.json'), text);
  const { files: rebuilt, ...again } = await openRecording(folder);
  expect(again).toEqual(recording);
  expect(rebuilt).toEqual(files.map(({ writtenLines: _, ...file }) => ({ ...file, isVerified: false })));
});

describe('a file that is not a recording', () => {
  it.each([
    ['a folder that does not exist', (folder: string) => join(folder, 'none'), 'ENOENT'],
    ['an empty folder', (folder: string) => folder, 'has no recording'],
  ])('is an error: %s', async (_what, of, message) => {
    const opening = openRecording(of(newFolder()));
    await expect(opening).rejects.toMatchObject({ kind: 'recording', reason: 'unreadable' });
    await expect(opening).rejects.toThrow(message);
  });

  it('is one of a later format', async () => {
    const folder = newFolder();
    written(folder, [lines]);
    writeFileSync(join(folder, 'manifest.json'), '{"format":2,"files":[]}');
    await expect(openRecording(folder)).rejects.toThrow('has format 2; this version reads 1');
  });
});
