// Promise 5 against exchanges that echo a secret in another encoding, echo an earlier request, or respond with another
// user's tokens.
import fc from 'fast-check';
import {
  createExchange,
  defineEndpoint,
  rateLimits,
  type AnyExchangeError,
  type Exchange,
  type Fetch,
  allRateLimits,
} from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { RecentSecrets } from '../../src/http/index.js';
import { failureOf } from '../support/failure.js';
import { printed } from '../support/printed.js';
import { forms, parts, randomSecret } from './forms.js';

const credentials = { apiKey: randomSecret(16), apiSecret: randomSecret(32) };
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const wideLimits = Object.fromEntries(allRateLimits().map(({ name }) => [name, { limit: 100_000, windowMs: 1000 }]));

function clientOf(fetch: Fetch): Exchange {
  return createExchange({
    baseUrl: 'https://exchange.example',
    credentials,
    retry: false,
    lookupTimeoutMs: 0,
    limits: wideLimits,
    fetch,
  });
}

const respond = (body: unknown, status = 200) =>
  Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }));
const balances = { BTC: { main_balance: '1' } };
const errorTexts = (error: AnyExchangeError) => [printed(error), 'body' in error ? String(error.body) : ''].join('\n');

/** A redactor of an ordinary signed request with these headers. */
function redactorOf(
  headers: Readonly<Record<string, string>>,
  body = '{"request":"/api/v4/x","nonce":"1800000000123","nonceWindow":true}',
) {
  const endpoint = defineEndpoint({
    name: 'own',
    method: 'POST',
    path: '/api/v4/x',
    rateLimit: rateLimits.public,
    authentication: 'signed',
    safety: 'read',
    request: v.object({}),
    response: v.unknown(),
  });
  return new RecentSecrets(undefined).redactorOf(endpoint, {
    method: 'POST',
    url: 'https://exchange.example/api/v4/x',
    headers,
    body,
  });
}

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...Array.from('0123456789abcdef')), { minLength: length, maxLength: length * 2 })
    .map((digits) => digits.join(''));
const base64 = fc.uint8Array({ minLength: 24, maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const secretOfAnyKind = fc.oneof(
  hex(16),
  hex(64),
  base64,
  fc.uuid(),
  fc
    .string({ unit: fc.constantFrom(...Array.from('abcXYZ0189-_.~+/')), minLength: 20, maxLength: 60 })
    .filter((text) => text.replaceAll(/\W|_/g, '').length >= 16),
);
/** Its first and last characters cannot continue the text beside it. */
const text = fc
  .oneof(fc.string({ maxLength: 300 }), fc.lorem(), fc.json())
  .map((written) => ` ${written.replaceAll(/[\\&%]/g, '')} `);

describe('a text that holds a secret', () => {
  it.each(forms)('is redacted: $name', ({ write }) => {
    fc.assert(
      fc.property(secretOfAnyKind, text, text, (secret, before, after) => {
        const written = before + write(secret) + after;
        const redacted = redactorOf({ 'X-TXC-SIGNATURE': secret })(written);
        // A plain secret is replaced; any other encoding hides the whole text.
        expect(['[hidden]', ...(written.includes(secret) ? [written.replaceAll(secret, '[hidden]')] : [])]).toContain(
          redacted,
        );
      }),
      { numRuns: 15 },
    );
  });

  it('is hidden where a line begins with two of its characters that look like a byte in hex', () => {
    const secret = 'aaaaaaa0Xaa.aaaaaaaa~-aaaaa~._';
    const text = `${secret.slice(0, 7)}&#10;${secret.slice(7, 14)}&#10;${secret.slice(14)}`;
    expect(redactorOf({ 'X-TXC-SIGNATURE': secret })(text)).toBe('[hidden]');
  });

  it.each(parts)('is hidden: $name', ({ write }) => {
    fc.assert(
      fc.property(hex(40), text, text, (secret, before, after) => {
        expect(redactorOf({ 'X-TXC-SIGNATURE': secret })(before + write(secret) + after)).toBe('[hidden]');
      }),
      { numRuns: 15 },
    );
  });

  it('holds nothing of a secret at the cut when it is shortened', () => {
    const secret = randomSecret(64);
    for (const { write } of forms) {
      for (let before = 900; before <= 1000; before += 7) {
        const redacted = redactorOf({ 'X-TXC-SIGNATURE': secret })(
          '.'.repeat(before) + write(secret) + '.'.repeat(9000),
          1000,
        );
        expect(redacted.replaceAll('.', '').replace('[hidden]', '')).toMatch(/^(\[?h?i?d?d?e?n?)$/);
      }
    }
  });
});

describe('a text without secrets', () => {
  it('is unchanged', () => {
    const secrets = new RecentSecrets(credentials.apiKey);
    const endpoint = defineEndpoint({
      name: 'own',
      method: 'POST',
      path: '/api/v4/x',
      rateLimit: rateLimits.public,
      authentication: 'signed',
      safety: 'read',
      request: v.object({}),
      response: v.unknown(),
    });
    const send = (nonce: number) => {
      const body = JSON.stringify({
        market: 'BTC_USDT',
        side: 'buy',
        amount: '0.01',
        client_order_id: 'mine-7',
        request: '/api/v4/order/stock_market',
        nonce: String(nonce),
        nonceWindow: true,
      });
      return secrets.redactorOf(endpoint, {
        method: 'POST',
        url: '',
        headers: { 'X-TXC-PAYLOAD': Buffer.from(body).toString('base64'), 'X-TXC-SIGNATURE': randomSecret(64) },
        body,
      });
    };
    let redact = send(1_800_000_000_000);
    for (let nonce = 1_800_000_000_001; nonce < 1_800_000_000_200; nonce += 1) redact = send(nonce);
    const likely = fc.oneof(
      fc.string({ maxLength: 2000 }),
      fc.json(),
      fc.lorem({ maxCount: 200 }),
      fc.uuid(),
      hex(64),
      base64,
      fc.constantFrom(
        '{"market":"BTC_USDT","side":"buy","amount":"0.01","client_order_id":"mine-7"}',
        '{"code":30,"message":"Validation failed","errors":{"nonce":["Your nonce is more than 5 seconds lesser than the current nonce"]}}',
        '<html><title>502 Bad Gateway</title><a href="/api/v4/order/stock_market?a=%20b&amp;c=1">x</a></html>',
        'no order mine-7 in BTC_USDT at 1800000000123, nonceWindow is true',
      ),
    );
    fc.assert(
      fc.property(fc.array(likely, { maxLength: 5 }), (texts) => {
        expect(redact(texts.join('\n'))).toBe(texts.join('\n'));
      }),
      { numRuns: 200 },
    );
  });
});

describe('an honest error after a confidential call', () => {
  it('is unchanged, although that call had the same market, network and time', async () => {
    const said = { network: 'ERC20-USDT', market: '1000INCH_USDT', created_at: '2026-11-22T10:00:00Z' };
    const withdraw = defineEndpoint({
      name: 'withdraw',
      method: 'POST',
      path: '/api/v4/withdraw',
      rateLimit: rateLimits.public,
      authentication: 'signed',
      safety: 'once',
      confidential: true,
      request: v.looseObject({}),
      response: v.looseObject({}),
    });
    const errors = { market: ['Market 1000INCH_USDT is not tradable since 2026-11-22T10:00:00Z on ERC20-USDT'] };
    const exchange = clientOf((url) =>
      url.endsWith('/withdraw')
        ? respond({ id: 1, ...said })
        : respond({ code: 31, message: 'Validation failed', errors }, 422),
    );
    await firstValueFrom(exchange.call(withdraw, said));
    const error = await failureOf(
      exchange.spot.placeStockMarketOrder({ market: '1000INCH_USDT', side: 'buy', amount: '1' }),
    );
    expect(error).toMatchObject({ errors, body: expect.stringContaining('is not tradable') as string });
  });
});

describe('an exchange that echoes an earlier request', () => {
  /** Responds to a ping with a given message, and records the secrets of the other requests. */
  function remembering(pick: (headers: Readonly<Record<string, string>>, body: string) => string) {
    const sent: string[] = [];
    const saying = { message: '' };
    const fetch: Fetch = (url, { headers, body = '' }) => {
      if (url.endsWith('/ping')) return respond({ code: 1, message: saying.message }, 400);
      sent.push(pick(headers, body));
      return respond(balances);
    };
    return { exchange: clientOf(fetch), sent, saying };
  }
  const picks = [
    ['the key', (headers: Readonly<Record<string, string>>) => headers['X-TXC-APIKEY'] ?? ''],
    ['a signature', (headers: Readonly<Record<string, string>>) => headers['X-TXC-SIGNATURE'] ?? ''],
    ['a payload', (headers: Readonly<Record<string, string>>) => headers['X-TXC-PAYLOAD'] ?? ''],
    ['a body', (_headers: Readonly<Record<string, string>>, body: string) => body],
  ] as const;

  it.each(picks)('is reported without %s of it, in any encoding', async (_what, pick) => {
    const { exchange, sent, saying } = remembering(pick);
    for (let count = 0; count < 130; count += 1) await firstValueFrom(exchange.account.mainBalance());
    for (const secret of [sent.at(-1), sent.at(-64)]) {
      if (secret === undefined || secret === '') throw new Error('nothing was sent');
      for (const { write } of forms) {
        saying.message = `wrong: ${write(secret)}`;
        const error = await failureOf(exchange.public.ping());
        expect(error).toMatchObject({ exchangeMessage: expect.stringContaining('[hidden]') as string });
        expect(errorTexts(error)).not.toContain(secret);
        expect(errorTexts(error)).not.toContain(JSON.stringify(write(secret)).slice(1, -1));
      }
    }
  });

  it('is reported without the API key during the client’s lifetime', async () => {
    const fetch: Fetch = (url) =>
      url.endsWith('/ping') ? respond(`who is ${credentials.apiKey}?`, 400) : respond(balances);
    const exchange = clientOf(fetch);
    expect(await failureOf(exchange.public.ping())).toMatchObject({ body: 'who is [hidden]?' });
    for (let sent = 0; sent < 200; sent += 1) await firstValueFrom(exchange.account.mainBalance());
    expect(await failureOf(exchange.public.ping())).toMatchObject({ body: 'who is [hidden]?' });
  });

  it('is reported without the secrets of a request in flight while hundreds of others are sent', async () => {
    let release: () => void = () => undefined;
    let slow = '';
    const fetch: Fetch = async (url, { headers }) => {
      if (!url.endsWith('/stock_market')) return respond(balances);
      slow = headers['X-TXC-SIGNATURE'] ?? '';
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return respond(`wrong: ${Buffer.from(slow).toString('hex')}`, 400);
    };
    const exchange = clientOf(fetch);
    const failure = failureOf(exchange.spot.placeStockMarketOrder(order));
    for (let sent = 0; sent < 200; sent += 1) await firstValueFrom(exchange.account.mainBalance());
    release();
    expect(await failure).toMatchObject({ body: '[hidden]' });
  });

  it('is reported without the parameters and the response of a confidential endpoint', async () => {
    const params = { client_id: randomSecret(12), client_secret: randomSecret(), token: randomSecret() };
    const data = {
      access_token: randomSecret(),
      refresh_token: randomSecret(),
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'general',
    };
    let message = '';
    const fetch: Fetch = (url) => (url.endsWith('/ping') ? respond(message, 400) : respond({ data }));
    const exchange = clientOf(fetch);
    expect(await firstValueFrom(exchange.oauth.refreshToken(params))).toMatchObject({ data });
    for (const secret of [...Object.values(params), data.access_token, data.refresh_token]) {
      for (const { write } of forms) {
        message = `not ${write(secret)}`;
        expect(errorTexts(await failureOf(exchange.public.ping()))).not.toContain(write(secret));
      }
    }
    message = 'the scope is general, the type Bearer, and it expires in 300 s';
    expect(await failureOf(exchange.public.ping())).toMatchObject({ body: message });
  });
});

describe('an exchange that splits a secret', () => {
  const failing = (bodyOf: (pieces: readonly string[]) => unknown) => {
    let pieces: readonly string[] = [];
    const fetch: Fetch = (_url, { headers }) => {
      pieces = headers['X-TXC-SIGNATURE']?.match(/.{1,8}/g) ?? [];
      return respond(bodyOf(pieces), 422);
    };
    return failureOf(clientOf(fetch).account.mainBalance()).then((error) => ({ error, pieces }));
  };

  it.each([
    [
      'over the messages of a field',
      (pieces: readonly string[]) => ({ code: 30, message: 'no', errors: { amount: pieces } }),
    ],
    [
      'over fields',
      (pieces: readonly string[]) => ({
        code: 30,
        message: 'no',
        errors: Object.fromEntries(pieces.map((piece, index) => [`field-${index}`, [piece]])),
      }),
    ],
    [
      'over the names of fields',
      (pieces: readonly string[]) => ({
        code: 30,
        message: 'no',
        errors: Object.fromEntries(pieces.map((piece) => [`_${piece}`, ['is wrong']])),
      }),
    ],
  ])('%s is reported without it', async (_how, bodyOf) => {
    const { error, pieces } = await failing(bodyOf);
    expect(pieces).toHaveLength(16);
    for (const piece of pieces) expect(errorTexts(error)).not.toContain(piece);
  });
});

it('a hidden message still decides the kind of error', async () => {
  const rejectionOf = (message: (signature: string) => string, status = 400) =>
    failureOf(
      clientOf((_url, { headers }) =>
        respond(
          { code: 0, message: message(Buffer.from(headers['X-TXC-SIGNATURE'] ?? '').toString('base64')) },
          status,
        ),
      ).account.mainBalance(),
    );
  expect(
    await rejectionOf((signature) => `Your nonce is more than 5 seconds lesser than the current nonce: ${signature}`),
  ).toMatchObject({ kind: 'auth', reason: 'nonce-expired', exchangeMessage: '[hidden]' });
  expect(await rejectionOf((signature) => `Too many requests. ${signature}`, 429)).toMatchObject({
    kind: 'auth',
    reason: 'nonce-used',
    exchangeMessage: '[hidden]',
  });
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
        code: 30,
        message: 'Validation failed',
        errors: {
          [foreign]: ['The token is unknown.'],
          token: [`The token ${foreign} was used.`, 'The token was used.'],
        },
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
        expect(errorTexts(error)).not.toContain(foreign.slice(0, 12));
        expect(errorTexts(error)).not.toContain('123456');
        expect(error.cause).toBeUndefined();
      }
    }
  });

  it('reports plain words and the names of parameters', async () => {
    const error = await failing(
      {
        code: 30,
        message: 'The given data was invalid. (unsupported_grant_type)',
        errors: { clientId: ['The client id is invalid.'], [foreign]: ['is unknown'] },
      },
      422,
    );
    expect(error).toMatchObject({
      status: 422,
      code: 30,
      exchangeMessage: 'The given data was invalid. (unsupported_grant_type)',
      errors: { clientId: ['The client id is invalid.'], '[hidden]': ['is unknown'] },
    });
  });

  it('with an unexpected response reports no place in it', async () => {
    expect(await failing({ data: { access_token: {} } }, 200)).toMatchObject({
      message: 'oauth.refreshToken: HTTP 200: unexpected body',
      body: undefined,
    });
  });

  it('whose fetch fails reports the network code without a cause', async () => {
    const failure = Object.assign(new TypeError(`could not send ${foreign}`), { code: 'ECONNRESET' });
    const error = await failureOf(clientOf(() => Promise.reject(failure)).oauth.refreshToken(params));
    expect(error).toMatchObject({ kind: 'transport', message: expect.stringContaining('(ECONNRESET)') as string });
    expect(error.cause).toBeUndefined();
  });

  const own = (request: Parameters<typeof defineEndpoint>[0]['request'], response: v.GenericSchema = v.unknown()) =>
    defineEndpoint({
      name: 'own',
      method: 'POST',
      path: '/own',
      rateLimit: rateLimits.public,
      authentication: 'signed',
      safety: 'once',
      confidential: true,
      request,
      response,
    });
  const callOwn = (endpoint: ReturnType<typeof own>, given: object, fetch: Fetch = () => respond({})) =>
    failureOf(clientOf(fetch).call(endpoint, given as never));

  it('with an invalid parameter reports its name, and no nested name', async () => {
    const nested = own(v.strictObject({ accounts: v.record(v.string(), v.strictObject({ limit: v.number() })) }));
    expect(await callOwn(nested, { accounts: { [foreign]: { limit: 'x' } } })).toMatchObject({
      issues: [{ field: 'accounts', message: 'is invalid' }],
    });
    expect(await callOwn(nested, { accounts: {}, [foreign]: 1 })).toMatchObject({
      issues: [{ field: 'params', message: 'has a name that is not a parameter; the parameters are accounts' }],
    });
    expect(errorTexts(await callOwn(own(v.record(v.string(), v.number())), { [foreign]: 'x' }))).not.toContain(foreign);
    expect(errorTexts(await callOwn(own(v.record(v.string(), v.unknown())), { [foreign]: 7n }))).not.toContain(foreign);
  });

  it('whose rule quotes the value does not report it', async () => {
    const quoting = own(v.strictObject({ token: v.string(({ input }) => `may not be ${JSON.stringify(input)}`) }));
    expect(errorTexts(await callOwn(quoting, { token: { is: foreign } }))).not.toContain(foreign);
  });

  it('whose schema throws at the response has no cause', async () => {
    const failingAt = own(
      v.strictObject({}),
      v.pipe(
        v.unknown(),
        v.transform(() => {
          throw new Error(`failed at ${foreign}`);
        }),
      ),
    );
    const error = await callOwn(failingAt, {});
    expect(error.kind).toBe('response');
    expect(error.cause).toBeUndefined();
    expect(errorTexts(error)).not.toContain(foreign);
  });

  it('that is sent as a form accepts numbers of any size', async () => {
    const form = defineEndpoint({
      name: 'own',
      method: 'POST',
      path: '/own',
      rateLimit: rateLimits.public,
      authentication: 'form',
      safety: 'once',
      confidential: true,
      request: v.object({ account: v.bigint() }),
      response: v.object({}),
    });
    const error = await failureOf(
      clientOf((_url, { body = '' }) => respond({ code: 1, message: `not ${body}` }, 400)).call(form, {
        account: 12_345_678_901_234_567_890n,
      }),
    );
    expect(error).toMatchObject({ kind: 'api' });
    expect(errorTexts(error)).not.toContain('12345678901234567890');
  });
});
