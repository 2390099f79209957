// A program that receives responses that are slow to parse, eight of each kind at once. It prints the longest time
// without a timer, in milliseconds of its CPU time, which a busy machine changes little. Another process serves the
// responses, compressed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { lastValueFrom, type Observable } from 'rxjs';
import { createExchange, type Exchange } from '../../../src/index.js';

const mebibyte = 2 ** 20;
const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`;
const map = (count: number, entry: (index: number) => string) => `{${list(count, entry).slice(1, -1)}}`;
const filling = (item: string) => list(Math.floor((8 * mebibyte - 2) / (item.length + 1)), () => item);

type Call = (exchange: Exchange) => Observable<unknown>;
const markets: Call = (exchange) => exchange.public.markets();
const balance: Call = (exchange) => exchange.account.mainBalance();
const history: Call = (exchange) => exchange.orders.history();
const openOrders: Call = (exchange) => exchange.orders.open();

const hugeMarket = JSON.stringify({
  ...{ name: 'a', stock: 'a', money: 'b', stockPrec: '1', moneyPrec: '1', tickSize: 0, stepSize: 0 },
  ...{ minAmount: 0, minTotal: 0, maxTotal: 0, makerFee: 0, takerFee: 0 },
}).replaceAll(':0', ':1e300');
const longSteps = JSON.stringify({ stepSize: `${'1'.repeat(99)}.${'1'.repeat(99)}`, tickSize: `1${'0'.repeat(99)}` });

type Kinds = Readonly<Record<string, readonly [call: Call, body: () => string, status?: number]>>;

/** Bodies of up to 8 MiB that are rejected. */
const rejected: Kinds = {
  'numbers with exponents': [markets, () => filling('1e100')],
  'numbers that a double rounds': [balance, () => filling('9007199254740993')],
  'a number that a double rounds, at the end': [markets, () => `${filling('1').slice(0, -40)},9007199254740993]`],
  'short items': [openOrders, () => filling('1')],
  'empty lists': [balance, () => filling('[]')],
  keys: [balance, () => map(500_000, (index) => `"${index.toString(36)}":1`)],
  'nested lists': [markets, () => '['.repeat(4 * mebibyte) + ']'.repeat(4 * mebibyte)],
  'an error with a list of messages': [markets, () => `{"error":${filling('"a"').slice(0, -30)}"]}`, 422],
  'an error with fields': [balance, () => `{"errors":${map(400_000, (index) => `"${index}":["a"]`)}}`, 422],
};

/** The slowest valid bodies. */
const accepted: Kinds = {
  'the maximum of items': [openOrders, () => list(79_000, () => '1')],
  'the maximum of keys': [balance, () => map(26_000, (index) => `"${index.toString(36)}":{}`)],
  'the maximum of shapes': [markets, () => list(26_000, (index) => `{"${index.toString(36)}":1}`)],
  'the maximum of invalid lists': [history, () => map(19_000, (index) => `"A${index}_B":[1]`)],
  'the maximum of long numbers': [markets, () => list(7000, (index) => `1.${'7'.repeat(85)}e-${200 + (index % 100)}`)],
  'numbers that are long without an exponent': [markets, () => list(3100, () => hugeMarket)],
  'steps of a hundred digits': [markets, () => list(15_900, () => longSteps)],
};

const kinds: Kinds = { ...rejected, ...accepted };

function serve(): void {
  const bodies = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const kind = kinds[decodeURIComponent(request.url?.split('/')[1] ?? '')];
    if (kind === undefined) throw new Error('no such kind');
    const [, body, status = 200] = kind;
    const compressed = bodies.get(request.url ?? '') ?? gzipSync(body());
    bodies.set(request.url ?? '', compressed);
    response.writeHead(status, { 'content-encoding': 'gzip' }).end(compressed);
  }).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** The time, and the CPU time of this process. */
function spent(): readonly [wallMs: number, cpuMs: number] {
  const { user, system } = process.cpuUsage();
  return [performance.now(), (user + system) / 1000];
}

/** The longest time between two runs of a timer during the work. */
async function stallDuring(work: () => Promise<unknown>): Promise<number> {
  let last = spent();
  let longest = 0;
  const tick = () => {
    const now = spent();
    longest = Math.max(longest, Math.min(now[0] - last[0], now[1] - last[1]));
    last = now;
  };
  const timer = setInterval(tick, 5);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearInterval(timer);
  tick();
  return longest;
}

async function measure(): Promise<void> {
  const server = fork(process.argv[1] ?? '', ['serve'], { execArgv: process.execArgv });
  const [port] = (await once(server, 'message')) as [number];
  for (const [kind, [call]] of Object.entries(kinds)) {
    const exchange = createExchange({
      baseUrl: `http://127.0.0.1:${port}/${encodeURIComponent(kind)}`,
      credentials: { apiKey: 'the-key-of-the-account', apiSecret: 'secret' },
      retry: false,
      timeoutMs: 60_000,
    });
    // The first request creates the server's response and warms up the code.
    await lastValueFrom(call(exchange)).catch(() => undefined);
    const once8 = () =>
      Promise.all(Array.from({ length: 8 }, () => lastValueFrom(call(exchange)).catch(() => undefined)));
    process.stdout.write(
      `${JSON.stringify({ kind, isRejected: kind in rejected, stallMs: Math.round(await stallDuring(once8)) })}\n`,
    );
  }
  server.kill();
}

if (process.argv[2] === 'serve') serve();
else await measure();
