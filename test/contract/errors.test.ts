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
  const id = 'clientOrderId';
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
  it('[error.missing] a missing amount, market or side is code 30, each field with its message', async () => {
    expect(await place({})).toMatchObject({
      status: 422,
      body: {
        code: 30,
        message: 'Validation failed',
        errors: {
          market: ['Market field is required.'],
          side: ['Side field is required.'],
          amount: ['Amount field is required.'],
        },
      },
    });
    expect(await place({ market: 'BTC_USDT', side: 'buy' })).toMatchObject({
      body: refusal(30, 'amount', 'Amount field is required.'),
    });
  });
  it('[error.side] a side that is not buy or sell is code 30, side', async () => {
    expect(await place({ ...order, side: 'hold' })).toMatchObject({
      status: 422,
      body: refusal(30, 'side', anyMessage),
    });
  });
  it('[error.amount-type] an amount that is not a numeric string or number is code 32, amount', async () => {
    for (const amount of ['abc', '', true, {}])
      expect(await place({ ...order, amount })).toMatchObject({ status: 422, body: refusal(32, 'amount', anyMessage) });
  });
  it('[error.market-unavailable] a market that is not available is code 31, market', async () => {
    expect(await place({ ...order, market: 'NO_SUCH' })).toMatchObject({
      status: 422,
      body: refusal(31, 'market', anyMessage),
    });
  });
  it('[error.market-empty] a market that is an empty string is code 31, market', async () => {
    expect(await place({ ...order, market: '' })).toMatchObject({
      status: 422,
      body: refusal(31, 'market', anyMessage),
    });
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
  it('[error.client_order_id] a client_order_id that is not a string is code 36, client_order_id', async () => {
    expect(await place({ ...order, [id]: 5 })).toMatchObject({ status: 422, body: refusal(36, id, anyMessage) });
  });
  it('[error.rpi-ioc] rpi together with ioc is code 37 (40 on the live exchange)', async () => {
    const raw = await sendRaw(setup(), '/api/v4/order/collateral/limit', { ...limit, rpi: true, ioc: true });
    expect(raw).toMatchObject({ status: 422, body: { code: 40 } });
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

describe('the published texts', () => {
  const limitPath = '/api/v4/order/new';
  const stopPath = '/api/v4/order/stop_limit';
  const cancelPath = '/api/v4/order/cancel';

  it.each<[string, object, number, Readonly<Record<string, string>>]>([
    [
      stopPath,
      { market: undefined, side: undefined, amount: undefined, price: '1' },
      30,
      {
        activation_price: 'Activation price field is required.',
        amount: 'Amount field is required.',
        market: 'Market field is required.',
        side: 'Side field is required.',
      },
    ],
    [
      limitPath,
      { market: undefined, side: undefined, amount: undefined },
      30,
      {
        market: 'Market field is required.',
        side: 'Side field is required.',
        amount: 'Amount field is required.',
        price: 'Price field is required.',
      },
    ],
    [limitPath, {}, 30, { price: 'Price field is required.' }],
    [
      cancelPath,
      { market: undefined },
      30,
      { market: 'Market field is required.', orderId: 'OrderId field is required.' },
    ],
    [cancelPath, {}, 30, { orderId: 'OrderId field is required.' }],
    [cancelPath, { orderId: '7' }, 30, { orderId: 'OrderId field should be an integer.' }],
    ['/api/v4/order/kill-switch', {}, 30, { timeout: 'Timeout field is required.' }],
    [
      '/api/v4/order/kill-switch',
      { market: undefined },
      30,
      { market: 'Market field is required.', timeout: 'Timeout field is required.' },
    ],
    ['/api/v4/orders', { limit: 101 }, 30, { limit: 'The limit may not be greater than 100.' }],
    ['/api/v4/trade-account/executed-history', { limit: '5' }, 30, { limit: 'Limit field should be an integer.' }],
    ['/api/v4/trade-account/executed-history', { market: 'BTC' }, 31, { market: 'Market field format is invalid.' }],
    ['/api/v4/trade-account/balance', { ticker: 5 }, 30, { ticker: 'Ticker field should be a string.' }],
    [path, { side: 'hold' }, 30, { side: "Side field should contain only 'buy' or 'sell' values." }],
    [path, { amount: 'many' }, 32, { amount: 'Amount field should be numeric string or number.' }],
    [path, { amount: '0' }, 32, { amount: 'Amount should be greater than 0.' }],
    [limitPath, { price: 'high' }, 33, { price: 'Price field should be numeric string or number.' }],
    [limitPath, { price: '0' }, 33, { price: 'Price should be greater than 0.' }],
    [path, { market: '' }, 31, { market: 'Market field should not be empty string.' }],
    [path, { market: 'NO_SUCH' }, 31, { market: 'Market is not available.' }],
    [path, { clientOrderId: 5 }, 36, { clientOrderId: 'ClientOrderId field should be a string.' }],
    [
      path,
      { clientOrderId: 'a b' },
      36,
      { clientOrderId: 'ClientOrderId field should contain only latin letters, numbers and dashes.' },
    ],
    [
      limitPath,
      { price: '50000', ioc: true, postOnly: true },
      37,
      { ioc: 'Either IOC or PostOnly flag in true state is allowed.' },
    ],
  ])('are those of the sandbox: %s %j', async (endpoint, fields, code, errors) => {
    expect(await sendRaw(setup(), endpoint, { ...order, ...fields })).toEqual({
      status: 422,
      body: {
        code,
        message: 'Validation failed',
        errors: Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, [text]])),
      },
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
