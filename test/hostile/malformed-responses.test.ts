// Answers that nobody should send. Each ends in an error of ours, in the time and memory that were set; and an order
// that was answered so is found, or of unknown outcome, and never placed twice.
import {
  createExchange,
  defineEndpoint,
  isExchangeError,
  rateLimits,
  type AnyExchangeError,
  type Exchange,
  type Fetch,
  type ClientOptions,
} from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { firstValueFrom, type Observable } from 'rxjs';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.js';
import { audit, learn } from '../faults/audit.js';
import { failureOf } from '../support/failure.js';
import { askSandbox, bytesOf, fromSandbox, rawServer, type Answer, type RawServer } from './raw-server.js';

const megabyte = 2 ** 20;
const timeoutMs = 300;
const market = 'BTC_USDT';
const order = { market, side: 'buy', amount: '0.01' } as const;
const orderPath = '/api/v4/order/stock_market';
const credentials = { apiKey: 'the-key-of-the-account', apiSecret: 'the-secret-of-the-account' };

let server: RawServer | undefined;
afterEach(async () => {
  const closing = server;
  server = undefined;
  await closing?.close();
});

async function serving(answer: Answer): Promise<RawServer> {
  server = await rawServer(answer);
  return server;
}

async function clientOf(answer: Answer, options: Partial<ClientOptions> = {}): Promise<Exchange> {
  const { baseUrl } = await serving(answer);
  return createExchange({ baseUrl, credentials, timeoutMs, retry: false, lookupTimeoutMs: 0, ...options });
}

/** The same to every request. */
function answering(bytes: Buffer): Answer {
  return (socket) => {
    socket.write(bytes);
  };
}

/** Writes for as long as anyone reads. */
function forever(socket: Socket, piece: Buffer): void {
  const go = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', go);
  go();
}

/** Writes a byte at a time, for ever. */
function trickle(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 20);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

function chunked(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

const zeros = Buffer.alloc(128 * megabyte);
const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const bombs: readonly (readonly [encoding: string, body: Buffer])[] = [
  ['gzip', gzipSync(zeros, { level: 1 })],
  ['br', brotliCompressSync(zeros, fastest)],
  ['deflate', deflateSync(zeros, { level: 1 })],
];

type Kinds = readonly AnyExchangeError['kind'][];

/** What is written instead of an answer, and what a read ends in. */
const hostile: readonly (readonly [what: string, kinds: Kinds, write: (socket: Socket) => void])[] = [
  ...bombs.map(([encoding, body]): readonly [string, Kinds, (socket: Socket) => void] => [
    `a compression bomb (${encoding})`,
    ['transport', 'response'],
    (socket) => socket.write(bytesOf(body, { headers: { 'content-encoding': encoding } })),
  ]),
  [
    'a body of a gigabyte, as declared',
    ['transport'],
    (socket) => {
      socket.write(bytesOf('', { headers: { 'content-length': String(1024 * megabyte) } }));
      forever(socket, Buffer.alloc(megabyte, ' '));
    },
  ],
  [
    'a body without an end, in pieces',
    ['transport'],
    (socket) => {
      socket.write(bytesOf('', { headers: { 'transfer-encoding': 'chunked' } }));
      forever(socket, chunked(Buffer.alloc(megabyte, ' ')));
    },
  ],
  [
    'a body without an end or a length',
    ['transport'],
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      forever(socket, Buffer.alloc(megabyte, ' '));
    },
  ],
  ['a hundred thousand open brackets', ['response'], (socket) => socket.write(bytesOf('['.repeat(100_000)))],
  [
    'a hundred thousand brackets that are closed',
    ['response'],
    (socket) => socket.write(bytesOf('['.repeat(100_000) + ']'.repeat(100_000))),
  ],
  [
    'a hundred thousand objects in each other',
    ['response'],
    (socket) => socket.write(bytesOf('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))),
  ],
  ['half a million items that are none', ['response'], (socket) => socket.write(bytesOf(`[${'1,'.repeat(500_000)}1]`))],
  [
    'bytes that are no UTF-8',
    ['response'],
    (socket) => socket.write(bytesOf(Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x5d]))),
  ],
  ['a byte order mark alone', ['response'], (socket) => socket.write(bytesOf('\ufeff'))],
  ['an empty body', ['response'], (socket) => socket.write(bytesOf(''))],
  ['NaN', ['response'], (socket) => socket.write(bytesOf('{"order_id":NaN}'))],
  ['Infinity', ['response'], (socket) => socket.write(bytesOf('{"order_id":-Infinity}'))],
  ['null', ['response'], (socket) => socket.write(bytesOf('null'))],
  ['JSON followed by more', ['response'], (socket) => socket.write(bytesOf('["pong"]["pong"]'))],
  [
    'a page of HTML that says it is JSON',
    ['response'],
    (socket) => socket.write(bytesOf('<html>', { headers: { 'content-type': 'application/json' } })),
  ],
  [
    'a body that is shorter than declared, then the end',
    ['transport'],
    (socket) => socket.end(bytesOf('["pong"]', { headers: { 'content-length': '100' } })),
  ],
  [
    'a body that is shorter than declared, then nothing',
    ['timeout'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '100' } })),
  ],
  [
    'a body that is longer than declared',
    ['response'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '4' } })),
  ],
  [
    'a length that is negative',
    ['transport'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '-1' } })),
  ],
  [
    'two lengths that differ',
    ['transport'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '8', 'Content-Length': '4' } })),
  ],
  [
    'a length and pieces at once',
    ['transport'],
    (socket) =>
      socket.write(
        bytesOf('8\r\n["pong"]\r\n0\r\n\r\n', { headers: { 'content-length': '8', 'transfer-encoding': 'chunked' } }),
      ),
  ],
  [
    'a piece of a length that is no number',
    ['transport'],
    (socket) => socket.write(bytesOf('zz\r\n', { headers: { 'transfer-encoding': 'chunked' } })),
  ],
  [
    'ten thousand headers',
    ['transport'],
    (socket) =>
      socket.write(
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${index}\r\n`).join('')}\r\n`,
      ),
  ],
  [
    'a header of a megabyte',
    ['transport'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'x-long': 'x'.repeat(megabyte) } })),
  ],
  [
    'headers without an end',
    ['transport', 'timeout'],
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      forever(socket, Buffer.alloc(megabyte, 'x'));
    },
  ],
  [
    'a header with a null byte',
    ['transport'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'x-null': 'a\0b' } })),
  ],
  [
    'interim answers without an end',
    ['timeout', 'transport'],
    (socket) => {
      forever(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)));
    },
  ],
  [
    'an interim answer, then nothing',
    ['timeout', 'transport'],
    (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  ],
  [
    'a change to another protocol',
    ['transport'],
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
  ],
  ['a status line that is garbage', ['transport'], (socket) => socket.write('\0\u0001\u0002 GARBAGE\r\n\r\n')],
  ['another protocol', ['transport'], (socket) => socket.write('220 mail.example ESMTP\r\n')],
  ['a status of 999', ['transport', 'api'], (socket) => socket.write(bytesOf('["pong"]', { status: '999 Odd' }))],
  ['a status of 000', ['transport'], (socket) => socket.write(bytesOf('["pong"]', { status: '000 Odd' }))],
  [
    'no content (204), with a body',
    ['response', 'transport'],
    (socket) => socket.write(bytesOf('["pong"]', { status: '204 No Content' })),
  ],
  [
    'a body that trickles',
    ['timeout'],
    (socket) => {
      socket.write(bytesOf('', { headers: { 'content-length': '1000' } }));
      trickle(socket, ' ');
    },
  ],
  [
    'headers that trickle',
    ['timeout'],
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      trickle(socket, 'x');
    },
  ],
  ['no answer, and no end', ['timeout'], () => undefined],
  ['the end of the connection', ['transport'], (socket) => socket.end()],
  ['a reset', ['transport'], (socket) => socket.resetAndDestroy()],
];

/**
 * The most that a process may grow by while it reads one answer: its bound, as bytes, as text and as values, with much
 * to spare.
 */
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

describe('an answer that is', () => {
  it.each(hostile)(
    '%s ends a read in an error of ours, in bounded memory, and the next read works',
    async (_what, kinds, write) => {
      let isFirst = true;
      const exchange = await clientOf(
        (socket) => {
          if (isFirst) write(socket);
          else socket.write(bytesOf('["pong"]'));
          isFirst = false;
        },
        { timeoutMs: kinds.includes('timeout') ? timeoutMs : 10_000 },
      );
      let error: AnyExchangeError | undefined;
      const growth = await growthDuring(async () => (error = await failureOf(exchange.public.ping())));
      expect(kinds).toContain(error?.kind);
      expect(error?.outcome).toBe('none');
      expect(error?.message.length).toBeLessThan(3000);
      expect(growth).toBeLessThan(maxGrowth);
      expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    },
  );

  it.each(hostile)('%s, to an order that was placed: it is found, and sent once', async (_what, kinds, write) => {
    const sandbox = createSandbox({ volatility: 0 });
    const { baseUrl, requests } = await serving(async (socket, request) => {
      if (request.path !== orderPath) return fromSandbox(sandbox)(socket, request);
      await askSandbox(sandbox, request);
      write(socket);
    });
    const { credentials: known } = sandbox.clientOptions();
    const exchange = createExchange({
      baseUrl,
      credentials: known,
      timeoutMs: kinds.includes('timeout') ? timeoutMs : 10_000,
    });
    const placed = await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
    expect(sandbox.ledger.orders.map(({ order_id }) => order_id)).toEqual([placed.order_id]);
    expect(requests.filter(({ path }) => path === orderPath)).toHaveLength(1);
  });

  it.each(hostile)('%s, to everything: the order is of unknown outcome, and sent once', async (_what, kinds, write) => {
    const exchange = await clientOf(write, {
      lookupTimeoutMs: 1,
      timeoutMs: kinds.includes('timeout') ? timeoutMs : 10_000,
      retry: {},
    });
    const error = await failureOf(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' }));
    expect(error).toMatchObject({ outcome: 'unknown', client_order_id: 'mine' });
    expect(server?.requests.filter(({ path }) => path === orderPath)).toHaveLength(1);
  });
});

describe('numbers', () => {
  /** What a client makes of this order. */
  const read = async (changes: string) => {
    const known =
      '"market":"BTC_USDT","side":"buy","type":"stock market","timestamp":1595792396.165973,"deal_money":"0","deal_stock":"0","amount":"1","left":"1","deal_fee":"0"';
    const fetch: Fetch = () =>
      Promise.resolve(new Response(`{"order_id":1,"client_order_id":"mine",${known},${changes}}`));
    const exchange = createExchange({ baseUrl: 'https://exchange.example', credentials, fetch, lookupTimeoutMs: 0 });
    return firstValueFrom(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' })).catch(
      (error: unknown) => error,
    );
  };
  const refused = (error: unknown) =>
    isExchangeError(error) && error.kind === 'response' && error.outcome === 'unknown';

  it.each([
    '"order_id":9007199254740993',
    '"order_id":9007199254740992',
    '"order_id":18446744073709551616',
    '"order_id":1.5',
    '"order_id":1e400',
  ])('%s is refused', async (changes) => {
    expect(await read(changes)).toSatisfy(refused);
  });

  it.each([
    ['timestamp', '1e400'],
    ['timestamp', '-1e999999999999'],
    ['deal_money', '"NaN"'],
    ['deal_money', '"Infinity"'],
    ['deal_money', '"0x10"'],
    ['deal_money', '"1e999999999"'],
    ['deal_money', `"${'9'.repeat(1000)}"`],
    ['deal_money', '"1,5"'],
    ['deal_money', '" 1"'],
    ['deal_money', '""'],
  ])('an order is placed, without a %s of %s', async (field, value) => {
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
  ])('%s is given its documented type, exactly', async (changes, fields) => {
    expect(await read(changes)).toMatchObject(fields);
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['0.12345678901234567890', '0.12345678901234567890'],
    ['9007199254740.993', '9007199254740.993'],
    ['1e400', '1e400'],
    ['1E-400', '1E-400'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1.7976931348623159e308', '1.7976931348623159e308'],
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
  ])('%s in a field that is not known is kept exactly', async (written, held) => {
    expect(
      await read(`"new_field":${written},"list":[ ${written} , "\\"${written}"],"text":"a, ${written}\\\\"`),
    ).toMatchObject({
      new_field: held,
      list: [held, `"${written}`],
      text: `a, ${written}\\`,
    });
  });

  it('of a key that comes twice the last counts', async () => {
    expect(await read('"order_id":2,"order_id":3')).toMatchObject({ order_id: 3 });
  });
});

describe('keys that are not data', () => {
  it.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'c\\u006fnstructor'])(
    '%s is refused, wherever it stands',
    async (key) => {
      for (const body of [
        `{"${key}":{"main_balance":"1"}}`,
        `{"BTC":{"main_balance":"1","more":[{"${key}" : {"polluted":true}}]}}`,
      ]) {
        const exchange = createExchange({
          baseUrl: 'https://exchange.example',
          credentials,
          fetch: () => Promise.resolve(new Response(body)),
        });
        expect(await failureOf(exchange.account.mainBalance())).toMatchObject({ kind: 'response' });
        expect(
          await failureOf(
            createExchange({
              baseUrl: 'https://exchange.example',
              credentials,
              retry: false,
              fetch: () => Promise.resolve(new Response(body, { status: 422 })),
            }).account.mainBalance(),
          ),
        ).toMatchObject({ kind: 'api', errors: {} });
      }
      expect('polluted' in {}).toBe(false);
    },
  );

  it('their names as values are nothing special', async () => {
    const body = '{"BTC":{"main_balance":"1","note":"constructor","quoted":"\\"__proto__\\":1"}}';
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials,
      fetch: () => Promise.resolve(new Response(body)),
    });
    expect(await firstValueFrom(exchange.account.mainBalance())).toEqual(JSON.parse(body));
  });
});

describe("a user's own fetch", () => {
  const withFetch = (fetch: Fetch, options: Partial<ClientOptions> = {}) =>
    createExchange({
      baseUrl: 'https://exchange.example',
      credentials,
      fetch,
      timeoutMs,
      retry: false,
      lookupTimeoutMs: 0,
      ...options,
    });

  it('that gives a body without an end is not read to it, and its source is told', async () => {
    let given = 0;
    let canceled = false;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          given += megabyte;
          controller.enqueue(new Uint8Array(megabyte));
        },
        cancel() {
          canceled = true;
        },
      });
    const error = await failureOf(
      withFetch(() => Promise.resolve(new Response(endless())), { timeoutMs: 10_000 }).public.ping(),
    );
    expect(error).toMatchObject({
      kind: 'transport',
      outcome: 'none',
      message: expect.stringContaining('too large') as string,
    });
    expect(given).toBeLessThan(32 * megabyte);
    await expect.poll(() => canceled).toBe(true);
  });

  it('that gives a body which trickles, and heeds no signal, is left when the time is up', async () => {
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
    expect(await failureOf(withFetch(() => Promise.resolve(new Response(slow))).public.ping())).toMatchObject({
      kind: 'timeout',
    });
    await expect.poll(() => canceled).toBe(true);
  });

  it.each(bombs)("that is the platform's meets a bomb (%s)", async (encoding, body) => {
    const exchange = await clientOf(answering(bytesOf(body, { headers: { 'content-encoding': encoding } })), {
      fetch,
      timeoutMs: 10_000,
    });
    expect(
      await growthDuring(async () => {
        expect(await failureOf(exchange.public.ping())).toMatchObject({ kind: 'transport', outcome: 'none' });
      }),
    ).toBeLessThan(maxGrowth);
  });

  it.each([
    ['nothing', () => Promise.resolve(undefined)],
    ['null', () => Promise.resolve(null)],
    ['an empty object', () => Promise.resolve({})],
    [
      'a status that is a text',
      () => Promise.resolve({ status: '200', headers: new Headers(), text: () => Promise.resolve('["pong"]') }),
    ],
    ['no headers', () => Promise.resolve({ status: 200, text: () => Promise.resolve('["pong"]') })],
    [
      'a body that is no text',
      () => Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve({}) }),
    ],
    [
      'a text that is too long',
      () =>
        Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve(' '.repeat(9 * megabyte)) }),
    ],
    [
      'a body that was read before',
      async () => {
        const used = new Response('["pong"]');
        await used.text();
        return used;
      },
    ],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what a program may do
    ['a rejection with a text', () => Promise.reject('no')],
    [
      'an error that is thrown',
      () => {
        throw new Error('thrown');
      },
    ],
  ])('that gives %s ends in an error of ours', async (_what, give) => {
    const error = await failureOf(withFetch(give as () => Promise<never>).spot.placeStockMarketOrder(order));
    expect(error).toMatchObject({ kind: 'transport', outcome: 'unknown' });
  });
});

describe('an answer to something else', () => {
  it('that follows an answer on a kept connection is not taken for the next one', async () => {
    const exchange = await clientOf(
      (socket, { path }) => {
        const isTime = path.endsWith('/time');
        socket.write(Buffer.concat([bytesOf(isTime ? '{"time":1}' : '["pong"]'), bytesOf('{"time":666}')]));
      },
      { maxInFlight: 1, retry: {} },
    );
    for (let times = 0; times < 10; times += 1) {
      expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
      expect(await firstValueFrom(exchange.public.serverTime())).toEqual({ time: 1 });
    }
  });

  it('that comes while nothing is asked is not taken for the next one', async () => {
    const exchange = await clientOf(
      (socket, { path }) => {
        socket.write(bytesOf(path.endsWith('/time') ? '{"time":1}' : '["pong"]'));
        setTimeout(() => socket.write(bytesOf('{"time":666}')), 20);
      },
      { maxInFlight: 1, retry: {} },
    );
    for (let times = 0; times < 3; times += 1) {
      await firstValueFrom(exchange.public.ping());
      await sleep(60);
      expect(await firstValueFrom(exchange.public.serverTime())).toEqual({ time: 1 });
      await sleep(60);
    }
  });

  it.each([
    ['another identifier', { client_order_id: 'theirs', market, side: 'buy' }],
    ['another market', { client_order_id: '', market: 'ETH_USDT', side: 'buy' }],
    ['another side', { client_order_id: '', market, side: 'sell' }],
  ])('an order with %s is not the one that was placed', async (_what, other) => {
    const sandbox = createSandbox({ volatility: 0 });
    const { baseUrl } = await serving(async (socket, request) => {
      const { status, text } = await askSandbox(sandbox, request);
      const { clientOrderId: _id, ...answer } = JSON.parse(text) as Record<string, unknown>;
      socket.write(
        request.path === orderPath
          ? bytesOf(JSON.stringify({ ...answer, ...other, orderId: 666 }))
          : bytesOf(text, { status: `${status} X` }),
      );
    });
    const exchange = createExchange({ baseUrl, credentials: sandbox.clientOptions().credentials });
    const placed = await firstValueFrom(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' }));
    expect(placed).toMatchObject({
      client_order_id: 'mine',
      market,
      side: 'buy',
      order_id: sandbox.ledger.orders[0]?.order_id,
    });
    expect(sandbox.ledger.orders).toHaveLength(1);
  });

  it('an order that was not canceled is not taken for the one that was', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const other = await firstValueFrom(createExchange(sandbox.clientOptions()).spot.placeStockMarketOrder(order));
    const { fetch, ...options } = sandbox.clientOptions();
    const mixed: Fetch = async (url, init) =>
      url.endsWith('/order/cancel') ? new Response(JSON.stringify(other)) : fetch(url, init);
    const { orders } = createExchange({ ...options, fetch: mixed });
    expect(await failureOf(orders.cancel({ market, order_id: other.order_id + 1 }))).toMatchObject({
      kind: 'response',
      outcome: 'unknown',
    });
    expect(await failureOf(orders.cancel({ market, client_order_id: 'mine' }))).toMatchObject({
      kind: 'response',
      outcome: 'unknown',
    });
    expect(await firstValueFrom(orders.cancel({ market, order_id: other.order_id }))).toEqual(other);
  });

  it('look-ups that answer all orders do not make one of them the order that was lost, nor prove that there is none', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox({ volatility: 0 });
    const { fetch, ...options } = sandbox.clientOptions();
    const unfiltered: Fetch = async (url, init) => {
      if (!/\/(orders|history)$/.test(url)) return fetch(url, init);
      const others = createExchange({ ...sandbox.clientOptions(), retry: false }).orders;
      const orders$: Observable<unknown> = url.endsWith('history') ? others.history() : others.open();
      return new Response(JSON.stringify(await firstValueFrom(orders$)));
    };
    const exchange = createExchange({ ...options, fetch: unfiltered });
    const another = createExchange(sandbox.clientOptions()).spot.placeStockMarketOrder({
      ...order,
      client_order_id: 'theirs',
    });
    sandbox.fault({ kind: 'reset', path: orderPath, executed: false });
    const learned = learn(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' }), order.amount);
    await vi.advanceTimersByTimeAsync(10);
    const others = learn(another, order.amount);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(others.told?.as).toBe('order');
    expect(learned.told?.as).toBe('unknown');
    expect(sandbox.ledger.orders.map(({ client_order_id }) => client_order_id)).toEqual(['theirs']);
    vi.useRealTimers();
  });
});

describe('connections that are closed while nothing is asked', () => {
  it('are replaced, and orders on them are placed once', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const { baseUrl, closeIdle, connections } = await serving(fromSandbox(sandbox));
    const exchange = createExchange({ baseUrl, credentials: sandbox.clientOptions().credentials, maxInFlight: 1 });
    for (let times = 1; times <= 5; times += 1) {
      const learned = await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
      expect(sandbox.ledger.orders.at(-1)?.order_id).toBe(learned.order_id);
      expect(sandbox.ledger.orders).toHaveLength(times);
      closeIdle();
      if (times % 2 === 0) await sleep(20);
    }
    expect(connections()).toBeGreaterThan(1);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  const day = 24 * 60 * 60 * 1000;

  it.each([
    ['31536000', day],
    ['9'.repeat(400), day],
    ['Fri, 01 Jan 2027 00:00:00 GMT', day],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
    ['Thursday, 01-Jan-26 00:00:07 GMT', 7000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['0', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e9', undefined],
    ['0x10', undefined],
    ['5, 6', undefined],
    ['soon 5', undefined],
    ['2027-01-01', undefined],
    ['Thu, not a date', undefined],
    ['NaN', undefined],
    ['', undefined],
  ])('%j is %s ms', (value, ms) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }), now)).toBe(ms);
  });

  it.each(['-5', 'soon 5'])('a 429 with %j closes its group for a window, as one without', async (value) => {
    const exchange = await clientOf(answering(bytesOf('', { status: '429 X', headers: { 'retry-after': value } })));
    expect(await failureOf(exchange.public.ping())).toMatchObject({
      kind: 'rate-limited',
      outcome: 'rejected',
      retryAfterMs: undefined,
    });
    const publicGroup = (await firstValueFrom(exchange.scheduler.usage$)).find(
      ({ rateLimit }) => rateLimit === 'public',
    );
    expect(publicGroup?.coolDownUntil).toBeGreaterThan(Date.now() + 5000);
  });

  it.each([429, 503])(
    'of months in a %i ends the call at once, and closes no group for longer than a day',
    async (status) => {
      const exchange = await clientOf(
        answering(bytesOf('', { status: `${status} X`, headers: { 'retry-after': '99999999' } })),
        { retry: {} },
      );
      expect(await failureOf(exchange.public.ping())).toMatchObject({ retryAfterMs: day });
      expect(server?.requests).toHaveLength(1);
      const usage = await firstValueFrom(exchange.scheduler.usage$);
      for (const { coolDownUntil = 0 } of usage) expect(coolDownUntil).toBeLessThanOrEqual(Date.now() + day + 1000);
    },
  );
});

describe('a clock that is absurd', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const dates = [
    'Fri, 31 Dec 9999 23:59:59 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 275760 00:00:00 GMT',
    'Sat, 01 Jan 0000 00:00:00 GMT',
    'now',
    'six seconds ahead',
    'six seconds behind',
    'an hour ahead',
    'an hour behind',
    'ten months ahead',
  ];
  const shownAs = (date: string, now: number) => {
    const ahead = new Map([
      ['six seconds ahead', 6000],
      ['six seconds behind', -6000],
      ['an hour ahead', 3_600_000],
      ['an hour behind', -3_600_000],
      ['ten months ahead', 300 * 86_400_000],
    ]).get(date);
    return ahead === undefined ? date : new Date(now + ahead).toUTCString();
  };

  /** A sandbox whose answers show this date while `isLying()`. */
  function lying(sandbox: Sandbox, date: string, isLying: (url: string) => boolean) {
    const { fetch, ...options } = sandbox.clientOptions();
    const changed: Fetch = async (url, init) => {
      const lies = isLying(url);
      const response = await fetch(url, init);
      const headers = new Headers(response.headers);
      if (lies) headers.set('date', shownAs(date, sandbox.clock.now()));
      return new Response(await response.text(), { status: response.status, headers });
    };
    return createExchange({ ...options, fetch: changed, timeoutMs: 4000 });
  }

  it.each(dates)(
    '%s, shown after an order was sent, does not prove that it is not placed: it arrives late, and once',
    async (date) => {
      // Later than 3 s after it was signed it is not executed any more.
      for (const delayMs of [500, 1500, 2900]) {
        const sandbox = createSandbox({ volatility: 0 });
        const exchange = lying(sandbox, date, (url) => !url.endsWith('stock_market'));
        sandbox.fault({ kind: 'late', path: orderPath, delayMs });
        const learned = learn(exchange.spot.placeStockMarketOrder(order), order.amount);
        await vi.advanceTimersByTimeAsync(61_000);
        expect(learned.foreign).toBeUndefined();
        expect(audit(sandbox, learned.told === undefined ? [] : [learned.told])).toMatchObject({
          doubled: 0,
          lost: 0,
          misreported: 0,
        });
        expect(sandbox.ledger.orders).toHaveLength(1);
      }
    },
  );

  it.each(dates)(
    '%s, shown to a program that was restarted, does not prove that its order is not placed',
    async (date) => {
      const sandbox = createSandbox({ volatility: 0 });
      sandbox.fault({ kind: 'late', path: orderPath, delayMs: 2500 });
      const ended = createExchange(sandbox.clientOptions())
        .spot.placeStockMarketOrder({ ...order, client_order_id: 'late' })
        .subscribe();
      await vi.advanceTimersByTimeAsync(5);
      ended.unsubscribe();
      const restarted = lying(sandbox, date, () => true);
      const learned = learn(restarted.orders.find({ market, client_order_id: 'late' }), order.amount);
      await vi.advanceTimersByTimeAsync(61_000);
      expect(sandbox.ledger.orders).toHaveLength(1);
      expect(learned.told?.as).toMatch(/^(order|unknown)$/);
    },
  );

  it.each(dates)('%s, shown once, does not shut the key out: the next calls work', async (date) => {
    const sandbox = createSandbox({ volatility: 0 });
    let lies = 3;
    const exchange = lying(sandbox, date, () => (lies -= 1) >= 0);
    const results: unknown[] = [];
    for (let times = 0; times < 5; times += 1) {
      exchange.account
        .mainBalance()
        .subscribe({ next: () => results.push('ok'), error: (error: unknown) => results.push(error) });
      await vi.advanceTimersByTimeAsync(31_000);
    }
    expect(results.slice(-2)).toEqual(['ok', 'ok']);
    for (const result of results) expect(result === 'ok' || isExchangeError(result)).toBe(true);
  });

  it.each(['1e308', '1e15', '-1e300', '99999999999999', '0'])('a server time of %s is not followed', async (time) => {
    const sandbox = createSandbox({ volatility: 0 });
    const { fetch, ...options } = sandbox.clientOptions();
    const exchange = createExchange({
      ...options,
      fetch: async (url, init) => (url.endsWith('/time') ? new Response(`{"time":${time}}`) : fetch(url, init)),
    });
    exchange.public.serverTime().subscribe();
    await vi.advanceTimersByTimeAsync(10);
    const learned = learn(exchange.spot.placeStockMarketOrder(order), order.amount);
    await vi.advanceTimersByTimeAsync(10);
    expect(learned.told?.as).toBe('order');
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual([200]);
  });
});

describe('an error answer', () => {
  const failing = (body: string, status = 422): Exchange =>
    createExchange({
      baseUrl: 'https://exchange.example',
      credentials,
      retry: false,
      lookupTimeoutMs: 0,
      fetch: () => Promise.resolve(new Response(body, { status })),
    });
  const printed = (error: AnyExchangeError) =>
    inspect(error, { depth: null, maxStringLength: null }) + JSON.stringify(error) + (error.stack ?? '');

  it.each([
    ['message', JSON.stringify({ message: 'x'.repeat(5 * megabyte) })],
    ['list of messages', JSON.stringify({ error: Array.from({ length: 500_000 }, () => 'messages') })],
    [
      'fields',
      JSON.stringify({
        errors: Object.fromEntries(
          Array.from({ length: 50_000 }, (_, index) => [`field-${'x'.repeat(50)}-${index}`, ['y'.repeat(50)]]),
        ),
      }),
    ],
    [
      'messages of a field',
      JSON.stringify({ errors: { amount: Array.from({ length: 50_000 }, () => 'z'.repeat(100)) } }),
    ],
    ['page', `<html>${'<p>'.repeat(megabyte)}`],
  ])('with a %s of megabytes is a short one in a log, and has the beginning of the body', async (_what, body) => {
    const error = await failureOf(failing(body).public.markets());
    expect(printed(error).length).toBeLessThan(500_000);
    expect(error.message.length).toBeLessThan(3000);
    expect(error).toMatchObject({ kind: 'api', body: body.slice(0, 262_144) });
  });

  it('cannot write lines, colours or bells to a log', async () => {
    const error = await failureOf(
      failing(
        JSON.stringify({ message: 'a\u001b[2J\r\nERROR forged\u0007', errors: { 'b\n': ['c\u009b'] } }),
      ).public.markets(),
    );
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  it('with money that is no decimal in a success is not quoted in the message', async () => {
    const error = await failureOf(failing('{"BTC":{"main_balance":"12345,678"}}', 200).account.mainBalance());
    expect(error).toMatchObject({ kind: 'response' });
    expect(error.message).not.toContain('12345');
  });

  it.each([200, 400, 401, 429, 500, 503])(
    'of HTTP %i that repeats the request holds none of its secrets',
    async (status) => {
      const fetch: Fetch = (_url, { headers, body = '' }) => {
        const echo = { ...headers, body, escaped: JSON.stringify(headers).replaceAll('/', '\\/') };
        const text = JSON.stringify({
          success: false,
          message: `Bad request: ${JSON.stringify(echo)}`,
          errors: { nonce: [JSON.stringify(headers)] },
          echo,
        });
        return Promise.resolve(new Response(text, { status }));
      };
      let sent: readonly string[] = [];
      const recording: Fetch = (url, init) => {
        sent = Object.entries(init.headers).flatMap(([name, value]) =>
          name.toLowerCase().startsWith('x-') ? [value] : [],
        );
        return fetch(url, init);
      };
      const exchange = createExchange({
        baseUrl: 'https://exchange.example',
        credentials,
        retry: false,
        lookupTimeoutMs: 0,
        fetch: recording,
      });
      const error = await failureOf(exchange.spot.placeStockMarketOrder(order));
      const all =
        inspect(error, { depth: null, showHidden: true, maxStringLength: null }) +
        JSON.stringify(error) +
        String('body' in error ? error.body : '');
      expect(sent.length).toBeGreaterThan(2);
      for (const secret of sent) expect(all.replaceAll('\\/', '/')).not.toContain(secret);
    },
  );

  it('of a confidential endpoint that repeats the parameters holds none of them', async () => {
    const params = { client_id: 'PLANTED-1', client_secret: 'PLANTED/2+ä', token: 'PLANTED"3' };
    for (const status of [200, 400, 503]) {
      const fetch: Fetch = (_url, { body = '' }) =>
        Promise.resolve(
          new Response(
            JSON.stringify({
              success: false,
              message: `no ${Object.values(params).join(' ')} ${body}`,
              errors: { token: [params.token] },
            }),
            { status },
          ),
        );
      const exchange = createExchange({ baseUrl: 'https://exchange.example', retry: false, fetch });
      const error = await failureOf(exchange.oauth.refreshToken(params));
      expect(inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error)).not.toContain('PLANTED');
    }
  });

  it('of a confidential endpoint that repeats numbers, dates, and what lies deeper holds none of them', async () => {
    const endpoint = defineEndpoint({
      name: 'own',
      method: 'POST',
      path: '/own',
      rateLimit: rateLimits.public,
      authentication: 'signed',
      safety: 'read',
      confidential: true,
      request: v.object({
        pin: v.number(),
        codes: v.array(v.string()),
        born: v.date(),
        held: v.record(v.string(), v.boolean()),
      }),
      response: v.looseObject({}),
    });
    const params = {
      pin: 9876543210,
      codes: ['PLANTED-1', 'PLANTED-2'],
      born: new Date('1987-06-05T04:03:02.001Z'),
      held: { 'PLANTED-3': true },
    };
    const fetch: Fetch = () =>
      Promise.resolve(
        new Response(
          JSON.stringify({
            message: `no ${params.pin}: ${params.codes[1]}, ${JSON.stringify(params.codes)}, ${params.born.toJSON()}, PLANTED-3`,
          }),
          { status: 400 },
        ),
      );
    const error = await failureOf(
      createExchange({ baseUrl: 'https://exchange.example', credentials, retry: false, fetch }).call(endpoint, params),
    );
    const all = inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error);
    expect(all).not.toContain('PLANTED');
    expect(all).not.toContain('9876543210');
    expect(all).not.toContain('1987');
  });
});
