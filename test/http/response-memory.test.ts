// The memory that the responses of one client take together while they arrive.
import { createExchange, defineEndpoint } from 'exchange-rx';
import { gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { Agent } from 'undici';
import { fetchTransport } from '../../src/http/index.js';
import { LargeBuffers, ReceivedBody } from '../../src/http/received-body.js';
import { dispatchingTransport } from '../../src/http/undici-transport.js';
import { failureOf } from '../support/failure.js';
import { bytesOf, serving, type Respond } from '../support/raw-server.js';

const kibibyte = 2 ** 10;
/** Its buffer takes more than is not counted. */
const list = `[${' '.repeat(300 * kibibyte)}]`;
/** The same, but for its end. */
const endless = bytesOf(' '.repeat(300 * kibibyte), { headers: { 'content-length': String(8 * kibibyte ** 2) } });
/** The buffers of two such responses. */
const maxBytes = 1024 * kibibyte;

const common = { retry: false, lookupTimeoutMs: 0 } as const;
const transports = [
  ['over undici', () => dispatchingTransport(new Agent(), new LargeBuffers(maxBytes))],
  ['over a fetch', () => fetchTransport(globalThis.fetch, new LargeBuffers(maxBytes))],
] as const;

describe('the buffer of a response', () => {
  it('is the chunk when there is one, and grows by doubling, whatever the size of the chunks', () => {
    const chunk = Buffer.from('x');
    const body = new ReceivedBody(2 ** 20, new LargeBuffers());
    body.add(chunk);
    expect(body.bytes.buffer).toBe(chunk.buffer);
    const buffers = new Set<ArrayBufferLike>();
    for (let count = 1; count < 2 ** 20; count += 1) {
      body.add(chunk);
      buffers.add(body.bytes.buffer);
    }
    expect([body.bytes.byteLength, buffers.size]).toEqual([2 ** 20, 7]);
    expect(() => {
      body.add(chunk);
    }).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }) as Error);
  });

  it('counts from 256 KiB on, until it ends', () => {
    const large = new LargeBuffers(maxBytes);
    const received = (bytes: number) => {
      const body = new ReceivedBody(maxBytes, large);
      body.add(new Uint8Array(bytes / 2));
      body.add(new Uint8Array(bytes / 2));
      return body;
    };
    received(256 * kibibyte);
    expect(large.bytes).toBe(0);
    const bodies = [received(512 * kibibyte), received(512 * kibibyte)];
    expect(() => received(512 * kibibyte)).toThrow(
      expect.objectContaining({ code: 'ERR_TOO_MANY_LARGE_RESPONSES' }) as Error,
    );
    for (const body of bodies) body.release();
    expect(large.bytes).toBe(0);
  });
});

describe.each(transports)('the responses of a client, %s,', (_, transportOf) => {
  it('fail when they take too much together, but never that of an order', async () => {
    const placed = { order_id: 1, client_order_id: 'mine', market: 'BTC_USDT', side: 'buy', padding: 'x'.repeat(2e5) };
    let isEndless = true;
    const { baseUrl } = await serving((socket, { path }) => {
      if (path.endsWith('/order/market'))
        socket.write(bytesOf(`<html>${'x'.repeat(200 * kibibyte)}</html>`, { status: '403 Forbidden' }));
      else if (path.includes('/order/')) socket.write(bytesOf(JSON.stringify(placed)));
      else socket.write(isEndless ? endless : bytesOf(list));
    });
    const credentials = { apiKey: 'key', apiSecret: 'secret' };
    const exchange = createExchange({ ...common, transport: transportOf(), baseUrl, credentials });
    const failures: unknown[] = [];
    const lists = Array.from({ length: 4 }, () =>
      exchange.public.markets().subscribe({ error: (error: unknown) => failures.push(error) }),
    );
    await expect.poll(() => failures.length).toBe(2);
    for (const failure of failures)
      expect(failure).toMatchObject({
        kind: 'transport',
        outcome: 'none',
        message: expect.stringContaining('too many large responses are in flight') as string,
      });
    const order = { market: 'BTC_USDT', side: 'buy', amount: '1', client_order_id: 'mine' } as const;
    expect(await firstValueFrom(exchange.spot.placeStockMarketOrder(order))).toMatchObject({ order_id: 1 });
    // A gateway's page is as long as it is.
    expect(
      await failureOf(exchange.spot.placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '10' })),
    ).toMatchObject({ status: 403, outcome: 'rejected' });
    for (const one of lists) one.unsubscribe();
    isEndless = false;
    expect(await firstValueFrom(exchange.public.markets())).toEqual([]);
  });

  it('release it, however they end', async () => {
    const compressed = bytesOf(gzipSync(list), { headers: { 'content-encoding': 'gzip' } });
    const unsubscribed: (() => void)[] = [];
    const respond: Readonly<Record<string, Respond>> = {
      whole: (socket) => void socket.write(bytesOf(list)),
      compressed: (socket) => void socket.write(compressed),
      cut: (socket) => void socket.write(endless, () => setTimeout(() => socket.destroy(), 20)),
      hanging: (socket) => void socket.write(endless, () => setTimeout(() => unsubscribed.pop()?.(), 20)),
      held: (socket) => void socket.write(endless),
    };
    const { baseUrl } = await serving((socket, request) => respond[request.path.slice(1)]?.(socket, request));
    const client = createExchange({ ...common, transport: transportOf(), baseUrl });
    const of = (path: string) =>
      client.call(
        defineEndpoint({
          name: path,
          method: 'GET',
          path: `/${path}`,
          rateLimit: { name: 'list', limit: 1000, windowMs: 1000 },
          safety: 'read',
          request: v.strictObject({}),
          response: v.array(v.string()),
        }),
      );
    // All of the memory but one buffer is held: the next response of a kind that kept its buffer would fail.
    const failures: unknown[] = [];
    const held = Array.from({ length: 3 }, () =>
      of('held').subscribe({ error: (error: unknown) => failures.push(error) }),
    );
    await expect.poll(() => failures.length).toBe(1);
    held.find(({ closed }) => !closed)?.unsubscribe();
    for (let times = 0; times < 3; times += 1) {
      expect(await firstValueFrom(of('whole'))).toEqual([]);
      expect(await firstValueFrom(of('compressed'))).toEqual([]);
      expect(await failureOf(of('cut'))).toMatchObject({
        message: expect.stringContaining('the connection was lost') as string,
      });
      await new Promise<void>((resolve, reject) => {
        const subscription = of('hanging').subscribe({ error: reject });
        unsubscribed.push(() => {
          subscription.unsubscribe();
          resolve();
        });
      });
    }
    for (const one of held) one.unsubscribe();
    expect(await firstValueFrom(of('whole'))).toEqual([]);
  });
});
