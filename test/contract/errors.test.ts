// Spec: Errors. Requests that the SDK would refuse itself are sent by hand.
import * as endpoints from 'exchange-rx/endpoints';
import { createExchange, defineEndpoint, rateLimits } from 'exchange-rx';
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
    expect(error).toMatchObject({
      kind: 'api',
      outcome: 'rejected',
      status: 422,
      code: 32,
      exchangeMessage: 'Validation failed',
      errors: { amount: [anyMessage, anyMessage] },
    });
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
    expect(await sendRaw(poor, path, { ...order, side: 'sell' })).toMatchObject({
      status: 400,
      body: refusal(32, 'amount', anyMessage),
    });
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
const stopPath = '/api/v4/order/stop_limit';
const cancelPath = '/api/v4/order/cancel';
const killSwitchPath = '/api/v4/order/kill-switch';
const dealsPath = '/api/v4/trade-account/executed-history';
const missing = { market: undefined, side: undefined, amount: undefined };
const required = (...fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field.replace(' ', '_').toLowerCase(), `${field} field is required.`]));
const noNumber = 'field should be numeric string or number.';
const letters = 'ClientOrderId field should contain only latin letters, numbers and dashes.';

describe('the published texts', () => {
  it.each<readonly [row: string, path: string, fields: object, code: number, errors: Readonly<Record<string, string>>]>(
    [
      ['[error.missing] a missing amount, market or side', path, missing, 30, required('Market', 'Side', 'Amount')],
      ['[error.missing] a missing amount', path, { amount: undefined }, 30, required('Amount')],
      [
        'a stop order without its fields',
        stopPath,
        { ...missing, price: '1' },
        30,
        required('Activation price', 'Amount', 'Market', 'Side'),
      ],
      ['a limit order without its fields', limitPath, missing, 30, required('Market', 'Side', 'Amount', 'Price')],
      ['a limit order without a price', limitPath, {}, 30, required('Price')],
      [
        'a cancel without its fields',
        cancelPath,
        { market: undefined },
        30,
        { ...required('Market'), orderId: 'OrderId field is required.' },
      ],
      ['a cancel without an identifier', cancelPath, {}, 30, { orderId: 'OrderId field is required.' }],
      ['a number in quotes', cancelPath, { orderId: '7' }, 30, { orderId: 'OrderId field should be an integer.' }],
      ['a kill switch without a time', killSwitchPath, {}, 30, required('Timeout')],
      ['a kill switch without its fields', killSwitchPath, { market: undefined }, 30, required('Market', 'Timeout')],
      ['a long page', '/api/v4/orders', { limit: 101 }, 30, { limit: 'The limit may not be greater than 100.' }],
      ['a limit in quotes', dealsPath, { limit: '5' }, 30, { limit: 'Limit field should be an integer.' }],
      ['a market without two assets', dealsPath, { market: 'BTC' }, 31, { market: 'Market field format is invalid.' }],
      ['a ticker', '/api/v4/trade-account/balance', { ticker: 5 }, 30, { ticker: 'Ticker field should be a string.' }],
      [
        '[error.side] a side that is not buy or sell',
        path,
        { side: 'hold' },
        30,
        { side: "Side field should contain only 'buy' or 'sell' values." },
      ],
      ...['abc', '', true, {}].map(
        (amount) =>
          [
            '[error.amount-type] an amount that is no number',
            path,
            { amount },
            32,
            { amount: `Amount ${noNumber}` },
          ] as const,
      ),
      ['an amount of 0', path, { amount: '0' }, 32, { amount: 'Amount should be greater than 0.' }],
      ['a price that is no number', limitPath, { price: 'high' }, 33, { price: `Price ${noNumber}` }],
      ['a price of 0', limitPath, { price: '0' }, 33, { price: 'Price should be greater than 0.' }],
      [
        '[error.market-empty] a market that is an empty string',
        path,
        { market: '' },
        31,
        { market: 'Market field should not be empty string.' },
      ],
      [
        '[error.market-unavailable] a market that is not available',
        path,
        { market: 'NO' },
        31,
        { market: 'Market is not available.' },
      ],
      [
        '[error.client_order_id] a client_order_id that is not a string',
        path,
        { clientOrderId: 5 },
        36,
        { clientOrderId: 'ClientOrderId field should be a string.' },
      ],
      ['other characters in a client_order_id', path, { clientOrderId: 'a b' }, 36, { clientOrderId: letters }],
      [
        'ioc together with postOnly',
        limitPath,
        { price: '50000', ioc: true, postOnly: true },
        37,
        { ioc: 'Either IOC or PostOnly flag in true state is allowed.' },
      ],
    ],
  )('%s', async (_, endpoint, fields, code, errors) => {
    const texts = Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, [text]]));
    expect(await sendRaw(setup(), endpoint, { ...order, ...fields })).toEqual({
      status: 422,
      body: { code, message: 'Validation failed', errors: texts },
    });
  });

  it('are those of the sandbox for a market that is no text, where an order is canceled', async () => {
    for (const [endpoint, fields] of [
      [cancelPath, { orderId: 7 }],
      ['/api/v4/order/cancel/all', {}],
    ] as const) {
      expect(await sendRaw(setup(), endpoint, { ...fields, market: 5 })).toMatchObject({
        status: 422,
        body: {
          code: 30,
          errors: { market: ['Market field should be a string.', 'Market field format is invalid.'] },
        },
      });
    }
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
  ])('[error.code.%i] on the collateral limit endpoint the code is the case %s', async (code, reason) => {
    const exchange = answering({ code, message: 'Validation failed', errors: { price: ['no'] } }, 422);
    const error = await failureOf(exchange.collateral.placeLimitOrder(limit));
    expect(error).toMatchObject({ kind: 'api', code, reason, outcome: 'rejected' });
  });

  it.each([
    [10, 'insufficient-balance'],
    [13, 'would-take'],
    [14, 'would-take'],
    [111, 'position-limit'],
    [112, 'position-limit'],
    [113, 'positions-open'],
    [115, 'opposite-position'],
  ])('the code %i, which only collateral has, is the case %s', async (code, reason) => {
    const exchange = answering({ code, message: 'Validation failed', errors: { amount: ['no'] } }, 422);
    const error = await failureOf(exchange.collateral.placeLimitOrder(limit));
    expect(error).toMatchObject({ kind: 'api', code, reason, outcome: 'rejected' });
  });

  it('[error.code-by-endpoint] the same code is another case on an endpoint that does not define it', async () => {
    const other = defineEndpoint({
      name: 'convert',
      method: 'POST',
      path: '/api/v4/convert/confirm',
      rateLimit: endpoints.account.mainBalance.rateLimits,
      authentication: 'signed',
      safety: 'read',
      request: v.strictObject({}),
      response: v.unknown(),
    });
    const exchange = answering({ code: 37, message: 'no', errors: {} }, 422);
    expect(await failureOf(exchange.call(other))).toMatchObject({ kind: 'api', reason: 'other' });
  });

  it('[error.success-with-code] a success whose body has fields called code and message is no error', async () => {
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
    expect(await firstValueFrom(answering({ code: 'a', message: 'b' }, 200).call(other))).toEqual({
      code: 'a',
      message: 'b',
    });
  });
});
