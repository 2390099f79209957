// docs/mutation.md, of what was found.
import { writeFileSync } from 'node:fs';
import { percent, sum, table } from '../support/figures.js';
import { parts } from './parts.js';
import { reasonOf } from './reasons.js';
import type { Mutant, PartResult, Results } from './results.js';

const file = new URL('../../docs/mutation.md', import.meta.url);

export function writeReport(results: Results): void {
  const known = parts.flatMap(({ name, sources }) => {
    const result = results[name];
    return result === undefined ? [] : [{ name, sources, result }];
  });
  const text = `# The tests of the tests

\`npm run mutation\` changes the sources in small ways, one at a time (a \`<\` becomes a \`<=\`, a condition \`true\`, a text empty), and runs the tests that reach the
change. A change that no test notices is a promise that nobody checks. The run fails when less than 85 % of a part is noticed. It takes most of an hour on
two cores, so it is no part of \`npm test\`; \`npm run mutation -- auth\` takes one part. It is made with [Stryker](https://stryker-mutator.io), and this page is
written by it. A mutant that never ends is noticed, too.

${table(['part', 'mutants', 'killed', 'timed out', 'survived', 'not covered', 'noticed'], [...known.map(({ name, result }) => row(name, result)), row('**all**', total(known.map(({ result }) => result)))])}

${known.map(({ name, sources }) => `- **${name}**: ${sources.map((source) => `\`${source}\``).join(', ')}`).join('\n')}

The permits that processes share (\`src/scheduler/redis/\`) are tested against Redis servers that are started, stopped and emptied: a minute for each
mutant would be too long.

Beside it, \`npm run coverage\` fails when the tests take less than 95 % of the branches of \`src\`: the quick ones, and those that start the command and
its page (\`src/cli\`), in processes of their own and in a browser. Tests run in another order each time; the seed is printed.

## What is left

${known.map(({ name, result: { left } }) => `### ${name}\n\n${left.length === 0 ? 'Nothing.' : listed(left)}`).join('\n\n')}
`;
  writeFileSync(file, text);
}

function row(name: string, { killed, timedOut, survived, notCovered }: PartResult): string[] {
  const all = killed + timedOut + survived + notCovered;
  return [name, ...[all, killed, timedOut, survived, notCovered].map(String), percent((killed + timedOut) / all)];
}

function total(results: readonly PartResult[]): PartResult {
  const of = (read: (result: PartResult) => number) => sum(results.map(read));
  return {
    killed: of(({ killed }) => killed),
    timedOut: of(({ timedOut }) => timedOut),
    survived: of(({ survived }) => survived),
    notCovered: of(({ notCovered }) => notCovered),
    left: [],
  };
}

/** A row for each line of the sources, with all that may stand in it unnoticed. */
function listed(left: readonly Mutant[]): string {
  const lines = new Map<string, Mutant[]>();
  for (const mutant of left) {
    const line = `${mutant.file}\n${mutant.code}`;
    lines.set(line, [...(lines.get(line) ?? []), mutant]);
  }
  const rows = [...lines.values()].flatMap((mutants) => {
    const [first] = mutants;
    if (first === undefined) return [];
    const becomes = mutants.map(({ replacement }) => code(replacement)).join(', ');
    return [[`\`${first.file.replace(/^src\//, '')}\``, code(first.code), becomes, reasonOf(first)]];
  });
  return table(['file', 'line', 'may become', 'why it is left'], rows);
}

function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('`', '´');
  return `\`${line.length > 100 ? `${line.slice(0, 100)}…` : line}\``;
}
