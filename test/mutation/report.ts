// The latest results, by part: a run of one part keeps the results of the others. Writes docs/evidence/mutation.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { percent, sum, table } from '../support/figures.js';
import { parts } from './parts.js';

const page = new URL('../../docs/evidence/mutation.md', import.meta.url);
const file = new URL('results.json', import.meta.url);

export interface PartResult {
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly notCovered: number;
  /** The day of the run, such as `2026-11-22`. */
  readonly recorded: string;
}

export type Results = Readonly<Record<string, PartResult>>;

export function recorded(): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function record(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

type Counts = Omit<PartResult, 'recorded'>;

export function writeReport(results: Results): void {
  const known = parts.flatMap(({ name }) => {
    const result = results[name];
    return result === undefined ? [] : [{ name, result }];
  });
  const unknown = parts.filter(({ name }) => results[name] === undefined);
  const columns = ['part', 'mutants', 'killed', 'timed out', 'survived', 'not covered', 'detected', 'recorded'];
  const rows = [
    ...known.map(({ name, result }) => [...row(name, result), result.recorded]),
    ...unknown.map(({ name }) => [name, '', '', '', '', '', '', 'not yet']),
    [...row('**all that is recorded**', total(known.map(({ result }) => result))), ''],
  ];
  const text = `# Mutation tests

\`npm run mutation\` changes the sources one place at a time: \`<\` becomes \`<=\`, a condition becomes \`true\`, a string becomes empty. It then runs
the tests that reach the changed line. A mutant that no test detects is a promise that no test checks. The run fails when the
tests detect less than 85 % of a part's mutants. A mutant that never ends counts as detected.

${table(columns, rows)}

${parts.map(({ name, sources }) => `- **${name}**: ${sources.map((source) => `\`${source}\``).join(', ')}`).join('\n')}

A full run takes three hours on two cores, so it is not part of \`npm test\`. \`npm run mutation -- auth\` runs one part. The surviving mutants are
listed in the terminal. The mutants are made by [Stryker](https://stryker-mutator.io).

\`src/scheduler/redis/\` is left out: its tests start, stop and empty Redis servers, which takes a minute for each mutant.

\`npm run coverage\` is a second check. It fails when the tests execute less than 95 % of the branches of \`src\`. It counts the quick tests, and the tests
that start the command and its page (\`src/cli\`) in processes and browsers.
`;
  writeFileSync(page, text);
}

function row(name: string, { killed, timedOut, survived, notCovered }: Counts): string[] {
  const all = killed + timedOut + survived + notCovered;
  return [name, ...[all, killed, timedOut, survived, notCovered].map(String), percent((killed + timedOut) / all)];
}

function total(results: readonly Counts[]): Counts {
  const of = (read: (result: Counts) => number) => sum(results.map(read));
  return {
    killed: of(({ killed }) => killed),
    timedOut: of(({ timedOut }) => timedOut),
    survived: of(({ survived }) => survived),
    notCovered: of(({ notCovered }) => notCovered),
  };
}
