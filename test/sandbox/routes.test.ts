// Unknown routes, and routes that a test adds.
import { createExchange, defineEndpoint } from 'exchange-rx';
import { createSandbox, type SandboxRequest } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { rawAnswer, sendRaw } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';

const path = '/api/v4/credit-line/loans/info';

describe('an unknown route', () => {
  it('responds 404, with the way to add the route', async () => {
    const response = await sendRaw({ sandbox: createSandbox() }, path, {});
    const way = 'add it with sandbox.route({ method, path, authentication, handle })';
    expect(response).toEqual({ status: 404, body: { message: `the sandbox has no route POST ${path}: ${way}` } });
  });

  it('responds 405 to another method, with the accepted method', async () => {
    const sandbox = createSandbox();
    const response = await sandbox.fetch(`${sandbox.baseUrl}/api/v4/orders`);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await rawAnswer(response)).toEqual({
      status: 405,
      body: { message: '/api/v4/orders of the sandbox accepts POST, not GET' },
    });
  });
});

describe('a custom route', () => {
  const fee = defineEndpoint({
    name: 'fee',
    path,
    safety: 'read',
    request: v.strictObject({ ticker: v.string() }),
    response: v.object({ ticker: v.string(), account: v.string(), fee: v.string() }),
  });

  /** Responds with what the handle received. JSON leaves out the account of an unsigned request. */
  const echo = ({ account, fields, params }: SandboxRequest) => ({ account, fields, params });

  it('responds to a custom endpoint after key, signature and nonce were checked', async () => {
    const sandbox = createSandbox();
    sandbox.route({
      method: 'POST',
      path,
      authentication: 'signed',
      handle: ({ account, fields: { ticker } }) => ({ account, ticker, fee: '0.1' }),
    });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
    const output = await firstValueFrom(exchange.call(fee, { ticker: 'BTC' }));
    expect(output).toEqual({ account: 'main', ticker: 'BTC', fee: '0.1' });
    sandbox.account().setKeyEnabled(false);
    const error = await failureOf(exchange.call(fee, { ticker: 'BTC' }));
    expect(error).toMatchObject({ kind: 'auth', reason: 'key-disabled' });
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual([200, 401]);
    expect(sandbox.ledger.maxRequestsInWindow(path)).toBe(2);
  });

  it('has its own rate limit, and can return a Response', async () => {
    const sandbox = createSandbox({ clock: 'manual' });
    const handle = ({ now }: { readonly now: number }) =>
      Response.json({ code: 1, message: String(now), errors: {} }, { status: 422 });
    sandbox.route({ method: 'POST', path, rateLimit: { limit: 1, windowMs: 1000 }, authentication: 'signed', handle });
    const response = await sendRaw({ sandbox }, path, {});
    expect(response).toEqual({ status: 422, body: { code: 1, message: String(sandbox.clock.now()), errors: {} } });
    expect(await sendRaw({ sandbox }, path, {})).toMatchObject({ status: 429 });
  });

  it('gets the fields of a query, a JSON body and a form', async () => {
    const sandbox = createSandbox();
    const { baseUrl } = sandbox;
    sandbox.route({ method: 'GET', path: '/api/v4/public/depth', authentication: 'none', handle: echo });
    sandbox.route({ method: 'POST', path: '/oauth2/token', authentication: 'none', handle: echo });
    const post = (body: string, type: string) =>
      sandbox.fetch(`${baseUrl}/oauth2/token`, { method: 'POST', body, headers: { 'content-type': type } });
    const responses = [
      await sandbox.fetch(`${baseUrl}/api/v4/public/depth?level=2`),
      await post('{"code":"x"}', 'application/json'),
      await post('code=y', 'application/x-www-form-urlencoded'),
      await post('nothing', 'text/plain'),
      await post('[{"code":"z"}]', 'application/json'),
    ];
    const bodies = await Promise.all(responses.map((response) => response.json()));
    const read = [{ level: '2' }, { code: 'x' }, { code: 'y' }, {}, { 0: { code: 'z' } }];
    expect(bodies).toEqual(read.map((fields) => ({ fields, params: {} })));
  });

  it('gets the parameters of its path, signed or not', async () => {
    const sandbox = createSandbox();
    sandbox.route({ method: 'GET', path: '/own/{market}/of/{day}', authentication: 'none', handle: echo });
    sandbox.route({ method: 'POST', path: '/own/{market}', authentication: 'signed', handle: echo });
    const response = await sandbox.fetch(`${sandbox.baseUrl}/own/BTC_USDT/of/a%20day`);
    expect(await response.json()).toEqual({ fields: {}, params: { market: 'BTC_USDT', day: 'a day' } });
    const signed = { account: 'main', params: { market: 'ETH_USDT' } };
    expect(await sendRaw({ sandbox }, '/own/ETH_USDT', {})).toMatchObject({ status: 200, body: signed });
    expect(sandbox.ledger.maxRequestsInWindow('/own/{market}')).toBe(1);
  });

  it('can be added after other requests, and only once', async () => {
    const sandbox = createSandbox();
    await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/ping`);
    const own = { method: 'GET', path: '/own', authentication: 'none', handle: () => 'here' } as const;
    sandbox.route(own);
    expect(await (await sandbox.fetch(`${sandbox.baseUrl}/own`)).json()).toBe('here');
    expect(() => {
      sandbox.route(own);
    }).toThrow('sandbox.route: the sandbox already has a route /own');
  });

  it('responds 500 in JSON with the name of the route when its handle throws', async () => {
    const sandbox = createSandbox();
    const handle = () => {
      throw new Error('a mistake');
    };
    sandbox.route({ method: 'GET', path: '/own', authentication: 'none', handle });
    sandbox.route({ method: 'POST', path, authentication: 'signed', handle });
    const message = (of: string) => `sandbox.route: handle of ${of} failed: a mistake`;
    const response = await sandbox.fetch(`${sandbox.baseUrl}/own`);
    expect([response.status, await response.json()]).toEqual([500, { message: message('/own') }]);
    expect(await sendRaw({ sandbox }, path, {})).toEqual({ status: 500, body: { message: message(path) } });
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual([500, 500]);
  });

  it('must not return a promise', async () => {
    const sandbox = createSandbox();
    sandbox.route({ method: 'GET', path: '/own', authentication: 'none', handle: () => Promise.resolve('late') });
    expect(await rawAnswer(await sandbox.fetch(`${sandbox.baseUrl}/own`))).toMatchObject({
      ...{ status: 500, body: { message: 'sandbox.route: handle of /own failed: it must not return a promise' } },
    });
  });
});
