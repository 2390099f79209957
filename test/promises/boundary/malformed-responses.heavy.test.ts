// Malformed responses. Each ends in a typed error within its bounds of time and memory. An order with such a response
// is found or has an unknown outcome, and is never placed twice.
import {
  createExchange,
  defineEndpoint,
  isExchangeError,
  rateLimits,
  responseBodyOf,
  type AnyExchangeError,
  type Exchange,
  type Fetch,
  type ClientOptions,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { firstValueFrom, type Observable } from 'rxjs';
import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { retryAfterMs } from '../../../src/http/retry-after.js';
import { follow } from '../orders/setup.js';
import { failureOf } from '../../support/failure.js';
import {
  forwardToSandbox,
  bytesOf,
  fromSandbox,
  rawServer,
  type Respond,
  type RawServer,
} from '../../support/raw-server.js';

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

async function serving(respond: Respond): Promise<RawServer> {
  server = await rawServer(respond);
  return server;
}

async function clientOf(respond: Respond, options: Partial<ClientOptions> = {}): Promise<Exchange> {
  const { baseUrl } = await serving(respond);
  return createExchange({ baseUrl, credentials, timeoutMs, retry: false, lookupTimeoutMs: 0, ...options });
}

/** The same response to every request. */
function respondingWith(bytes: Buffer): Respond {
  return (socket) => {
    socket.write(bytes);
  };
}

/** Writes until the socket is destroyed. */
function forever(socket: Socket, piece: Buffer): void {
  const go = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', go);
  go();
}

/** Writes one byte every 20 ms until the socket is closed. */
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

/** What the server writes, and the kinds of error that a read may end with. */
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
    'an endless chunked body',
    ['transport'],
    (socket) => {
      socket.write(bytesOf('', { headers: { 'transfer-encoding': 'chunked' } }));
      forever(socket, chunked(Buffer.alloc(megabyte, ' ')));
    },
  ],
  [
    'an endless body without a length',
    ['transport'],
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      forever(socket, Buffer.alloc(megabyte, ' '));
    },
  ],
  ['a hundred thousand open brackets', ['response'], (socket) => socket.write(bytesOf('['.repeat(100_000)))],
  [
    'a hundred thousand nested lists',
    ['response'],
    (socket) => socket.write(bytesOf('['.repeat(100_000) + ']'.repeat(100_000))),
  ],
  [
    'a hundred thousand nested objects',
    ['response'],
    (socket) => socket.write(bytesOf('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))),
  ],
  ['half a million invalid items', ['response'], (socket) => socket.write(bytesOf(`[${'1,'.repeat(500_000)}1]`))],
  [
    'invalid UTF-8',
    ['response'],
    (socket) => socket.write(bytesOf(Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x5d]))),
  ],
  ['only a byte order mark', ['response'], (socket) => socket.write(bytesOf('\ufeff'))],
  ['an empty body', ['response'], (socket) => socket.write(bytesOf(''))],
  ['NaN', ['response'], (socket) => socket.write(bytesOf('{"order_id":NaN}'))],
  ['Infinity', ['response'], (socket) => socket.write(bytesOf('{"order_id":-Infinity}'))],
  ['null', ['response'], (socket) => socket.write(bytesOf('null'))],
  ['JSON followed by more', ['response'], (socket) => socket.write(bytesOf('["pong"]["pong"]'))],
  [
    'an HTML page declared as JSON',
    ['response'],
    (socket) => socket.write(bytesOf('<html>', { headers: { 'content-type': 'application/json' } })),
  ],
  [
    'a body shorter than declared, then the end of the connection',
    ['transport'],
    (socket) => socket.end(bytesOf('["pong"]', { headers: { 'content-length': '100' } })),
  ],
  [
    'a body shorter than declared, then silence',
    ['timeout'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '100' } })),
  ],
  [
    'a body longer than declared',
    ['response'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '4' } })),
  ],
  [
    'a negative content-length',
    ['transport'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '-1' } })),
  ],
  [
    'two different content-lengths',
    ['transport'],
    (socket) => socket.write(bytesOf('["pong"]', { headers: { 'content-length': '8', 'Content-Length': '4' } })),
  ],
  [
    'a content-length and chunked encoding',
    ['transport'],
    (socket) =>
      socket.write(
        bytesOf('8\r\n["pong"]\r\n0\r\n\r\n', { headers: { 'content-length': '8', 'transfer-encoding': 'chunked' } }),
      ),
  ],
  [
    'an invalid chunk length',
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
    'endless headers',
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
    'endless interim responses',
    ['timeout', 'transport'],
    (socket) => {
      forever(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)));
    },
  ],
  [
    'an interim response, then silence',
    ['timeout', 'transport'],
    (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  ],
  [
    'a change to another protocol',
    ['transport'],
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
  ],
  ['a garbage status line', ['transport'], (socket) => socket.write('\0\u0001\u0002 GARBAGE\r\n\r\n')],
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
  ['no response', ['timeout'], () => undefined],
  ['a closed connection', ['transport'], (socket) => socket.end()],
  ['a reset', ['transport'], (socket) => socket.resetAndDestroy()],
];

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
      const exchange = createExchange({
        baseUrl,
        credentials: known,
        timeoutMs: kinds.includes('timeout') ? timeoutMs : 10_000,
      });
      const placed = await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
      expect(sandbox.ledger.orders.map(({ order_id }) => order_id)).toEqual([placed.order_id]);
      expect(requests.filter(({ path }) => path === orderPath)).toHaveLength(1);
    },
  );

  it.each(hostile)('to every request leaves an order unknown and sent once: %s', async (_what, kinds, write) => {
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
  /** The output of an order with these fields, or its error. */
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
  const isRejected = (error: unknown) =>
    isExchangeError(error) && error.kind === 'response' && error.outcome === 'unknown';

  it.each([
    '"order_id":9007199254740993',
    '"order_id":9007199254740992',
    '"order_id":18446744073709551616',
    '"order_id":1.5',
    '"order_id":1e400',
  ])('%s is rejected', async (changes) => {
    expect(await read(changes)).toSatisfy(isRejected);
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
  ])('%s in an unknown field is kept exactly', async (written, held) => {
    expect(
      await read(`"new_field":${written},"list":[ ${written} , "\\"${written}"],"text":"a, ${written}\\\\"`),
    ).toMatchObject({
      new_field: held,
      list: [held, `"${written}`],
      text: `a, ${written}\\`,
    });
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

  it('their names are valid as values', async () => {
    const body = '{"BTC":{"main_balance":"1","note":"constructor","quoted":"\\"__proto__\\":1"}}';
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials,
      fetch: () => Promise.resolve(new Response(body)),
    });
    expect(await firstValueFrom(exchange.account.mainBalance())).toEqual(JSON.parse(body));
  });
});

describe('a user’s fetch', () => {
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

  it('with an endless body is stopped, and its source is canceled', async () => {
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
      message: expect.stringContaining('exceeds its maximum size') as string,
    });
    expect(given).toBeLessThan(32 * megabyte);
    await expect.poll(() => canceled).toBe(true);
  });

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
    expect(await failureOf(withFetch(() => Promise.resolve(new Response(slow))).public.ping())).toMatchObject({
      kind: 'timeout',
    });
    await expect.poll(() => canceled).toBe(true);
  });

  it.each(bombs)('of the platform stops at a decompression bomb (%s)', async (encoding, body) => {
    const exchange = await clientOf(respondingWith(bytesOf(body, { headers: { 'content-encoding': encoding } })), {
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
  ])('that returns %s ends in a typed error', async (_what, give) => {
    const error = await failureOf(withFetch(give as () => Promise<never>).spot.placeStockMarketOrder(order));
    expect(error).toMatchObject({ kind: 'transport', outcome: 'unknown' });
  });
});

describe('a response out of step', () => {
  it('after another response on a kept connection is not used for the next request', async () => {
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

  it('on an idle connection is not used for the next request', async () => {
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
  ])('to an order with %s is not the order that was placed', async (_what, other) => {
    const sandbox = createSandbox({ volatility: 0 });
    const { baseUrl } = await serving(async (socket, request) => {
      const { status, text } = await forwardToSandbox(sandbox, request);
      const { clientOrderId: _id, ...placed } = JSON.parse(text) as Record<string, unknown>;
      socket.write(
        request.path === orderPath
          ? bytesOf(JSON.stringify({ ...placed, ...other, orderId: 666 }))
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

  it('to a cancel with another order is rejected', async () => {
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

  it('to a lookup with every order neither finds the lost order nor proves its absence', async () => {
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
    const learned = follow(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(10);
    const others = follow(another);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(others.as).toBe('placed');
    expect(learned.as).toBe('unknown');
    expect(sandbox.ledger.orders.map(({ client_order_id }) => client_order_id)).toEqual(['theirs']);
    vi.useRealTimers();
  });
});

describe('idle connections that the server closes', () => {
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
    expect(retryAfterMs({ 'retry-after': value }, now)).toBe(ms);
  });

  it.each(['-5', 'soon 5'])('of %j in a 429 starts a cool-down of one window', async (value) => {
    const exchange = await clientOf(
      respondingWith(bytesOf('', { status: '429 X', headers: { 'retry-after': value } })),
    );
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
    'of months in a %i ends the call immediately, with a cool-down of at most a day',
    async (status) => {
      const exchange = await clientOf(
        respondingWith(bytesOf('', { status: `${status} X`, headers: { 'retry-after': '99999999' } })),
        { retry: {} },
      );
      expect(await failureOf(exchange.public.ping())).toMatchObject({ retryAfterMs: day });
      expect(server?.requests).toHaveLength(1);
      const usage = await firstValueFrom(exchange.scheduler.usage$);
      for (const { coolDownUntil = 0 } of usage) expect(coolDownUntil).toBeLessThanOrEqual(Date.now() + day + 1000);
    },
  );
});

describe('an error response', () => {
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
  ])('with a %s of megabytes has a short message and the beginning of the body', async (_what, body) => {
    const error = await failureOf(failing(body).public.markets());
    expect(printed(error).length).toBeLessThan(500_000);
    expect(error.message.length).toBeLessThan(3000);
    expect(error).toMatchObject({ kind: 'api' });
    expect(responseBodyOf(error)).toBe(body.slice(0, 262_144));
  });

  it('cannot write lines, colors or bells to a log', async () => {
    const error = await failureOf(
      failing(
        JSON.stringify({ message: 'a\u001b[2J\r\nERROR forged\u0007', errors: { 'b\n': ['c\u009b'] } }),
      ).public.markets(),
    );
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  it('message does not quote an invalid amount of a success', async () => {
    const error = await failureOf(failing('{"BTC":{"main_balance":"12345,678"}}', 200).account.mainBalance());
    expect(error).toMatchObject({ kind: 'response' });
    expect(error.message).not.toContain('12345');
  });

  it.each([200, 400, 401, 429, 500, 503])(
    'of HTTP %i that echoes the request holds none of its secrets',
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
      const all = inspect(error, { depth: null, showHidden: true, maxStringLength: null }) + JSON.stringify(error);
      expect(sent.length).toBeGreaterThan(2);
      for (const secret of sent) expect(all.replaceAll('\\/', '/')).not.toContain(secret);
    },
  );

  it('of a confidential endpoint that echoes its parameters holds none of them', async () => {
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

  it('of a confidential endpoint that echoes numbers, dates and nested values holds none of them', async () => {
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
