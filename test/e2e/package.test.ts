// The package as a user gets it: packed, installed in an empty folder, type-checked and run from there.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
let folder: string;

const program = `
import { createExchange, createScheduler, defineEndpoint, limitGroups, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';

const sandbox = createSandbox();
const server = await sandbox.listen();
const exchange = createExchange({ ...server.clientOptions(), checkOrders: true });
const order: Order = await firstValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
await server.close();
console.log(order.status, sandbox.ledger.orders.length, typeof defineEndpoint, limitGroups.public.limit);
try {
  createScheduler({ redis: { url: 'redis://127.0.0.1' } });
} catch (error) {
  console.log(String(error));
}
setTimeout(() => {
  setImmediate(() => {
    console.log('left behind:', process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind.startsWith('TCP')).join());
  });
}, 100);
`;

const withoutRedis = 'RequestError: createScheduler: redis needs the package "ioredis": npm install ioredis@5';

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023'],
  module: 'NodeNext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await writeFile(join(folder, 'program.ts'), program);
  const install = ['install', '--no-audit', '--no-fund', `./${packed?.filename ?? ''}`, 'rxjs@7', 'typescript@6', '@types/node@20'];
  await run('npm', install, { cwd: folder });
}, 240_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the packed package', () => {
  it('type-checks and runs in an empty folder, without the package that only shared limits need, leaves no timer and no socket behind, and the process ends by itself', async () => {
    await run('npx', ['tsc'], { cwd: folder });
    const { stdout, stderr } = await run('node', ['program.js'], { cwd: folder, timeout: 30_000 });
    expect({ stdout, stderr }).toEqual({ stdout: `FILLED 1 function 2000\n${withoutRedis}\nleft behind: \n`, stderr: '' });
  }, 120_000);

  it('brings the command, and the page of its dashboard', async () => {
    const { stdout } = await run('npx', ['exchange-rx', 'ping', '--sandbox'], { cwd: folder });
    expect(stdout).toMatch(/^pong in /);
    const dashboard = spawn(join(folder, 'node_modules/.bin/exchange-rx'), ['dashboard', '--port', '0', '--json'], { cwd: folder });
    try {
      const [said] = (await once(dashboard.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(String(said)) as { url: string };
      const page = await (await fetch(url)).text();
      const parts = [...page.matchAll(/(?:src|href)="(\/[^"#]+)"/g)].map(([, path]) => path ?? '');
      expect(parts.length).toBeGreaterThanOrEqual(3);
      for (const path of [...parts, '/page/render.js', '/page/charts.js', '/page/uplot.js', '/remember.js']) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    } finally {
      dashboard.kill('SIGINT');
      await once(dashboard, 'exit');
    }
  }, 60_000);

  it('holds what belongs, and nothing else', async () => {
    const top = await readdir(join(folder, 'node_modules/exchange-rx'));
    expect(top.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'src']);
  });
});
