// docs/conformance.md lists every row of the spec with the test that shows it. The list and the tests must agree, so
// that no row is forgotten.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const title = /\[(?<id>[\w.-]+)\] (?<words>.+)$/;

interface ListedTest {
  readonly name: string;
  readonly file: string;
}

/** The rows that the contract tests show: `id | words | file`, once each. */
async function shownRows(): Promise<string[]> {
  const { stdout } = await run('npx', [
    'vitest',
    'list',
    '--json',
    '--config',
    'test/vitest.config.ts',
    'test/contract',
  ]);
  const tests = JSON.parse(stdout.slice(stdout.indexOf('['))) as ListedTest[];
  const rows = tests.flatMap(({ name, file }) => {
    const groups = title.exec(name)?.groups;
    return groups === undefined
      ? []
      : [`| ${groups['id'] ?? ''} | ${groups['words'] ?? ''} | ${file.slice(file.indexOf('test/contract'))} |`];
  });
  return [...new Set(rows)].sort();
}

it('docs/conformance.md lists exactly the rows that the contract tests show', async () => {
  const document = await readFile('docs/conformance.md', 'utf8');
  const listed = document.split('\n').filter((line) => /^\| [\w-]+\.[\w.-]+ \|/.test(line));
  expect([...listed].sort()).toEqual(await shownRows());
}, 60_000);
