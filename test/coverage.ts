// How many branches of src the tests take: in the process of the tests, and in the programs and pages that they start,
// which write themselves what they took. Fails when it is less than was set.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import istanbul, { type CoverageMapData, type Totals } from 'istanbul-lib-coverage';
import { commandSources, programCoverage } from './program-coverage.js';
import { programReports } from './vitest.config.js';

const least = { branches: 0.95, functionsOfPrograms: 0.95, linesOfPrograms: 0.95 };

const root = resolve(import.meta.dirname, '..');

function check(what: string, { covered, total }: Pick<Totals, 'covered' | 'total'>, bound: number): void {
  const isEnough = covered / total >= bound;
  console.log(
    `${what}: ${((covered / total) * 100).toFixed(1)} % of ${total}${isEnough ? '' : `: at least ${bound * 100} % are to be taken`}`,
  );
  if (!isEnough) process.exitCode = 1;
}

// CI has counted in its other runs: npm run coverage -- --report.
if (!process.argv.includes('--report')) {
  rmSync(programReports, { recursive: true, force: true });
  const vitest = resolve(root, 'node_modules/vitest/vitest.mjs');
  for (const config of ['test/vitest.config.ts', 'test/heavy.config.ts'])
    execFileSync(process.execPath, [vitest, 'run', '--config', config], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, COVERAGE: 'true' },
    });
}

const inProcess = istanbul.createCoverageMap();
for (const run of ['quick', 'heavy'])
  inProcess.merge(
    JSON.parse(readFileSync(resolve(root, `coverage/of-${run}/coverage-final.json`), 'utf8')) as CoverageMapData,
  );
const programs = (await programCoverage(programReports, inProcess)).toJSON();
inProcess.filter((file) => !file.startsWith(commandSources));
const library = inProcess.getCoverageSummary().toJSON();
const all = {
  covered: library.branches.covered + programs.branches.covered,
  total: library.branches.total + programs.branches.total,
};
check('branches', all, least.branches);
check('functions of the command and its page', programs.functions, least.functionsOfPrograms);
check('lines of the command and its page', programs.lines, least.linesOfPrograms);
