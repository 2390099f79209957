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

const sumOf = (measured: readonly Measured[]) => measured.reduce((sum, { stallMs }) => sum + stallMs, 0);

it('responses that are rejected for their cost delay timers by less than the largest that are accepted', async () => {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program]);
  const measured = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
  const rejected = measured.filter(({ isRejected }) => isRejected);
  expect(rejected).toHaveLength(9);
  // Eight of each kind at once, in processor time: a fifth. Without the bounds the first five kinds alone take six times as long.
  expect(sumOf(rejected), stdout).toBeLessThan(sumOf(measured.filter(({ isRejected }) => !isRejected)));
}, 300_000);
