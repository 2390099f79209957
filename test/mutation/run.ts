// Changes the sources in small ways, one at a time, and asks the tests whether they notice: `npm run mutation`, or
// `npm run mutation -- auth session` for some parts. Fails when fewer than 85 % of a part's mutants are noticed, and
// writes what it found to results.json and docs/mutation.md.
import { Stryker } from '@stryker-mutator/core';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parts, type Part } from './parts.js';
import { writeReport } from './report.js';
import { record, recorded, type PartResult } from './results.js';

const root = resolve(import.meta.dirname, '../..');
const wanted = process.argv.slice(2);

for (const part of parts.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  record({ ...recorded(), [part.name]: await mutate(part) });
}
writeReport(recorded());

async function mutate({ name, sources, tests }: Part): Promise<PartResult> {
  console.log(name);
  // Read by vitest.config.ts, in processes of Stryker's.
  process.env['MUTATION_TESTS'] = tests.join();
  const mutants = await new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: [...sources],
  }).runMutationTest();
  const count = (status: string) => mutants.filter((mutant) => mutant.status === status).length;
  const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  return {
    killed: count('Killed'),
    timedOut: count('Timeout'),
    survived: count('Survived'),
    notCovered: count('NoCoverage'),
    left: left.map(({ fileName, location, replacement }) => {
      const file = relative(root, fileName);
      return { file, code: lineOf(file, location.start.line), replacement };
    }),
  };
}

/** Lines are counted from 1. */
function lineOf(file: string, line: number): string {
  return readFileSync(resolve(root, file), 'utf8').split('\n')[line - 1]?.trim() ?? '';
}
