// The memory that the responses of one client take together while they arrive.
import { createClient, createExchange, defineEndpoint, type ExchangeOptions } from 'exchange-rx';
import { gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { failureOf } from '../support/failure.js';
import { bytesOf, rawServer, type Respond, type RawServer } from '../support/raw-server.js';

const mebibyte = 2 ** 20;
/** It takes a buffer of 8 MiB. */
const list = `[${' '.repeat(4 * mebibyte)}]`;
/** The same, but for its end. */
const endless = bytesOf(' '.repeat(4 * mebibyte + 1), { headers: { 'content-length': String(8 * mebibyte) } });

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
});

async function serving(respond: Respond): Promise<string> {
  server = await rawServer(respond);
  return server.baseUrl;
}

const common = { retry: false, lookupTimeoutMs: 0, timeoutMs: 60_000 } as const;
const ways: readonly (readonly [string, Partial<ExchangeOptions>])[] = [
  ['over the default transport', {}],
  ['over a fetch', { fetch: globalThis.fetch }],
];

describe.each(ways)('the responses of a client, %s,', (_, way) => {
  it('take at most 256 MiB together, more fail, and an order still gets its response', async () => {
    const placed = { order_id: 1, client_order_id: 'mine', market: 'BTC_USDT', side: 'buy', padding: 'x'.repeat(2e5) };
    let isEndless = true;
    const baseUrl = await serving((socket, { path }) => {
      if (path.endsWith('/order/market'))
        socket.write(bytesOf(`<html>${'x'.repeat(200 * 1024)}</html>`, { status: '403 Forbidden' }));
      else if (path.includes('/order/')) socket.write(bytesOf(JSON.stringify(placed)));
      else socket.write(isEndless ? endless : bytesOf(list));
    });
    const credentials = { apiKey: 'key', apiSecret: 'secret' };
    const exchange = createExchange({ ...common, ...way, baseUrl, credentials });
    const failures: unknown[] = [];
    const lists = Array.from({ length: 40 }, () =>
      exchange.public.markets().subscribe({ error: (error: unknown) => failures.push(error) }),
    );
    await expect.poll(() => failures.length).toBeGreaterThanOrEqual(8);
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
  }, 60_000);

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
    const baseUrl = await serving((socket, request) => respond[request.path.slice(1)]?.(socket, request));
    const client = createClient({ ...common, ...way, baseUrl });
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
    const held = Array.from({ length: 33 }, () =>
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
  }, 120_000);
});
