// Spec: Authentication and Limits; and what the exchange has published of nonces and of failures.
import { createExchange, createScheduler } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { allEndpoints } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';
import { publishedDescription } from '../support/published-shape.js';
import { clientOf, sendRaw, setup, signed, tapped } from './setup.js';

const path = '/api/v4/main-account/balance';
/** The limits of the private endpoints, as the exchange writes them. */
const limitsByPath: Readonly<Record<string, string>> = Object.fromEntries(
  allEndpoints
    .filter(({ authentication }) => authentication !== 'none')
    .map(({ path: place, rateLimits }) => [
      place,
      rateLimits.map(({ limit, windowMs }) => `${limit} / ${windowMs / 1000} s`).join(', '),
    ]),
);

describe('authentication', () => {
  const ask = (fields: Record<string, unknown>, headers: Record<string, string> = {}, world = setup()) =>
    sendRaw(world, path, fields, { headers });

  it('[auth.public] public endpoints need no authentication', async () => {
    const { sandbox } = setup();
    const { baseUrl, fetch } = sandbox.clientOptions();
    expect(await firstValueFrom(createExchange({ baseUrl, fetch }).public.ping())).toEqual(['pong']);
  });
  it('[auth.headers] private requests carry Content-type, X-TXC-APIKEY, X-TXC-PAYLOAD and X-TXC-SIGNATURE', async () => {
    const { sandbox, exchange, sent } = tapped();
    await firstValueFrom(exchange.account.mainBalance());
    const { headers } = signed({ sandbox }, sent[0]?.body ?? '');
    const expected = { 'content-type': 'application/json', ...headers };
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject(expected);
  });
  it('[auth.body] the body holds request, the endpoint’s path, and nonce, both strings', async () => {
    const { exchange, sent } = tapped();
    await firstValueFrom(exchange.account.mainBalance());
    const nonce = expect.stringMatching(/^\d{13}$/) as string;
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ request: path, nonce, nonceWindow: true });
  });
  it('[auth.request-required] a body without request, or with another path in it, is rejected', async () => {
    expect(await ask({ request: undefined })).toMatchObject({
      status: 400,
      body: { message: 'Request not provided.' },
    });
    expect((await ask({ request: '/api/v4/orders' })).status).toBe(400);
  });
  it('[auth.nonce-required] a body without nonce is rejected', async () => {
    expect(await ask({ nonce: undefined })).toMatchObject({ status: 400, body: { message: 'Nonce not provided.' } });
  });
  it('[auth.payload] a payload that is not the body, or a body that is not compact JSON, is code 9', async () => {
    expect(await ask({}, { 'x-txc-payload': 'e30=' })).toMatchObject({ status: 400, body: { code: 9 } });
  });
  it('[auth.signature] a wrong signature, or an unknown key, is code 10, status 401', async () => {
    expect(await ask({}, { 'x-txc-signature': '0'.repeat(128) })).toMatchObject({ status: 401, body: { code: 10 } });
    expect(await ask({}, { 'x-txc-apikey': 'nobody' })).toMatchObject({ status: 401, body: { code: 10 } });
    const { sandbox } = setup();
    const credentials = { ...sandbox.clientOptions().credentials, apiSecret: 'wrong' };
    const error = await failureOf(createExchange({ ...sandbox.clientOptions(), credentials }).account.mainBalance());
    expect(error).toMatchObject({ kind: 'auth', reason: 'signature', outcome: 'rejected' });
  });
  it('[auth.key] a key that is disabled, restricted, or of an account without the product, is rejected', async () => {
    const { sandbox, exchange } = setup();
    const account = sandbox.account();
    const error = () => failureOf(exchange.account.mainBalance());
    account.setKeyEnabled(false);
    expect(await error()).toMatchObject({ kind: 'auth', reason: 'key-disabled', code: 2 });
    account.setKeyEnabled(true);
    account.restrictKey(['/api/v4/orders']);
    expect(await error()).toMatchObject({ kind: 'auth', reason: 'key-not-authorized', code: 4 });
    account.restrictKey(undefined);
    account.revokePaths([path]);
    expect(await error()).toMatchObject({ kind: 'auth', reason: 'no-permission', status: 403 });
  });
  it('[auth.nonce-order] without nonceWindow each nonce must be greater than the last: code 0 and status 429 otherwise', async () => {
    const world = setup();
    expect((await ask({ nonce: '5' }, {}, world)).status).toBe(200);
    expect(await ask({ nonce: '5' }, {}, world)).toMatchObject({
      status: 429,
      body: { code: 0, message: 'Too many requests.', errors: {} },
    });
    expect((await ask({ nonce: 6 }, {}, world)).status).toBe(200);
  });
  it('[auth.nonce-window] with nonceWindow a nonce is good once, in any order, within 5 s of the exchange’s clock', async () => {
    const world = setup({ clock: 'manual' });
    const now = world.sandbox.clock.now();
    const status = async (nonce: number) => (await ask({ nonce, nonceWindow: true }, {}, world)).status;
    expect([await status(now), await status(now - 4999), await status(now + 5000), await status(now)]).toEqual([
      200, 200, 200, 429,
    ]);
    expect([await status(now - 5001), await status(now + 5001)]).toEqual([400, 400]);
    expect((await ask({ nonce: now, nonceWindow: 'yes' }, {}, world)).status).toBe(400);
  });
  it('[auth.nonce-error] a used nonce is distinguished from the rate limit', async () => {
    // Two processes that do not know of each other, while time stands still: the nonces of one are those of the other.
    const { sandbox } = setup({ clock: 'manual' });
    const client = () => clientOf(sandbox, undefined, { fetch: (...request) => sandbox.fetch(...request) });
    const first = client();
    for (let used = 0; used < 3; used += 1) await firstValueFrom(first.account.mainBalance());
    const other = client();
    const error = await failureOf(other.account.mainBalance());
    expect(error).toMatchObject({ kind: 'auth', reason: 'nonce-used', status: 429, outcome: 'rejected' });
    expect(await firstValueFrom(other.account.mainBalance())).toBeDefined();
  });
  it('[auth.oauth] the OAuth refresh authenticates by its form, without key and signature', async () => {
    const { sandbox, exchange, sent } = tapped();
    const { clientId, clientSecret, refreshToken } = sandbox.oauthClient;
    await firstValueFrom(
      exchange.oauth.refreshToken({ client_id: clientId, client_secret: clientSecret, token: refreshToken }),
    );
    expect([...(sent[0]?.headers.keys() ?? [])].filter((name) => name.startsWith('x-txc'))).toEqual([]);
  });
  it('[auth.credentials] a private endpoint without credentials fails before anything is sent', async () => {
    const { sandbox } = setup();
    const { baseUrl, fetch } = sandbox.clientOptions();
    const error = await failureOf(createExchange({ baseUrl, fetch }).account.mainBalance());
    expect(error).toMatchObject({ kind: 'request', outcome: 'not-executed' });
    expect(sandbox.ledger.requests).toEqual([]);
  });
});

describe('limits', () => {
  it('[limits.stock-market] stock market orders: 10000 requests / 10 s', () => {
    expect(limitsByPath['/api/v4/order/stock_market']).toBe('10000 / 10 s');
  });
  it('[limits.public] public endpoints: 2000 requests / 10 s together', () => {
    const publicLimits = allEndpoints.filter(({ authentication }) => authentication === 'none');
    for (const { rateLimits } of publicLimits)
      expect(rateLimits).toContainEqual(expect.objectContaining({ name: 'public', limit: 2000, windowMs: 10_000 }));
  });
  it('[limits.other] the other endpoints have the limits that are published for their paths', () => {
    for (const { name, method, path: place, authentication, rateLimits } of allEndpoints) {
      if (authentication === 'none') continue;
      const published = publishedDescription.find((one) => one.method === method && one.path === place);
      const { requests, perSeconds } = published?.limit ?? { requests: 10_000, perSeconds: 10 };
      const limit = expect.objectContaining({ limit: requests, windowMs: perSeconds * 1000 }) as unknown;
      expect(rateLimits, name).toContainEqual(limit);
    }
  });
  it('[limits.429] over a limit the exchange responds with 429 at once, counted in a sliding window, and executes nothing', async () => {
    const { sandbox } = setup({ clock: 'manual', limits: { public: { limit: 3, windowMs: 1000 } } });
    const ping = async () => (await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/ping`)).status;
    const statuses = [await ping()];
    sandbox.clock.advance(600);
    statuses.push(await ping(), await ping(), await ping());
    sandbox.clock.advance(400);
    statuses.push(await ping(), await ping());
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429]);
    expect(sandbox.ledger.maxRequestsInWindow('public')).toBe(3);
  });
  it('[limits.429-error] a 429 becomes a RateLimitedError, rejected', async () => {
    const { exchange } = setup({ limits: { public: { limit: 1, windowMs: 10_000 } } });
    await firstValueFrom(exchange.public.ping());
    const error = await failureOf(exchange.public.ping());
    expect(error).toMatchObject({ kind: 'rate-limited', outcome: 'rejected', status: 429 });
  });
  it('[limits.kept] a client that knows the limit never meets a 429', async () => {
    const limits = { public: { limit: 5, windowMs: 200 } };
    const { sandbox } = setup({ limits });
    const exchange = createExchange({ ...sandbox.clientOptions(), scheduler: createScheduler({ limits }) });
    await Promise.all(Array.from({ length: 16 }, () => firstValueFrom(exchange.public.ping())));
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(sandbox.ledger.maxRequestsInWindow('public')).toBe(5);
  });
});
