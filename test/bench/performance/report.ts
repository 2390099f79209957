// Writes docs/evidence/performance.md.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { bookKeepers } from '../live/books.js';
import { bookWatchers } from '../live/watchers.js';
import { ways } from '../replay/ways.js';
import { contenders } from './contenders/index.js';
import { digits, median, percent as writePercent, table } from '../../support/figures.js';
import type { Results } from './results.js';

const file = new URL('../../../docs/evidence/performance.md', import.meta.url);

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
  const bookCpu = (keeper: string) => `${keeper}, order book: CPU µs a message`;
  const ofBooks = (cell: (keeper: string) => string) => Object.keys(bookKeepers).map(cell);
  const watchRows = [397, 1].flatMap((count) => {
    const load = count === 1 ? '1 book, 1,000 messages a second' : `${count} books, 500 messages a second`;
    const ofWatchers = (cell: (name: string) => string) =>
      Object.keys(bookWatchers).map((watcher) => cell(`${watcher}, ${count} watched`));
    return [
      [`${load}: share of a core`, ...ofWatchers((name) => percent(`${name}: share of a core`))],
      ['CPU of a message, µs', ...ofWatchers((name) => figure(`${name}: CPU µs a message`))],
      ...['p50', 'p99'].map((share) => [
        `from sending to the subscriber, µs, ${share}`,
        ...ofWatchers((name) => figure(`${name}: µs to the subscriber, ${share}`)),
      ]),
    ];
  });
  const wayCpu = (way: string) => `${way}: CPU µs a frame`;
  const fastest = middle(wayCpu('JSON.parse alone'));
  const replayRows = Object.keys(ways).map((way) => [
    way,
    figure(wayCpu(way)),
    digits(1e6 / middle(wayCpu(way))),
    (fastest / middle(wayCpu(way))).toFixed(2),
  ]);
  const recordCpu = (who: string) => `${who}, 5,000 frames a second: CPU µs a frame`;
  const recordRatio = middle(recordCpu('a recorder')) / middle(recordCpu('a subscription'));
  const megabyte = 2 ** 20;
  const text = `# Performance

Recorded by \`npm run bench\`: Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}. Each figure is the median of ${rounds} rounds; the brackets hold the
minimum and the maximum. The client and the exchange run in processes of their own, and the contenders take turns in each round. The
machine is shared and noisy: compare the ratios. \`npm run bench -- --compare\` measures again and prints the differences.

## CPU per order

CPU of the client's process for one signed stock market order, in microseconds, after 10,000 orders of at most 16 at once: a
process that starts with a larger burst may take more. The ratio to this package is in bold.

${table(['', ...names], costRows)}

- **undici by hand**: undici's \`request\` and \`node:crypto\`, written for this one endpoint. It checks nothing, keeps no rate limit, and does
  not handle a lost response.
- **lean fetch by hand**: the same, over a \`fetch\` on undici's dispatcher, without streams.
- **ky by hand**: the same, by ky over that \`fetch\`, as \`kyTransport\` calls it.
- **exchange-rx with kyTransport**: this package with a ky instance that has a hook, over the platform's \`fetch\`. ky makes a
  \`Request\` that follows a signal, which Node keeps until a major collection.
- **naive**: ky over the platform's \`fetch\`, one Bottleneck job per request, valibot and RxJS, without optimization.
- **ccxt**: \`createOrder\` of its class for this exchange. Its rate limiter is off, and it does not check responses.

Orders per second that one process places when no limit applies (the exchange allows 1000):

${table(['', ...names], rateRows)}

Memory that an order allocates, 32 at once, in KB: orders in flight are what a collection has to copy.

${table(
  ['undici by hand', 'lean fetch by hand', 'exchange-rx', 'ccxt'],
  [
    ['undici by hand', 'lean fetch by hand', 'exchange-rx', 'ccxt'].map((name) =>
      figure(`${name}, 32 at once: bytes an order`, 1024),
    ),
  ],
)}

## Latency from subscription to socket

The time from subscribing until the head of the request is written, in microseconds.

${table(['', 'undici by hand', 'exchange-rx', 'added'], latencyRows)}

## Order books

The book of a market, 100 + 100 levels, maintained from the texts of its messages: a delta has 8 changes. \`JSON.parse\` alone is the
floor. ccxt is the handler of its class for this exchange, which compares no sequence numbers and keeps prices as doubles.

${table(
  ['', ...Object.keys(bookKeepers)],
  [
    ['CPU of a message, µs', ...ofBooks((keeper) => figure(bookCpu(keeper)))],
    [
      'without `JSON.parse`, µs',
      ...ofBooks((keeper) => digits(middle(bookCpu(keeper)) - middle(bookCpu('JSON.parse alone')))),
    ],
    ['messages a second', ...ofBooks((keeper) => figure(`${keeper}, order book: messages a second`))],
    [
      'memory of a book and its texts, KB',
      ...ofBooks((keeper) =>
        keeper === 'JSON.parse alone' ? '' : figure(`${keeper}, order book: bytes a book`, 1024),
      ),
    ],
  ],
)}

Order books that are watched on a connection, from the socket to the program's function, while another process sends. \`ws by hand\` parses
each message and keeps no book. ccxt.pro is \`watchOrderBook\`, called again for each book; it merges
messages that arrive together.

${table(['', ...Object.keys(bookWatchers)], watchRows)}

## Recordings

What a frame of the same order book costs on its way from a recording, with 100 frames a second, to a program that watches the book. The
open order rests among the shown levels, so each frame is matched, too. The last column has the rate as a share of that of \`JSON.parse\`.

${table(['', 'CPU of a frame, µs', 'frames a second', 'share'], replayRows)}

A recorder of that book at 5,000 frames a second takes ${figure(recordCpu('a recorder'))} µs a frame, the subscription alone ${figure(recordCpu('a subscription'))} µs: **× ${recordRatio.toFixed(2)}**.

## Start-up and size

${table(
  ['', 'exchange-rx', 'ccxt'],
  [
    ['import, ms', figure('exchange-rx: ms to import'), figure('ccxt: ms to import')],
    [
      'memory after import, MB',
      figure('exchange-rx: bytes of memory when imported', megabyte),
      figure('ccxt: bytes of memory when imported', megabyte),
    ],
  ],
)}

Bundled by esbuild with its dependencies, the package takes ${figure('bundle: bytes', 1024)} KB (${figure('bundle: bytes, gzipped', 1024)} KB gzipped). Most of it is
undici, Bottleneck and RxJS.
`;
  writeFileSync(file, text);
}
