// What a definition can say, through the public door: the request byte by byte, and the output of a response.
import {
  createExchange,
  createScheduler,
  defineEndpoint,
  type CallEvent,
  type Endpoint,
  type EndpointDefinition,
} from 'exchange-rx';
import { inspect } from 'node:util';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import type { RequestSchema } from '../../src/endpoint/index.js';

type AnyParams = Readonly<Record<string, unknown>>;
type Definition = EndpointDefinition<RequestSchema, v.GenericSchema>;

const own = (definition: Partial<Definition>): Endpoint<AnyParams> =>
  defineEndpoint({
    name: 'own',
    method: 'GET',
    path: '/own',
    rateLimit: { limit: 1000, windowMs: 10_000 },
    authentication: 'none',
    safety: 'read',
    request: v.looseObject({}),
    response: v.unknown(),
    ...definition,
  });

function setup(body: unknown = {}, status = 200) {
  const { fetch, sent } = recordingFetch(() => jsonAnswer(body, status));
  const events: CallEvent[] = [];
  const exchange = createExchange({
    baseUrl: 'https://exchange.example/base',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    scheduler: createScheduler(),
    retry: false,
    fetch,
  });
  const call = (endpoint: Endpoint<AnyParams>, params: AnyParams = {}) =>
    exchange.call(endpoint, params, { onEvent: (event) => events.push(event) });
  return { call, sent, events };
}

const bodyOf = ({ body }: { readonly body: string }) => JSON.parse(body) as AnyParams;

describe('a definition without method, authentication and rateLimit', () => {
  const definition = { name: 'own', path: '/own', safety: 'read', response: v.unknown() } as const;

  it('is a signed POST of 10000 requests / 10 s', () => {
    expect(defineEndpoint(definition)).toMatchObject({
      method: 'POST',
      authentication: 'signed',
      rateLimits: [{ name: 'own', limit: 10_000, windowMs: 10_000 }],
    });
  });

  it('is not signed where the method is another one', () => {
    const rateLimit = { name: 'public', limit: 2000, windowMs: 10_000 };
    expect(defineEndpoint({ ...definition, method: 'GET', rateLimit })).toMatchObject({
      authentication: 'none',
      rateLimits: [rateLimit],
    });
  });

  it('must say its rate limit unless it is signed', () => {
    const problem = 'defineEndpoint: own: rateLimit is required unless signed';
    expect(() => defineEndpoint({ ...definition, method: 'GET' })).toThrow(new TypeError(problem));
    expect(() => defineEndpoint({ ...definition, authentication: 'form' })).toThrow(TypeError);
  });
});

describe('a path parameter', () => {
  const params = { market: v.unknown(), limit: v.exactOptional(v.number()) };
  const request = v.strictObject(params);
  const path = '/book/{market}/rows';

  it.each([
    ['BTC_USDT', 'BTC_USDT'],
    ['a/b?c#d', 'a%2Fb%3Fc%23d'],
    ['%2e%2e', '%252e%252e'],
    ['größe \u{1f4b0}', 'gr%C3%B6%C3%9Fe%20%F0%9F%92%B0'],
    [7, '7'],
    ['...', '...'],
  ])('%j is encoded into the path, and is not part of the query', async (market, encoded) => {
    const { call, sent } = setup();
    await firstValueFrom(call(own({ path, request }), { market, limit: 5 }));
    expect(sent).toMatchObject([{ method: 'GET', url: `https://exchange.example/base/book/${encoded}/rows?limit=5` }]);
  });

  it('is not part of a signed body, whose request is the path that is sent', async () => {
    const { call, sent } = setup();
    const endpoint = own({ method: 'POST', authentication: 'signed', path, request });
    await firstValueFrom(call(endpoint, { market: 'a/b', limit: 5 }));
    expect(sent.map(({ url }) => url)).toEqual(['https://exchange.example/base/book/a%2Fb/rows']);
    expect(sent.map(bodyOf)).toEqual([
      { limit: 5, request: '/book/a%2Fb/rows', nonce: expect.any(String) as string, nonceWindow: true },
    ]);
  });

  it.each([{}, ...['', null, '.', '..', ['a'], Number.NaN, 'a\ud800'].map((market) => ({ market }))])(
    'is refused before anything is sent: %j',
    async (market) => {
      const { call, sent, events } = setup();
      const endpoint = own({ path, request: v.strictObject({ ...params, market: v.exactOptional(v.unknown()) }) });
      expect(await failureOf(call(endpoint, market))).toMatchObject({
        kind: 'request',
        outcome: 'not-executed',
        issues: [
          {
            field: 'market',
            message: 'must be a number, or a well-formed text other than "." and "..": it is a part of the path',
          },
        ],
      });
      expect([sent, events]).toEqual([[], []]);
    },
  );

  it('of a confidential endpoint is in no error', async () => {
    const secret = 'PLANTED-secret/of 26 letters';
    const echo = { message: `no ${secret} and no ${encodeURIComponent(secret)}` };
    const endpoint = own({ path, request, confidential: true });
    const { call } = setup(echo, 404);
    const error = await failureOf(call(endpoint, { market: secret }));
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/PLANTED/);
  });
});

describe('the status of a response', () => {
  const read = own({});
  const change = own({ safety: 'idempotent' });
  const outputOf = (endpoint: Endpoint<AnyParams>, status: number) =>
    firstValueFrom(setup({ a: 1 }, status).call(endpoint));

  it.each([
    ['a read', read, [200, 201, 202, 203, 299]],
    ['a change', change, [200, 201]],
  ] as const)('completes %s', async (_, endpoint, statuses) => {
    for (const status of statuses) expect([status, await outputOf(endpoint, status)]).toEqual([status, { a: 1 }]);
  });

  it.each([
    [read, 206],
    [change, 202],
    [change, 203],
  ])('is not that of a complete response', async (endpoint, status) => {
    expect(await failureOf(setup({}, status).call(endpoint))).toMatchObject({ kind: 'response', status });
  });
});

describe('an envelope', () => {
  const endpoint = own({ envelope: true, response: v.array(v.string()) });

  it.each([
    { success: true, message: '', result: ['a'] },
    { success: true, message: null, result: ['a'] },
    { message: null, result: ['a'] },
    { result: ['a'] },
    ['a'],
  ])('is opened, where there is one: %j', async (body) => {
    expect(await firstValueFrom(setup(body).call(endpoint))).toEqual(['a']);
  });

  it('is not opened where the definition states none, or in an object with a result of its own', async () => {
    const wrapped = { success: true, result: ['a'] };
    expect(await firstValueFrom(setup(wrapped).call(own({})))).toEqual(wrapped);
    const bare = { result: 'won', price: '1' };
    expect(await firstValueFrom(setup(bare).call(own({ envelope: true })))).toEqual(bare);
  });

  it.each([200, 422])('that reports no success with HTTP %d is a rejection', async (status) => {
    const body = { success: false, message: { market: ['Market is not available'] }, result: [] };
    expect(await failureOf(setup(body, status).call(endpoint))).toMatchObject({
      kind: 'api',
      outcome: 'rejected',
      errors: { market: ['Market is not available'] },
    });
  });

  it.each([
    { success: 'false', message: 'maintenance', result: ['a'] },
    { success: 0, message: 'maintenance', result: ['a'] },
    { message: 'Market is not available', result: ['a'] },
    { message: { market: ['Market is not available'] }, result: ['a'] },
    { code: 30, message: 'Validation failed', errors: {} },
    { success: true, result: { success: false, message: 'maintenance' } },
  ])('that reports a failure in another form is a rejection: %j', async (body) => {
    const loose = own({ envelope: true, response: v.unknown() });
    expect(await failureOf(setup(body).call(loose))).toMatchObject({ kind: 'api' });
  });

  it.each([
    { success: true, message: null },
    { success: true, result: null },
  ])('without its result is not read: %j', async (body) => {
    expect(await failureOf(setup(body).call(endpoint))).toMatchObject({ kind: 'response' });
  });
});

const wireNames = { unique_id: 'uniqueId' };

it('a second name of fields is sent beside the first, in lists and objects, too', async () => {
  const { call, sent } = setup();
  const params = { unique_id: 'a', items: [{ unique_id: 'b', order_id: 1 }], inner: { unique_id: 'c' } };
  await firstValueFrom(call(own({ method: 'POST', authentication: 'signed', wireNames }), params));
  expect(sent.map(bodyOf)).toMatchObject([
    {
      unique_id: 'a',
      uniqueId: 'a',
      items: [{ unique_id: 'b', uniqueId: 'b', order_id: 1, orderId: 1 }],
      inner: { unique_id: 'c', uniqueId: 'c' },
    },
  ]);
  await firstValueFrom(call(own({ wireNames }), { unique_id: 'a' }));
  expect(sent[1]?.url).toBe('https://exchange.example/base/own?unique_id=a&uniqueId=a');
});

const endpoint = own({
  errorCodes: [
    { status: 451, reason: 'region' },
    { field: 'market', reason: 'market' },
    { status: 422, field: 'amount', reason: 'amount' },
    { code: 30, reason: 'price' },
  ],
});

it.each([
  [451, { success: false, message: 'api.margin.unavailable', errors: [] }, 'region'],
  [422, { market: ['Market is not available'] }, 'market'],
  [200, { success: false, message: { market: ['Market is not available'] }, result: null }, 'market'],
  [422, { errors: { amount: ['too small'] } }, 'amount'],
  [400, { errors: { amount: ['too small'] } }, 'other'],
  [400, { code: 30, errors: { price: ['odd'] } }, 'price'],
  [400, { code: 32, errors: { toString: ['odd'] } }, 'other'],
  [400, { code: 31, errors: {} }, 'market'],
])('an error code is found by status, field and code: HTTP %d %j', async (status, body, reason) => {
  expect(await failureOf(setup(body, status).call(endpoint))).toMatchObject({ kind: 'api', status, reason });
});

describe('the messages of a rejection by parameter', () => {
  const endpoint = own({ request: v.looseObject({ endDate: v.exactOptional(v.number()) }) });

  it.each([
    { endDate: ['must be later'] },
    { endDate: 'must be later' },
    { errors: { endDate: 'must be later' } },
    { message: { endDate: 'must be later' } },
    { endDate: 'must be later', trace: 'abc' },
  ])('are read from %j', async (body) => {
    expect(await failureOf(setup(body, 422).call(endpoint))).toMatchObject({
      errors: { endDate: ['must be later'] },
    });
  });

  it.each([
    { message: 'Invalid' },
    { trace: 'abc' },
    { endDate: '' },
    { errors: { endDate: 7 } },
    { endDate: 'repeated', message: 'Invalid' },
    { endDate: 'repeated', code: 0 },
  ])('are not those of %j', async (body) => {
    expect(await failureOf(setup(body, 422).call(endpoint))).toHaveProperty('errors', {});
  });

  it('are not those of a body that repeats a parameter, with another status or of a request that is not a read', async () => {
    const body = { endDate: 'must be later' };
    expect(await failureOf(setup(body, 500).call(endpoint))).toHaveProperty('errors', {});
    const placing = own({ method: 'POST', authentication: 'signed', request: endpoint.request, safety: 'once' });
    for (const repeated of [body, { errors: body }, { message: body }])
      expect(await failureOf(setup(repeated, 422).call(placing))).toHaveProperty('errors', {});
  });
});
