// Spec: Errors. Requests that the SDK would refuse itself are sent by hand.
import { createExchange, defineEndpoint, rateLimits } from 'exchange-rx';
import { readFileSync } from 'node:fs';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer } from '../support/recording-fetch.js';
import { sendRaw, setup } from './setup.js';

const path = '/api/v4/order/stock_market';
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '50000' };

describe('errors', () => {
  const place = (fields: Record<string, unknown>) => sendRaw(setup(), path, fields);
  const refusal = (code: number, field: string, ...messages: unknown[]) => ({
    code,
    message: 'Validation failed',
    errors: { [field]: messages },
  });
  const anyMessage: unknown = expect.any(String);

  it('[error.object] an error response has a code, a message, and messages by parameter', async () => {
    const { sandbox } = setup();
    const exchange = createExchange(sandbox.clientOptions());
    const error = await failureOf(exchange.spot.placeStockMarketOrder({ ...order, amount: '0.00001' }));
    const refused = { kind: 'api', outcome: 'rejected', status: 422, code: 32, exchangeMessage: 'Validation failed' };
    expect(error).toMatchObject({ ...refused, errors: { amount: [anyMessage, anyMessage] } });
  });
  it('[error.public] the error response of a public endpoint has success false, a message and params', async () => {
    const body = { success: false, message: 'Market is not available', params: [] };
    const fetch = () => Promise.resolve(jsonAnswer(body, 200));
    const error = await failureOf(createExchange({ baseUrl: 'https://exchange.example', fetch }).public.markets());
    expect(error).toMatchObject({ kind: 'api', outcome: 'rejected', exchangeMessage: 'Market is not available' });
  });
  it('[error.balance] a balance that is not sufficient is code 32, amount, with status 400', async () => {
    const poor = setup({ accounts: [{ name: 'main', balances: { trade: { USDT: '10' } } }] });
    expect(await sendRaw(poor, path, order)).toMatchObject({ status: 400, body: refusal(32, 'amount', anyMessage) });
    const response = await sendRaw(poor, path, { ...order, side: 'sell' });
    expect(response).toMatchObject({ status: 400, body: refusal(32, 'amount', anyMessage) });
    expect(poor.sandbox.ledger.orders).toEqual([]);
  });
  it('[error.minimum] an amount below the minimum is code 32, amount: one message gives the minimum, one the step', async () => {
    expect(await place({ ...order, amount: '0.00001' })).toMatchObject({
      status: 422,
      body: refusal(32, 'amount', expect.stringContaining('0.0001'), expect.stringContaining('0.000001')),
    });
  });
  it('[error.503] 503: the service is temporarily unavailable, which proves nothing about an order', async () => {
    for (const executed of [false, true]) {
      const { sandbox, exchange } = setup();
      sandbox.fault({ kind: 'status', path, times: 1, executed });
      const error = await failureOf(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'lost' }));
      expect(error).toMatchObject({ kind: 'unavailable', outcome: 'unknown', status: 503, client_order_id: 'lost' });
      expect(sandbox.ledger.orders).toHaveLength(executed ? 1 : 0);
    }
  });
});

const limitPath = '/api/v4/order/new';

type PublishedText = readonly [
  row: string,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  code: number,
  errors: Readonly<Record<string, string>>,
];

/** Requests of an order with other fields, without those that are null, and the published texts of their refusals. */
const publishedTexts = JSON.parse(
  readFileSync(new URL('../recorded/texts/refusals.json', import.meta.url), 'utf8'),
) as readonly PublishedText[];

describe('the published texts', () => {
  it.each(publishedTexts)('%s', async (_, endpoint, fields, code, errors) => {
    const texts = Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, [text]]));
    const given = Object.entries<unknown>({ ...order, ...fields }).filter(([, value]) => value !== null);
    const response = await sendRaw(setup(), endpoint, Object.fromEntries(given));
    expect(response).toEqual({ status: 422, body: { code, message: 'Validation failed', errors: texts } });
  });

  it.each([
    ['/api/v4/order/cancel', { orderId: 7 }],
    ['/api/v4/order/cancel/all', {}],
  ])('are those of the sandbox for a market that is not a text at %s', async (endpoint, fields) => {
    const errors = { market: ['Market field should be a string.', 'Market field format is invalid.'] };
    const response = await sendRaw(setup(), endpoint, { ...fields, market: 5 });
    expect(response).toMatchObject({ status: 422, body: { code: 30, errors } });
  });

  it('are those of the sandbox for an identifier that is in use', async () => {
    const world = setup();
    const fields = { ...order, price: '50000', clientOrderId: 'mine' };
    expect(await sendRaw(world, limitPath, fields)).toMatchObject({ status: 200 });
    expect(await sendRaw(world, limitPath, fields)).toMatchObject({
      body: { code: 36, errors: { clientOrderId: ['This client order id is already used by the current account.'] } },
    });
  });
});

describe('named cases of the codes', () => {
  const answering = (body: unknown, status: number) =>
    createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'k', apiSecret: 's' },
      fetch: () => Promise.resolve(jsonAnswer(body, status)),
    });
  const expectCase = async (code: number, reason: string) => {
    const exchange = answering({ code, message: 'Validation failed', errors: { price: ['no'] } }, 422);
    const error = await failureOf(exchange.collateral.placeLimitOrder(limit));
    expect(error).toMatchObject({ kind: 'api', code, reason, outcome: 'rejected' });
  };

  it.each([
    [30, 'validation'],
    [31, 'market'],
    [32, 'amount'],
    [33, 'price'],
    [36, 'client-order-id'],
    [37, 'conflicting-flags'],
    [40, 'conflicting-flags'],
    [114, 'position-side'],
    [116, 'reduce-only'],
    [999, 'other'],
  ])('[error.code.%i] on the collateral limit endpoint the code is the case %s', expectCase);

  it.each([
    [10, 'insufficient-balance'],
    [13, 'would-take'],
    [14, 'would-take'],
    [111, 'position-limit'],
    [112, 'position-limit'],
    [113, 'positions-open'],
    [115, 'opposite-position'],
  ])('the code %i, which only collateral has, is the case %s', expectCase);

  it('[error.code-by-endpoint] the same code is another case on an endpoint that does not define it', async () => {
    const other = defineEndpoint({
      name: 'convert',
      path: '/api/v4/convert/confirm',
      safety: 'read',
      request: v.strictObject({}),
      response: v.unknown(),
    });
    const exchange = answering({ code: 37, message: 'no', errors: {} }, 422);
    expect(await failureOf(exchange.call(other))).toMatchObject({ kind: 'api', reason: 'other' });
  });

  it('[error.success-with-code] a success whose body has fields called code and message is not an error', async () => {
    const other = defineEndpoint({
      name: 'codes',
      method: 'GET',
      path: '/api/v4/public/codes',
      rateLimit: rateLimits.public,
      authentication: 'none',
      safety: 'read',
      request: v.strictObject({}),
      response: v.looseObject({ code: v.string() }),
    });
    const output = await firstValueFrom(answering({ code: 'a', message: 'b' }, 200).call(other));
    expect(output).toEqual({ code: 'a', message: 'b' });
  });
});
