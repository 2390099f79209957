// The package as a user gets it: packed, installed in an empty folder, and run from there.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { packAndInstall } from '../support/packed.js';
import { folderOfTests } from '../support/folders.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const folder = folderOfTests();

const program = `
import { createExchange, defineEndpoint, rateLimits, retryOn503, watchBalance } from 'exchange-rx';
import { public as publicEndpoints } from 'exchange-rx/endpoints';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';

const sandbox = createSandbox();
const server = await sandbox.listen();
const exchange = createExchange({ ...server.clientOptions(), checkOrders: true });
const [pong] = await firstValueFrom(exchange.call(publicEndpoints.ping).pipe(retryOn503()));
const order = await firstValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
await server.close();
console.log(pong, order.status, sandbox.ledger.orders.length, typeof defineEndpoint, rateLimits.public.limit, typeof watchBalance);
await import('exchange-rx/redis').catch((error) => {
  console.log(String(error).replace(/ imported from .*/, ''));
});
setTimeout(() => {
  setImmediate(() => {
    console.log('left behind:', process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind.startsWith('TCP')).join());
  });
}, 100);
`;

const withoutRedis = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ioredis'";

/** Fail in this package, on purpose. */
const failing = {
  'failing-client.js':
    "import { createExchange } from 'exchange-rx';\ncreateExchange({ baseUrl: 'ftp://exchange.example' });\n",
  'failing-sandbox.js': "import { createSandbox } from 'exchange-rx/sandbox';\ncreateSandbox({ clock: 'stopped' });\n",
};

const sourceLines = (path: string) => readFileSync(join(root, path), 'utf8').split('\n');

beforeAll(async () => {
  await writeFile(join(folder, 'program.js'), program);
  for (const [file, text] of Object.entries(failing)) await writeFile(join(folder, file), text);
  await packAndInstall(folder, ['rxjs@7']);
}, 240_000);

describe('the packed package', () => {
  it('runs in an empty folder, without the package that only shared limits need, leaves no timer and no socket behind, and the process ends by itself', async () => {
    const { stdout, stderr } = await run(process.execPath, ['program.js'], { cwd: folder, timeout: 30_000 });
    expect({ stdout, stderr }).toEqual({
      stdout: `pong FILLED 1 function 2000 function\n${withoutRedis}\nleft behind: \n`,
      stderr: '',
    });
  });

  it('is installed with the packages that a bot needs, and no others', async () => {
    const lock = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(lock) as { packages: Record<string, unknown> };
    const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''));
    expect(names.sort().join(' ')).toBe('bignumber.js bottleneck exchange-rx ky rxjs tslib undici valibot ws');
  });

  it.each(Object.keys(failing))('shows its sources in the stack trace of %s', async (file) => {
    const { stderr } = await run(process.execPath, ['--enable-source-maps', file], { cwd: folder }).catch(
      (error: unknown) => error as { stderr: string },
    );
    const frames = [...stderr.matchAll(/at (?<name>\S+) .*node_modules\/exchange-rx\/(?<path>\S+):(?<line>\d+):\d+/g)];
    expect(frames.length).toBeGreaterThanOrEqual(2);
    const [thrown, ...callers] = frames.map(({ groups }) => {
      const { name = '', path = '', line = '' } = groups ?? {};
      expect(path).toMatch(/^src\/[\w/-]+\.ts$/);
      return { name: name.replace(/^.*\./, ''), text: sourceLines(path)[Number(line) - 1] };
    });
    expect(thrown?.text).toContain('new ');
    // Each line calls the function of the frame above it.
    const called = [thrown, ...callers.slice(0, -1)].map((frame) => frame?.name);
    expect(callers.map(({ text }, index) => text?.includes(`${called[index]}(`))).toEqual(callers.map(() => true));
  });

  it('brings the command, and the page of its dashboard', async () => {
    const { stdout } = await run('npx', ['exchange-rx', 'ping', '--sandbox'], { cwd: folder });
    expect(stdout).toMatch(/^pong in /);
    const dashboard = spawn(join(folder, 'node_modules/.bin/exchange-rx'), ['dashboard', '--port', '0', '--json'], {
      cwd: folder,
    });
    try {
      const [said] = (await once(dashboard.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(String(said)) as { url: string };
      const page = await (await fetch(url)).text();
      const parts = [...page.matchAll(/(?:src|href)="(\w[^":]+)"/g)].map(([, path]) => path ?? '');
      expect(parts.length).toBeGreaterThanOrEqual(3);
      for (const path of parts) expect([path, (await fetch(new URL(path, url))).status]).toEqual([path, 200]);
    } finally {
      dashboard.kill('SIGINT');
      await once(dashboard, 'exit');
    }
  });
});
