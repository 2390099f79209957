// Runs the quick tests on other Nodes, which come from the registry: npm run test:node -- 22 24 26. Without versions, on
// this Node.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** What a Node could do otherwise: sockets, streams, timers of a replay, compression, cryptography, and what `util.inspect` prints. */
const onEach = [
  'test/auth',
  'test/hostile/dashboard.heavy.test.ts',
  'test/http/transport-conformance.test.ts',
  'test/http/undici-transport.test.ts',
  'test/live/sockets.test.ts',
  'test/sandbox/listening.test.ts',
  'test/sandbox/live/port.test.ts',
  'test/sandbox/replay/run.test.ts',
];
/** On the newest, also timers, memory, and errors. */
const onNewest = [
  'test/errors/synchronous-errors.test.ts',
  'test/hostile/dashboard-feed.test.ts',
  'test/hostile/sandbox-port.test.ts',
  'test/http',
  'test/live/connection.test.ts',
  'test/promises/boundary/event-loop.test.ts',
  'test/promises/secrets/quotes.test.ts',
  'test/promises/secrets/transport.test.ts',
  'test/scheduler/in-flight.test.ts',
  'test/scheduler/waiting.test.ts',
  'test/streams/nothing-left.test.ts',
];

const root = resolve(import.meta.dirname, '../..');
const vitest = 'node_modules/vitest/vitest.mjs';
/** What the registry's package `node` installs on this platform. */
const binaries = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const run = promisify(execFile);

/** Installs a Node in this folder, and returns the PATH that has it. */
async function install(version: string, folder: string): Promise<string> {
  const own = join(folder, version);
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--silent', `${binaries}@${version}`], { cwd: own });
  return `${join(own, 'node_modules', binaries, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** The output; rejects when anything fails. */
async function testWith(path: string, version: string, tests: readonly string[]): Promise<string> {
  const node = async (parts: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const options = { cwd: root, env: { ...process.env, ...env, PATH: path }, maxBuffer: 2 ** 26 };
    return (await run('node', parts, options)).stdout;
  };
  const parts = [
    await node([
      '--eval',
      `console.log(process.version); if (!process.version.startsWith('v${version}.')) process.exit(1)`,
    ]),
    await node([vitest, 'run', '--config', 'test/runtimes/vitest.config.ts', ...tests]),
    // Of the built package: what a user does first, and the demo.
    await node(['--import', 'tsx', 'test/runtimes/program.ts']),
    // The demo ends with an error when its books do not reconcile with the exchange's.
    await node(['dist/cli/demo.js'], { DEMO_SECONDS: '3' }),
  ];
  return parts.join('\n');
}

const [here = ''] = process.versions.node.split('.');
const others = process.argv.slice(2);
const versions = others.length === 0 ? [here] : others;
const since = performance.now();
const failed: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-node-'));
try {
  const paths = await Promise.all(
    versions.map(async (version) => (version === here ? (process.env['PATH'] ?? '') : install(version, folder))),
  );
  // One after another: side by side they take each other's time, and some tests wait for what a program does.
  for (const [index, version] of versions.entries()) {
    try {
      const tests = version === versions.at(-1) ? [...onEach, ...onNewest] : onEach;
      console.log(await testWith(paths[index] ?? '', version, tests));
      console.log(`Node ${version}: all passed`);
    } catch (error) {
      console.log(error instanceof Error && 'stdout' in error ? error.stdout : error);
      failed.push(`Node ${version}: ${String(error)}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${Math.round((performance.now() - since) / 1000)} s`);
// At the end, where the last lines of a long log show it.
for (const line of failed) console.log(line);
if (failed.length > 0) process.exitCode = 1;
