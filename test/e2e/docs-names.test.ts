// Tests and sources that the documents name are there, their lines of shell are understood, and errors.md has every
// reason of an error.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { ApiErrorReason, AuthErrorReason } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import type { Runner } from '../../src/cli/runner.js';
import { blocksOf, documents, root, textOf } from '../support/documents.js';

it('every test that security.md names is there', () => {
  const rows = textOf('docs/security.md')
    .split('\n')
    .filter((line) => /^\| .* \| .* \| `/.test(line));
  const named = rows.flatMap((row) =>
    [...(row.split(' | ')[2] ?? '').matchAll(/`(?<test>[^`]+)`/g)].map(({ groups = {} }) => groups['test'] ?? ''),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((test) => !existsSync(join(root, 'test', `${test}.test.ts`)))).toEqual([]);
});

it('every test that the evidence names for a promise is there', () => {
  const rows = textOf('docs/evidence/README.md')
    .split('\n')
    .filter((line) => /^\| \d\. /.test(line));
  const named = rows.map((row) =>
    [...row.matchAll(/`(?<test>[^`]+)`/g)].map(({ groups = {} }) => groups['test'] ?? ''),
  );
  expect(named.map((tests) => tests.length > 2)).toEqual([true, true, true, true, true, true]);
  expect(named.flat().filter((test) => !existsSync(join(root, 'test', test)))).toEqual([]);
});

it('every source that how-it-works.md and dependencies.md name is there', () => {
  const named = ['docs/how-it-works.md', 'docs/dependencies.md'].flatMap((page) =>
    [...textOf(page).matchAll(/`(?<path>(?:src|test)\/[\w./-]+)`/g)].map(({ groups = {} }) => groups['path'] ?? ''),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

const commandLines = documents.flatMap((file) =>
  blocksOf(file)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split(/\n|;|&&/))
    .map((line) => line.replace(/#.*/, '').trim()),
);

/** The words that a line gives to a command, up to where its output goes. */
function wordsAfter(line: string, command: RegExp): string[] {
  const rest = line
    .slice((command.exec(line)?.index ?? 0) + (command.exec(line)?.[0].length ?? 0))
    .replace(/\s[>|].*/, '');
  return [...rest.matchAll(/"(?<quoted>[^"]*)"|(?<plain>\S+)/g)].map(
    ({ groups = {} }) => groups['quoted'] ?? groups['plain'] ?? '',
  );
}

describe('the lines of shell in the documents', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const npm = /^npm (run )?/;
  const ours = ['start', 'test'];
  const named = commandLines
    .filter((line) => npm.test(line))
    .map((line) => ({ line, script: wordsAfter(line, npm)[0] ?? '' }));

  it.each(named.filter(({ line, script }) => line.startsWith('npm run') || ours.includes(script)))(
    '$line: there is such a script',
    ({ script }) => {
      expect(Object.keys(scripts)).toContain(script);
    },
  );

  const command = /(^|\s)exchange-rx\s/;
  const used = commandLines.filter((line) => command.test(line) && !line.startsWith('npm'));

  it('use the command', () => {
    expect(used.length).toBeGreaterThan(5);
  });

  it.each(used)('%s: the command understands it', async (line) => {
    const called: string[] = [];
    const keep = (verb: Command) => {
      called.push(verb.name());
      return Promise.resolve();
    };
    const runner: Runner = { environment: {}, run: keep, serve: keep, runToCompletion: keep };
    await createProgram(runner).parseAsync(wordsAfter(line, command), { from: 'user' });
    expect(called).toHaveLength(1);
  });
});

describe('docs/errors.md', () => {
  const apiReasons: Readonly<Record<ApiErrorReason, true>> = {
    validation: true,
    market: true,
    amount: true,
    price: true,
    step: true,
    'client-order-id': true,
    'conflicting-flags': true,
    'position-side': true,
    'reduce-only': true,
    'order-not-found': true,
    'insufficient-balance': true,
    'would-take': true,
    'position-limit': true,
    'positions-open': true,
    'position-not-found': true,
    'opposite-position': true,
    duplicate: true,
    region: true,
    other: true,
  };
  const authReasons: Readonly<Record<AuthErrorReason, true>> = {
    payload: true,
    signature: true,
    'nonce-expired': true,
    'nonce-used': true,
    'key-disabled': true,
    'key-not-authorized': true,
    'no-permission': true,
    'two-factor': true,
  };

  it.each([...Object.keys(apiReasons), ...Object.keys(authReasons)])(
    'says what to do about the reason `%s`',
    (reason) => {
      expect(textOf('docs/errors.md')).toMatch(new RegExp(`^\\| \`${reason}\` \\|`, 'm'));
    },
  );
});
