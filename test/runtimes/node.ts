// Runs the quick tests on other Nodes, which come from the registry: npm run test:node -- 22 24 26. Without versions, on
// this Node.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** What a Node could do otherwise: all but browsers, the command, faults by the thousand and the documentation. */
const folders = [
  'auth',
  'client',
  'contract',
  'endpoints',
  'errors',
  'hostile',
  'http',
  'model',
  'operators',
  'orders',
  'sandbox',
  'scheduler',
  'security',
  'streams',
];
/** A list of the tests, which is the same on every Node; servers of Redis, and waits for leases to expire. */
const isExcluded = (file: string) => /heavy|conformance|redis-/.test(file);

const root = resolve(import.meta.dirname, '../..');
const tests = [
  ...folders.flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !isExcluded(file))
      .map((file) => `test/${folder}/${file}`),
  ),
  'test/e2e/package.test.ts',
];
/** What the registry's package `node` installs on this platform. */
const binaries = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const run = promisify(execFile);

/** The output; rejects when anything fails. */
async function testOn(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-node-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    await run('npm', ['install', '--no-audit', '--no-fund', '--silent', `${binaries}@${version}`], { cwd: folder });
    const node = join(folder, 'node_modules', binaries, 'bin');
    return await testWith(`${node}${delimiter}${process.env['PATH'] ?? ''}`, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testWith(path: string, version: string): Promise<string> {
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
    await node([
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      // Several run side by side.
      `--maxWorkers=${availableParallelism()}`,
      ...tests,
    ]),
    // The demo ends with an error when its books do not reconcile with the exchange's.
    await node(['dist/cli/demo.js'], { DEMO_SECONDS: '3' }),
  ];
  return parts.join('\n');
}

const others = process.argv.slice(2);
const [here = ''] = process.versions.node.split('.');
const versions = others.length === 0 ? [here] : others;
const since = performance.now();
// Side by side: none of these tests goes by the time of the machine.
const ended = await Promise.allSettled(
  others.length === 0 ? [testWith(process.env['PATH'] ?? '', here)] : others.map(testOn),
);
for (const [index, one] of ended.entries()) {
  const failure: unknown = one.status === 'rejected' ? one.reason : undefined;
  console.log(
    one.status === 'fulfilled'
      ? one.value
      : failure instanceof Error && 'stdout' in failure
        ? String(failure.stdout)
        : failure,
  );
  console.log(`Node ${String(versions[index])}: ${one.status === 'fulfilled' ? 'all passed' : String(failure)}`);
  if (one.status === 'rejected') process.exitCode = 1;
}
console.log(`${Math.round((performance.now() - since) / 1000)} s`);
