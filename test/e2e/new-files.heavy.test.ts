// `npm run new:endpoint` and `new:channel` in a copy of the package: what they write compiles, is formatted and passes the
// tests of every endpoint, or of every channel.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

const generateEndpoint = (...words: readonly string[]) => run('--import', 'tsx', 'scripts/new-endpoint.ts', ...words);
const generateChannel = (...words: readonly string[]) => run('--import', 'tsx', 'scripts/new-channel.ts', ...words);
const vitest = (...files: readonly string[]) =>
  run('node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...files);

/** Writes a word where the files have a placeholder. */
async function fillIn(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    await writeFile(join(folder, file), text.replaceAll('TODO:', 'The'));
  }
}

/** Definitions and responses, the channel, and its message. */
async function generateAll(): Promise<readonly string[]> {
  const endpoints = [
    ['account.depositAddress', 'POST', '/api/v4/main-account/address', 'account/deposit-address'],
    ['account.history', 'POST', '/api/v4/main-account/history', 'account/history'],
    ['spot.convertEstimate', 'POST', '/api/v4/convert/estimate', 'spot/convert-estimate'],
  ] as const;
  const files = ['src/live/channels/open-interest.ts', 'test/recorded/live/openInterest.json'];
  expect((await generateChannel('openInterest', 'interest')).trim().split('\n')).toEqual(files);
  for (const [name, method, path, file] of endpoints) {
    const made = [`src/endpoints/${file}.ts`, `test/recorded/${name}.json`];
    expect((await generateEndpoint(name, method, path)).trim().split('\n')).toEqual(made);
    files.push(...made);
  }
  return files;
}

describe('npm run new:endpoint and new:channel', () => {
  it('write files that need nothing but the sentences that are left', async () => {
    const files = await generateAll();
    await run('node_modules/typescript-7/bin/tsc', '-p', 'test/tsconfig.json');
    await run('node_modules/prettier/bin/prettier.cjs', '--check', 'src/endpoints', 'src/live', 'test/recorded/live');
    await expect(vitest('test/endpoints/generated.test.ts', '-t', 'placeholder')).rejects.toThrow();
    await fillIn(files);
    await run('--import', 'tsx', 'scripts/docs.ts');
    await vitest(
      'test/endpoints/generated.test.ts',
      'test/endpoints/every-endpoint.test.ts',
      'test/endpoints/names.test.ts',
      'test/live/recorded-messages.test.ts',
      'test/live/malformed-frames.test.ts',
    );
  }, 480_000);
});

describe('npm run new:endpoint', () => {
  it.each([
    [['order.fills', 'POST', '/api/v4/fills'], 'Unknown group "order". Groups: account, '],
    [['orders.Fills', 'POST', '/api/v4/fills'], '"Fills" must be a method\'s name'],
    [
      ['orders.fills', 'POST', '/api/v4/fills'],
      '"POST /api/v4/fills" is not in test/support/published-endpoints.json.',
    ],
    [['orders.open', 'POST', '/api/v4/orders'], 'src/endpoints/orders/open.ts exists.'],
  ])('refuses %j and says why', async (words, message) => {
    const failure: unknown = await generateEndpoint(...words).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining(message) as string });
  });
});

describe('npm run new:channel', () => {
  it.each([
    [['OpenInterest'], '"OpenInterest" must be a member of exchange.live'],
    [['openPositions', 'open/positions'], '"open/positions" must be the prefix of methods'],
    [['premiumIndex'], 'src/live/channels/premium-index.ts exists.'],
  ])('refuses %j and says why', async (words, message) => {
    const failure: unknown = await generateChannel(...words).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining(message) as string });
  });
});
