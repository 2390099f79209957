// Runs the quick tests on other Nodes, which come from the registry: npm run test:node -- 22 24 26. Without versions, on
// this Node.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** What a Node could do otherwise: sockets, streams, timers, memory, cryptography and the errors that they throw. */
const folders = [
  'auth',
  'client',
  'hostile',
  'http',
  'orders',
  'promises/boundary',
  'promises/secrets',
  'scheduler',
  'streams',
];
/** What the Nodes between this one and the newest run: what they changed is in the newest, too. */
const foldersBetween = ['auth', 'http'];
const files = [
  'test/e2e/package.test.ts',
  'test/errors/synchronous-errors.test.ts',
  'test/live/connection.test.ts',
  'test/live/sockets.test.ts',
  'test/sandbox/listening.test.ts',
  'test/sandbox/live/port.test.ts',
];
/** Long tests, servers of Redis, and waits for leases to expire. */
const isExcluded = (file: string) => /heavy|redis-/.test(file);

const root = resolve(import.meta.dirname, '../..');
const testsIn = (all: readonly string[]) => [
  ...all.flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !isExcluded(file))
      .map((file) => `test/${folder}/${file}`),
  ),
  ...files,
];
/** What the registry's package `node` installs on this platform. */
const binaries = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const run = promisify(execFile);

/** The output; rejects when anything fails. */
async function testOn(version: string, tests: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-node-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    await run('npm', ['install', '--no-audit', '--no-fund', '--silent', `${binaries}@${version}`], { cwd: folder });
    const node = join(folder, 'node_modules', binaries, 'bin');
    return await testWith(`${node}${delimiter}${process.env['PATH'] ?? ''}`, version, tests);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testWith(path: string, version: string, tests: readonly string[]): Promise<string> {
  const node = async (parts: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await run('node', parts, {
      cwd: root,
      env: { ...process.env, ...env, PATH: path },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  };
  const parts = [
    await node([
      '--eval',
      `console.log(process.version); if (!process.version.startsWith('v${version}.')) process.exit(1)`,
    ]),
    await node(['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...tests]),
    // The demo ends with an error when its books do not reconcile with the exchange's.
    await node(['dist/cli/demo.js'], { DEMO_SECONDS: '3' }),
  ];
  return parts.join('\n');
}

const others = process.argv.slice(2);
const [here = ''] = process.versions.node.split('.');
const since = performance.now();
const failed: string[] = [];
// One after another: side by side they take each other's time, and some tests wait for what a program does.
for (const version of others.length === 0 ? [here] : others) {
  try {
    const tests = testsIn(version === (others.at(-1) ?? here) ? folders : foldersBetween);
    console.log(
      await (others.length === 0 ? testWith(process.env['PATH'] ?? '', here, tests) : testOn(version, tests)),
    );
    console.log(`Node ${version}: all passed`);
  } catch (error) {
    console.log(error instanceof Error && 'stdout' in error ? error.stdout : error);
    failed.push(`Node ${version}: ${String(error)}`);
  }
}
console.log(`${Math.round((performance.now() - since) / 1000)} s`);
// At the end, where the last lines of a long log show it.
for (const line of failed) console.log(line);
if (failed.length > 0) process.exitCode = 1;
