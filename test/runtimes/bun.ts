// Runs the packed package on Bun: the program beside this, and the command. Bun comes from the registry: npm run
// test:bun -- 1
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAndInstall } from '../support/packed.js';

const [version = '1'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-bun-'));

try {
  await packAndInstall(folder, ['rxjs@7', 'ioredis@5', `bun@${version}`]);
  copyFileSync(new URL('program.ts', import.meta.url), join(folder, 'program.ts'));
  const bun = (...parts: string[]) =>
    execFileSync(join(folder, 'node_modules/.bin/bun'), parts, {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
    }).trim();
  console.log(`Bun ${bun('--version')}: ${bun('program.ts')}`);
  console.log(bun('node_modules/exchange-rx/dist/cli/main.js', 'ping', '--sandbox'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
