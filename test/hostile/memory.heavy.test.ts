// What the responses of a client may hold together, as the memory of a process shows it. The exact bound is in test/http/response-room.test.ts.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('held.ts', import.meta.url));
const mebibyte = 2 ** 20;

it('256 responses of 8 MiB that never end take 64 MiB, and what their buffers grew by', async () => {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program]);
  // Without the bound it is 2 GiB and more.
  expect(Number(stdout)).toBeLessThan(400 * mebibyte);
}, 120_000);
