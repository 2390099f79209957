// The figures of the soak, as a table: printed by every run, and kept in docs/soak.md by `npm run soak:record`.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { table, type Row } from '../support/figures.js';

const file = new URL('../../docs/soak.md', import.meta.url);
const isRecording = process.env['RECORD'] === 'true';

const introduction = `# The limits at full rate

What the soak last measured (\`npm run soak\` prints it, \`npm run soak:record\` writes it here): clients keep both of the description's limits
saturated, through a network that takes 5 to 80 ms and lets requests overtake each other, against the sandbox in a process of its own,
which counts every sliding window and would answer 429 on the first request above the limit. What decides the test is that there is no such
answer, that no window is above the limit, and that the exchange's ledger and what callers were told agree. Speeds are reported only.
`;

/** Prints a section, and keeps it when the soak is recorded. */
export function report(title: string, columns: Row, rows: readonly Row[]): void {
  const figures = table(columns, rows);
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}.`;
  console.log(`\n${title}\n\n${figures}\n`);
  if (!isRecording) return;
  const sections = sectionsOf(readFileSync(file, 'utf8')).filter(({ heading }) => heading !== title);
  const text = [...sections, { heading: title, body: `${machine}\n\n${figures}` }].map(
    ({ heading, body }) => `## ${heading}\n\n${body}\n`,
  );
  writeFileSync(file, `${introduction}\n${text.join('\n')}`);
}

function sectionsOf(text: string) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...body] = section.split('\n');
      return { heading, body: body.join('\n').trim() };
    });
}
