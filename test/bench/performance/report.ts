// docs/performance.md, of what was measured.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { contenders } from './contenders/index.js';
import { digits, median, percent as writePercent, table } from '../../support/figures.js';
import type { Results } from './results.js';

const file = new URL('../../../docs/performance.md', import.meta.url);

export function writeReport(results: Results, rounds: number): void {
  const values = (figure: string) => results[figure] ?? [];
  const middle = (figure: string) => median(values(figure));
  const spread = (figure: string, unit: number, write: (value: number) => string) => {
    const scaled = values(figure).map((value) => value / unit);
    if (scaled.length === 0) return 'not measured';
    const text = write(median(scaled));
    return scaled.length === 1 ? text : `${text} (${write(Math.min(...scaled))} – ${write(Math.max(...scaled))})`;
  };
  const figure = (name: string, unit = 1) => spread(name, unit, digits);
  const percent = (name: string) => spread(name, 1, writePercent);

  const names = Object.keys(contenders);
  const cost = (name: string, concurrency: number) => `${name}, ${concurrency} at once: CPU µs an order`;
  const costRows = [1, 32, 256].map((concurrency) => {
    const own = middle(cost('exchange-rx', concurrency));
    return [
      `${concurrency} at once`,
      ...names.map((name) => {
        const ratio = middle(cost(name, concurrency)) / own;
        return `${figure(cost(name, concurrency))}${name === 'exchange-rx' ? '' : `, **× ${ratio.toPrecision(2)}**`}`;
      }),
    ];
  });
  const rateRows = [1, 32, 256].map((concurrency) => [
    `${concurrency} at once`,
    ...names.map((name) => figure(`${name}, ${concurrency} at once: orders a second`)),
  ]);
  const latencyRows = ['idle', 'paced'].flatMap((pace) =>
    ['p50', 'p99', 'p99.9'].map((share) => {
      const [floor, own] = ['undici by hand', 'exchange-rx'].map(
        (name) => `${name}, ${pace}: µs to the socket, ${share}`,
      );
      const added = middle(own ?? '') - middle(floor ?? '');
      return [
        `${pace === 'idle' ? 'idle' : '1000 a second'}, ${share}`,
        figure(floor ?? ''),
        figure(own ?? ''),
        `${added < 0 ? '−' : '+'} ${digits(Math.abs(added))}`,
      ];
    }),
  );
  const megabyte = 2 ** 20;
  const text = `# Performance

Written by \`npm run bench\`: Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}. Every figure was measured in a process of its own,
against an exchange in another, in ${rounds} rounds of all contenders one after another: the median, and the least and the greatest in brackets. The machine is shared
and noisy: take the ratios. \`npm run bench -- --compare\` measures again, and prints the change against what is recorded here.

## What an order costs

CPU of the whole process for a signed stock market order, microseconds; in bold, how many times what this package takes. That is what the strategy
on the same core has left, or has not.

${table(['', ...names], costRows)}

- **undici by hand**: undici's \`request\` and \`node:crypto\`, written for this one endpoint. It checks nothing, waits for no limit, and does not know what to do
  when an answer is lost.
- **lean fetch by hand**: the same on the \`fetch\` that this package sends with.
- **ky by hand**: the same by ky on that \`fetch\`, in the shape of call that costs least.
- **naive**: ky on the platform's \`fetch\`, a Bottleneck job a request, valibot, RxJS, as one would first put them together.
- **ccxt**: \`createOrder\` of its class for this exchange, its rate limiter off. It checks no answer and keeps no limit then.

Orders a second that one process places, when nothing else bounds it (the exchange allows 1000):

${table(['', ...names], rateRows)}

## From asking to the socket

From subscribing to the request's head being written, microseconds.

${table(['', 'undici by hand', 'exchange-rx', 'added'], latencyRows)}

## A minute at full rate

Both of the description's limits saturated at once, through a network of 5 to 80 ms, against the sandbox: another run than [the soak's](soak.md), and runs
differ by about a percent.

${table(
  ['', ''],
  [
    ['share of 10000 orders / 10 s', percent('sustained: share of the limit of orders')],
    ['share of 2000 public requests / 10 s', percent('sustained: share of the public limit')],
    ['answers 429', figure('sustained: answers 429')],
    ['CPU of the client, of one core', percent('sustained: share of a core')],
    ['event-loop delay, p99', `${figure('sustained: event-loop delay p99, ms')} ms`],
    [
      'heap after 20, 40 and 60 s',
      [20, 40, 60].map((after) => `${figure(`sustained: heap after ${after} s, bytes`, megabyte)} MB`).join(', '),
    ],
  ],
)}

## As work grows

${table(
  ['', '', ''],
  [
    ...[1, 10, 100].map((count) => [
      `${count} balance streams, polling each second`,
      `${percent(`${count} pollers: share of a core`)} of a core`,
      `${figure(`${count} pollers: CPU µs a poll`)} µs a poll`,
    ]),
    ...[10, 1000, 100_000].map((waiting) => [
      `${waiting.toLocaleString('en')} requests waiting`,
      `${figure(`${waiting} waiting: µs to enter and leave`)} µs to enter the line and leave it`,
      '',
    ]),
    [
      '900 orders a second from 1 process alone',
      `${figure('1 process alone: CPU µs an order')} µs of CPU an order`,
      '',
    ],
    ['from 1 over Redis', `${figure('1 over Redis: CPU µs an order')} µs of CPU an order`, ''],
    ['from 4 over Redis', `${figure('4 over Redis: CPU µs an order')} µs of CPU an order`, ''],
  ],
)}

## To start, and to ship

${table(
  ['', 'exchange-rx', 'ccxt'],
  [
    ['to import, ms', figure('exchange-rx: ms to import'), figure('ccxt: ms to import')],
    [
      'memory, MB',
      figure('exchange-rx: bytes of memory when imported', megabyte),
      figure('ccxt: bytes of memory when imported', megabyte),
    ],
  ],
)}

Bundled by esbuild with all that it uses, \`ping\` alone takes ${figure('bundle of ping alone: bytes', 1024)} KB (${figure('bundle of ping alone: bytes, gzipped', 1024)} KB gzipped), everything
${figure('bundle of everything: bytes', 1024)} KB (${figure('bundle of everything: bytes, gzipped', 1024)} KB gzipped): most of both is undici, Bottleneck and RxJS.

## Where it goes

What this package does beside the floor, per order: a check of the parameters, a permit, a timer for the attempt, the identifier and both of its names, a check of the
answer, events, and RxJS between them. ky takes the largest single part: it makes a \`Request\` of everything it sends, and a copy for the repeats that are off here.
So it is given the address alone, and what is sent goes to \`fetch\` beside it, in a hook whose answer needs no copy (\`src/http/send.ts\`). The \`fetch\` under it writes to
undici's dispatcher and reads no streams (\`src/http/lean-fetch.ts\`). The body is serialised once: the same text is encoded, signed and sent, with a key that was prepared once.
Permits cost little because a process alone takes them from Bottleneck up to 128 at a time (\`src/scheduler/permit-source.ts\`).

Two things cannot be avoided with ky. Its \`Request\` follows a signal, and Node registers each such request to be told when it is collected; what is registered lives until a
major collection, some 12 KB an order, which is most of the garbage and the tail of the latencies above. And the \`Request\` itself, with its headers and its signal, costs about as much
as the lean \`fetch\` with the sending under it: the row *ky by hand* is the least that a request by ky takes.
`;
  writeFileSync(file, text);
}
