// The dashboard under load: its memory, idle connections, and an account of 19,000 assets, the most a response can hold.
import { createExchange } from 'exchange-rx';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { concatMap, EMPTY, firstValueFrom, NEVER, of, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createFeed } from '../../src/cli/dashboard/feed.js';
import { serveDashboard } from '../../src/cli/dashboard/server.js';
import { commandFile, emptyHome } from '../support/command.js';

interface RunningDashboard {
  readonly url: URL;
  readonly memoryMB: () => number;
  readonly end: () => Promise<void>;
}

async function startDashboard(): Promise<RunningDashboard> {
  const child = spawn(process.execPath, [commandFile, 'dashboard', '--port', '0', '--json'], {
    env: { PATH: process.env['PATH'], HOME: emptyHome },
  });
  const [firstLine] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(String(firstLine)) as { url: string };
  return {
    url: new URL(url),
    memoryMB: () =>
      Number(/VmRSS:\s+(?<kB>\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.groups?.['kB']) / 1024,
    end: async () => {
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

/** Sends a HEAD request for the events and disconnects at the first byte of the response. */
async function requestEvents({ port, pathname }: URL): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`HEAD ${pathname}events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  socket.once('data', () => socket.destroy());
  await new Promise((closed) => socket.once('close', closed));
}

describe('the memory of the dashboard', () => {
  it('does not grow with 20,000 HEAD requests for the events', async () => {
    const { url, memoryMB, end } = await startDashboard();
    const round = async (times: number) => {
      for (let sent = 0; sent < times; sent += 10)
        await Promise.all(Array.from({ length: 10 }, () => requestEvents(url)));
    };
    await round(500);
    const before = memoryMB();
    await round(20_000);
    const grownMB = memoryMB() - before;
    await end();
    expect(grownMB).toBeLessThan(150);
  }, 120_000);
});

describe('connections without a complete request', () => {
  it('are closed after 5 s, and the page is served again', async () => {
    const server = await serveDashboard({ messages$: NEVER }, 0);
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
    await server.close();
  }, 30_000);
});

describe('an account of 19,000 assets', () => {
  it('makes a message below 40 KB, also when half of them change and half cannot be read', async () => {
    let polls = 0;
    const fetch = (address: string | URL | Request) => {
      const { pathname } = new URL(address instanceof Request ? address.url : address);
      if (pathname !== '/api/v4/main-account/balance')
        return Promise.resolve(Response.json(pathname === '/api/v4/public/ping' ? ['pong'] : []));
      polls += 1;
      const assets = Array.from(
        { length: 19_000 },
        (_, index) => `"A${index}":{"main_balance":"${polls > 1 && index % 2 === 0 ? 'none' : polls}"}`,
      );
      return Promise.resolve(
        new Response(`{"BTC":{"main_balance":"1"},${assets.join(',')}}`, {
          headers: { 'content-type': 'application/json' },
        }),
      );
    };
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      fetch,
      credentials: { apiKey: 'k'.repeat(32), apiSecret: 's'.repeat(32) },
    });
    const { live$ } = createFeed(exchange, { baseUrl: 'https://exchange.example', sandbox: false, account: true });
    const points$ = live$.pipe(
      concatMap((message) => (message.type === 'balance' ? of(message.balance) : EMPTY)),
      take(2),
      toArray(),
    );
    const points = await firstValueFrom(points$);
    expect(points).toMatchObject([
      { notShown: 18_901, notRead: 0 },
      { notShown: 18_901, notRead: 9500 },
    ]);
    for (const point of points) expect(JSON.stringify(point).length).toBeLessThan(40_000);
  }, 120_000);
});
