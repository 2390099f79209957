// How long responses that are slow to parse block a process. The other promises are in event-loop.test.ts.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('stalls.ts', import.meta.url));

interface Measured {
  readonly kind: string;
  readonly isRejected: boolean;
  readonly stallMs: number;
}

/**
 * All kinds together, of processor time. It was 170 to 220 ms on a busy machine; without the bounds the first five
 * kinds alone took 7.1 s.
 */
const maxStallMs = 1000;

it('responses that are rejected for their cost delay no timer, eight of each kind at once', async () => {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program]);
  const measured = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
  const rejected = measured.filter(({ isRejected }) => isRejected);
  expect(rejected).toHaveLength(9);
  expect(
    rejected.reduce((sum, { stallMs }) => sum + stallMs, 0),
    stdout,
  ).toBeLessThan(maxStallMs);
}, 300_000);
