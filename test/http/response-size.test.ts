// How large a response may be.
import { createExchange, defineEndpoint } from 'exchange-rx';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { failureOf } from '../support/failure.js';
import { portOf } from '../support/raw-server.js';
import { order } from '../support/transports.js';

const mebibyte = 2 ** 20;
const credentials = { apiKey: 'key', apiSecret: 'secret' };

/** The options of a client for each transport, whose responses have this body. */
async function respondedWith(body: string, encoded?: Buffer) {
  const headers = encoded === undefined ? {} : { 'content-encoding': 'gzip' };
  const port = await portOf(
    createServer((_request, response) => response.writeHead(200, headers).end(encoded ?? body)),
  );
  const options = { credentials, lookupTimeoutMs: 0, retry: false } as const;
  return [
    { ...options, baseUrl: `http://127.0.0.1:${port}` },
    { ...options, baseUrl: 'https://exchange.example', fetch: () => Promise.resolve(new Response(body)) },
  ];
}

const text = defineEndpoint({ name: 'text', path: '/text', safety: 'read', response: v.string() });
const bodyOf = (bytes: number) => JSON.stringify('a'.repeat(bytes - 2));
const tooLarge = {
  kind: 'transport',
  outcome: 'none',
  message: expect.stringContaining('the response exceeds its maximum size') as string,
};

describe('a response may have', () => {
  it('256 KiB to an order', async () => {
    for (const [bytes, failure] of [
      [256 * 1024 + 1, { ...tooLarge, outcome: 'unknown' }],
      [256 * 1024, { kind: 'response' }],
    ] as const)
      for (const options of await respondedWith(bodyOf(bytes)))
        expect(await failureOf(createExchange(options).spot.placeStockMarketOrder(order))).toMatchObject(failure);
  });

  it('8 MiB to another request, both compressed and decompressed', async () => {
    for (const options of await respondedWith(bodyOf(8 * mebibyte))) {
      expect(await firstValueFrom(createExchange(options).call(text))).toHaveLength(8 * mebibyte - 2);
    }
    const body = bodyOf(8 * mebibyte + 1);
    for (const options of [...(await respondedWith(body)), ...(await respondedWith(body, gzipSync(body)))]) {
      expect(await failureOf(createExchange(options).call(text))).toMatchObject(tooLarge);
    }
  });

  it('no more when its source is endless and never ends its cancellation', async () => {
    let given = 0;
    let isCanceled = false;
    const source = {
      pull: (controller: ReadableStreamDefaultController) => {
        given += mebibyte;
        controller.enqueue(new Uint8Array(mebibyte));
      },
      cancel: () => {
        isCanceled = true;
        return new Promise<void>(() => undefined);
      },
    };
    const exchange = createExchange({
      ...{ baseUrl: 'https://exchange.example', credentials, retry: false, timeoutMs: 2000 },
      fetch: () => Promise.resolve(new Response(new ReadableStream(source))),
    });
    expect(await failureOf(exchange.call(text))).toMatchObject(tooLarge);
    expect(given).toBeLessThan(32 * mebibyte);
    await expect.poll(() => isCanceled).toBe(true);
  });
});
