// Prints the figures of the soak test as a table. `npm run soak:record` also writes them to docs/evidence/soak.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { table, type Row } from '../support/figures.js';

const file = new URL('../../docs/evidence/soak.md', import.meta.url);
const isRecording = process.env['RECORD'] === 'true';

const introduction = `# Soak tests: the limits at full rate, and hours of live data

Clients keep the limits of stock market orders and of public requests saturated. The network takes 5 to 80 ms and reorders requests. The
exchange is the sandbox, in a process of its own. It counts every sliding window, and responds 429 to the first request above a limit.

The tests of the limits pass when there is no 429, no window exceeds its limit, and the exchange's ledger agrees with the results that callers got.

The tests of the live connection take an hour. Connections are cut, and the account loses messages. They pass when the heap ends within 5 MB of
where it began, and when every execution, every end of an order, the balances, positions and open orders are those of the exchange's ledger.

The test of the trading page keeps it open in a browser on a market that moves, with a cut every minute. It passes when the tab
takes less than 90 MB after a collection, which each sample makes, and the heap of the server ends within 5 MB of where it began.

The test of paper trading, in fake time, records a market while a script trades on it on paper, and replays the recording to the script twice. It
passes when all fills are the same in the three runs, except for their times within one latency.

Speed is reported only. \`npm run soak\`, and \`npm run soak:live\`, \`:account\`, \`:page\` and \`:paper\` print these tables; with
\`RECORD=true\`, they write them here.
`;

/** Prints a section, and writes it to the page when the run is recorded. */
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
