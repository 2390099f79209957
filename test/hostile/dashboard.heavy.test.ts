// The dashboard's server against pages of other sites, programs of other local users, and connections that never end.
import { ClientRegistry, createExchange } from 'exchange-rx';
import { createDashboard, type Dashboard, type DashboardOptions } from 'exchange-rx/dashboard';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom, Subject, tap } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listening } from '../support/ports.js';
import { rawConnection } from '../support/raw-client.js';
import { portOf } from '../support/raw-server.js';
import { streamPage } from '../../src/cli/dashboard/page-stream.js';
import type { PartUpdate } from '../../src/cli/dashboard/parts/page-parts.js';

let sandbox: Sandbox;
let dashboard: Dashboard;
let server: { readonly url: string };
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  await start({});
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await until(() => dashboard.openPages === 0);
  await dashboard.close();
});

/** Starts a dashboard in place of the last one. */
async function start(options: DashboardOptions): Promise<void> {
  sandbox = createSandbox({ history: 0 });
  dashboard = createDashboard(newClient(), options);
  server = { url: await dashboard.listen() };
}

const newClient = () => createExchange({ ...sandbox.clientOptions(), registry: new ClientRegistry(), warnings: false });

async function restart(options: DashboardOptions): Promise<void> {
  await dashboard.close();
  await start(options);
}

async function connected() {
  const connection = await rawConnection(Number(new URL(server.url).port));
  sockets.push(connection.socket);
  return connection;
}

/** A path of the dashboard, with its token. */
const pathOf = (name: string) => new URL(name, server.url).pathname;
const headOf = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

/** The whole response to a request, up to the end of its connection. */
async function responseTo(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<string> {
  const { socket, ended } = await connected();
  socket.write(headOf(method, path, headers) + body);
  return ended;
}

const statusOf = (response: string) => Number(response.split(' ')[1]);
/** The status of a GET with the token. */
const statusAt = async (name: string, headers: Readonly<Record<string, string>> = {}) =>
  statusOf(await responseTo('GET', pathOf(name), headers));

/** An event stream whose first bytes have arrived. */
async function openStream() {
  const connection = await connected();
  connection.socket.write(headOf('GET', pathOf('events')));
  expect(statusOf(await connection.until(/\r\n/))).toBe(200);
  return connection;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

describe('HTTP methods', () => {
  it.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])(
    'rejects %s at every path, with or without the token',
    async (method) => {
      for (const path of [pathOf('.'), pathOf('events'), pathOf('page/style.css'), '/', '/events']) {
        const response = await responseTo(method, path);
        expect([path, statusOf(response)]).toEqual([path, 405]);
        expect(response.toLowerCase()).toContain('\r\nallow: get\r\n');
      }
      expect(dashboard.openPages).toBe(0);
    },
  );

  it('rejects a request with a body', async () => {
    expect(await statusAt('events', { 'content-length': '5' })).toBe(400);
    expect(await statusAt('events', { 'transfer-encoding': 'chunked' })).toBe(400);
    expect(dashboard.openPages).toBe(0);
  });
});

describe('pages of other sites', () => {
  it.each(['cross-site', 'same-site', 'same-origin, cross-site', 'anything'])(
    'are rejected by Sec-Fetch-Site: %s, although they have the URL, with the way to open it',
    async (site) => {
      for (const name of ['.', 'events', 'page/style.css']) {
        for (const mode of ['no-cors', 'navigate']) {
          const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode };
          const response = await responseTo('GET', pathOf(name), headers);
          expect([name, mode, statusOf(response)]).toEqual([name, mode, 403]);
          expect(response).toMatch(/copy its URL into a new tab\.$/m);
        }
      }
      expect(dashboard.openPages).toBe(0);
    },
  );

  it('are rejected by Origin and Host', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: `evil.example:${new URL(server.url).port}` },
      { host: '127.0.0.1.evil.example' },
    ]) {
      const response = await responseTo('GET', pathOf('page/style.css'), headers);
      expect([headers, statusOf(response)]).toEqual([headers, 403]);
      expect(response).toContain('This dashboard serves only the machine that it runs on');
    }
  });

  it("differ from the names of this machine, the user's navigation, the page's own requests, and programs without the header, which are served", async () => {
    const { port } = new URL(server.url);
    const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
    for (const headers of [
      ...names.map((host) => ({ host, origin: `http://${host}` })),
      ...[{ 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }, {}],
    ])
      for (const name of ['.', 'page/style.css'])
        expect([headers, await statusAt(name, headers)]).toEqual([headers, 200]);
  });
});

describe('the token in the URL', () => {
  it('has 128 bits and differs for every dashboard', async () => {
    const first = server;
    await restart({});
    for (const { url } of [server, first]) expect(new URL(url).pathname).toMatch(/^\/[0-9a-f]{32}\/$/);
    expect(new URL(first.url).pathname).not.toBe(new URL(server.url).pathname);
  });

  it('is required for the page, its files and the events', async () => {
    const token = new URL(server.url).pathname.slice(1, -1);
    const prefixes = [
      ...['', '/', '/%00', `/${'0'.repeat(32)}`, `/${token.slice(0, -1)}`, `/${token}0`, `/${token.toUpperCase()}x`],
      ...[`//${token}`, `/%2e/${token}`, `/x/../${token}`],
    ];
    const paths = prefixes.flatMap((prefix) =>
      ['/', '/events', '/plan', '/health', '/metrics', '/page/style.css', '/page/main.js'].map((name) => prefix + name),
    );
    for (const path of [...paths, `/?token=${token}`, `http://127.0.0.1/${token}/`, '*', `/${token}`]) {
      const response = await responseTo('GET', path);
      expect([path, statusOf(response)]).toEqual([path, 403]);
      expect(response).not.toContain(token);
    }
    expect(dashboard.openPages).toBe(0);
  });

  it('gives access to the page, its files and the events, and nothing else', async () => {
    expect([await statusAt('.'), await statusAt('page/style.css')]).toEqual([200, 200]);
    const others = ['main.ts', 'page/', '../server.js', 'page/../../server.js', '%2e%2e/server.js'];
    for (const name of [...others, 'toString', '__proto__']) {
      const status = statusOf(await responseTo('GET', `${pathOf('.')}${name}`));
      expect([name, [403, 404]]).toEqual([name, expect.arrayContaining([status])]);
    }
  });

  it('gives probes the health, 503 while the exchange is down, and the metrics, counted from the first request on', async () => {
    const health = () => responseTo('GET', pathOf('health'));
    expect(await health()).toMatch(/^HTTP\/1.1 200 [\s\S]*"state":"up"/);
    const metrics = () => responseTo('GET', pathOf('metrics'));
    expect(await metrics()).not.toContain('exchange_request_seconds_count{');
    const counted = /\nexchange_request_seconds_count\{endpoint="public\.ping",result="\w+"\} [1-9]/;
    await expect.poll(metrics).toMatch(counted);
    expect((await metrics()).toLowerCase()).toContain('\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n');
    sandbox.setMaintenance(true);
    await expect.poll(health, { interval: 500 }).toMatch(/^HTTP\/1.1 503 [\s\S]*"state":"down"/);
  });

  it('leaks through no Referer, no cache, no other origin and no frame', async () => {
    const head = (await responseTo('GET', pathOf('.'))).toLowerCase();
    expect(head).toContain('\r\nreferrer-policy: no-referrer\r\n');
    expect(head).toContain('\r\ncache-control: no-store\r\n');
    expect(head).toContain("default-src 'none'");
    expect(head).toContain("frame-ancestors 'none'");
    expect(head).toContain('\r\nx-content-type-options: nosniff\r\n');
  });
});

describe('event streams', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['is closed', (socket) => socket.destroy()],
    ['is reset', (socket) => socket.resetAndDestroy()],
    ['is half closed', (socket) => socket.end()],
  ])('unsubscribe when the connection %s', async (_, leave) => {
    const { socket } = await openStream();
    await until(() => dashboard.openPages === 1);
    leave(socket);
    await until(() => dashboard.openPages === 0);
  });

  it('unsubscribe when the client disconnects before the first byte', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { socket, ended } = await connected();
        socket.write(headOf('GET', pathOf('events')), () =>
          index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy(),
        );
        await ended;
      }),
    );
    // The server has handled every request before this one.
    expect(await statusAt('page/style.css')).toBe(200);
    await until(() => dashboard.openPages === 0);
  });

  it('skip states while the client does not read, and go on with the newest', async () => {
    const parts = new Subject<PartUpdate>();
    let buffered = 0;
    const http = createServer((_request, response) => {
      response.writeHead(200).flushHeaders();
      streamPage(response, parts.pipe(tap(() => (buffered = Math.max(buffered, response.writableLength)))));
    });
    const { socket } = await rawConnection(await listening(http));
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data');
    socket.pause();
    const market = 'x'.repeat(1_000_000);
    const state = (id: number): PartUpdate => ({
      name: 'acts',
      value: [{ id, action: { kind: 'cancel-all', market }, at: 0, endedAt: null, results: [] }],
    });
    for (let id = 1; id <= 40; id += 1) {
      parts.next(state(id));
      await sleep(110);
    }
    expect(buffered).toBeLessThan(3_000_000);
    const received = new Set<string>();
    let seen = '';
    socket.on('data', (chunk) => {
      seen += String(chunk);
      for (const [, id = ''] of seen.matchAll(/"acts":\[\{"id":(\d+),/g)) received.add(id);
      seen = seen.slice(-100);
    });
    socket.resume();
    await until(() => received.has('40'));
    expect(received.size).toBeLessThan(30);
    parts.complete();
    http.close();
  });

  it('are at most 16: one more is rejected until one has closed', async () => {
    const streams = await Promise.all(Array.from({ length: 16 }, openStream));
    const refused = await responseTo('GET', pathOf('events'));
    expect([statusOf(refused), dashboard.openPages]).toEqual([503, 16]);
    expect(refused).toContain('16 pages');
    streams[0]?.socket.destroy();
    await until(() => dashboard.openPages === 15);
    await openStream();
    expect(dashboard.openPages).toBe(16);
  });

  it('open once per connection: pipelined requests open no other stream', async () => {
    const { socket } = await connected();
    socket.write(headOf('GET', pathOf('events')).repeat(40));
    await once(socket, 'data');
    await until(() => dashboard.openPages === 1);
    await nextTurn();
    expect(dashboard.openPages).toBe(1);
    socket.destroy();
    await until(() => dashboard.openPages === 0);
  });

  it('end with the dashboard', async () => {
    const { ended } = await openStream();
    await dashboard.close();
    await ended;
    expect(dashboard.openPages).toBe(0);
  });

  it("do not open again on a program's own server after the dashboard has closed", async () => {
    const own = createServer((request, response) => {
      dashboard.handle(request, response);
    });
    const port = await portOf(own);
    await dashboard.close();
    server = { url: `http://127.0.0.1:${port}${dashboard.path}` };
    const response = await responseTo('GET', pathOf('events'), { connection: 'close' });
    expect([statusOf(response), dashboard.openPages]).toEqual([503, 0]);
    await expect(dashboard.listen()).rejects.toThrow('closed');
  });
});

describe('actions', () => {
  const json = 'application/json';
  const body = JSON.stringify({ kind: 'flatten' });
  const post = (path: string, headers: Readonly<Record<string, string>>, text = body) =>
    responseTo('POST', path, { 'content-length': String(Buffer.byteLength(text)), ...headers }, text);
  const own = () => ({ origin: new URL(server.url).origin, host: new URL(server.url).host });

  beforeEach(() => restart({ allowTrading: true }));

  it('are accepted from the page itself', async () => {
    const response = await post(pathOf('plan'), { 'content-type': json, 'sec-fetch-site': 'same-origin', ...own() });
    expect(response).toMatch(/^HTTP\/1.1 200 [\s\S]*No order and no position is open\./);
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['another site', { 'content-type': json, 'sec-fetch-site': 'cross-site' }, 403],
    ["a user's navigation", { 'content-type': json, 'sec-fetch-site': 'none' }, 403],
    ['another origin', { 'content-type': json, origin: 'https://evil.example' }, 403],
    ['a sandboxed frame', { 'content-type': json, origin: 'null' }, 403],
    ['a name that was pointed at this machine', { 'content-type': json, host: 'evil.example' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form of plain text', { 'content-type': 'text/plain' }, 415],
    ['a client without a content type', {}, 415],
  ])('are rejected from %s', async (_, headers, status) => {
    for (const name of ['plan', 'act']) expect(statusOf(await post(pathOf(name), headers))).toBe(status);
    await restart({});
    expect(statusOf(await post(pathOf('try'), headers, '{}'))).toBe(status);
  });

  it('require the token, and a plan that is known', async () => {
    for (const name of ['plan', 'act', 'try'])
      expect(statusOf(await post(`/${'0'.repeat(32)}/${name}`, { 'content-type': json }))).toBe(403);
    const planId = JSON.stringify({ planId: 'f'.repeat(32) });
    expect(await post(pathOf('act'), { 'content-type': json }, planId)).toContain('"kind":"refused"');
  });

  it('have at most 4096 bytes, whatever the head says, and are JSON of a known form', async () => {
    const chunk = 'x'.repeat(5000);
    expect(statusOf(await post(pathOf('plan'), { 'content-type': json }, chunk))).toBe(413);
    const chunked = { 'content-type': json, 'transfer-encoding': 'chunked' };
    const response = await responseTo('POST', pathOf('plan'), chunked, `1388\r\n${chunk}\r\n0\r\n\r\n`);
    expect(statusOf(response)).toBe(413);
    const cancel = '{"kind":"cancel","market":"BTC_USDT","orderId":"1"}';
    for (const text of ['', '{', '[]', '{"kind":"withdraw"}', cancel, '{"kind":"flatten","market":"BTC_USDT"}'])
      expect([text, statusOf(await post(pathOf('plan'), { 'content-type': json }, text))]).toEqual([text, 400]);
    for (const name of ['act', 'try']) expect(statusOf(await post(pathOf(name), { 'content-type': json }))).toBe(400);
  });

  it('but a try of the exchange need permission to trade; a try comes every 5 s', async () => {
    await restart({});
    const headers = { 'content-type': json, 'sec-fetch-site': 'same-origin', ...own() };
    for (const name of ['plan', 'act', 'try/', 'TRY'])
      expect([name, statusOf(await post(pathOf(name), headers, '{}'))]).toEqual([name, 405]);
    expect(await post(pathOf('try'), headers, '{}')).toContain('"tried"');
    expect(await post(pathOf('try'), headers, '{}')).toContain('The next try is possible in');
  });

  it('are no other request', async () => {
    for (const name of ['.', 'events', 'health', 'toString'])
      expect(statusOf(await post(pathOf(name), { 'content-type': json }))).toBe(404);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])
      expect((await responseTo(method, pathOf('plan'))).toLowerCase()).toContain('\r\nallow: get, post\r\n');
    for (const name of ['plan', 'act', 'try']) expect(await statusAt(name)).toBe(404);
  });

  it('do not begin after the dashboard has closed', async () => {
    const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' } as const;
    await firstValueFrom(newClient().spot.placeLimitOrder(order));
    const planned = await post(pathOf('plan'), { 'content-type': json }, '{"kind":"cancel-all"}');
    const [, planId = ''] = /"id":"([^"]+)"/.exec(planned) ?? [];
    const path = '/api/v4/orders';
    sandbox.fault({ kind: 'slow', path, delayMs: 500, times: 10 });
    const reads = () => sandbox.ledger.requests.filter((request) => request.path === path).length;
    const before = reads();
    const confirmed = post(pathOf('act'), { 'content-type': json }, JSON.stringify({ planId }));
    await until(() => reads() > before);
    await dashboard.close();
    await confirmed;
    await sleep(1500);
    expect(sandbox.ledger.requests.filter((request) => request.path.includes('cancel'))).toEqual([]);
  });
});

describe('a dashboard behind a name of its own', () => {
  it('accepts that name only, and a token of its own', async () => {
    const token = 'ab'.repeat(16);
    await restart({ hosts: ['ops.example'], token });
    expect(pathOf('.')).toBe(`/${token}/`);
    const statusFor = (host: string, more = {}) => statusAt('page/style.css', { host, ...more });
    expect(await statusFor('ops.example:8443', { origin: 'https://ops.example:8443' })).toBe(200);
    expect(await statusFor('OPS.example')).toBe(200);
    expect(await statusFor('ops.example', { origin: 'https://evil.example' })).toBe(403);
    expect(await statusFor('evil.example')).toBe(403);
  });

  it('says whether it is a sandbox, records while no page is open, and ends with its scope', async () => {
    const before = sandbox.ledger.requests.length;
    await using _dashboard = createDashboard(newClient(), { record: true, playMoney: true });
    await expect.poll(() => sandbox.ledger.requests.length).toBeGreaterThan(before);
  });

  it.each([
    [{ token: 'short' }, 'must be 32 to 128 hexadecimal digits'],
    [{ hosts: ['ops.example:80'] }, 'must be a host name, without port'],
    [{ market: 'BTC' }, '"BTC" must be a market'],
    [{ currency: '' }, '"" must be a currency'],
  ])('rejects the options %j', (options, message) => {
    expect(() => createDashboard(newClient(), options)).toThrow(message);
  });
});

it('a dashboard whose port is in use closes', async () => {
  const exchange = newClient();
  const second = createDashboard(exchange, { record: true });
  await expect(second.listen(Number(new URL(server.url).port))).rejects.toThrow('EADDRINUSE');
  await expect.poll(() => firstValueFrom(exchange.live.my.state$)).toEqual({ status: 'idle' });
  const { length } = sandbox.ledger.requests;
  await sleep(1500);
  expect(sandbox.ledger.requests.length).toBe(length);
});

describe('connections to the dashboard', () => {
  it('are at most 64, and a closed one makes room', async () => {
    const idle = await Promise.all(Array.from({ length: 64 }, connected));
    expect(await responseTo('GET', pathOf('page/style.css'))).toBe('');
    for (const { socket } of idle) socket.destroy();
    await expect.poll(() => statusAt('page/style.css')).toBe(200);
  });

  it('may send at most 16 KiB of headers', async () => {
    expect(statusOf(await responseTo('GET', pathOf('page/style.css'), { cookie: 'x'.repeat(12_000) }))).toBe(200);
    expect(statusOf(await responseTo('GET', pathOf('page/style.css'), { cookie: 'x'.repeat(20_000) }))).toBe(431);
  });

  it('without a complete request are closed after 5 s, and the page is served again', async () => {
    const slow = await Promise.all(Array.from({ length: 64 }, connected));
    for (const { socket } of slow.slice(0, 32))
      socket.write(`GET ${pathOf('.')} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: `);
    const drips = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('x');
    }, 200);
    await Promise.all(slow.map(({ ended }) => ended));
    clearInterval(drips);
    expect(await statusAt('page/style.css')).toBe(200);
  });
});
