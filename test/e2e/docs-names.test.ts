// Tests and sources that the documents name are there, their lines of shell are understood, and errors.md has every
// reason of an error.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import type { Runner } from '../../src/cli/runner.js';
import { blocksOf, documents, root, textOf } from '../support/documents.js';

/** What stands in backticks. */
function namedIn(text = '', form = '[^`]+'): string[] {
  return [...text.matchAll(new RegExp(`\`(${form})\``, 'g'))].map(([, name = '']) => name);
}
const linesOf = (page: string) => textOf(page).split('\n');
const missing = (files: readonly string[]) => files.filter((file) => !existsSync(join(root, file)));

it('every test that security.md names is there', () => {
  const rows = linesOf('docs/security.md').filter((line) => /^\| .* \| .* \| `/.test(line));
  const named = rows.flatMap((row) => namedIn(row.split(' | ')[2]));
  expect(named.length).toBeGreaterThan(30);
  expect(missing(named.map((test) => `test/${test}.test.ts`))).toEqual([]);
});

it('every test that the evidence names for a promise is there', () => {
  const rows = linesOf('docs/evidence/README.md').filter((line) => /^\| \d\. /.test(line));
  const named = rows.map((row) => namedIn(row));
  expect(named.map((tests) => tests.length > 2)).toEqual([true, true, true, true, true, true]);
  expect(missing(named.flat().map((test) => `test/${test}`))).toEqual([]);
});

it('every source that how-it-works.md and dependencies.md name is there', () => {
  const pages = ['docs/how-it-works.md', 'docs/dependencies.md'].map(textOf);
  const named = pages.flatMap((page) => namedIn(page, String.raw`(?:src|test)/[\w./-]+`));
  expect(named.length).toBeGreaterThan(20);
  expect(missing(named)).toEqual([]);
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
  /** As the report of the public API has them. */
  const types = textOf('test/api/exchange-rx.api.md').matchAll(/^export type (?:Api|Auth)ErrorReason = (.*);$/gm);
  const reasons = [...types].flatMap(([, names = '']) => names.split(' | ').map((name) => name.replaceAll("'", '')));

  it('is about the reasons of both kinds of error', () => {
    expect(reasons).toEqual(expect.arrayContaining(['insufficient-balance', 'nonce-expired']));
  });

  it.each(reasons)('says what to do about the reason `%s`', (reason) => {
    expect(textOf('docs/errors.md')).toMatch(new RegExp(`^\\| \`${reason}\` \\|`, 'm'));
  });
});
