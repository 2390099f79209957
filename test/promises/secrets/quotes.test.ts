// What errors quote of a response: the exchange's envelope without secrets; any other body is described. Against exchanges
// that echo this request or an earlier one, or respond with another user's tokens.
import {
  createExchange,
  defineEndpoint,
  type Endpoint,
  rateLimits,
  responseBodyOf,
  type AnyExchangeError,
  type ApiError,
  type Exchange,
  type Fetch,
} from 'exchange-rx';
import { inspect } from 'node:util';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { allRateLimits } from '../../../src/endpoints/index.js';
import { failureOf } from '../../support/failure.js';
import { printed } from '../../support/printed.js';
import { escaped, randomSecret, replaced } from './forms.js';

const credentials = { apiKey: randomSecret(16), apiSecret: randomSecret(32) };
const wideLimits = Object.fromEntries(allRateLimits().map(({ name }) => [name, { limit: 100_000, windowMs: 1000 }]));

function clientOf(fetch: Fetch): Exchange {
  const options = { credentials, retry: false, lookupTimeoutMs: 0, limits: wideLimits, fetch } as const;
  return createExchange({ ...options, baseUrl: 'https://exchange.example' });
}

const respond = (body: unknown, status = 200) =>
  Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }));
const balances = { BTC: { main_balance: '1' } };

const confidential = <Request extends Endpoint['request']>(request: Request) =>
  defineEndpoint({
    ...{ name: 'own', method: 'POST', path: '/own', rateLimit: rateLimits.public, authentication: 'signed' },
    ...{ safety: 'once', confidential: true, request, response: v.unknown() },
  });

describe('an error response without the fields of the exchange', () => {
  const page = `<html><h1>502 Bad Gateway</h1>${'secret of a gateway '.repeat(75)}</html>`;
  const size = page.length.toLocaleString('en-US');
  const printersOf = (error: AnyExchangeError) =>
    [
      printed(error),
      inspect(error, { depth: null, showHidden: true, getters: true, maxStringLength: null }),
      JSON.stringify([error, Object.entries(error)]),
      inspect(structuredClone(error), { showHidden: true }),
      String(error),
      error.stack,
    ].join('\n');

  it('is described by status, size and type, and no printer shows its text', async () => {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    const fetch: Fetch = () => Promise.resolve(new Response(page, { status: 502, headers }));
    const error = await failureOf(clientOf(fetch).account.mainBalance());
    expect(error).toMatchObject({
      message: `account.mainBalance: HTTP 502, ${size} bytes of text/html`,
      ...{ kind: 'api', status: 502, exchangeMessage: undefined, errors: {} },
    });
    expect(printersOf(error)).not.toMatch(/Gateway|secret of/i);
    expect(responseBodyOf(error)).toBe(page);
  });

  it.each([
    ['foreign JSON', '{"detail":"secret of a gateway"}', 'application/json', '32 bytes of application/json'],
    ['a text', 'secret of a gateway', 'text/plain', '19 bytes of text/plain'],
    ['a list', '["secret of a gateway"]', undefined, '23 bytes'],
    ['nothing', '', undefined, '0 bytes'],
    ['a type that is too long', 'x', `text/${'a'.repeat(41)}`, '1 bytes'],
    ['a type that is a sentence', 'x', 'see secret of a gateway', '1 bytes'],
    ['a type that is the key', 'x', `text/${credentials.apiKey}`, '1 bytes of text/[hidden]'],
  ])('is described when it is %s', async (_what, body, type, description) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const fetch: Fetch = () => Promise.resolve(new Response(Buffer.from(body), { status: 500, headers }));
    const error = await failureOf(clientOf(fetch).public.ping());
    expect(error.message).toBe(`public.ping: HTTP 500, ${description}`);
    expect(printersOf(error)).not.toContain('secret of');
    expect(responseBodyOf(error)).toBe(body);
  });

  it('is described when it is a success that cannot be read', async () => {
    const headers = { 'content-type': 'text/html' };
    const fetch: Fetch = () => Promise.resolve(new Response(page, { headers }));
    const error = await failureOf(clientOf(fetch).account.mainBalance());
    expect(error.message).toBe(`account.mainBalance: HTTP 200: the body is not JSON (${size} bytes of text/html)`);
    expect(printersOf(error)).not.toMatch(/Gateway|secret of/i);
    expect(responseBodyOf(error)).toBe(page);
  });

  it('does not quote an invalid amount of a success', async () => {
    const odd = () => respond('{"BTC":{"main_balance":"12345,678"}}');
    const error = await failureOf(clientOf(odd).account.mainBalance());
    expect(error).toMatchObject({ kind: 'response' });
    expect(error.message).not.toContain('12345');
  });

  it('keeps at most 256 Ki characters of its body', async () => {
    const long = page.repeat(1000);
    const error = await failureOf(clientOf(() => respond(long, 502)).account.mainBalance());
    expect(error.message).toContain(`HTTP 502, ${long.length.toLocaleString('en-US')} bytes`);
    expect(responseBodyOf(error)).toBe(long.slice(0, 262_144));
  });
});

describe('the envelope of the exchange', () => {
  const envelopeOf = (body: unknown) => failureOf(clientOf(() => respond(body, 422)).public.markets());

  it('is quoted with at most 4,000 characters together', async () => {
    const messages = Array.from({ length: 20 }, () => 'x '.repeat(250));
    const fields = Array.from({ length: 50 }, (_, index) => [`field-${index}`, messages] as const);
    const error = await envelopeOf({ code: 30, message: 'y '.repeat(500), errors: Object.fromEntries(fields) });
    const { exchangeMessage = '', errors } = error as ApiError;
    expect(exchangeMessage).toBe('y '.repeat(500));
    expect([exchangeMessage, ...Object.entries(errors).flat(2)].join('')).toHaveLength(4000);
  });

  it('is quoted without control and bidirectional characters', async () => {
    const marks = 'a\u001b[2J\r\nERROR forged\u0007\u202eb\u2066c\u200fd\u061ce\u009b';
    const error = await envelopeOf({ code: 30, message: marks, errors: { [marks]: [marks] } });
    const text = 'a [2J ERROR forged b c d e ';
    expect(error).toMatchObject({ exchangeMessage: text, errors: { [text]: [text] } });
    expect([error.message, inspect(error), JSON.stringify(error)].join('')).not.toMatch(
      /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]|[^\P{Cc}\n]/u,
    );
  });
});

it('an honest error after a confidential call is unchanged, although that call had the same market, network and time', async () => {
  const said = { network: 'ERC20-USDT', market: '1000INCH_USDT', created_at: '2026-11-22T10:00:00Z' };
  const errors = { market: ['Market 1000INCH_USDT is not tradable since 2026-11-22T10:00:00Z on ERC20-USDT'] };
  const exchange = clientOf((url) =>
    url.endsWith('/own')
      ? respond({ id: 1, ...said })
      : respond({ code: 31, message: 'Validation failed', errors }, 422),
  );
  await firstValueFrom(exchange.call(confidential(v.looseObject({})), said));
  const error = await failureOf(
    exchange.spot.placeStockMarketOrder({ market: '1000INCH_USDT', side: 'buy', amount: '1' }),
  );
  expect(error).toMatchObject({ errors });
});

describe('an exchange that echoes an earlier request', () => {
  it('is reported without the client’s secret, or key, signature, payload and body of that request, in any form', async () => {
    let sent: readonly string[] = [];
    let message = '';
    const fetch: Fetch = (url, { headers, body = '' }) => {
      if (url.endsWith('/ping')) return respond({ code: 1, message, errors: { [message]: [message] } }, 400);
      const { 'X-TXC-APIKEY': key = '', 'X-TXC-SIGNATURE': signature = '', 'X-TXC-PAYLOAD': payload = '' } = headers;
      sent = [key, signature, payload, body];
      return respond(balances);
    };
    const exchange = clientOf(fetch);
    await firstValueFrom(exchange.account.mainBalance());
    expect(sent.filter((secret) => secret !== '')).toHaveLength(4);
    const hidden = expect.stringContaining('[hidden]') as string;
    for (const secret of [credentials.apiSecret, ...sent]) {
      for (const { write } of [...replaced, ...escaped]) {
        message = `wrong: ${write(secret)}`;
        const error = (await failureOf(exchange.public.ping())) as ApiError;
        expect([error.exchangeMessage, ...Object.entries(error.errors).flat()]).toEqual([hidden, hidden, [hidden]]);
        expect(printed(error)).not.toContain(secret);
        expect(printed(error)).not.toContain(JSON.stringify(write(secret)).slice(1, -1));
      }
    }
  });

  it('is no different from a fetch that quotes an earlier request in its error', async () => {
    let earlier: Readonly<Record<string, string>> = {};
    const exchange = clientOf((url, { headers }) => {
      if (url.endsWith('/ping')) return Promise.reject(new Error(`hang up; before: ${JSON.stringify(earlier)}`));
      earlier = headers;
      return respond(balances);
    });
    await firstValueFrom(exchange.account.mainBalance());
    const text = printed(await failureOf(exchange.public.ping()));
    expect(text).toContain('hang up; before: [hidden]');
    for (const name of ['X-TXC-APIKEY', 'X-TXC-SIGNATURE', 'X-TXC-PAYLOAD']) expect(text).not.toContain(earlier[name]);
  });

  it('is reported without the parameters and the response of a confidential endpoint', async () => {
    const params = { client_id: randomSecret(12), client_secret: randomSecret(), token: randomSecret() };
    const tokens = { access_token: randomSecret(), refresh_token: randomSecret() };
    const data = { ...tokens, token_type: 'Bearer', expires_in: 300, scope: 'general' };
    let message = '';
    const fetch: Fetch = (url) => (url.endsWith('/ping') ? respond({ message }, 400) : respond({ data }));
    const exchange = clientOf(fetch);
    expect(await firstValueFrom(exchange.oauth.refreshToken(params))).toMatchObject({ data });
    for (const secret of [...Object.values(params), ...Object.values(tokens)]) {
      for (const { write } of [...replaced, ...escaped]) {
        message = `not ${write(secret)}`;
        expect(printed(await failureOf(exchange.public.ping()))).not.toContain(write(secret));
      }
    }
    message = 'the scope is general, the type Bearer, and it expires in 300 s';
    expect(await failureOf(exchange.public.ping())).toMatchObject({ exchangeMessage: message });
  });
});

it('a message with a secret still decides the kind of error', async () => {
  const refusals = [
    ['nonce-expired', 'Your nonce is more than 5 seconds lesser than the current nonce:', 400],
    ['nonce-used', 'Too many requests.', 429],
  ] as const;
  for (const [reason, text, status] of refusals) {
    const fetch: Fetch = (_url, { headers: { 'X-TXC-SIGNATURE': signature = '' } }) =>
      respond({ code: 0, message: `${text} ${signature.replaceAll('a', '%61')}` }, status);
    const error = await failureOf(clientOf(fetch).account.mainBalance());
    expect(error).toMatchObject({ kind: 'auth', reason, exchangeMessage: '[hidden]' });
  }
});

describe('a confidential endpoint', () => {
  const params = { client_id: 'an-application', client_secret: randomSecret(), token: randomSecret() };
  const foreign = randomSecret();
  const failing = (body: unknown, status: number) =>
    failureOf(clientOf(() => respond(body, status)).oauth.refreshToken(params));

  it('that responds with another user’s token has no token in its error', async () => {
    const bodies: readonly unknown[] = [
      { code: 1, message: `not ${foreign} but`, errors: {} },
      {
        ...{ code: 30, message: 'Validation failed' },
        errors: { [foreign]: ['is unknown.'], token: [`The token ${foreign} was used.`, 'The token was used.'] },
      },
      { success: false, error: `${foreign.slice(0, 12)} ${foreign.slice(12, 24)}` },
      { code: 123_456, message: `123456` },
      { data: { [foreign]: foreign, access_token: 7 } },
      { data: { access_token: foreign, nested: { [foreign]: [foreign] } } },
      [foreign],
      foreign,
    ];
    for (const body of bodies) {
      for (const status of [200, 400, 401, 429, 503]) {
        const error = await failing(body, status);
        expect(printed(error)).not.toContain(foreign.slice(0, 12));
        expect(printed(error)).not.toContain('123456');
        expect(error.cause).toBeUndefined();
      }
    }
  });

  it('reports the code and the names of parameters', async () => {
    const errors = { clientId: ['The client id is invalid.'], [foreign]: ['is unknown'] };
    const message = 'The given data was invalid. (unsupported_grant_type)';
    expect(await failing({ code: 30, message, errors }, 422)).toMatchObject({
      ...{ status: 422, code: 30, exchangeMessage: '[hidden]' },
      errors: { clientId: ['[hidden]'], '[hidden]': ['[hidden]'] },
    });
  });

  it('with an unexpected response reports no place in it', async () => {
    const error = await failing({ data: { access_token: {} } }, 200);
    expect(error.message).toBe('oauth.refreshToken: HTTP 200: unexpected body');
    expect(responseBodyOf(error)).toBeUndefined();
  });

  it('whose fetch fails reports the network code without a cause', async () => {
    const failure = Object.assign(new TypeError(`could not send ${foreign}`), { code: 'ECONNRESET' });
    const error = await failureOf(clientOf(() => Promise.reject(failure)).oauth.refreshToken(params));
    expect(error).toMatchObject({ kind: 'transport', message: expect.stringContaining('(ECONNRESET)') as string });
    expect(error.cause).toBeUndefined();
  });

  const invalid = (request: Endpoint['request'], params: object) =>
    failureOf(clientOf(() => respond({})).call(confidential(request), params as never));

  it('with an invalid parameter reports its name, and no nested name', async () => {
    const nested = v.strictObject({ accounts: v.record(v.string(), v.strictObject({ limit: v.number() })) });
    expect(await invalid(nested, { accounts: { [foreign]: { limit: 'x' } } })).toMatchObject({
      issues: [{ field: 'accounts', message: 'is invalid' }],
    });
    expect(await invalid(nested, { accounts: {}, [foreign]: 1 })).toMatchObject({
      issues: [{ field: 'params', message: 'has a name that is not a parameter; the parameters are accounts' }],
    });
    expect(printed(await invalid(v.record(v.string(), v.number()), { [foreign]: 'x' }))).not.toContain(foreign);
    expect(printed(await invalid(v.record(v.string(), v.unknown()), { [foreign]: 7n }))).not.toContain(foreign);
  });
});
