// What undiciTransport does beside what every transport does: its connections and proxies.
import { createExchange, undiciTransport } from 'exchange-rx';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bytesOf, portOf, rawServer, serving, type Respond, responding } from '../support/raw-server.js';
import { failureOf } from '../support/failure.js';
import { openProxy } from '../support/proxy.js';
import { selfSigned } from '../support/self-signed.js';
import { list } from '../support/transports.js';
import { ordering } from './ordering.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const empty: Respond = responding('[]');

describe('connections', () => {
  it('never exceed the maximum in flight of a client', async () => {
    const server = await serving((socket) => {
      setTimeout(() => socket.write(bytesOf('[]')), 20);
    });
    const client = createExchange({ baseUrl: server.baseUrl, retry: false, maxInFlight: 2, urgentInFlight: 1 });
    await Promise.all(Array.from({ length: 30 }, () => firstValueFrom(client.call(list))));
    expect(server.connections()).toBe(3);
  });

  it('are unbounded when the client has no maximum', async () => {
    // No response before the last request: a connection that is free again could carry two requests.
    const waiting: Socket[] = [];
    const server = await serving((socket) => {
      waiting.push(socket);
      if (waiting.length === 40) for (const each of waiting) each.write(bytesOf('[]'));
    });
    const client = createExchange({ baseUrl: server.baseUrl, retry: false, maxInFlight: Number.POSITIVE_INFINITY });
    await Promise.all(Array.from({ length: 40 }, () => firstValueFrom(client.call(list))));
    expect(server.connections()).toBe(40);
  });

  it('are used again after a pause that the server allows, but not after a longer one', async () => {
    // undici's own default is 4 s.
    const longMs = 4500;
    const shortMs = 1500;
    /** Connections of two requests with a pause between them, to a server that closes none. */
    const connectionsOf = async (headers: Readonly<Record<string, string>>, pauseMs: number): Promise<number> => {
      const raw = await rawServer(responding('[]', { headers }));
      const client = createExchange({ baseUrl: raw.baseUrl, retry: false, maxInFlight: 1 });
      await firstValueFrom(client.call(list));
      await sleep(pauseMs);
      await firstValueFrom(client.call(list));
      await raw.close();
      return raw.connections();
    };
    const counts = await Promise.all([
      connectionsOf({}, longMs),
      connectionsOf({ 'keep-alive': 'timeout=60' }, longMs),
      connectionsOf({ 'keep-alive': 'timeout=2' }, shortMs),
      connectionsOf({ 'keep-alive': 'timeout=1' }, 20),
    ]);
    expect(counts).toEqual([1, 1, 2, 2]);
  });

  it('request compressed lists', async () => {
    const server = await serving(empty);
    await firstValueFrom(createExchange({ baseUrl: server.baseUrl }).call(list));
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, br');
  });

  it('of one transport serve several addresses, and close', async () => {
    const servers = [await serving(empty), await serving(empty)];
    const transport = undiciTransport();
    for (const { baseUrl } of servers) await firstValueFrom(createExchange({ baseUrl, transport }).call(list));
    expect(servers.map((server) => server.connections())).toEqual([1, 1]);
    await transport.close?.();
  });
});

describe('a proxy', () => {
  /** A proxy that tunnels, and the uses of its tunnels. */
  async function tunneling(user?: string) {
    const { host, used, close } = await openProxy(user);
    onTestFinished(close);
    return { url: `http://${host}`, used };
  }

  /** A proxy that does this with each connection, and how many it got. */
  async function proxyThat(does: (socket: Socket) => void) {
    const proxy = { url: '', connections: 0 };
    const server = createServer().on('connect', (_request, socket: Socket) => {
      proxy.connections += 1;
      does(socket);
    });
    proxy.url = `http://127.0.0.1:${await portOf(server)}`;
    return proxy;
  }

  it.each<[string, () => Promise<{ readonly url: string; readonly connections?: number }>]>([
    ['that refuses', () => tunneling('a user:and a password')],
    ['that does not listen', () => Promise.resolve({ url: 'http://127.0.0.1:1' })],
    ['that closes each connection', () => proxyThat((socket) => socket.end())],
    ['that never responds', () => proxyThat(() => undefined)],
  ])('%s gets at most one request, and leaves an order not executed', async (_, open) => {
    const proxy = await open();
    const transport = undiciTransport({ proxy: proxy.url, connectTimeoutMs: 1000 });
    const { order$, released } = ordering({ baseUrl: 'https://localhost:1', transport });
    expect(await failureOf(order$)).toMatchObject({ outcome: 'not-executed' });
    await sleep(50);
    expect([released, proxy.connections ?? 1]).toEqual([['unsent'], 1]);
  });

  it('does not make an untrusted certificate trusted', async () => {
    const { url, used } = await tunneling();
    let requests = 0;
    const port = await portOf(createSecureServer(selfSigned, () => (requests += 1)));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const transport = undiciTransport({ proxy: url });
    const { order$, released } = ordering({ baseUrl: `https://localhost:${port}`, transport });
    expect(await failureOf(order$)).toMatchObject({
      kind: 'transport',
      outcome: 'not-executed',
      message: expect.stringContaining('not trusted') as string,
    });
    expect({ requests, released }).toEqual({ requests: 0, released: ['unsent'] });
    expect(used()).toEqual([`requests to localhost:${port}`]);
  });
});

describe('options', () => {
  it.each([
    [{ connections: 0 }, 'connections 0 must be an integer of 1 or more, or Infinity'],
    [{ connectTimeoutMs: 0 }, 'connectTimeoutMs 0 must be above 0'],
    [{ proxy: 'socks5://user:password@host' }, 'proxy must be the URL of an HTTP proxy'],
    [{ proxy: 'password@host' }, 'proxy must be the URL of an HTTP proxy'],
  ])('%o are refused by name', (options, message) => {
    expect(() => undiciTransport(options)).toThrow(message);
  });

  it('of a client may have a transport or a fetch, not both', () => {
    const both = { baseUrl: 'https://exchange.example', transport: undiciTransport(), fetch: globalThis.fetch };
    expect(() => createExchange(both)).toThrow(
      'createExchange: fetch is the short form of transport: give one of them',
    );
  });
});
