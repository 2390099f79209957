// Changes the sources in small ways, one at a time, and counts the changes that a test detects: `npm run mutation`, or
// `npm run mutation -- auth client` for some parts. Fails when fewer than 85 % of a part's mutants are detected, lists
// the surviving mutants in the terminal, and writes the counts to results.json and docs/evidence/mutation.md.
import { Stryker } from '@stryker-mutator/core';
import { parts, type Part } from './parts.js';
import { record, recorded, writeReport, type PartResult } from './report.js';

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
  return {
    killed: count('Killed'),
    timedOut: count('Timeout'),
    survived: count('Survived'),
    notCovered: count('NoCoverage'),
    recorded: new Date().toISOString().slice(0, 10),
  };
}
