// What kyTransport does beside what every transport does: the hooks of a user's ky instance, and a user's fetch.
import { createExchange, kyTransport, type Fetch } from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import ky, { type Hooks, type KyInstance, type Options } from 'ky';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { request as undiciRequest } from 'undici';
import { bytesOf, type Respond, responding, serving } from '../support/raw-server.js';
import { failureOf } from '../support/failure.js';
import { list, placed } from '../support/transports.js';
import { ordering } from './ordering.js';

const accept: Respond = responding(JSON.stringify(placed));

/** An order through a ky instance. */
async function orderingBy(instance: KyInstance, respond: Respond = accept) {
  const server = await serving(respond);
  return { server, ...ordering({ baseUrl: server.baseUrl, transport: kyTransport(instance) }) };
}

const withHooks = (hooks: Hooks) => ky.extend({ hooks });

describe('the hooks of a ky instance', () => {
  it('see each request and each response once, and may add headers', async () => {
    const seen: string[] = [];
    const instance = withHooks({
      beforeRequest: [
        (request) => {
          seen.push(`${request.method} ${new URL(request.url).pathname}`);
          request.headers.set('x-trace', '7');
        },
      ],
      afterResponse: [
        (_request, _options, response) => {
          seen.push(String(response.status));
        },
      ],
    });
    const { order$, released, server } = await orderingBy(instance);
    expect(await firstValueFrom(order$)).toMatchObject({ order_id: 1 });
    expect(seen).toEqual(['POST /api/v4/order/stock_market', '200']);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({ headers: { 'x-trace': '7', 'x-txc-apikey': 'key' } });
    expect(released).toEqual(['responded']);
  });

  it('may respond by themselves, as a mock does', async () => {
    const instance = withHooks({ beforeRequest: [() => new Response(JSON.stringify(placed))] });
    const { order$, server } = await orderingBy(instance);
    expect(await firstValueFrom(order$)).toMatchObject({ order_id: 1 });
    expect(server.requests).toHaveLength(0);
  });

  const sentTwice = 'a hook of the ky instance tried to send the request a second time';
  const failed = 'a hook of the ky instance failed';
  const hooksThatFail: Record<string, { hooks: Hooks; message: string; requests: number }> = {
    'afterResponse sends it again': {
      hooks: { afterResponse: [(request, options) => ky(request, options as Options)] },
      message: sentTwice,
      requests: 1,
    },
    'beforeRequest sends it, and does not return the response': {
      hooks: {
        beforeRequest: [async (request, options) => void (await ky(request, { ...(options as Options), hooks: {} }))],
      },
      message: sentTwice,
      requests: 1,
    },
    'afterResponse asks for a retry': { hooks: { afterResponse: [() => ky.retry()] }, message: failed, requests: 1 },
    'afterResponse throws with the code of a refused connection': {
      hooks: {
        afterResponse: [() => Promise.reject(Object.assign(new Error('no collector'), { code: 'ECONNREFUSED' }))],
      },
      message: failed,
      requests: 1,
    },
    'beforeRequest throws, because it may have sent the order before': {
      hooks: { beforeRequest: [() => Promise.reject(new Error('no'))] },
      message: failed,
      requests: 0,
    },
    'beforeRequest follows redirects': {
      hooks: { beforeRequest: [(request) => new Request(request, { redirect: 'follow' })] },
      message: 'follow redirects',
      requests: 0,
    },
  };
  it.each(Object.entries(hooksThatFail))(
    'send an order once at most, and leave it unknown: %s',
    async (_, { hooks, message, requests }) => {
      const { order$, released, server } = await orderingBy(withHooks(hooks));
      expect(await failureOf(order$)).toMatchObject({
        kind: 'transport',
        outcome: 'unknown',
        message: expect.stringContaining(message) as string,
      });
      await sleep(50);
      expect({ requests: server.requests.length, released }).toEqual({ requests, released: ['unknown'] });
    },
  );

  it('keep no connection open for a clone of a response that failed', async () => {
    const clones: Response[] = [];
    const instance = withHooks({
      afterResponse: [(_request, _options, response) => void clones.push(response.clone())],
    });
    let isClosed = false;
    const { order$ } = await orderingBy(instance, (socket) => {
      socket.on('close', () => (isClosed = true));
      socket.write(bytesOf('x'.repeat(300_000), { headers: { 'content-length': '100000000' } }));
    });
    expect(await failureOf(order$)).toMatchObject({ outcome: 'unknown' });
    await expect.poll(() => isClosed).toBe(true);
    expect(clones).toHaveLength(1);
  });

  it('that take their time send nothing after the order is unsubscribed', async () => {
    const instance = withHooks({ beforeRequest: [() => sleep(50)] });
    const { order$, released, server } = await orderingBy(instance);
    const subscription = order$.subscribe();
    await sleep(10);
    subscription.unsubscribe();
    await sleep(100);
    expect({ requests: server.requests.length, released }).toEqual({ requests: 0, released: ['unknown'] });
  });
});

describe('a ky instance', () => {
  it('may have a fetch, headers and a time limit, and its retries switched off', async () => {
    const paths: string[] = [];
    const instance = ky.extend({
      retry: { limit: 0 },
      redirect: 'manual',
      timeout: 1,
      headers: { 'x-mine': 'yes' },
      fetch: async (input, init) => {
        paths.push(new URL((input as Request).url).pathname);
        await sleep(20);
        return globalThis.fetch(input, init);
      },
    });
    const { order$, server } = await orderingBy(instance);
    await firstValueFrom(order$);
    expect(paths).toEqual(['/api/v4/order/stock_market']);
    expect(server.requests[0]?.headers['x-mine']).toBe('yes');
  });

  it('does not decide what is sent, or how often', async () => {
    const instance = ky.extend({
      retry: 2,
      redirect: 'follow',
      prefixUrl: 'https://elsewhere.example',
      searchParams: { a: '1' },
      json: {},
      method: 'put',
    });
    const { order$, server } = await orderingBy(
      instance,
      responding('', { status: '503 X', headers: { 'retry-after': '0' } }),
    );
    expect(await failureOf(order$)).toMatchObject({ kind: 'unavailable' });
    const [{ method, path, body, headers } = { method: '', path: '', body: '', headers: {} }] = server.requests;
    expect(server.requests).toHaveLength(1);
    expect([method, path]).toEqual(['POST', '/api/v4/order/stock_market']);
    expect(Buffer.from(body).toString('base64')).toBe(headers['x-txc-payload']);
  });
});

it('a user’s fetch that returns a Response of another library is called once for each request', async () => {
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
  const server = await serving(responding('["a"]'));
  const client = createExchange({ baseUrl: server.baseUrl, retry: false, fetch: foreign });
  expect(await firstValueFrom(client.call(list))).toEqual(['a']);
  expect(server.requests.map(({ path }) => path)).toEqual(['/list']);
});
