// The package as a user gets it: packed, installed in an empty folder, and run from there.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAndInstall } from '../support/packed.js';

const run = promisify(execFile);
let folder: string;

const program = `
import { createExchange, defineEndpoint, rateLimits } from 'exchange-rx';
import { ping } from 'exchange-rx/endpoints';
import { retryOn503 } from 'exchange-rx/operators';
import { createSandbox } from 'exchange-rx/sandbox';
import { balanceChanges } from 'exchange-rx/streams';
import { firstValueFrom } from 'rxjs';

const sandbox = createSandbox();
const server = await sandbox.listen();
const exchange = createExchange({ ...server.clientOptions(), checkOrders: true });
const [pong] = await firstValueFrom(exchange.call(ping).pipe(retryOn503()));
const order = await firstValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
await server.close();
console.log(pong, order.status, sandbox.ledger.orders.length, typeof defineEndpoint, rateLimits.public.limit, balanceChanges({}, {}).length);
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

/** Fails in this package, on purpose. */
const failing =
  "import { createExchange } from 'exchange-rx';\ncreateExchange({ baseUrl: 'ftp://exchange.example' });\n";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
  await writeFile(join(folder, 'program.js'), program);
  await writeFile(join(folder, 'failing.js'), failing);
  await packAndInstall(folder, ['rxjs@7']);
}, 240_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the packed package', () => {
  it('runs in an empty folder, without the package that only shared limits need, leaves no timer and no socket behind, and the process ends by itself', async () => {
    const { stdout, stderr } = await run(process.execPath, ['program.js'], { cwd: folder, timeout: 30_000 });
    expect({ stdout, stderr }).toEqual({
      stdout: `pong FILLED 1 function 2000 0\n${withoutRedis}\nleft behind: \n`,
      stderr: '',
    });
  }, 60_000);

  it('shows its sources in a stack trace', async () => {
    const { stderr } = await run(process.execPath, ['--enable-source-maps', 'failing.js'], { cwd: folder }).catch(
      (error: unknown) => error as { stderr: string },
    );
    expect(stderr).toMatch(/RequestError: createExchange: baseUrl/);
    const frames = [...stderr.matchAll(/node_modules\/exchange-rx\/(?<path>\S+):\d+:\d+/g)].map(
      (match) => match.groups?.['path'] ?? '',
    );
    expect(frames.length).toBeGreaterThan(2);
    expect(frames.filter((path) => !/^src\/[\w/-]+\.ts$/.test(path))).toEqual([]);
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
      for (const path of [...parts, 'page/render.js', 'page/charts.js', 'page/uplot.js', 'remember.js'])
        expect([path, (await fetch(new URL(path, url))).status]).toEqual([path, 200]);
    } finally {
      dashboard.kill('SIGINT');
      await once(dashboard, 'exit');
    }
  }, 60_000);
});
