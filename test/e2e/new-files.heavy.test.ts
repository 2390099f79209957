// `npm run new:endpoint` and `new:channel` in a copy of the package: what they write compiles and passes the tests of
// every endpoint, or of every channel.
import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { newChannel } from '../../scripts/new-channel.js';
import { newEndpoint } from '../../scripts/new-endpoint.js';
import { folderOfTests } from '../support/folders.js';

const root = resolve(import.meta.dirname, '../..');
const folder = join(folderOfTests(), 'package');
const notCopied = new Set(['node_modules', '.git', 'dist', 'build', 'coverage']);

const endpoints = [
  ['account.anotherAddress', 'POST', '/api/v4/main-account/address', 'account/another-address'],
  ['account.history', 'POST', '/api/v4/main-account/history', 'account/history'],
  ['spot.convertEstimate', 'POST', '/api/v4/convert/estimate', 'spot/convert-estimate'],
] as const;
const files = [
  ...['src/live/channels/open-interest.ts', 'test/recorded/live/openInterest.json'],
  ...endpoints.flatMap(([name, , , file]) => [`src/endpoints/${file}.ts`, `test/recorded/${name}.json`]),
];

const names = [...endpoints.map(([name]) => name), 'openInterest'];
/** The tests of each endpoint and channel that are about these, and those of whole lists. */
const aboutThem = [
  ...names,
  'every endpoint has',
  'placeholder',
  'generated files',
  'the name of an endpoint',
  'each channel',
];

const generate = `
import { newChannel } from './scripts/new-channel.ts';
import { newEndpoint } from './scripts/new-endpoint.ts';
const made = [await newChannel(['openInterest', 'interest'])];
for (const words of ${JSON.stringify(endpoints)}) made.push(await newEndpoint(words));
console.log(made.flat().join('\\n'));
`;

it('npm run new:endpoint and new:channel write files that need nothing but the sentences that are left', async () => {
  await cp(root, folder, { recursive: true, filter: (path) => path === root || !notCopied.has(basename(path)) });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const run = async (...words: readonly string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, maxBuffer: 2 ** 26 });
    return stdout;
  };

  expect((await run('--import', 'tsx', '--input-type=module', '--eval', generate)).trim().split('\n')).toEqual(files);
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).toContain('TODO:');
    await writeFile(join(folder, file), text.replaceAll('TODO:', 'The'));
  }
  await run('node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.json', '--noEmit');
  await run(
    ...['--import', 'tsx', '--input-type=module', '--eval'],
    "import { writeGenerated } from './scripts/docs/write.ts'; await writeGenerated();",
  );
  const tested = await run(
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--reporter', 'verbose'],
    // Each worker would load the sources again.
    ...['--maxWorkers', '1'],
    ...['generated', 'every-endpoint', 'definitions'].map((name) => `test/endpoints/${name}.test.ts`),
    ...['recorded-messages', 'malformed-frames'].map((name) => `test/live/${name}.test.ts`),
    ...['--testNamePattern', aboutThem.join('|')],
  );
  for (const title of aboutThem) expect(tested).toContain(title);
}, 480_000);

it.each([
  [newEndpoint, ['order.fills', 'POST', '/api/v4/fills'], 'Unknown group "order". Groups: account, '],
  [newEndpoint, ['orders.Fills', 'POST', '/api/v4/fills'], '"Fills" must be a method\'s name'],
  [newEndpoint, ['orders.fills', 'POST', '/api/v4/fills'], '"POST /api/v4/fills" is not in test/support/'],
  [newEndpoint, ['orders.open', 'POST', '/api/v4/orders'], 'src/endpoints/orders/open.ts exists.'],
  [newChannel, ['OpenInterest'], '"OpenInterest" must be a member of exchange.live'],
  [newChannel, ['openPositions', 'open/positions'], '"open/positions" must be the prefix of methods'],
  [newChannel, ['premiumIndex'], 'src/live/channels/premium-index.ts exists.'],
])('%o refuses %j and says why', async (make, words, message) => {
  await expect(make(words)).rejects.toThrow(message);
});
