// What requests are sent with by default, against a server that answers in every way that a gateway may.
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
  answer: RequestListener,
  options: { readonly maxInFlight?: number; readonly urgentInFlight?: number; readonly fetch?: Fetch } = {},
): Promise<Client> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return createClient({ baseUrl: `http://127.0.0.1:${address.port}`, retry: false, ...options });
}

const text = JSON.stringify(['eins', 'zwei', 'drei — ∞']);

describe('answers', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    [undefined, Buffer.from(text)],
  ])('that are compressed with %s are read', async (encoding, body) => {
    const seen: unknown[] = [];
    const client = await serving((request, response) => {
      seen.push(request.headers['accept-encoding']);
      response.writeHead(200, encoding === undefined ? {} : { 'content-encoding': encoding }).end(body);
    });
    expect(await firstValueFrom(client.call(list))).toEqual(['eins', 'zwei', 'drei — ∞']);
    expect(seen).toEqual(['gzip, br']);
  });

  it('that come in many pieces are read whole, whatever character they are cut in', async () => {
    const client = await serving((_request, response) => {
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await firstValueFrom(client.call(list))).toEqual(['eins', 'zwei', 'drei — ∞']);
  });

  it('that begin with a byte order mark are read without it', async () => {
    const client = await serving((_request, response) =>
      response.end(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])),
    );
    expect(await firstValueFrom(client.call(list))).toEqual(['eins', 'zwei', 'drei — ∞']);
  });

  it('that are not what they say they are end in a typed error', async () => {
    const client = await serving((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    );
    expect(await failureOf(client.call(list))).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('Z_DATA_ERROR') as string,
    });
  });

  it('that are too large end in a typed error, in bounded memory', async () => {
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
      message: expect.stringContaining('too large (ERR_BUFFER_TOO_LARGE)') as string,
    });
  });

  it('that are small and become too large end in a typed error', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
    const client = await serving((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(await failureOf(client.call(list))).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('ERR_BUFFER_TOO_LARGE') as string,
    });
  });

  it('that redirect are not followed', async () => {
    const client = await serving((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await failureOf(client.call(list))).toMatchObject({ status: 302 });
  });
});

describe('connections', () => {
  it('are kept, and are no more than may be in flight', async () => {
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

  it('are used again after a pause that the server allows, and not after a longer one', async () => {
    const longMs = 6000;
    const shortMs = 2500;
    /** How many connections two requests take, with a pause between them, of a server that closes none. */
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

  it('are closed when the request on them is left, and nothing of one that was left in time is sent', async () => {
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

describe("a fetch of one's own", () => {
  it('is not called for a request that was left in the tick in which it was asked for', async () => {
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

  it('whose answer is a Response of another library is asked once for each request', async () => {
    const seen: (string | undefined)[] = [];
    const foreign: Fetch = async (url, { method, headers, signal }) => {
      const { statusCode: status, headers: received, body } = await undiciRequest(url, { method, headers, signal });
      // What a Response of a library has, without being one of this process.
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
