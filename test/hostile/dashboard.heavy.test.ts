// The dashboard's server against pages of other sites, programs of other local users, and connections that never end.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NEVER, Observable, Subject, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/cli/dashboard/messages.js';
import { serveDashboard, type DashboardServer } from '../../src/cli/dashboard/server.js';

let server: DashboardServer;
let messages: Subject<Message>;
/** Event streams that are subscribed to the messages. */
let subscriptions: number;
let sockets: Socket[];

beforeEach(async () => {
  messages = new Subject();
  subscriptions = 0;
  sockets = [];
  server = await serveDashboard({ messages$: counted(messages) }, 0);
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
  await until(() => subscriptions === 0);
});

function counted(source: Observable<Message>): Observable<Message> {
  return new Observable((subscriber) => {
    subscriptions += 1;
    subscriber.add(source.subscribe(subscriber));
    subscriber.add(() => (subscriptions -= 1));
  });
}

function open(): Socket {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
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
): Promise<string> {
  const socket = open();
  socket.write(headOf(method, path, headers));
  return textOf(socket);
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  // `once` of node:events would fail with a reset.
  await new Promise((closed) => socket.once('close', closed));
  return text;
}

const statusOf = (response: string) => Number(response.split(' ')[1]);

/** An event stream whose first bytes have arrived. */
async function openStream(): Promise<Socket> {
  const socket = open();
  socket.write(headOf('GET', pathOf('events')));
  const [head] = (await once(socket, 'data')) as [string];
  expect(statusOf(head)).toBe(200);
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

describe('HTTP methods', () => {
  it('200 HEAD requests for the events leave no subscription', async () => {
    for (let sent = 0; sent < 200; sent += 50) {
      const statuses = await Promise.all(
        Array.from({ length: 50 }, async () => statusOf(await responseTo('HEAD', pathOf('events')))),
      );
      expect(new Set(statuses)).toEqual(new Set([405]));
    }
    expect(subscriptions).toBe(0);
  });

  it.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])(
    'rejects %s at every path, with or without the token',
    async (method) => {
      for (const path of [pathOf('.'), pathOf('events'), pathOf('style.css'), '/', '/events']) {
        const response = await responseTo(method, path);
        expect([path, statusOf(response), response.toLowerCase().includes('\r\nallow: get\r\n')]).toEqual([
          path,
          405,
          true,
        ]);
      }
      expect(subscriptions).toBe(0);
    },
  );

  it('rejects a request with a body', async () => {
    expect(statusOf(await responseTo('GET', pathOf('events'), { 'content-length': '5' }))).toBe(400);
    expect(statusOf(await responseTo('GET', pathOf('events'), { 'transfer-encoding': 'chunked' }))).toBe(400);
    expect(subscriptions).toBe(0);
  });
});

describe('pages of other sites', () => {
  it.each(['cross-site', 'same-site', 'same-origin, cross-site', 'anything'])(
    'are rejected by Sec-Fetch-Site: %s, although they have the URL',
    async (site) => {
      for (const name of ['.', 'events', 'style.css']) {
        for (const mode of ['no-cors', 'navigate']) {
          expect([
            name,
            mode,
            statusOf(await responseTo('GET', pathOf(name), { 'sec-fetch-site': site, 'sec-fetch-mode': mode })),
          ]).toEqual([name, mode, 403]);
        }
      }
      expect(subscriptions).toBe(0);
    },
  );

  it('get a response that tells the user to copy the URL into a new tab', async () => {
    expect(await responseTo('GET', pathOf('.'), { 'sec-fetch-site': 'cross-site' })).toMatch(
      /copy its URL into a new tab\.$/m,
    );
  });

  it('are rejected by Origin and Host', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: `evil.example:${new URL(server.url).port}` },
      { host: '127.0.0.1.evil.example' },
    ]) {
      const response = await responseTo('GET', pathOf('style.css'), headers);
      expect([headers, statusOf(response)]).toEqual([headers, 403]);
      expect(response).toContain('This dashboard serves only the machine that it runs on');
    }
  });

  it('are distinguished from the names of this machine', async () => {
    const { port } = new URL(server.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
      expect(statusOf(await responseTo('GET', pathOf('.'), { host, origin: `http://${host}` }))).toBe(200);
  });

  it("differ from the user's navigation, the page's own requests, and programs without the header, which are served", async () => {
    for (const headers of [{ 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }, {}]) {
      expect([headers, statusOf(await responseTo('GET', pathOf('style.css'), headers))]).toEqual([headers, 200]);
    }
  });
});

describe('the token in the URL', () => {
  it('has 128 bits and differs for every dashboard', async () => {
    const other = await serveDashboard({ messages$: NEVER }, 0);
    await other.close();
    for (const { url } of [server, other]) expect(new URL(url).pathname).toMatch(/^\/[0-9a-f]{32}\/$/);
    expect(new URL(other.url).pathname).not.toBe(new URL(server.url).pathname);
  });

  it('is required for the page, its files and the events', async () => {
    const token = new URL(server.url).pathname.slice(1, -1);
    const prefixes = [
      '',
      '/',
      `/${token.slice(0, -1)}`,
      `/${token}0`,
      `/${token.toUpperCase()}x`,
      `/${'0'.repeat(32)}`,
      `//${token}`,
      `/%2e/${token}`,
      `/x/../${token}`,
      '/%00',
    ];
    const paths = prefixes.flatMap((prefix) =>
      ['/', '/events', '/style.css', '/page/main.js'].map((name) => prefix + name),
    );
    for (const path of [...paths, `/?token=${token}`, `http://127.0.0.1/${token}/`, '*', `/${token}`]) {
      const response = await responseTo('GET', path);
      expect([path, statusOf(response)]).toEqual([path, 403]);
      expect(response).not.toContain(token);
    }
    expect(subscriptions).toBe(0);
  });

  it('gives access to the page, its files and the events, and nothing else', async () => {
    expect(statusOf(await responseTo('GET', pathOf('.')))).toBe(200);
    expect(statusOf(await responseTo('GET', pathOf('style.css')))).toBe(200);
    for (const name of [
      'main.ts',
      'page/',
      '../server.js',
      'page/../../server.js',
      '%2e%2e/server.js',
      'toString',
      '__proto__',
    ]) {
      expect([name, [403, 404]]).toEqual([
        name,
        expect.arrayContaining([statusOf(await responseTo('GET', `${pathOf('.')}${name}`))]),
      ]);
    }
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
    const socket = await openStream();
    await until(() => subscriptions === 1);
    leave(socket);
    await until(() => subscriptions === 0);
  });

  it('unsubscribe when the client disconnects before the first byte', async () => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const socket = open();
        await once(socket, 'connect');
        socket.write(headOf('GET', pathOf('events')), () =>
          index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy(),
        );
        await new Promise((closed) => socket.once('close', closed));
      }),
    );
    // The server has handled every request before this one.
    expect(statusOf(await responseTo('GET', pathOf('style.css')))).toBe(200);
    await until(() => subscriptions === 0);
  });

  it('end when the client does not read: the buffer is bounded', async () => {
    const socket = open();
    socket.write(headOf('GET', pathOf('events')));
    socket.pause();
    await until(() => subscriptions === 1);
    const text = 'x'.repeat(100_000);
    let sent = 0;
    for (; subscriptions > 0 && sent < 1000; sent += 1) {
      messages.next({ type: 'problem', problem: { at: 0, endpoint: 'public.ping', text } });
      await nextTurn();
    }
    expect(subscriptions).toBe(0);
    expect(sent).toBeLessThan(1000);
  });

  it('are at most 16: one more is rejected until one has closed', async () => {
    const streams = await Promise.all(Array.from({ length: 16 }, openStream));
    const refused = await responseTo('GET', pathOf('events'));
    expect([statusOf(refused), subscriptions]).toEqual([503, 16]);
    expect(refused).toContain('16 pages');
    streams[0]?.destroy();
    await until(() => subscriptions === 15);
    await openStream();
    expect(subscriptions).toBe(16);
  });

  it('open once per connection: pipelined requests open no other stream', async () => {
    const socket = open();
    socket.write(headOf('GET', pathOf('events')).repeat(40));
    await once(socket, 'data');
    await until(() => subscriptions === 1);
    await nextTurn();
    expect(subscriptions).toBe(1);
    socket.destroy();
    await until(() => subscriptions === 0);
  });

  it('end with the messages', async () => {
    const failing = await serveDashboard({ messages$: counted(throwError(() => new Error('ended'))) }, 0);
    const socket = connect(Number(new URL(failing.url).port), '127.0.0.1').setEncoding('utf8');
    socket.write(headOf('GET', `${new URL(failing.url).pathname}events`));
    await textOf(socket);
    expect(subscriptions).toBe(0);
    await failing.close();
  });
});

describe('connections to the dashboard', () => {
  it('are at most 64, and a closed one makes room', async () => {
    const idle = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const socket = open();
        await once(socket, 'connect');
        return socket;
      }),
    );
    expect(await responseTo('GET', pathOf('style.css'))).toBe('');
    for (const socket of idle) socket.destroy();
    for (let status = NaN; status !== 200;) status = statusOf(await responseTo('GET', pathOf('style.css')));
  });

  it('may send at most 16 KiB of headers', async () => {
    expect(statusOf(await responseTo('GET', pathOf('style.css'), { cookie: 'x'.repeat(12_000) }))).toBe(200);
    expect(statusOf(await responseTo('GET', pathOf('style.css'), { cookie: 'x'.repeat(20_000) }))).toBe(431);
  });

  it('without a complete request are closed after 5 s, and the page is served again', async () => {
    const { port, pathname } = new URL(server.url);
    const sockets = Array.from({ length: 64 }, (_, index) => {
      const socket = connect(Number(port), '127.0.0.1');
      if (index % 2 === 0) socket.write(`GET ${pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: `);
      socket.on('error', () => undefined).resume();
      return socket;
    });
    const drips = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x');
    }, 200);
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    clearInterval(drips);
    expect((await fetch(new URL('style.css', server.url))).status).toBe(200);
  }, 30_000);
});
