// Measures the contenders side by side, each figure in a process of its own, rounds interleaved, and writes
// docs/scheduler-benchmark.md.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { digits, median, table, type Row } from '../../support/figures.js';
import { contenders } from './contenders.js';
import type { Figures } from './measure.js';

const rounds = 3;
const backlogs = [1, 10, 1000, 100_000];
const names = contenders.map(({ name }) => name);
const baseline = 'bottleneck';

function measure(...words: string[]): Figures {
  const file = fileURLToPath(new URL('measure.ts', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', file, ...words], { encoding: 'utf8' }),
  ) as Figures;
}

/** The figures of every contender, round by round. */
type Results = ReadonlyMap<string, readonly Figures[]>;

function compare(count: number, ...words: string[]): Results {
  const results = new Map<string, Figures[]>(names.map((name) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    for (const name of names) results.get(name)?.push(measure(name, ...words));
  }
  console.error(words.join(' '));
  return results;
}

function values(results: Results, name: string, figure: string): number[] {
  return (results.get(name) ?? []).flatMap((figures) => figures[figure] ?? []);
}

type Cell = (value: number) => string;

/** A row: the median of each contender, the least and greatest, and the ratio to plain Bottleneck. */
function row(title: string, results: Results, figure: string, write: Cell): Row {
  const base = median(values(results, baseline, figure));
  const cells = names.map((name) => {
    const found = values(results, name, figure);
    if (found.length === 0) return 'cannot';
    const spread = found.length > 1 ? ` (${write(Math.min(...found))} – ${write(Math.max(...found))})` : '';
    const ratio = Number.isNaN(base) || name === baseline ? '' : `, **× ${digits(median(found) / base)}**`;
    return `${write(median(found))}${spread}${ratio}`;
  });
  return [title, ...cells];
}

const thousands: Cell = (value) => Math.round(value).toLocaleString('en');
const micros: Cell = (value) => `${digits(value)} µs`;
const share: Cell = (value) => `${(value * 100).toFixed(0)} %`;
const bytes: Cell = (value) => `${Math.round(value)} B`;

const byBacklog = backlogs.map((backlog) => ({ backlog, results: compare(rounds, 'throughput', String(backlog)) }));
const idle = compare(rounds, 'idle');
const memory = compare(rounds, 'memory');
const exact = compare(1, 'exactness');

const byContender = (rows: readonly Row[]) => table(['', ...names], rows);

const text = `# The scheduler beside others

Written by \`npm run bench:scheduler\`: Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}. Every figure was
measured in a process of its own, ${rounds} rounds of all contenders one after another; medians, least and greatest in brackets, and the ratio to plain
Bottleneck in bold. Take the ratios: the machine is shared.

- **exchange-rx**: a permit from \`scheduler.acquire()\`, given back when the answer is there.
- **bottleneck**: \`schedule()\` a request, with \`reservoir\`, \`reservoirRefreshAmount\` and \`reservoirRefreshInterval\`.
- **p-queue**: \`add()\` a request, with \`intervalCap\` and \`interval\`; **strict** with \`strict: true\`.
- **limiter**: \`removeTokens(1)\` of a \`RateLimiter\`.

## What the exchange counts

200 requests a second, saturated after a quiet start, through a network that takes up to half a second each way. Above 100 % is over the limit:
429, and when it is repeated perhaps a block for a time.

${byContender([row('largest window', exact, 'largest', share), row('sustained rate', exact, 'sustained', share)])}

Only a permit that comes back a window after the *answer* keeps the limit where it is counted; the others count the requests that start. That
is also its price: the sustained rate is the window's share of window and round trip, here with half a second of it. At the windows and latencies of
the exchange it is above 98 %: see [the soak](soak.md).

## From asking to starting

An idle client, one request at a time.

${byContender([row('p50', idle, 'p50Micros', micros), row('p99', idle, 'p99Micros', micros)])}

## Requests a second, and CPU

Permits are plentiful; so many requests wait or run at any time.

${byContender(byBacklog.map(({ backlog, results }) => row(`${thousands(backlog)}: a second`, results, 'perSecond', thousands)))}

${byContender(byBacklog.map(({ backlog, results }) => row(`${thousands(backlog)}: CPU a request`, results, 'cpuMicros', micros)))}

The exchange allows 1000 stock market orders a second. p-queue and limiter do less a request, and are cheaper: they neither wait for answers nor know
priorities by turn, reserves, 429s or other processes.

## 100,000 requests waiting

${byContender([
  row('memory for each', memory, 'bytes', bytes),
  row('to queue one', memory, 'queueMicros', micros),
  row('to take one back', memory, 'cancelMicros', micros),
])}
`;

writeFileSync(new URL('../../../docs/scheduler-benchmark.md', import.meta.url), text);
