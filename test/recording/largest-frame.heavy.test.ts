// The largest frame that a client accepts fits into a recording.
import { expect, it } from 'vitest';
import { frame, linesOf, newFolder, newWriter, start } from './folders.js';

it('a frame of the maximum size is recorded, whatever its characters are', async () => {
  const folder = newFolder();
  const writer = newWriter(folder);
  // Each character takes six in JSON.
  const text = String.fromCharCode(1, 0xd8_00).repeat(4 * 1024 * 1024);
  writer.write(frame(start, text));
  writer.close();
  const lines = await linesOf(folder);
  expect(lines.map((line) => line.k === 'frame' && line.d === text)).toEqual([true]);
});
