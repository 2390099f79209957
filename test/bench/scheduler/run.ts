// Measures the contenders side by side, each figure in a process of its own, rounds interleaved, and writes docs/scheduler-benchmark.md.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { contenders } from './contenders.js';
import type { Figures } from './measure.js';

const rounds = 3;
const backlogs = [1, 10, 1000, 100_000];
const names = contenders.map(({ name }) => name);
const baseline = 'bottleneck';

function measure(...words: string[]): Figures {
  const file = fileURLToPath(new URL('measure.ts', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', file, ...words], { encoding: 'utf8' })) as Figures;
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
  return (results.get(name) ?? []).flatMap((figures) => figures[figure] ?? []).sort((a, b) => a - b);
}

function median(results: Results, name: string, figure: string): number | undefined {
  const sorted = values(results, name, figure);
  return sorted[Math.floor(sorted.length / 2)];
}

type Cell = (value: number) => string;

/** A row: the median of each contender, the least and greatest, and the ratio to plain Bottleneck. */
function row(title: string, results: Results, figure: string, write: Cell): string {
  const base = median(results, baseline, figure);
  const cells = names.map((name) => {
    const value = median(results, name, figure);
    if (value === undefined) return 'cannot';
    const sorted = values(results, name, figure);
    const [least = value, greatest = value] = [sorted[0], sorted.at(-1)];
    const spread = sorted.length > 1 ? ` (${write(least)} – ${write(greatest)})` : '';
    const ratio = base === undefined || name === baseline ? '' : `, **× ${digits(value / base)}**`;
    return `${write(value)}${spread}${ratio}`;
  });
  return `| ${title} | ${cells.join(' | ')} |`;
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}

const thousands: Cell = (value) => Math.round(value).toLocaleString('en');
const micros: Cell = (value) => `${digits(value)} µs`;
const share: Cell = (value) => `${(value * 100).toFixed(0)} %`;
const bytes: Cell = (value) => `${Math.round(value)} B`;

const byBacklog = backlogs.map((backlog) => ({ backlog, results: compare(rounds, 'throughput', String(backlog)) }));
const idle = compare(rounds, 'idle');
const memory = compare(rounds, 'memory');
const exact = compare(1, 'exactness');

const table = (rows: readonly string[]) => [`| | ${names.join(' | ')} |`, `|${' --- |'.repeat(names.length + 1)}`, ...rows].join('\n');

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
429, and in the end a ban.

${table([
  row('largest window', exact, 'largest', share),
  row('sustained rate', exact, 'sustained', share),
])}

Only a permit that comes back a window after the *answer* keeps the limit where it is counted; the others count the requests that start. That
is also its price: the sustained rate is the window's share of window and round trip, here with half a second of it. At the windows and latencies of
the exchange it is above 98 %: see [the soak](soak.md).

## From asking to starting

An idle client, one request at a time.

${table([row('p50', idle, 'p50Micros', micros), row('p99', idle, 'p99Micros', micros)])}

## Requests a second, and CPU

Permits are plentiful; so many requests wait or run at any time.

${table(byBacklog.map(({ backlog, results }) => row(`${thousands(backlog)}: a second`, results, 'perSecond', thousands)))}

${table(byBacklog.map(({ backlog, results }) => row(`${thousands(backlog)}: CPU a request`, results, 'cpuMicros', micros)))}

The exchange allows 1000 stock market orders a second. p-queue and limiter do less a request, and are cheaper: they neither wait for answers nor know
priorities by turn, reserves, 429s or other processes.

## 100,000 requests waiting

${table([
  row('memory for each', memory, 'bytes', bytes),
  row('to queue one', memory, 'queueMicros', micros),
  row('to take one back', memory, 'cancelMicros', micros),
])}
`;

writeFileSync(new URL('../../../docs/scheduler-benchmark.md', import.meta.url), text);
