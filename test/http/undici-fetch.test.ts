// The default transport, against a server that responds in every way that a gateway may.
import { createClient, defineEndpoint, type Fetch, type Client } from 'exchange-rx';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { request as undiciRequest } from 'undici';
import * as v from 'valibot';
import { bytesOf, rawServer } from '../hostile/raw-server.js';
import { failureOf } from '../support/failure.js';

const rateLimit = { name: 'list', limit: 1000, windowMs: 1000 };
const list = defineEndpoint({
  name: 'list',
  method: 'GET',
  path: '/list',
  rateLimit,
  authentication: 'none',
  safety: 'read',
  request: v.strictObject({}),
  response: v.array(v.string()),
});

let server: Server | undefined;

afterEach(async () => {
  const closing = server;
  server = undefined;
  if (closing === undefined) return;
  closing.close();
  closing.closeAllConnections();
  await once(closing, 'close');
});

async function serving(
  respond: RequestListener,
  options: { readonly maxInFlight?: number; readonly urgentInFlight?: number; readonly fetch?: Fetch } = {},
): Promise<Client> {
  server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return createClient({ baseUrl: `http://127.0.0.1:${address.port}`, retry: false, ...options });
}

const text = JSON.stringify(['eins', 'zwei', 'drei — ∞']);

describe('responses', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    [undefined, Buffer.from(text)],
  ])('are decompressed: %s', async (encoding, body) => {
    const seen: unknown[] = [];
    const client = await serving((request, response) => {
      seen.push(request.headers['accept-encoding']);
      response.writeHead(200, encoding === undefined ? {} : { 'content-encoding': encoding }).end(body);
    });
    expect(await firstValueFrom(client.call(list))).toEqual(['eins', 'zwei', 'drei — ∞']);
    expect(seen).toEqual(['gzip, br']);
  });

  it('are read whole from many chunks, even within a character', async () => {
    const client = await serving((_request, response) => {
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await firstValueFrom(client.call(list))).toEqual(['eins', 'zwei', 'drei — ∞']);
  });

  it('are read without their byte order mark', async () => {
    const client = await serving((_request, response) =>
      response.end(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])),
    );
    expect(await firstValueFrom(client.call(list))).toEqual(['eins', 'zwei', 'drei — ∞']);
  });

  it('with a wrong content-encoding end in a typed error', async () => {
    const client = await serving((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    );
    expect(await failureOf(client.call(list))).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('Z_DATA_ERROR') as string,
    });
  });

  it('that exceed the maximum end in a typed error, in bounded memory', async () => {
    const client = await serving((_request, response) => {
      const piece = Buffer.alloc(2 ** 20);
      const go = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', go);
      go();
    });
    expect(await failureOf(client.call(list))).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('maximum size (ERR_BUFFER_TOO_LARGE)') as string,
    });
  });

  it('that exceed the maximum after decompression end in a typed error', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
    const client = await serving((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(await failureOf(client.call(list))).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('ERR_BUFFER_TOO_LARGE') as string,
    });
  });

  it('with a redirect are not followed', async () => {
    const client = await serving((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await failureOf(client.call(list))).toMatchObject({ status: 302 });
  });
});

describe('connections', () => {
  it('are kept, and never exceed the maximum in flight', async () => {
    const sockets = new Set<unknown>();
    const client = await serving(
      (request, response) => {
        sockets.add(request.socket);
        setTimeout(() => response.end('[]'), 20);
      },
      { maxInFlight: 2, urgentInFlight: 1 },
    );
    await Promise.all(Array.from({ length: 30 }, () => firstValueFrom(client.call(list))));
    expect(sockets.size).toBe(3);
  });

  it('are used again after a pause that the server allows, but not after a longer one', async () => {
    const longMs = 6000;
    const shortMs = 2500;
    /** Connections of two requests with a pause between them, to a server that closes none. */
    const connectionsOf = async (headers: Readonly<Record<string, string>>, pauseMs: number): Promise<number> => {
      const raw = await rawServer((socket) => void socket.write(bytesOf('[]', { headers })));
      const client = createClient({ baseUrl: raw.baseUrl, retry: false, maxInFlight: 1 });
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

  it('are closed when a request in flight is unsubscribed, and an unsent request is never sent', async () => {
    const seen: string[] = [];
    let closed = 0;
    const client = await serving((request) => {
      seen.push(request.url ?? '');
      request.socket.on('close', () => (closed += 1));
    });
    const subscription = client.call(list).subscribe();
    subscription.unsubscribe();
    await sleep(50);
    expect(seen).toEqual([]);
    const second = client.call(list).subscribe();
    await expect.poll(() => seen).toEqual(['/list']);
    second.unsubscribe();
    await expect.poll(() => closed).toBe(1);
  });
});

describe('a user’s fetch', () => {
  it('is not called for a request that is unsubscribed in the same tick', async () => {
    let calls = 0;
    const client = createClient({
      baseUrl: 'https://exchange.example',
      fetch: () => {
        calls += 1;
        return new Promise(() => undefined);
      },
    });
    client.call(list).subscribe().unsubscribe();
    await sleep(20);
    expect(calls).toBe(0);
  });

  it('that returns a Response of another library is called once for each request', async () => {
    const seen: (string | undefined)[] = [];
    const foreign: Fetch = async (url, { method, headers, signal }) => {
      const { statusCode: status, headers: received, body } = await undiciRequest(url, { method, headers, signal });
      // The members of a Response, in an object that is not an instance of the platform's class.
      const text = await body.text();
      const response = {
        ok: true,
        status,
        headers: new Headers({ date: String(received['date']) }),
        text: () => Promise.resolve(text),
      };
      return response as unknown as Response;
    };
    const client = await serving(
      (request, response) => {
        seen.push(request.url);
        response.end('["a"]');
      },
      { fetch: foreign },
    );
    expect(await firstValueFrom(client.call(list))).toEqual(['a']);
    expect(seen).toEqual(['/list']);
  });
});
