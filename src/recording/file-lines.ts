// The lines of one file of a recording.
import { open } from 'node:fs/promises';
import { recordingError } from './failures.js';
import { parseLine, type RecordedLine } from './line.js';
import { membersOf } from './member.js';

/** The lines of a member; `undefined` where lines are missing. */
export type ReadLines = readonly (RecordedLine | undefined)[];

/**
 * Reads a file, a member at a time.
 *
 * @param expected the number of its lines, where it is known
 */
export async function* linesOfFile(where: string, path: string, expected?: number): AsyncGenerator<ReadLines> {
  const file = await open(path).catch((error: unknown) => {
    throw recordingError(where, 'unreadable', `${path} cannot be read`, error);
  });
  let count = 0;
  let isDamaged = false;
  try {
    for await (const text of membersOf(file)) {
      const lines = text === undefined ? [undefined] : linesIn(text);
      count += lines.length;
      isDamaged ||= lines.includes(undefined);
      yield lines;
    }
    // A file that was cut between two members looks whole.
    if (expected !== undefined && count < expected && !isDamaged) yield [undefined];
  } catch (error) {
    throw recordingError(where, 'unreadable', `${path} cannot be read`, error);
  } finally {
    await file.close();
  }
}

function linesIn(text: string): ReadLines {
  const lines = text.split('\n');
  // Each line ends with a line break.
  lines.pop();
  return lines.map(parseLine);
}
