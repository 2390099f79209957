// How many branches of src the tests take: the library's in the process of the tests, the command's and its page's in the programs that they start.
// Fails when it is less than was set.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const least = 0.95;

interface Branches {
  readonly covered: number;
  readonly total: number;
}

function read(part: string): Branches {
  const file = resolve(import.meta.dirname, `../coverage/of-${part}/coverage-summary.json`);
  const { total } = JSON.parse(readFileSync(file, 'utf8')) as { readonly total: { readonly branches: Branches } };
  return total.branches;
}

const [tests, programs] = [read('tests'), read('programs')];
const all = { covered: tests.covered + programs.covered, total: tests.total + programs.total };
for (const [name, { covered, total }] of Object.entries({ library: tests, 'command and page': programs, all })) {
  console.log(`branches of ${name}: ${((covered / total) * 100).toFixed(1)} % of ${total}`);
}
if (programs.covered === 0 || all.covered / all.total < least) {
  console.error(`At least ${least * 100} % of all are to be taken.`);
  process.exitCode = 1;
}
