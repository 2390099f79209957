// How many branches of src the tests take: the library's in the process of the tests, the command's and its page's in
// the programs that they start, which are those of a run before this one where PROGRAM_COVERAGE says where they wrote
// them. Fails when it is less than was set.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { programCoverage } from './program-coverage.js';

/** The shares that tests have to cover. */
const least = { branches: 0.95, functionsOfPrograms: 0.95, linesOfPrograms: 0.95 };

/** The tests that start the command, its page and what `npm start` runs. */
const testsOfPrograms = {
  quick: ['test/command'],
  heavy: ['test/command', 'test/e2e/terminal', 'test/e2e/demo', 'test/e2e/dashboard'],
};

const root = resolve(import.meta.dirname, '..');
const folder = resolve(root, 'coverage/programs');

interface Taken {
  readonly covered: number;
  readonly total: number;
}

type Summary = Readonly<Record<'branches' | 'functions' | 'lines', Taken>>;

function run(program: string, ...parts: string[]): void {
  const file = resolve(root, 'node_modules', program);
  execFileSync(process.execPath, [file, ...parts], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PROGRAM_COVERAGE: folder },
  });
}

function readSummary(): Summary {
  return (
    JSON.parse(readFileSync(resolve(root, 'coverage/of-tests/coverage-summary.json'), 'utf8')) as {
      readonly total: Summary;
    }
  ).total;
}

function check(what: string, { covered, total }: Taken, bound: number): void {
  const isEnough = covered / total >= bound;
  console.log(
    `${what}: ${((covered / total) * 100).toFixed(1)} % of ${total}${isEnough ? '' : `: at least ${bound * 100} % are to be taken`}`,
  );
  if (!isEnough) process.exitCode = 1;
}

if (process.env['PROGRAM_COVERAGE'] === undefined) {
  rmSync(folder, { recursive: true, force: true });
  run('vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...testsOfPrograms.quick);
  run('vitest/vitest.mjs', 'run', '--config', 'test/heavy.config.ts', ...testsOfPrograms.heavy);
}
if (!existsSync(folder)) throw new Error(`no program has written to ${folder} which branches it took`);
run('vitest/vitest.mjs', 'run', '--config', 'test/vitest.coverage.config.ts');

const [tests, programs] = [readSummary(), await programCoverage(folder)];
const all = {
  covered: tests.branches.covered + programs.branches.covered,
  total: tests.branches.total + programs.branches.total,
};
check('branches', all, least.branches);
check('functions of the command and its page', programs.functions, least.functionsOfPrograms);
check('lines of the command and its page', programs.lines, least.linesOfPrograms);
