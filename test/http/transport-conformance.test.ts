// What every transport does with what a server may do, over real sockets.
import { createExchange, type ClientOptions } from 'exchange-rx';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { bytesOf, portOf, rawServer, serving, type Respond, responding } from '../support/raw-server.js';
import { failureOf } from '../support/failure.js';
import { selfSigned } from '../support/self-signed.js';
import { list, order, placed, transports } from '../support/transports.js';
import { ordering } from './ordering.js';

const text = JSON.stringify(['eins', 'zwei', 'drei — ∞']);
const values = ['eins', 'zwei', 'drei — ∞'];

describe.each(transports)('%s', (name, transport) => {
  const reportsWrite = name.startsWith('undiciTransport');

  const orderingAt = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
    ordering({ ...transport(), baseUrl, ...options });

  const listOf = async (respond: Respond) => {
    const { baseUrl } = await serving(respond);
    return createExchange({ ...transport(), baseUrl, retry: false }).call(list);
  };

  describe('a response', () => {
    it.each([
      ['gzip', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['GZIP', gzipSync(text)],
      ['br', brotliCompressSync(text)],
      [undefined, Buffer.from(text)],
    ])('is decompressed: %s', async (encoding, body) => {
      const headers: Record<string, string> = encoding === undefined ? {} : { 'content-encoding': encoding };
      expect(await firstValueFrom(await listOf(responding(body, { headers })))).toEqual(values);
    });

    it('is read whole from many slow chunks, even within a character', async () => {
      const list$ = await listOf(async (socket) => {
        for (const byte of bytesOf(text)) {
          socket.write(Buffer.of(byte));
          await sleep(1);
        }
      });
      expect(await firstValueFrom(list$)).toEqual(values);
    });

    it('is read without its byte order mark', async () => {
      const list$ = await listOf(responding(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])));
      expect(await firstValueFrom(list$)).toEqual(values);
    });

    it('after informational responses is the final one', async () => {
      const list$ = await listOf((socket) => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
        socket.write(bytesOf(text));
      });
      expect(await firstValueFrom(list$)).toEqual(values);
    });

    it('with a wrong content-encoding ends in a typed error', async () => {
      const list$ = await listOf(responding('not gzip', { headers: { 'content-encoding': 'gzip' } }));
      expect(await failureOf(list$)).toMatchObject({
        kind: 'transport',
        message: expect.stringContaining('Z_DATA_ERROR') as string,
      });
    });

    it.each([
      ['that is endless', undefined],
      ['that is a decompression bomb', gzipSync(Buffer.alloc(9 * 2 ** 20))],
    ])('%s ends in a typed error, in bounded memory', async (_, bomb) => {
      const list$ = await listOf((socket) => {
        if (bomb !== undefined) {
          socket.write(bytesOf(bomb, { headers: { 'content-encoding': 'gzip' } }));
          return;
        }
        const piece = Buffer.alloc(2 ** 14);
        const go = () => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on('drain', go);
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        go();
      });
      expect(await failureOf(list$)).toMatchObject({
        kind: 'transport',
        message: expect.stringContaining('maximum size (ERR_BUFFER_TOO_LARGE)') as string,
      });
    });

    it.each([300, 301, 302, 303, 305, 307, 308, 401, 407, 408, 425, 429, 503])(
      'with status %i is not followed, and does not send the order again',
      async (status) => {
        const asking = { 'retry-after': '0', 'www-authenticate': 'Basic', 'proxy-authenticate': 'Basic' };
        const other = await serving(responding('{}'));
        for (const location of ['/elsewhere', '/api/v4/order/stock_market', other.baseUrl]) {
          const headers = { ...asking, location };
          const server = await serving(responding('', { status: `${status} X`, headers }));
          const { order$, released } = orderingAt(server.baseUrl);
          const failure = await failureOf(order$);
          // The platform's fetch turns 407 into a network error.
          if (!(status === 407 && failure.kind === 'transport')) expect(failure).toMatchObject({ status });
          if (status < 400) expect(failure).toMatchObject({ kind: 'api', outcome: 'unknown' });
          await sleep(20);
          expect(server.requests.map(({ path }) => path)).toEqual(['/api/v4/order/stock_market']);
          expect(released).toHaveLength(1);
        }
        expect(other.requests).toEqual([]);
      },
    );

    it('with status 421 does not send the order again, unless the fetch of the platform does', async () => {
      const server = await serving(responding('', { status: '421 X' }));
      expect(await failureOf(orderingAt(server.baseUrl).order$)).toMatchObject({ status: 421 });
      const [first, ...others] = server.requests;
      expect(others.length).toBeLessThanOrEqual(reportsWrite ? 0 : 1);
      // The same nonce: the exchange refuses the copy.
      for (const { body } of others) expect(body).toBe(first?.body);
    });

    it('has its Retry-After', async () => {
      const { baseUrl } = await serving(responding('', { status: '503 X', headers: { 'Retry-After': '7' } }));
      expect(await failureOf(orderingAt(baseUrl).exchange.public.ping())).toMatchObject({ retryAfterMs: 7000 });
    });
  });

  describe('an order', () => {
    it('is sent as it was signed, once', async () => {
      const server = await serving(responding(JSON.stringify(placed)));
      const { order$, released } = orderingAt(server.baseUrl);
      expect(await firstValueFrom(order$)).toMatchObject({ order_id: 1 });
      const [request] = server.requests;
      expect(server.requests).toHaveLength(1);
      expect(request).toMatchObject({ method: 'POST', headers: { 'x-txc-apikey': 'key' } });
      expect(Buffer.from(request?.body ?? '').toString('base64')).toBe(request?.headers['x-txc-payload']);
      expect(request?.headers['content-length']).toBe(String(request?.body.length));
      expect(released).toEqual(['responded']);
    });

    it.each([
      ['reset', (socket: Socket) => socket.resetAndDestroy()],
      ['closed', (socket: Socket) => socket.end()],
    ])('is unknown when its connection is %s anywhere in the response', async (_, cut) => {
      const whole = bytesOf(JSON.stringify(placed));
      let length = 0;
      const server = await serving((socket) => {
        if (length > 0) socket.write(whole.subarray(0, length));
        // What was written before a reset is lost, unless it has left.
        setTimeout(() => cut(socket), 1);
      });
      const outcomes = new Set<string>();
      for (; length < whole.length; length += 10) {
        const { order$, released } = orderingAt(server.baseUrl);
        const { kind, outcome } = await failureOf(order$);
        outcomes.add(`${kind} ${outcome} ${released.join()}`);
      }
      expect([...outcomes]).toEqual(['transport unknown unknown']);
      expect(server.requests).toHaveLength(Math.ceil(whole.length / 10));
    });

    it('is unknown when its response never ends', async () => {
      const { baseUrl } = await serving(responding('{', { headers: { 'content-length': '100' } }));
      const { order$, released } = orderingAt(baseUrl, { timeoutMs: 200 });
      expect(await failureOf(order$)).toMatchObject({ kind: 'timeout', outcome: 'unknown' });
      expect(released).toEqual(['unknown']);
    });

    it('is unknown when its response is not HTTP', async () => {
      const { baseUrl } = await serving((socket) => {
        socket.end('SSH-2.0-OpenSSH_9.6\r\n');
      });
      expect(await failureOf(orderingAt(baseUrl).order$)).toMatchObject({ kind: 'transport', outcome: 'unknown' });
    });

    it('is not executed when no server listens', async () => {
      const { baseUrl, close } = await rawServer(() => undefined);
      await close();
      const { order$, released } = orderingAt(baseUrl);
      expect(await failureOf(order$)).toMatchObject({ kind: 'transport', outcome: 'not-executed' });
      expect(released).toEqual(['unsent']);
    });

    it.each(['localhost', '127.0.0.1'])(
      'is not executed when the certificate of %s is not trusted, and a read fails alike',
      async (host) => {
        let requests = 0;
        const server = createSecureServer(selfSigned, (_request, response) => response.end(`${(requests += 1)}`));
        const { exchange, order$, released } = orderingAt(`https://${host}:${await portOf(server)}`);
        for (const call$ of [order$, exchange.public.ping()])
          expect(await failureOf(call$)).toMatchObject({
            ...{ kind: 'transport', outcome: 'not-executed' },
            message: expect.stringContaining('not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)') as string,
          });
        expect({ requests, released }).toEqual({ requests: 0, released: ['unsent', 'unsent'] });
      },
    );

    it('has the outcome that is known when the handshake is reset', async () => {
      const port = await portOf(createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
      const { order$ } = orderingAt(`https://localhost:${port}`);
      expect(await failureOf(order$)).toMatchObject({
        kind: 'transport',
        outcome: reportsWrite ? 'not-executed' : 'unknown',
      });
    });
  });

  describe('unsubscribing', () => {
    it('in the same tick sends nothing', async () => {
      const server = await serving(responding('["pong"]'));
      const { order$, released } = orderingAt(server.baseUrl);
      order$.subscribe().unsubscribe();
      await sleep(30);
      expect({ released, requests: server.requests.length }).toEqual({ released: ['unsent'], requests: 0 });
    });

    it.each([
      ['before the response', ''],
      ['within the head of the response', 'HTTP/1.1 200 OK\r\ncontent-le'],
      ['within the body of the response', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'],
    ])('%s closes the connection, and the outcome is unknown', async (_, begun) => {
      let closed = 0;
      const server = await serving((socket) => {
        socket.on('close', () => (closed += 1));
        if (begun !== '') socket.write(begun);
      });
      const { order$, released } = orderingAt(server.baseUrl);
      const subscription = order$.subscribe();
      await expect.poll(() => server.requests.length).toBe(1);
      await sleep(10);
      subscription.unsubscribe();
      expect(released).toEqual(['unknown']);
      await expect.poll(() => closed).toBeGreaterThanOrEqual(1);
      await sleep(20);
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('a kept connection', () => {
    it('is used again', async () => {
      const server = await serving(responding('["pong"]'));
      const { exchange } = orderingAt(server.baseUrl);
      for (let times = 0; times < 5; times += 1) {
        await firstValueFrom(exchange.public.ping());
        // A pool frees a connection in a later tick.
        await sleep(5);
      }
      expect(server.connections()).toBe(1);
    });

    it('that the server closes when the order arrives leaves the order unknown, and sends it once', async () => {
      const server = await serving((socket, { path }) => {
        if (path.endsWith('/ping')) socket.write(bytesOf('["pong"]'));
        else socket.destroy();
      });
      const { exchange, order$, released } = orderingAt(server.baseUrl);
      await firstValueFrom(exchange.public.ping());
      await sleep(5);
      expect(await failureOf(order$)).toMatchObject({ kind: 'transport', outcome: 'unknown' });
      await sleep(30);
      expect(server.requests.map(({ path }) => path)).toEqual(['/api/v4/public/ping', '/api/v4/order/stock_market']);
      expect(server.connections()).toBe(1);
      expect(released).toEqual(['responded', 'unknown']);
    });

    it('that the server closes at about the same time sends no order twice, and none that is reported as not executed', async () => {
      const seen = new Map<string, number>();
      const server = await serving((socket, { body }) => {
        const id = /"client_?order_?id":"(?<id>[^"]+)"/i.exec(body)?.groups?.['id'] ?? '';
        seen.set(id, (seen.get(id) ?? 0) + 1);
        socket.write(bytesOf(JSON.stringify({ ...placed, client_order_id: id })));
        setTimeout(() => socket.end(), Math.random() * 3);
      });
      const { exchange } = orderingAt(server.baseUrl);
      const results: string[] = [];
      for (let number = 0; number < 40; number += 1) {
        const client_order_id = `order-${number}`;
        const result = await firstValueFrom(exchange.spot.placeStockMarketOrder({ ...order, client_order_id })).then(
          () => 'placed',
          (error: unknown) => String((error as { outcome?: unknown }).outcome),
        );
        results.push(`${result} ${seen.get(client_order_id) ?? 0}`);
        await sleep(Math.random() * 3);
      }
      for (const result of new Set(results))
        expect(['placed 1', 'unknown 0', 'unknown 1', 'not-executed 0']).toContain(result);
      expect(Math.max(...seen.values())).toBe(1);
    });
  });
});
