// `npm run new:endpoint` in a copy of the package: what it writes compiles, is formatted and passes its tests.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const notCopied = new Set(['node_modules', '.git', 'dist', 'build', 'coverage']);
let folder: string;

/** The output of a program of the copy. Fails when the program does. */
async function run(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
  return stdout;
}

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'exchange-rx-')), 'package');
  await cp(root, folder, { recursive: true, filter: (path) => path === root || !notCopied.has(basename(path)) });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(() => rm(resolve(folder, '..'), { recursive: true, force: true }));

const generate = (...words: readonly string[]) => run('--import', 'tsx', 'scripts/new-endpoint.ts', ...words);
const vitest = (...files: readonly string[]) =>
  run('node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...files);

describe('npm run new:endpoint', () => {
  it('writes the endpoint, its route of the sandbox and its test, which compile, are formatted and pass', async () => {
    const written = [
      ['orders.fills', 'POST', '/api/v4/trade-account/fills', 'orders/fills'],
      ['public.tickerOf', 'GET', '/api/v4/public/one-ticker', 'public/ticker-of'],
    ] as const;
    for (const [name, method, path, file] of written) {
      const group = file.split('/')[0] ?? '';
      expect((await generate(name, method, path)).trim().split('\n')).toEqual([
        `src/endpoints/${file}.ts`,
        `test/endpoints/${file}.test.ts`,
        `src/sandbox/http/routes/${group}.ts`,
      ]);
    }
    await run('node_modules/typescript-7/bin/tsc', '-p', 'test/tsconfig.json');
    await run(
      'node_modules/prettier/bin/prettier.cjs',
      '--check',
      'src/endpoints',
      'src/sandbox/http',
      'test/endpoints',
      'docs',
    );
    await vitest(
      ...written.map(([, , , file]) => `test/endpoints/${file}.test.ts`),
      'test/endpoints/generated.test.ts',
    );
  }, 240_000);

  it.each([
    [['order.fills', 'POST', '/api/v4/fills'], 'Unknown group "order". Groups: account, '],
    [['orders.Fills', 'POST', '/api/v4/fills'], '"Fills" must be a method\'s name'],
    [['orders.fills', 'PUT', '/api/v4/fills'], 'The HTTP method must be GET or POST, not "PUT".'],
    [['orders.fills', 'POST', 'fills'], '"fills" must be a path'],
    [['orders.open', 'POST', '/api/v4/fills'], 'src/endpoints/orders/open.ts exists.'],
  ])('refuses %j and says why', async (words, message) => {
    const failure: unknown = await generate(...words).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining(message) as string });
  });
});
