// Measures every figure of every contender in a process of its own, with the contenders taking turns in each round, and
// writes docs/evidence/scheduler-benchmark.md.
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

const text = `# Scheduler benchmark

Recorded by \`npm run bench:scheduler\`: Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}. Each figure is the median of ${rounds} rounds; the
brackets hold the minimum and the maximum. The contenders take turns in processes of their own. The ratio to plain Bottleneck is in
bold. The machine is shared: compare the ratios.

- **exchange-rx**: a permit from \`scheduler.acquire()\`, returned after the response.
- **bottleneck**: \`schedule()\` per request, with \`reservoir\`, \`reservoirRefreshAmount\` and \`reservoirRefreshInterval\`.
- **p-queue**: \`add()\` per request, with \`intervalCap\` and \`interval\`; **strict** with \`strict: true\`.
- **limiter**: \`removeTokens(1)\` of a \`RateLimiter\`.

## The largest window at the exchange

200 requests a second, saturated after a quiet start, over a network that takes up to half a second each way. More than 100 % exceeds the
limit: the exchange responds 429, and may block the address when it happens repeatedly.

${byContender([row('largest window', exact, 'largest', share), row('sustained rate', exact, 'sustained', share)])}

A permit that is released one window after the *response* keeps the limit as the exchange counts it. The other contenders count requests
when they start. The price is sustained rate: the window divided by window plus round trip, here with a round trip of half a second. With
the exchange's windows and latencies the sustained rate is above 98 %, as the [soak test](soak.md) shows.

## Latency from request to start

An idle client, one request at a time.

${byContender([row('p50', idle, 'p50Micros', micros), row('p99', idle, 'p99Micros', micros)])}

## Throughput and CPU

There are always enough permits. Each row names the number of requests that wait or run at the same time.

${byContender(byBacklog.map(({ backlog, results }) => row(`${thousands(backlog)}: requests a second`, results, 'perSecond', thousands)))}

${byContender(byBacklog.map(({ backlog, results }) => row(`${thousands(backlog)}: CPU per request`, results, 'cpuMicros', micros)))}

The exchange allows 1000 stock market orders a second. p-queue and limiter are cheaper per request, because they do less. They do not wait
for responses, and have no fair priorities, no reserve for urgent requests, no handling of 429, and no sharing between processes.

## 100,000 queued requests

${byContender([
  row('memory per request', memory, 'bytes', bytes),
  row('time to queue one', memory, 'queueMicros', micros),
  row('time to remove one', memory, 'cancelMicros', micros),
])}
`;

writeFileSync(new URL('../../../docs/evidence/scheduler-benchmark.md', import.meta.url), text);
