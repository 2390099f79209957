// Programs of the same machine and pages in its browser can reach the sandbox's port. None can stop the program that
// serves the sandbox, fill its memory, or change the counts of a test.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createState } from '../../src/sandbox/create-state.js';
import { listenOn, type Served } from '../../src/sandbox/port/listen.js';
import { sendRaw, signed } from '../contract/setup.js';
import { exchangeBytes, rawConnection, statusesIn } from '../support/raw-client.js';

const ping = '/api/v4/public/ping';
const balance = '/api/v4/main-account/balance';
const own = '/own';
const maxBodyBytes = 65_536;

let sandbox: Sandbox;
let server: SandboxServer;
beforeEach(async () => {
  sandbox = createSandbox({ volatility: 0 });
  sandbox.route({ method: 'POST', path: own, authentication: 'none', handle: ({ fields }) => fields });
  server = await sandbox.listen();
});
afterEach(async () => {
  // The sandbox still serves.
  expect([200, 503]).toContain(await statusOf(head(`GET ${ping} HTTP/1.1`)));
  await server.close();
});

const head = (first: string, ...headers: string[]) => [first, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const statusOf = async (bytes: string) => statusesIn(await exchangeBytes(server.port, bytes))[0];
const send = (first: string, ...headers: string[]) => exchangeBytes(server.port, head(first, ...headers));
const post = (body: string) => sandbox.fetch(sandbox.baseUrl + own, { method: 'POST', body });
const logged = () => sandbox.ledger.requests.map(({ method, path, status }) => `${method} ${path} ${String(status)}`);

describe('a request body', () => {
  it('of 64 KiB is accepted', async () => {
    const body = JSON.stringify({ text: 'é'.repeat((maxBodyBytes - 12) / 2) + 'x' });
    expect(Buffer.byteLength(body)).toBe(maxBodyBytes);
    expect(await (await post(body)).text()).toBe(body);
    expect(await (await fetch(server.baseUrl + own, { method: 'POST', body })).text()).toBe(body);
  });

  it.each([
    ...[own, balance, ping, '/no/such/path'].map((path) => ['POST', path, maxBodyBytes + 1] as const),
    ...['GET', 'OPTIONS'].map((method) => [method, ping, 600_000_000] as const),
  ])('of %s %s is rejected with 413 at %i bytes, without being read', async (method, path, length) => {
    const response = await send(`${method} ${path} HTTP/1.1`, `content-length: ${length}`);
    expect(response).toMatch(/^HTTP\/1\.1 413 [^]*connection: close[^]*at most 65536 bytes/i);
    expect(logged()).toEqual([`${method} ${path} 413`]);
  });

  it.each([
    ['large chunks', `${(8192).toString(16)}\r\n${'x'.repeat(8192)}\r\n`],
    ['chunks of a byte', '1\r\nx\r\n'.repeat(2000)],
  ])('without a Content-Length, in %s, is read up to 64 KiB', async (_, chunks) => {
    const connection = await rawConnection(server.port);
    connection.socket.write(head(`POST ${own} HTTP/1.1`, 'transfer-encoding: chunked'));
    let written = 0;
    while (connection.received() === '' && written < 100_000_000) {
      written += chunks.length;
      if (!connection.socket.write(chunks))
        await Promise.race([connection.until(/./), new Promise((resolve) => connection.socket.once('drain', resolve))]);
    }
    expect(statusesIn(connection.received())).toEqual([413]);
    expect(await connection.ended).toMatch(/at most 65536 bytes/);
    // The operating system buffers some of the body before anything reads it.
    expect(written).toBeLessThan(50_000_000);
    connection.socket.destroy();
  });

  it('that is too large in process meets no fault and counts in no rate limit', async () => {
    sandbox.fault({ kind: 'status', path: own });
    expect((await post('x'.repeat(maxBodyBytes + 1))).status).toBe(413);
    expect(sandbox.pendingFaults()).toHaveLength(1);
    expect(sandbox.ledger.maxRequestsInWindow(own)).toBe(0);
  });

  it('that is incomplete when its connection is lost leaves no trace', async () => {
    const connection = await rawConnection(server.port);
    connection.socket.write(head(`POST ${own} HTTP/1.1`, 'content-length: 100') + 'x');
    connection.socket.destroy();
    await connection.ended;
    expect(await statusOf(head(`GET ${ping} HTTP/1.1`))).toBe(200);
    expect(logged()).toEqual([`GET ${ping} 200`]);
  });
});

describe('the ledger', () => {
  it('keeps 256 characters of a path, with an ellipsis at the end, as the 404 does', async () => {
    expect(await statusOf(head(`GET /${'x'.repeat(12_000)} HTTP/1.1`))).toBe(404);
    const response = await sandbox.fetch(`${sandbox.baseUrl}/${'y'.repeat(1_000_000)}`, {
      method: 'Z'.repeat(1_000_000),
    });
    expect((await response.text()).length).toBeLessThan(1000);
    expect(sandbox.ledger.requests.map(({ path }) => path)).toEqual([`/${'x'.repeat(254)}…`, `/${'y'.repeat(254)}…`]);
    expect(sandbox.ledger.requests[1]?.method).toBe(`${'Z'.repeat(255)}…`);
  });

  it('keeps 256 characters of a nonce and of a client_order_id', async () => {
    const stock = '/api/v4/order/stock_market';
    const clientOrderId = 'a'.repeat(20_000);
    const order = { nonce: '7'.padStart(20_000, '0'), market: 'BTC_USDT', side: 'buy', amount: '1', clientOrderId };
    expect((await sendRaw({ sandbox }, stock, order)).status).toBe(422);
    expect(sandbox.ledger.requests).toMatchObject([
      { client_order_id: `${'a'.repeat(255)}…`, nonce: `${'0'.repeat(255)}…` },
    ]);
  });
});

describe('a signed body', () => {
  it('of 64 KiB is accepted on a port: the maximum size of headers includes its payload', async () => {
    const body =
      JSON.stringify({ request: balance, nonce: '1', x: 'x'.repeat(maxBodyBytes) }).slice(0, maxBodyBytes - 2) + '"}';
    expect(body).toHaveLength(maxBodyBytes);
    const { headers, ...init } = signed({ sandbox }, body);
    const more = { ...headers, more: 'x'.repeat(15_000) };
    const response = await fetch(server.baseUrl + balance, { ...init, headers: more });
    expect([response.status, sandbox.ledger.requests.map(({ account }) => account)]).toEqual([200, ['main']]);
  });

  const deep = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);
  const stock = '/api/v4/order/stock_market';
  const withField = (field: string) =>
    `{"request":"${stock}","nonce":"8","market":"BTC_USDT","side":"buy","amount":"0.01",${field}}`;

  it.each([
    ['64 KiB of brackets', '['.repeat(maxBodyBytes), [400]],
    ['nested objects', `${deep('{"a":', '', 10_000)}1${'}'.repeat(10_000)}`, [400]],
    ['a nested known field', withField(`"clientOrderId":${deep('[', ']', 30_000)}`), [422]],
    ['__proto__', withField('"__proto__":{"amount":"1","request":"x"}'), [200]],
    ['a constructor', withField('"constructor":{"prototype":{}},"toString":null,"hasOwnProperty":1'), [200]],
    ['a second request field', withField('"request":"/api/v4/orders"'), [400]],
    ['an infinite amount', withField('"amount":1e400'), [422]],
    ['an amount of 60,000 digits', withField(`"amount":"${'9'.repeat(60_000)}"`), [400, 422]],
    ['an amount of 60,000 places', withField(`"amount":"0.${'0'.repeat(60_000)}1"`), [422]],
    ['a nonce of 60,000 digits', withField(`"nonce":"${'9'.repeat(60_000)}"`), [400]],
    ['a nonce that is an object', withField('"nonce":{"toString":1}'), [400]],
    ['a market called __proto__', withField('"market":"__proto__"'), [422]],
    ['a client order ID that is an object', withField('"clientOrderId":{"length":3}'), [422]],
    ['a client order ID with a line break', withField('"clientOrderId":"a\\nb"'), [422]],
    ['a client order ID with a lone surrogate', withField('"clientOrderId":"\\ud800"'), [422]],
    ['a byte order mark', `\ufeff${withField('"x":1')}`, [400]],
    ['an empty body', '', [400]],
    ['a zero byte', withField('"x":"\0"'), [400]],
  ])('gets the status of its rules: %s', async (_, body, statuses) => {
    const response = await sandbox.fetch(sandbox.baseUrl + stock, signed({ sandbox }, body));
    expect(statuses).toContain(response.status);
    await response.text();
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual([response.status]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(['constructor', '__proto__'])('gets no balance of a ticker called %s', async (ticker) => {
    expect(await sendRaw({ sandbox }, balance, { ticker })).toEqual({ status: 200, body: { main_balance: '0' } });
  });
});

it('a request that offers an upgrade is executed with its body, however it arrives', async () => {
  const connection = await rawConnection(server.port);
  const { socket } = connection;
  socket.write(head(`POST ${own} HTTP/1.1`, 'connection: upgrade', 'upgrade: h2c', 'content-length: 9') + '{"a"');
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write(': 17}');
  expect(await connection.until(/\}$/)).toMatch(/^HTTP\/1\.1 200 [^]*\{"a":17\}$/);
  socket.destroy();
});

it.each([
  ['HEAD', head(`HEAD ${ping} HTTP/1.1`), 405],
  ['OPTIONS', head(`OPTIONS ${balance} HTTP/1.1`), 405],
  ['the target *', head('OPTIONS * HTTP/1.1'), 400],
  ['a target with an address', head(`GET http://other${ping} HTTP/1.1`), 200],
  ['a target with an invalid address', head('GET http://[/ HTTP/1.1'), 400],
  ['a target with another scheme', head('GET ftp://other/ HTTP/1.1'), 400],
  ['a target of two slashes', head('GET //x HTTP/1.1'), 404],
  ['a target with dots', head(`GET /x/..${ping} HTTP/1.1`), 200],
  ['a target with invalid escapes', head('GET /%zz%ff%00 HTTP/1.1'), 404],
  ['a header of 110 KB', head(`GET ${ping} HTTP/1.1`, `x: ${'x'.repeat(110_000)}`), 431],
  ['two hosts', `GET ${ping} HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`, 403],
  ['a host with a user', `GET ${ping} HTTP/1.1\r\nhost: user:password@other\r\n\r\n`, 403],
  ['an upgrade', head(`GET ${ping} HTTP/1.1`, 'connection: upgrade', 'upgrade: websocket'), 200],
  ['an offer of HTTP/2', head(`GET ${ping} HTTP/1.1`, 'connection: Upgrade, HTTP2-Settings', 'upgrade: h2c'), 200],
  ['an Expect header', head(`POST ${own} HTTP/1.1`, 'expect: something', 'content-length: 1'), 417],
  [
    'a key with bytes that are not ASCII',
    head(
      `POST ${balance} HTTP/1.1`,
      'x-txc-apikey: \xff',
      'x-txc-payload: \xff',
      'x-txc-signature: \xff',
      'content-length: 0',
    ),
    401,
  ],
])('an unusual or malformed request gets the status of its rules: %s', async (_, bytes, status) => {
  expect(await statusOf(bytes)).toBe(status);
});

const lines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

describe('a web page', () => {
  it.each([
    ['that posts a form', 'POST', own, { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['that posts from a file', 'POST', own, { origin: 'null' }],
    ['that loads an image', 'GET', ping, { 'sec-fetch-site': 'cross-site' }],
    ['of another port of this machine', 'GET', ping, { 'sec-fetch-site': 'same-site' }],
    ['of two sites at once', 'GET', ping, { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['whose domain resolves to this machine', 'POST', own, { origin: 'http://127.0.0.1' }],
    [
      'that sends a CORS preflight for a key',
      'OPTIONS',
      balance,
      { origin: 'https://evil.example', 'access-control-request-headers': 'x-txc-apikey' },
    ],
  ])('%s gets 403, meets no fault and counts in no rate limit', async (_, method, path, headers) => {
    sandbox.fault({ kind: 'status', times: 1 });
    const response = await send(`${method} ${path} HTTP/1.1`, ...lines(headers), 'content-length: 0');
    expect(statusesIn(response)).toEqual([403]);
    expect(response).not.toMatch(/access-control/i);
    expect(sandbox.pendingFaults()).toHaveLength(1);
    expect(logged()).toEqual([`${method} ${path} 403`]);
  });

  it('is rejected before its body is read, with the way to allow its origin', async () => {
    const response = await send(`POST ${own} HTTP/1.1`, 'origin: http://localhost:5173', 'content-length: 60000');
    expect(response).toContain('HTTP/1.1 403');
    const refused = await fetch(server.baseUrl + ping, { headers: { origin: 'http://localhost:5173' } });
    const way = /sandbox\.listen\(\{ allowedOrigins: .* exchange-rx sandbox --allow-origin/;
    expect(await refused.json()).toEqual({ message: expect.stringMatching(way) as string });
  });

  it('is distinguished from an address typed by the user, and from requests that a development server forwards', async () => {
    expect(await statusOf(head(`GET ${ping} HTTP/1.1`, 'sec-fetch-site: none'))).toBe(200);
    expect(await statusOf(head(`GET ${ping} HTTP/1.1`, 'sec-fetch-site: same-origin'))).toBe(200);
  });

  it('of an allowed origin gets responses, and no other page does', async () => {
    const allowing = await sandbox.listen({ allowedOrigins: ['http://localhost:5173'] });
    const statusFrom = async (origin: string, site: string) =>
      statusesIn(
        await exchangeBytes(
          allowing.port,
          head(`POST ${own} HTTP/1.1`, `origin: ${origin}`, `sec-fetch-site: ${site}`, 'content-length: 0'),
        ),
      );
    expect(await statusFrom('http://localhost:5173', 'same-origin')).toEqual([200]);
    expect(await statusFrom('http://localhost:5173', 'cross-site')).toEqual([200]);
    const others = ['http://localhost:5174', 'https://localhost:5173', 'http://localhost:5173/', 'null', ''];
    for (const other of [...others, 'http://localhost:5173, http://evil.example'])
      expect([other, await statusFrom(other, 'same-origin')]).toEqual([other, [403]]);
    await allowing.close();
  });

  it('that calls the sandbox in process gets responses', async () => {
    const headers = { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site', host: 'app.example' };
    expect((await sandbox.fetch(sandbox.baseUrl + ping, { headers })).status).toBe(200);
  });
});

describe('a Host header', () => {
  const get = (host: string) => `GET ${ping} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;

  it.each(['evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example', '192.168.0.1', '0.0.0.0', '[::2]'])(
    'of another machine gets 403: %s',
    async (host) => {
      const response = await exchangeBytes(server.port, get(host));
      expect([host, statusesIn(response)]).toEqual([host, [403]]);
      expect(response).toMatch(/whose Host header is/);
      expect(logged()).toEqual([`GET ${ping} 403`]);
    },
  );

  it.each(['127.0.0.1', '127.0.0.1:8080', '127.9.9.9', 'localhost', 'LOCALHOST:80', '[::1]', '[::1]:8080'])(
    'of this machine is accepted: %s',
    async (host) => {
      expect(await statusOf(get(host))).toBe(200);
    },
  );
});

const stock = '/api/v4/order/stock_market';
const order = (nonce: string) =>
  JSON.stringify({ request: stock, nonce, market: 'BTC_USDT', side: 'buy', amount: '0.01' });
const place = (init: RequestInit) => fetch(server.baseUrl + stock, init);

it.each([{ path: stock }, {}])('a fault of a signed request is not met by unsigned requests: %j', async (where) => {
  sandbox.fault({ kind: 'status', ...where });
  const { headers } = signed({ sandbox }, order('1'));
  const unsigned = [{}, { ...headers, 'x-txc-apikey': 'nobody' }, { ...headers, 'x-txc-signature': '0'.repeat(128) }];
  for (const one of unsigned)
    expect([400, 401]).toContain((await place({ method: 'POST', body: order('1'), headers: one })).status);
  expect(sandbox.pendingFaults()).toHaveLength(1);
  expect((await place(signed({ sandbox }, order('2')))).status).toBe(503);
  expect(sandbox.pendingFaults()).toEqual([]);
});

describe('the bounds of a port', () => {
  const bounds = { maxConnections: 3, headersTimeoutMs: 300, requestTimeoutMs: 600 };
  const served = (): Served => {
    const { live } = createState({});
    return { respond: () => Promise.resolve(new Response('ok')), live: live.server };
  };

  it('close connections that send nothing or send slowly, and keep a connection that waits between two requests', async () => {
    const { port, close } = await listenOn(served(), {}, bounds);
    // On a busy machine, the first request can take longer than the bound.
    const waiting = await vi.waitFor(
      async () => {
        const connection = await rawConnection(port);
        connection.socket.write(head('GET / HTTP/1.1'));
        expect(await connection.until(/ok$/)).toMatch(/^HTTP\/1\.1 200 [^]*ok$/);
        return connection;
      },
      { timeout: 15_000 },
    );
    const silent = await rawConnection(port);
    const slow = await rawConnection(port);
    slow.socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
    const slowHeaders = setInterval(() => slow.socket.write('x: 1\r\n'), 50);
    await Promise.all([silent.ended, slow.ended]);
    clearInterval(slowHeaders);

    const body = await rawConnection(port);
    body.socket.write(head('POST / HTTP/1.1', 'content-length: 1000'));
    const slowBody = setInterval(() => body.socket.write('x'), 50);
    expect(statusesIn(await body.ended)).toEqual([408]);
    clearInterval(slowBody);

    waiting.socket.write(head('GET / HTTP/1.1'));
    expect(statusesIn(await waiting.until(/ok[^]*ok$/))).toEqual([200, 200]);
    await close();
  });

  it('limit the number of connections, and accept another after one has ended', async () => {
    const longBounds = { ...bounds, headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 };
    const { port, close } = await listenOn(served(), {}, longBounds);
    const held = [await rawConnection(port), await rawConnection(port), await rawConnection(port)];
    expect(await (await rawConnection(port)).ended).toBe('');
    for (const { socket } of held) socket.destroy();
    await vi.waitFor(async () => {
      expect(statusesIn(await exchangeBytes(port, head('GET / HTTP/1.1')))).toEqual([200]);
    });
    await close();
  });
});
