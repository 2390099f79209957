// Responses that are slow to parse: the cost of parsing bounds their size.
import {
  createExchange,
  defineEndpoint,
  rateLimits,
  unreadableIn,
  type Endpoint,
  type Exchange,
  type Fetch,
} from 'exchange-rx';
import { orders, public as publicEndpoints } from 'exchange-rx/endpoints';
import { firstValueFrom, map as map$, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../support/failure.js';
import { printed } from '../../support/printed.js';
import { recordedOf } from '../../support/recorded.js';

const credentials = { apiKey: 'the-key-of-the-account', apiSecret: 'the-secret-of-the-account' };

function respondingWith(body: string, status = 200): Exchange {
  const fetch: Fetch = () => Promise.resolve(new Response(body, { status }));
  return createExchange({ baseUrl: 'https://exchange.example', credentials, fetch, retry: false, lookupTimeoutMs: 0 });
}

const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`;
const map = (count: number, entry: (index: number) => string) => `{${list(count, entry).slice(1, -1)}}`;

const recordOf = (endpoint: Endpoint) => (recordedOf(endpoint).response as readonly [object])[0];
const recordedMarket = {
  ...{ ...recordOf(publicEndpoints.markets), tickSize: '0.01', stepSize: '0.000001', max_leverage: 100 },
  ...{ delistedAt: null, new_field: 1, newer_field: [] },
};
const market = (index: number) => JSON.stringify({ ...recordedMarket, name: `A${index}_USDT`, stock: `A${index}` });
const recordedOrder = { ...recordOf(orders.open), oto: undefined };
const order = (index: number) =>
  JSON.stringify({ ...recordedOrder, orderId: 4180284841 + index, clientOrderId: `order-${index}` });

it.each<[what: string, count: number, body: () => string, call: (exchange: Exchange) => Observable<object>]>([
  ['1,500 markets', 1500, () => list(1500, market), (exchange) => exchange.public.markets()],
  [
    '15,000 balances',
    15_000,
    () => map(15_000, (index) => `"A${index}":{"main_balance":"0.5"}`),
    ({ account }) => account.mainBalance(),
  ],
  ['1,500 open orders', 1500, () => list(1500, order), (exchange) => exchange.orders.open()],
  [
    '500 orders of the history',
    500,
    () => `{"BTC_USDT":${list(500, order).replaceAll('"orderId"', '"id"')}}`,
    (exchange) => exchange.orders.history({ market: 'BTC_USDT' }).pipe(map$((history) => history['BTC_USDT'] ?? [])),
  ],
])('the longest honest lists are valid: %s', async (_, count, body, call) => {
  const records = await firstValueFrom(call(respondingWith(body())));
  expect(Object.keys(records)).toHaveLength(count);
  expect(unreadableIn(records)).toBeUndefined();
});

describe('a response with more names and values than any list of the exchange', () => {
  const count = 80_000;
  const tooMany = 'has more than 80000 names and values';

  it.each([
    ['numbers', list(count, () => '1')],
    ['strings', list(count, () => '""')],
    ['empty lists', list(count, () => '[]')],
    ['empty objects', list(count, () => '{}')],
    ['lists in lists', list(count / 40, () => '['.repeat(40) + ']'.repeat(40))],
    ['keys', map(count / 2, (index) => `"${index.toString(36)}":1`)],
    ['keys that are escaped', map(count / 2, (index) => `"\\u0061${index}":1`)],
    ['numbers with exponents of three digits', list(count / 10, () => '1e100')],
    ['numbers that no double holds', list(count / 10, () => '9007199254740993')],
    ['numbers of a hundred digits', list(count / 10, () => `0.${'7'.repeat(98)}`)],
  ])('is rejected: %s', async (_what, body) => {
    expect(await failureOf(respondingWith(body).public.markets())).toMatchObject({
      kind: 'response',
      message: expect.stringContaining(tooMany) as string,
    });
  });

  it('is valid when they are inside one string', async () => {
    const balance = await firstValueFrom(
      respondingWith(`{"BTC":{"main_balance":"1","note":"${'1e100,[{:'.repeat(count)}"}}`).account.mainBalance(),
    );
    expect(balance['BTC']?.main_balance).toBe('1');
  });
});

it('an endpoint with its own maximum accepts as many names and values, and rejects more', async () => {
  const responseTo = (maxResponseParts: number) => {
    const endpoint = defineEndpoint({
      ...{ name: 'assets', method: 'GET', path: '/assets', rateLimit: rateLimits.public, authentication: 'none' },
      ...{ safety: 'read', request: v.strictObject({}), response: v.array(v.number()), maxResponseParts },
    });
    return respondingWith(list(100_000, () => '1')).call(endpoint);
  };
  expect(await firstValueFrom(responseTo(200_000))).toHaveLength(100_000);
  expect(await failureOf(responseTo(90_000))).toMatchObject({
    kind: 'response',
    message: expect.stringContaining('names and values') as string,
  });
});

describe('numbers that a double rounds', () => {
  it('are exact in a list of thousands, beside similar strings', async () => {
    const body = map(
      2000,
      (index) =>
        `"A${index}":{"main_balance":"1","id":900719925474${1000 + index}3,"text":"\\\\\\",9007199254740993,\\""}`,
    );
    const balance = await firstValueFrom(respondingWith(body).account.mainBalance());
    Object.values(balance).forEach((entry, index) => {
      expect(entry).toMatchObject({ id: `900719925474${1000 + index}3`, text: '\\",9007199254740993,"' });
    });
  });

  it.each([
    ...['{9007199254740993:1}', '[9007199254740993.]', '[--9007199254740993]', '[09007199254740993]'],
    ...['[9007199254740993"a"]', '[1 9007199254740993]', '["a":9007199254740993]', '"\\9007199254740993'],
  ])('do not make invalid JSON valid: %s', async (body) => {
    expect(await failureOf(respondingWith(body).public.markets())).toMatchObject({
      kind: 'response',
      message: expect.stringContaining('is not JSON') as string,
    });
  });
});

it('an error of more than 256 KiB is classified by its fields, and quoted without the rest', async () => {
  const body = { code: 30, message: 'Validation failed', errors: { a: ['b'] }, padding: 'x'.repeat(300 * 1024) };
  const error = await failureOf(respondingWith(JSON.stringify(body), 422).public.markets());
  expect(error).toMatchObject({ kind: 'api', code: 30, errors: { a: ['b'] }, outcome: 'rejected' });
  expect(printed(error)).not.toContain('xxx');
});

it('a rejected nonce is recognized at once, however long the texts are', async () => {
  const names = Array.from({ length: 30 }, (_, index) =>
    Array.from('nonce', (letter, at) => (index & (2 ** at) ? letter.toUpperCase() : letter)).join(''),
  );
  const errors = Object.fromEntries(names.map((name) => [name, Array<string>(10).fill('nonce'.repeat(150))]));
  const body = JSON.stringify({ code: 0, message: 'nonce'.repeat(150), errors });
  const startedAt = performance.now();
  const error = await failureOf(respondingWith(body, 400).account.mainBalance());
  expect(error).toMatchObject({ kind: 'auth', reason: 'nonce-used' });
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
