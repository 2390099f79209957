// Objects of other code may have any shape: errors and responses of a user's `fetch`, values that schemas and hooks
// throw or return, parameters and options. A call ends once, in a typed error that can be printed and holds no secret.
// An order that may have been sent is never reported as not executed.
import * as endpoints from 'exchange-rx/endpoints';
import {
  ApiError,
  createExchange,
  createClient,
  defineEndpoint,
  QueueTimeoutError,
  isExchangeError,
  NotPlacedError,
  RequestError,
  retryOn503,
  type Fetch,
  type Market,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import { throwError } from 'rxjs';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { ended, endingOf, wrongWith } from './odd-calls.js';
import { failingAt, oddObjects, raise } from './odd-objects.js';
import { brokenBy, ofEndpoint, ofFetch } from './odd-strikes.js';
import { ExchangeError } from '../../src/errors/index.js';

const unhandled: unknown[] = [];
const note = (reason: unknown) => {
  unhandled.push(reason);
};
beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
});

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const connectionRefused = (message: string) => Object.assign(new Error(message), { code: 'ECONNREFUSED' });
const fine: Fetch = () => Promise.resolve(Response.json({}));

describe('an odd object', () => {
  // 1 case in 19 and 1 in 53, with a different offset for each place. The heavy test takes all cases.
  it('of a fetch or its response ends every call in one typed error, and leaves an order unknown', async () => {
    const broken = [];
    for (const [index, [place, strike]] of Object.entries(ofFetch).entries())
      broken.push(...(await brokenBy(strike, true, 19, index)).map((one) => `${place}: ${one}`));
    expect(broken).toEqual([]);
    expect(unhandled.splice(0)).toEqual([]);
  });

  it('of an endpoint, a hook, parameters or options ends every call once, never in a bare error', async () => {
    const broken = [];
    for (const [index, [place, strike]] of Object.entries(ofEndpoint).entries())
      broken.push(...(await brokenBy(strike, false, 53, index)).map((one) => `${place}: ${one}`));
    expect(broken).toEqual([]);
    expect(unhandled.splice(0)).toEqual([]);
  });

  it('does not end a program without handlers for it', async () => {
    const program = fileURLToPath(new URL('odd-program.ts', import.meta.url));
    const env = { ...process.env, TSX_TSCONFIG_PATH: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program], { env });
    expect({ stdout, stderr }).toEqual({ stdout: 'every call ended once\n', stderr: '' });
  });
});

describe('an order that was sent has an unknown outcome', () => {
  it.each<[string, Fetch]>([
    [
      'when the response throws ECONNREFUSED',
      () => Promise.resolve(failingAt({ status: 200 }, 'ok', () => connectionRefused('late')) as Response),
    ],
    [
      'when instanceof fails at the response',
      () => Promise.resolve(new Proxy(new Response('{}'), { getPrototypeOf: () => raise(connectionRefused('late')) })),
    ],
    [
      'when a fetch rejects with an error of this package',
      () => Promise.reject(new QueueTimeoutError('own', 'public', 5)),
    ],
    [
      'when a fetch rejects with a copy of such an error',
      () =>
        Promise.reject(Object.assign(Object.create(QueueTimeoutError.prototype) as Error, { outcome: 'not-executed' })),
    ],
    [
      'when a fetch rejects with more errors of connecting than can be read',
      () => Promise.reject(Object.assign(new AggregateError([]), { code: 'EHOSTUNREACH', errors: { length: 1e9 } })),
    ],
  ])('%s', async (_, fetch) => {
    expect(await endingOf('order', { fetch })).toMatchObject({
      errors: [{ kind: 'transport', outcome: 'unknown', client_order_id: 'mine' }],
      sent: 1,
    });
  });

  it('when the endpoint throws an error of this package at its response', async () => {
    const notSent = new RequestError('roundAmount', [{ field: 'amount', message: 'is not rounded' }]);
    for (const own of [
      {
        response: v.pipe(
          v.looseObject({}),
          v.transform(() => raise(notSent)),
        ),
      },
      { matchesRequest: () => raise(notSent) },
      { exchangeTime: () => raise(notSent) },
    ]) {
      expect(await endingOf('order', { fetch: fine, own })).toMatchObject({
        errors: [{ kind: 'response', outcome: 'unknown' }],
      });
    }
  });
});

describe('an asynchronous function that must be synchronous', () => {
  const fails = () => Promise.reject(new Error('late'));
  it.each([
    ['matchesRequest', { matchesRequest: fails }, 'response'],
    ['exchangeTime', { exchangeTime: fails }, 'response'],
    ['key', { key: fails }, 'request'],
    ['the transform of a request', { request: v.pipe(v.looseObject({}), v.transform(fails)) }, 'request'],
    ['the schema of a request', { request: v.pipeAsync(v.looseObject({}), v.transformAsync(fails)) }, 'request'],
    ['the schema of a response', { response: v.pipeAsync(v.looseObject({}), v.transformAsync(fails)) }, 'request'],
  ])('is rejected, and its rejection is handled: %s', async (_, own, kind) => {
    const ending = await endingOf('setting', { fetch: fine, own });
    expect(ending).toMatchObject({ errors: [{ kind, endpoint: 'setting' }], sent: kind === 'request' ? 0 : 1 });
    expect(unhandled.splice(0)).toEqual([]);
  });

  it('is an invalid clock', async () => {
    expect(await endingOf('order', { fetch: fine, options: { now: fails as never } })).toMatchObject({
      errors: [{ kind: 'request', issues: [{ field: 'now' }] }],
      sent: 0,
    });
    expect(unhandled.splice(0)).toEqual([]);
  });
});

describe('the market check of an order', () => {
  it('keeps the order from being sent when toCheck() of the endpoint throws', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange({ ...sandbox.clientOptions(), checkOrders: true });
    const toCheck = () => raise(new Error('no'));
    const error = await failureOf(exchange.call({ ...endpoints.spot.placeStockMarketOrder, toCheck }, order));
    expect(error).toMatchObject({
      kind: 'request',
      outcome: 'not-executed',
      issues: [{ field: 'params' }],
      cause: { message: 'no' },
    });
    expect(sandbox.ledger.orders).toEqual([]);
  });
});

describe('finding an order', () => {
  it('ends once for any value in place of its identifier', async () => {
    const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch: fine });
    for (const [, make] of oddObjects) {
      const ending = await ended(() =>
        exchange.orders.find({ market: 'BTC_USDT', client_order_id: make('not an identifier') as never }),
      );
      expect(wrongWith(ending, [])).toBeUndefined();
      expect(ending.errors).toMatchObject([{ kind: 'request', outcome: 'none' }]);
    }
  });

  it('proves nothing when the list of markets is not a list', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const { serverTime, markets } = endpoints.public;
    const response = v.pipe(
      v.unknown(),
      v.transform(() => 'yes' as unknown as Market[]),
    );
    const client = createClient(
      { ...sandbox.clientOptions(), lookupTimeoutMs: 50 },
      {
        serverTime,
        markets: defineEndpoint({ ...markets, rateLimit: markets.rateLimits, request: v.looseObject({}), response }),
      },
    );
    const { lookup } = endpoints.spot.placeStockMarketOrder;
    if (lookup === undefined) throw new Error('orders are looked up');
    const error = await failureOf(
      client.findOrder(lookup, {
        market: 'BTC_USDT',
        client_order_id: 'missing',
        endpoint: 'spot.placeStockMarketOrder',
      }),
    );
    expect(error).toMatchObject({ outcome: 'unknown', client_order_id: 'missing' });
    expect(error).not.toBeInstanceOf(NotPlacedError);
  });
});

describe('parameters that are no object, or cannot be read', () => {
  const exchange = createExchange(createSandbox().clientOptions());
  const unreadable = new Proxy({}, { get: () => raise('get'), ownKeys: () => raise('ownKeys') });

  it.each([undefined, null, 7, 'BTC_USDT', unreadable])('end orders.find in a typed error: %#', async (odd) => {
    expect(await failureOf(exchange.orders.find(odd as never))).toMatchObject({ endpoint: 'orders.find' });
  });

  it.each([undefined, null, 7, 'public.ping', {}, unreadable])('end a call in a typed error: %#', async (odd) => {
    expect(await failureOf(exchange.call(odd as never))).toMatchObject({
      kind: 'request',
      issues: [{ field: 'endpoint', message: 'must be an endpoint, such as endpoints.public.ping' }],
    });
  });

  it('end a list in a typed error', async () => {
    expect(await failureOf(exchange.subAccounts.listAll(unreadable))).toMatchObject({ outcome: 'none' });
  });

  it('name the function and the order that they are about', async () => {
    const find = exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'mine' }, { timeoutMs: -1 });
    expect(await failureOf(find)).toMatchObject({
      kind: 'request',
      endpoint: 'orders.find',
      outcome: 'none',
      client_order_id: 'mine',
    });
  });
});

describe('an error of this package', () => {
  it('is recognized among odd objects and objects that only inherit from it', () => {
    for (const [, make] of oddObjects) {
      const odd = make('x');
      expect([isExchangeError(odd), odd instanceof ExchangeError, odd instanceof ApiError]).toEqual([
        false,
        false,
        false,
      ]);
    }
    const forged: unknown = Object.create(ApiError.prototype);
    expect([isExchangeError(forged), forged instanceof ExchangeError]).toEqual([false, false]);
    const own: unknown = new RequestError('own', []);
    expect([
      isExchangeError(own),
      own instanceof ExchangeError,
      own instanceof RequestError,
      own instanceof ApiError,
    ]).toEqual([true, true, true, false]);
  });

  it('has a copy of its cause that can always be printed', () => {
    for (const [, make] of oddObjects)
      expect(() => inspect(new RequestError('own', [], make('x')), { showHidden: true })).not.toThrow();
  });

  it('has a bounded length, however long and many its causes are', async () => {
    let made = 0;
    const endless = (): Error => {
      made += 1;
      const errors = { get: () => Array.from({ length: 100 }, endless) };
      return Object.defineProperties(new AggregateError([], 'x'.repeat(100_000)), { errors, cause: { get: endless } });
    };
    const { errors } = await endingOf('read', { fetch: () => Promise.reject(endless()) });
    expect(errors).toMatchObject([{ kind: 'transport', outcome: 'none' }]);
    expect(inspect(errors[0], { depth: 20, showHidden: true }).length).toBeLessThan(300_000);
    expect(made).toBeLessThan(20_000);
  });
});

describe('a response of a user’s fetch', () => {
  it.each([429, 503])('with status %i and unreadable headers is classified by its status', async (status) => {
    const response = {
      status,
      headers: { get: () => raise(new Error('no')) },
      body: null,
      text: () => Promise.resolve(''),
    };
    const ending = await endingOf('read', { fetch: () => Promise.resolve(response as unknown as Response) });
    expect(ending).toMatchObject({
      errors: [{ kind: status === 429 ? 'rate-limited' : 'unavailable', retryAfterMs: undefined }],
    });
  });

  it('whose reader returns no promise from cancel is handled', async () => {
    const uncaught: unknown[] = [];
    const noteError = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', noteError);
    const never = new Promise<never>(() => undefined);
    const body = new Proxy(new ReadableStream(), {
      get: (target, name) =>
        name === 'getReader'
          ? () => ({ read: () => never, cancel: () => undefined })
          : (Reflect.get(target, name) as unknown),
    });
    const response = { status: 200, headers: new Headers(), body, text: () => never };
    const ending = await endingOf('read', {
      fetch: () => Promise.resolve(response as unknown as Response),
      options: { timeoutMs: 20 },
    });
    process.off('uncaughtException', noteError);
    expect(ending).toMatchObject({ errors: [{ kind: 'timeout' }] });
    expect(uncaught).toEqual([]);
  });
});

describe('an endpoint of the user', () => {
  it('may take a bigint as a secret, and its errors hide unreadable values', async () => {
    const grant = defineEndpoint({
      name: 'grant',
      method: 'POST',
      path: '/grant',
      rateLimit: endpoints.oauth.refreshToken.rateLimits,
      authentication: 'form',
      safety: 'once',
      confidential: true,
      request: v.looseObject({}),
      response: v.looseObject({}),
    });
    const fetch: Fetch = (_url, { body = '' }) => Promise.reject(new Error(`no: ${body}`));
    const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch, retry: false });
    const error = await failureOf(exchange.call(grant, { token: 'token-of-a-user', count: 123_456_789_012n }));
    expect(error).toMatchObject({ kind: 'transport', outcome: 'unknown' });
    expect(inspect(error, { showHidden: true })).not.toMatch(/token-of-a-user|123456789012/);
  });
});

describe('operators', () => {
  it('pass odd objects on unchanged', async () => {
    for (const [, make] of oddObjects) {
      const odd = make('x');
      const { errors } = await ended(() => throwError(() => odd).pipe(retryOn503()));
      expect(Object.is(errors[0], odd)).toBe(true);
    }
  });
});
