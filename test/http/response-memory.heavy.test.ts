// The memory that the responses of one client take together while they arrive.
import { createExchange, defineEndpoint, undiciTransport } from 'exchange-rx';
import { gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { ReceivedBody } from '../../src/http/received-body.js';
import { failureOf } from '../support/failure.js';
import { bytesOf, serving, type Respond } from '../support/raw-server.js';
import { order, placed } from '../support/transports.js';

const mebibyte = 2 ** 20;
/** The buffers of 32 such responses are all of the memory. */
const spaces = ' '.repeat(8 * mebibyte - 2);
const maxBuffers = 32;
const full = bytesOf(`[${spaces}]`);
const endless = bytesOf(spaces, { headers: { 'content-length': String(8 * mebibyte) } });

const common = {
  retry: false,
  lookupTimeoutMs: 0,
  timeoutMs: 60_000,
  credentials: { apiKey: 'key', apiSecret: 'secret' },
} as const;

const transports = [
  ['undici', () => ({ transport: undiciTransport() })],
  ['a fetch', () => ({ fetch: globalThis.fetch })],
] as const;

describe('the buffer of a response', () => {
  it('is the chunk when there is one, and grows by doubling, whatever the size of the chunks', () => {
    const chunk = Buffer.from('x');
    const body = new ReceivedBody(mebibyte, { bytes: 0 });
    body.add(chunk);
    expect(body.bytes.buffer).toBe(chunk.buffer);
    const buffers = new Set<ArrayBufferLike>();
    for (let count = 1; count < mebibyte; count += 1) {
      body.add(chunk);
      buffers.add(body.bytes.buffer);
    }
    expect([body.bytes.byteLength, buffers.size]).toEqual([mebibyte, 7]);
    expect(() => {
      body.add(chunk);
    }).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }) as Error);
  });

  it('never exceeds the maximum size of the response', () => {
    const body = new ReceivedBody(3 * mebibyte, { bytes: 0 });
    for (let count = 0; count < 3; count += 1) body.add(new Uint8Array(mebibyte));
    expect(body.bytes.buffer.byteLength).toBe(3 * mebibyte);
  });

  it('counts above 256 KiB, until it is released', () => {
    const large = { bytes: 0 };
    const received = (bytes: number) => {
      const body = new ReceivedBody(128 * mebibyte, large);
      body.add(new Uint8Array(bytes / 2));
      body.add(new Uint8Array(bytes / 2));
      return body;
    };
    received(mebibyte / 4);
    expect(large.bytes).toBe(0);
    const bodies = [received(128 * mebibyte), received(128 * mebibyte)];
    expect(() => received(mebibyte)).toThrow(
      expect.objectContaining({ code: 'ERR_TOO_MANY_LARGE_RESPONSES' }) as Error,
    );
    received(mebibyte / 4);
    for (const body of bodies) body.release();
    expect(large.bytes).toBe(0);
  });
});

// They read 256 MiB each.
describe.each(transports)('the responses of a client over %s', { timeout: 60_000 }, (_, optionsOf) => {
  it('fail when they take too much together, but never that of an order', async () => {
    let isEndless = true;
    const { baseUrl } = await serving((socket, { path }) => {
      if (path.endsWith('/order/market'))
        socket.write(bytesOf(`<html>${'x'.repeat(200 * 1024)}</html>`, { status: '403 Forbidden' }));
      else if (path.includes('/order/'))
        socket.write(bytesOf(JSON.stringify({ ...placed, padding: 'x'.repeat(200_000) })));
      else socket.write(isEndless ? endless : full);
    });
    const exchange = createExchange({ ...common, ...optionsOf(), baseUrl });
    const failures: unknown[] = [];
    const lists = Array.from({ length: maxBuffers + 2 }, () =>
      exchange.public.markets().subscribe({ error: (error: unknown) => failures.push(error) }),
    );
    await expect.poll(() => failures.length, { timeout: 30_000 }).toBe(2);
    for (const failure of failures)
      expect(failure).toMatchObject({
        kind: 'transport',
        outcome: 'none',
        message: expect.stringContaining('too many large responses are in flight') as string,
      });
    expect(await firstValueFrom(exchange.spot.placeStockMarketOrder(order))).toMatchObject({ order_id: 1 });
    // A gateway's page is as long as it is.
    expect(await failureOf(exchange.spot.placeMarketOrder({ ...order, client_order_id: 'other' }))).toMatchObject({
      status: 403,
      outcome: 'rejected',
    });
    for (const one of lists) one.unsubscribe();
    isEndless = false;
    expect(await firstValueFrom(exchange.public.markets())).toEqual([]);
  });

  it('release it, however they end', async () => {
    const compressed = bytesOf(gzipSync(`[${spaces}]`), { headers: { 'content-encoding': 'gzip' } });
    const unsubscribed: (() => void)[] = [];
    const respond: Readonly<Record<string, Respond>> = {
      whole: (socket) => void socket.write(full),
      compressed: (socket) => void socket.write(compressed),
      cut: (socket) => void socket.write(endless, () => setTimeout(() => socket.destroy(), 20)),
      hanging: (socket) => void socket.write(endless, () => setTimeout(() => unsubscribed.pop()?.(), 20)),
      held: (socket) => void socket.write(endless),
    };
    const { baseUrl } = await serving((socket, request) => respond[request.path.slice(1)]?.(socket, request));
    const client = createExchange({ ...common, ...optionsOf(), baseUrl });
    const of = (path: string) =>
      client.call(defineEndpoint({ name: path, path: `/${path}`, safety: 'read', response: v.array(v.string()) }));
    // All of the memory but one buffer is held: the next response of a kind that kept its buffer would fail.
    const failures: unknown[] = [];
    const held = Array.from({ length: maxBuffers + 1 }, () =>
      of('held').subscribe({ error: (error: unknown) => failures.push(error) }),
    );
    await expect.poll(() => failures.length, { timeout: 30_000 }).toBe(1);
    held.find(({ closed }) => !closed)?.unsubscribe();
    for (let times = 0; times < 2; times += 1) {
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
