// Runs what is quick and broad on other Nodes, which come from the registry: npm run test:node -- 22 24
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** What a Node could do otherwise: all but soaks, browsers, Redis, faults at random and minutes of fake time. */
const tests = [
  ...['auth', 'contract', 'endpoints', 'http', 'market-rules', 'model', 'operators', 'sandbox', 'streams'].map((folder) => `test/${folder}/`),
  ...['session', 'one-order', 'e2e/package'].map((file) => `test/${file}.test.ts`),
];
/** Lists the tests, which is the same on every Node. */
const sameEverywhere = 'test/contract/conformance.test.ts';

const root = resolve(import.meta.dirname, '../..');
/** What the registry's package `node` installs on this platform. */
const binaries = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Throws when anything fails. */
function testOn(version: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-node-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', `${binaries}@${version}`], { cwd: folder, stdio: 'inherit' });
    const path = `${join(folder, 'node_modules', binaries, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const node = (parts: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      execFileSync('node', parts, { cwd: root, env: { ...process.env, ...env, PATH: path }, stdio: 'inherit' });
    };
    node(['--eval', `console.log(process.version); if (!process.version.startsWith('v${version}.')) process.exit(1)`]);
    node(['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--exclude', sameEverywhere, ...tests]);
    // The demo ends with an error when its books do not reconcile with the exchange's.
    node(['dist/cli/demo.js'], { DEMO_SECONDS: '3' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const versions = process.argv.slice(2);
if (versions.length === 0) throw new Error('which Nodes? npm run test:node -- 22 24');
for (const version of versions) {
  const since = performance.now();
  testOn(version);
  console.log(`Node ${version}: all passed, in ${Math.round((performance.now() - since) / 1000)} s`);
}
