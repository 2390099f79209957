// The memory that the unread responses of one client take together.
import { createExchange } from 'exchange-rx';
import { gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createSend,
  fetchTransport,
  undiciTransport,
  type Transport,
  type WireResponse,
} from '../../src/http/index.js';
import { ResponseMemory } from '../../src/http/response-memory.js';
import { failureOf } from '../support/failure.js';
import { bytesOf, rawServer, type Respond, type RawServer } from '../hostile/raw-server.js';

const mebibyte = 2 ** 20;
let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
});

async function serving(respond: Respond): Promise<string> {
  server = await rawServer(respond);
  return server.baseUrl;
}

const credentials = { apiKey: 'key', apiSecret: 'secret' };

describe('the responses of a client', () => {
  it('hold at most 128 MiB together, more fail, and an order still gets its response', async () => {
    const placed = {
      order_id: 1,
      client_order_id: 'mine',
      market: 'BTC_USDT',
      side: 'buy',
      padding: 'x'.repeat(15 * 1024),
    };
    let begun = 0;
    const baseUrl = await serving((socket, { path }) => {
      if (path.endsWith('/order/market'))
        socket.write(bytesOf(`<html>${'x'.repeat(200 * 1024)}</html>`, { status: '403 Forbidden' }));
      else if (path.includes('/order/')) socket.write(bytesOf(JSON.stringify(placed)));
      else if (begun === 150) socket.write(bytesOf(`[${' '.repeat(mebibyte)}]`));
      else {
        begun += 1;
        socket.write(bytesOf(' '.repeat(mebibyte), { headers: { 'content-length': String(2 * mebibyte) } }));
      }
    });
    const exchange = createExchange({ baseUrl, credentials, retry: false, lookupTimeoutMs: 0, timeoutMs: 60_000 });
    const failures: unknown[] = [];
    const lists = Array.from({ length: 150 }, () =>
      exchange.public.markets().subscribe({ error: (error: unknown) => failures.push(error) }),
    );
    // What has 1 MiB counts 16 KiB less: 130 fit.
    await expect.poll(() => failures.length).toBeGreaterThanOrEqual(20);
    for (const failure of failures)
      expect(failure).toMatchObject({
        kind: 'transport',
        outcome: 'none',
        message: expect.stringContaining('too many large responses are in flight') as string,
      });
    expect(
      await firstValueFrom(
        exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '1', client_order_id: 'mine' }),
      ),
    ).toMatchObject({ order_id: 1 });
    // A gateway's page is as long as it is.
    expect(
      await failureOf(exchange.spot.placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '10' })),
    ).toMatchObject({ status: 403, outcome: 'rejected' });
    for (const one of lists) one.unsubscribe();
    expect(await firstValueFrom(exchange.public.markets())).toEqual([]);
  });
});

describe('the response memory of a client', () => {
  const request = { method: 'GET', headers: {} } as const;
  const bounds = { maxResponseBytes: 8 * mebibyte, isUrgent: false };

  /** Sends requests whose responses have this much memory together. `aborted` ends one after 100 ms. */
  function sender(transport: Transport, bytes: number) {
    const send = createSend(transport, new ResponseMemory(bytes));
    return (url: string, aborted = false): Promise<WireResponse> =>
      new Promise((onResponse, onLost) => {
        const sending = send({ ...request, url }, bounds, { onSent: () => undefined, onResponse, onLost });
        sending.start();
        if (aborted)
          setTimeout(() => {
            sending.abort();
            onLost(new Error('aborted'));
          }, 100);
      });
  }

  it('counts a response both compressed and decompressed', async () => {
    const body = gzipSync(' '.repeat(2 * mebibyte));
    const url = await serving((socket) => {
      socket.write(bytesOf(body, { headers: { 'content-encoding': 'gzip' } }));
    });
    const sendIn = (bytes: number) => sender(undiciTransport(), bytes)(url);
    await expect(sendIn(2 * mebibyte - 32 * 1024)).rejects.toMatchObject({ code: 'ERR_RESPONSE_MEMORY_FULL' });
    expect((await sendIn(2 * mebibyte)).body).toHaveLength(2 * mebibyte);
  });

  it('is released after each response, however it ended', async () => {
    const whole = bytesOf(' '.repeat(mebibyte));
    const responses = {
      whole: (send: (bytes: Buffer) => void) => {
        send(whole);
      },
      cut: (send: (bytes: Buffer) => void, end: () => void) => {
        send(whole.subarray(0, 500_000));
        setTimeout(end, 20);
      },
      hanging: (send: (bytes: Buffer) => void) => {
        send(whole.subarray(0, 500_000));
      },
    };
    const url = await serving((socket, { path }) => {
      const respond = Object.entries(responses).find(([name]) => path.endsWith(name))?.[1];
      respond?.(
        (bytes) => socket.write(bytes),
        () => socket.destroy(),
      );
    });
    const send = sender(undiciTransport(), mebibyte);
    for (let times = 0; times < 5; times += 1) {
      expect((await send(`${url}/whole`)).body).toHaveLength(mebibyte);
      await expect(send(`${url}/cut`)).rejects.toThrow();
      await expect(send(`${url}/hanging`, true)).rejects.toThrow();
    }
  });

  it('counts responses of a user’s fetch, as a stream or as text', async () => {
    const text = ' '.repeat(mebibyte);
    class TextOnly extends Response {
      override readonly body = null;
      override readonly text = () => Promise.resolve(text);
    }
    for (const response of [() => new Response(text), () => new TextOnly()]) {
      const transport = fetchTransport(() => Promise.resolve(response()));
      const sendIn = (bytes: number) => sender(transport, bytes)('https://exchange.example');
      await expect(sendIn(mebibyte / 2)).rejects.toMatchObject({ cause: { code: 'ERR_RESPONSE_MEMORY_FULL' } });
      expect((await sendIn(mebibyte)).body).toHaveLength(mebibyte);
    }
  });
});
