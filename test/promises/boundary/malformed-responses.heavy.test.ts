// Malformed responses. Each ends in a typed error within its bounds of time and memory. An order with such a response
// is found or has an unknown outcome, and is never placed twice.
import { createExchange, isExchangeError, type AnyExchangeError, type Fetch, type ClientOptions } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../support/failure.js';
import { forwardToSandbox, bytesOf, fromSandbox, serving, type Respond } from '../../support/raw-server.js';

const megabyte = 2 ** 20;
/** For responses that never end. Any other may take as long as a busy machine needs. */
const timeoutMs = 300;
const market = 'BTC_USDT';
const order = { market, side: 'buy', amount: '0.01' } as const;
const orderPath = '/api/v4/order/stock_market';
const credentials = { apiKey: 'the-key-of-the-account', apiSecret: 'the-secret-of-the-account' };

const baseUrl = 'https://exchange.example';
const common = { baseUrl, credentials, retry: false, lookupTimeoutMs: 0 } as const;

async function clientOf(respond: Respond, options: Partial<ClientOptions> = {}) {
  const { baseUrl, requests } = await serving(respond);
  return { exchange: createExchange({ ...common, baseUrl, ...options }), requests };
}

const withFetch = (fetch: Fetch, options: Partial<ClientOptions> = {}) =>
  createExchange({ ...common, fetch, ...options });

const balanceOf = (body: string, status = 200) =>
  withFetch(() => Promise.resolve(new Response(body, { status }))).account.mainBalance();

function forever(socket: Socket, piece: Buffer): void {
  const go = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', go);
  go();
}

function trickle(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 20);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

function chunked(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

type Write = (socket: Socket) => void;
type Kinds = readonly AnyExchangeError['kind'][];

const sends =
  (body: string | Buffer, options?: Parameters<typeof bytesOf>[1]): Write =>
  (socket) =>
    void socket.write(bytesOf(body, options));
const sendsWith = (body: string | Buffer, headers: Readonly<Record<string, string>>) => sends(body, { headers });
const writes =
  (text: string): Write =>
  (socket) =>
    void socket.write(text);
/** Begins a response, and writes a piece for ever. */
const goesOn =
  (beginning: string | Buffer, piece: Buffer): Write =>
  (socket) => {
    socket.write(beginning);
    forever(socket, piece);
  };
const trickles =
  (beginning: string | Buffer, byte: string): Write =>
  (socket) => {
    socket.write(beginning);
    trickle(socket, byte);
  };
const spaces = Buffer.alloc(megabyte, ' ');
const start = (headers: Readonly<Record<string, string>>) => bytesOf('', { headers });
const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100));
const manyHeaders = Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${index}\r\n`).join('');
const isChunked = { 'transfer-encoding': 'chunked' };
const zeros = Buffer.alloc(128 * megabyte);
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const pong = '["pong"]';
const oneChunk = `8\r\n${pong}\r\n0\r\n\r\n`;
const switching = 'Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade';
const encoded = (coding: string) => ({ 'content-encoding': coding });
const endsTooEarly: Write = (socket) => void socket.end(bytesOf(pong, { headers: { 'content-length': '100' } }));

/** What the server writes, and the kinds of error that a read may end with. */
const hostile: readonly (readonly [what: string, kinds: Kinds, write: Write])[] = [
  ['a bomb (gzip)', ['transport'], sendsWith(gzipSync(zeros, { level: 1 }), encoded('gzip'))],
  ['a bomb (br)', ['transport'], sendsWith(brotliCompressSync(zeros, brotli), encoded('br'))],
  ['a bomb (deflate)', ['transport', 'response'], sendsWith(deflateSync(zeros, { level: 1 }), encoded('deflate'))],
  ['a gigabyte, as declared', ['transport'], goesOn(start({ 'content-length': String(1024 * megabyte) }), spaces)],
  ['an endless chunked body', ['transport'], goesOn(start(isChunked), chunked(spaces))],
  ['an endless body without a length', ['transport'], goesOn('HTTP/1.1 200 OK\r\n\r\n', spaces)],
  ['a hundred thousand open brackets', ['response'], sends('['.repeat(100_000))],
  ['a hundred thousand nested lists', ['response'], sends('['.repeat(100_000) + ']'.repeat(100_000))],
  ['a hundred thousand nested objects', ['response'], sends('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))],
  ['half a million invalid items', ['response'], sends(`[${'1,'.repeat(500_000)}1]`)],
  ['invalid UTF-8', ['response'], sends(Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x5d]))],
  ['only a byte order mark', ['response'], sends('\ufeff')],
  ['an empty body', ['response'], sends('')],
  ['NaN', ['response'], sends('{"order_id":NaN}')],
  ['Infinity', ['response'], sends('{"order_id":-Infinity}')],
  ['null', ['response'], sends('null')],
  ['JSON followed by more', ['response'], sends(pong + pong)],
  ['an HTML page declared as JSON', ['response'], sendsWith('<html>', { 'content-type': 'application/json' })],
  ['a body shorter than declared, then the end of the connection', ['transport'], endsTooEarly],
  ['a body shorter than declared, then silence', ['timeout'], sendsWith(pong, { 'content-length': '100' })],
  ['a body longer than declared', ['response'], sendsWith(pong, { 'content-length': '4' })],
  ['a negative content-length', ['transport'], sendsWith(pong, { 'content-length': '-1' })],
  ['two content-lengths', ['transport'], sendsWith(pong, { 'content-length': '8', 'Content-Length': '4' })],
  [
    'a content-length and chunked encoding',
    ['transport'],
    sendsWith(oneChunk, { 'content-length': '8', ...isChunked }),
  ],
  ['an invalid chunk length', ['transport'], sendsWith('zz\r\n', isChunked)],
  ['ten thousand headers', ['transport'], writes(`HTTP/1.1 200 OK\r\n${manyHeaders}\r\n`)],
  ['a header of a megabyte', ['transport'], sendsWith(pong, { 'x-long': 'x'.repeat(megabyte) })],
  ['endless headers', ['transport', 'timeout'], goesOn('HTTP/1.1 200 OK\r\nx-long: ', Buffer.alloc(megabyte, 'x'))],
  ['a header with a null byte', ['transport'], sendsWith(pong, { 'x-null': 'a\0b' })],
  ['endless interim responses', ['timeout', 'transport'], goesOn(interim, interim)],
  ['an interim response, then silence', ['timeout', 'transport'], writes('HTTP/1.1 100 Continue\r\n\r\n')],
  ['a change to another protocol', ['transport'], writes(`HTTP/1.1 101 ${switching}\r\n\r\n`)],
  ['a garbage status line', ['transport'], writes('\0\u0001\u0002 GARBAGE\r\n\r\n')],
  ['another protocol', ['transport'], writes('220 mail.example ESMTP\r\n')],
  ['a status of 999', ['transport', 'api'], sends(pong, { status: '999 Odd' })],
  ['a status of 000', ['transport'], sends(pong, { status: '000 Odd' })],
  ['no content (204), with a body', ['response', 'transport'], sends(pong, { status: '204 No Content' })],
  ['a body that trickles', ['timeout'], trickles(start({ 'content-length': '1000' }), ' ')],
  ['headers that trickle', ['timeout'], trickles('HTTP/1.1 200 OK\r\nx-slow: ', 'x')],
  ['no response', ['timeout'], () => undefined],
  ['a closed connection', ['transport'], (socket) => void socket.end()],
  ['a reset', ['transport'], (socket) => void socket.resetAndDestroy()],
];
const optionsFor = (kinds: Kinds) => (kinds.includes('timeout') ? { timeoutMs } : {});

/** Maximum growth of the process by one response: its size as bytes, text and values, with a wide margin. */
const maxGrowth = 300 * megabyte;

async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return Math.max(most, process.memoryUsage.rss()) - before;
}

describe('a malformed response', () => {
  it.each(hostile)(
    'ends a read in a typed error in bounded memory, and the next read works: %s',
    async (_what, kinds, write) => {
      let isFirst = true;
      const { exchange } = await clientOf((socket) => {
        if (isFirst) write(socket);
        else socket.write(bytesOf('["pong"]'));
        isFirst = false;
      });
      let error: AnyExchangeError | undefined;
      const growth = await growthDuring(async () => (error = await failureOf(exchange.public.ping(optionsFor(kinds)))));
      expect(kinds).toContain(error?.kind);
      expect(error?.outcome).toBe('none');
      expect(error?.message.length).toBeLessThan(3000);
      expect(growth).toBeLessThan(maxGrowth);
      expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    },
  );

  it.each(hostile)(
    'to an order that was placed: the lookup finds it, and it is sent once: %s',
    async (_what, kinds, write) => {
      const sandbox = createSandbox({ volatility: 0 });
      const { baseUrl, requests } = await serving(async (socket, request) => {
        if (request.path !== orderPath) return fromSandbox(sandbox)(socket, request);
        await forwardToSandbox(sandbox, request);
        write(socket);
      });
      const { credentials: known } = sandbox.clientOptions();
      const exchange = createExchange({ baseUrl, credentials: known });
      const placed = await firstValueFrom(exchange.spot.placeStockMarketOrder(order, optionsFor(kinds)));
      expect(sandbox.ledger.orders.map(({ order_id }) => order_id)).toEqual([placed.order_id]);
      expect(requests.filter(({ path }) => path === orderPath)).toHaveLength(1);
    },
  );

  it.each(hostile)('to every request leaves an order unknown and sent once: %s', async (_what, kinds, write) => {
    const { exchange, requests } = await clientOf(write, {
      lookupTimeoutMs: 1,
      ...optionsFor(kinds),
      retry: {},
    });
    const error = await failureOf(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' }));
    expect(error).toMatchObject({ outcome: 'unknown', client_order_id: 'mine' });
    expect(requests.filter(({ path }) => path === orderPath)).toHaveLength(1);
  });
});

describe('numbers', () => {
  const read = async (changes: string) => {
    const known = {
      ...{ order_id: 1, client_order_id: 'mine', market, side: 'buy', type: 'stock market' },
      ...{ timestamp: 1595792396.165973, deal_money: '0', deal_stock: '0', amount: '1', left: '1', deal_fee: '0' },
    };
    const fetch: Fetch = () => Promise.resolve(new Response(`${JSON.stringify(known).slice(0, -1)},${changes}}`));
    return firstValueFrom(withFetch(fetch).spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' })).catch(
      (error: unknown) => error,
    );
  };
  const isRejected = (error: unknown) =>
    isExchangeError(error) && error.kind === 'response' && error.outcome === 'unknown';

  it.each(['9007199254740993', '9007199254740992', '18446744073709551616', '1.5', '1e400'])(
    'an order with the number %s is rejected',
    async (number) => {
      expect(await read(`"order_id":${number}`)).toSatisfy(isRejected);
    },
  );

  it.each<readonly [field: string, value: string]>([
    ['timestamp', '1e400'],
    ['timestamp', '-1e999999999999'],
    ...['NaN', 'Infinity', '0x10', '1e999999999', '9'.repeat(1000), '1,5', ' 1', ''].map(
      (text) => ['deal_money', `"${text}"`] as const,
    ),
  ])('an order is placed without its %s of %s', async (field, value) => {
    const placed = await read(`"${field}":${value}`);
    expect(placed).toMatchObject({ order_id: 1, market: 'BTC_USDT' });
    expect(placed).not.toHaveProperty(field);
  });

  it.each([
    ['"amount":1', { amount: '1' }],
    ['"amount":0.1', { amount: '0.1' }],
    ['"deal_money":12.50', { deal_money: '12.5' }],
    ['"deal_money":0.12345678901234567890', { deal_money: '0.12345678901234567890' }],
    ['"timestamp":"1595792396.165973"', { timestamp: 1595792396.165973 }],
    ['"order_id":"4180284841"', { order_id: 4180284841 }],
  ])('%s is converted to its documented type without loss', async (changes, fields) => {
    expect(await read(changes)).toMatchObject(fields);
  });

  it.each<readonly [written: string, held: string | number]>([
    ...[
      ...['9007199254740993', '-9007199254740993', '0.12345678901234567890', '9007199254740.993', '1e400', '1E-400'],
      ...['123456789012345678901234567890', '1.7976931348623159e308'],
    ].map((digits) => [digits, digits] as const),
    // A double holds these.
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['1595792396.165973', 1595792396.165973],
    ['1595792396.1659729', 1595792396.1659729],
    ['0.10000000000000001', 0.1],
    ['0.1000000000000000055511151231257827', 0.1],
    ['0.10000000000000000000000', 0.1],
    ['100000000000000000000000', 1e23],
    ['0.00000001', 1e-8],
    ['1e-7', 1e-7],
    ['-0', -0],
    ['1E5', 1e5],
  ])('%s in an unknown field is kept exactly', async (written, held) => {
    expect(
      await read(`"new_field":${written},"list":[ ${written} , "\\"${written}"],"text":"a, ${written}\\\\"`),
    ).toMatchObject({ new_field: held, list: [held, `"${written}`], text: `a, ${written}\\` });
  });

  it('the last of two duplicate keys counts', async () => {
    expect(await read('"order_id":2,"order_id":3')).toMatchObject({ order_id: 3 });
  });
});

describe('keys that change a prototype', () => {
  it.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'c\\u006fnstructor'])(
    '%s is rejected at any depth',
    async (key) => {
      for (const body of [
        `{"${key}":{"main_balance":"1"}}`,
        `{"BTC":{"main_balance":"1","more":[{"${key}" : {"polluted":true}}]}}`,
      ]) {
        expect(await failureOf(balanceOf(body))).toMatchObject({ kind: 'response' });
        expect(await failureOf(balanceOf(body, 422))).toMatchObject({ kind: 'api', errors: {} });
      }
      expect('polluted' in {}).toBe(false);
    },
  );

  it('their names are valid as values', async () => {
    const body = '{"BTC":{"main_balance":"1","note":"constructor","quoted":"\\"__proto__\\":1"}}';
    expect(await firstValueFrom(balanceOf(body))).toEqual(JSON.parse(body));
  });
});

describe('a user’s fetch', () => {
  it('with a slow body that ignores the signal ends at the timeout', async () => {
    let canceled = false;
    const slow = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        sleep(20).then(() => {
          controller.enqueue(Uint8Array.of(0x20));
        }),
      cancel() {
        canceled = true;
      },
    });
    const fetch: Fetch = () => Promise.resolve(new Response(slow));
    expect(await failureOf(withFetch(fetch, { timeoutMs }).public.ping())).toMatchObject({ kind: 'timeout' });
    await expect.poll(() => canceled).toBe(true);
  });

  it('that responds after the timeout has its source canceled', async () => {
    let canceled = false;
    const late = new ReadableStream({ cancel: () => void (canceled = true) });
    let respond: (response: Response) => void = () => undefined;
    const response = new Promise<Response>((resolve) => (respond = resolve));
    expect(await failureOf(withFetch(() => response, { timeoutMs }).public.ping())).toMatchObject({ kind: 'timeout' });
    respond(new Response(late));
    await expect.poll(() => canceled).toBe(true);
  });

  it('that returns a body that was read before ends in a typed error', async () => {
    const used = new Response(pong);
    await used.text();
    const error = await failureOf(withFetch(() => Promise.resolve(used)).spot.placeStockMarketOrder(order));
    expect(error).toMatchObject({ kind: 'transport', outcome: 'unknown' });
  });
});

it.each<[where: string, send: (socket: Socket, response: Buffer, extra: Buffer) => void, pauseMs: number]>([
  [
    'after another response on a kept connection',
    (socket, response, extra) => void socket.write(Buffer.concat([response, extra])),
    0,
  ],
  [
    'on an idle connection',
    (socket, response, extra) => {
      socket.write(response);
      setTimeout(() => socket.write(extra), 20);
    },
    60,
  ],
])('a response out of step, %s, is not used for the next request', async (_, send, pauseMs) => {
  const { exchange } = await clientOf(
    (socket, { path }) => {
      send(socket, bytesOf(path.endsWith('/time') ? '{"time":1}' : pong), bytesOf('{"time":666}'));
    },
    { maxInFlight: 1, retry: {} },
  );
  for (let times = 0; times < 10; times += 1) {
    expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    await sleep(pauseMs);
    expect(await firstValueFrom(exchange.public.serverTime())).toEqual({ time: 1 });
    await sleep(pauseMs);
  }
});
