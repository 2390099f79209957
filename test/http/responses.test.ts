// What a caller gets of a response that refuses, fails or cannot be understood.
import { createExchange, defineEndpoint, type Fetch } from 'exchange-rx';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const client = {
  baseUrl: 'https://exchange.example',
  credentials: { apiKey: 'the-key', apiSecret: 'the-secret' },
  lookupTimeoutMs: 0,
};
const order = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;
const nonceTooOld = 'Your nonce is more than 5 seconds lesser than the current nonce';

it.each([
  ['a rejected order', 'Market is not available.'],
  ['no text', ''],
  ['a text of another language', 'Недостатньо коштів'],
])('code 0 with %s is an ApiError, not a rejected nonce, and is not retried', async (_what, message) => {
  for (const status of [400, 422]) {
    const { fetch, sent } = recordingFetch(() => jsonAnswer({ code: 0, message, errors: [] }, status));
    const exchange = createExchange({ ...client, fetch });
    expect(await failureOf(exchange.spot.placeStockMarketOrder(order))).toMatchObject({
      kind: 'api',
      outcome: 'rejected',
      status,
      code: 0,
    });
    expect(await failureOf(exchange.account.mainBalance())).toMatchObject({ kind: 'api', outcome: 'rejected' });
    expect(sent).toHaveLength(2);
  }
});

describe('malformed successes', () => {
  const failureOfBody = (body: string, response: v.GenericSchema) => {
    const exchange = createExchange({ ...client, fetch: () => Promise.resolve(new Response(body)) });
    return failureOf(exchange.call(defineEndpoint({ name: 'own', path: '/own', safety: 'read', response })));
  };
  const failsAlways = v.pipe(
    v.number(),
    v.check(() => false),
  );

  it.each([
    [
      'by its first difference',
      v.looseObject({ a: v.number(), b: v.string() }),
      '{"a":"x","b":"y"}',
      'a is not number',
    ],
    ['as a whole', v.string(), '7', 'the body is not string'],
    ['that no rule says how', v.looseObject({ a: failsAlways }), '{"a":1}', 'a is not as expected'],
  ])('an unexpected body is described %s', async (_what, response, body, expected) => {
    expect(await failureOfBody(body, response)).toMatchObject({
      message: `own: HTTP 200: unexpected body: ${expected}`,
    });
  });

  it('an asynchronous schema is refused, which shows nothing of a response', async () => {
    // The types refuse it.
    expect(await failureOfBody('{"a":1}', v.objectAsync({ a: v.number() }) as never)).toMatchObject({
      message: 'own: HTTP 200: the response schema of the endpoint is asynchronous',
    });
  });
});

describe('an order may have been placed when', () => {
  const times = { timestamp: 1_795_000_000, dealStock: '0', dealMoney: '0', dealFee: '0', left: '1' };
  const placed = { orderId: 1, clientOrderId: '', ...order, type: 'stock market', ...times };
  const place = (fetch: Fetch) => failureOf(createExchange({ ...client, fetch }).spot.placeStockMarketOrder(order));

  const internal = { success: false, message: 'Internal error' };
  const expired = { code: 0, message: nonceTooOld, side: 'buy' };

  it.each([
    ['HTTP 200 reports a failure without a field', 200, { ...internal, result: null }],
    ['HTTP 200 reports a list of errors', 200, { success: false, error: ['Internal error'] }],
    ['HTTP 200 reports errors that name no field', 200, { ...internal, errors: ['timeout'] }],
    ['HTTP 200 reports errors of unknown fields', 200, { ...internal, params: ['trace'], data: { trace: ['7'] } }],
    ['HTTP 200 repeats a parameter beside a failure', 200, { ...internal, market: 'BTC_USDT' }],
    ['HTTP 200 has a text for a parameter in the place of a list', 200, { ...internal, message: { amount: '0.01' } }],
    ['a proxy retried it after its nonce had expired, and the response repeats a parameter', 400, expired],
    ['HTTP 202 accepts it without executing it', 202, { ...internal, message: 'timeout of the engine', code: 0 }],
    ['the gateway stopped waiting', 499, ''],
    ['a proxy changed the response', 203, placed],
    ['the response is partial', 206, placed],
  ])('%s', async (_, status, body) => {
    expect(await place(() => Promise.resolve(jsonAnswer(body, status)))).toMatchObject({ outcome: 'unknown' });
  });

  it('the response has no status', async () => {
    expect(await place(() => Promise.resolve(Response.error()))).toMatchObject({ outcome: 'unknown' });
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH'])(
    'its response was lost with %s, a code of another connection',
    async (code) => {
      let sent = 0;
      const error = await place(() => {
        sent += 1;
        const body = new ReadableStream({
          pull: (controller) => {
            controller.error(Object.assign(new Error('lost'), { code, syscall: 'connect' }));
          },
        });
        return Promise.resolve(new Response(body, { status: 200 }));
      });
      expect(error).toMatchObject({ kind: 'transport', outcome: 'unknown' });
      expect(sent).toBe(1);
    },
  );

  it('but not when HTTP 200 names an invalid field', async () => {
    const rejection = { success: false, message: { amount: ['Amount is too small.'] }, result: null };
    const error = await place(() => Promise.resolve(jsonAnswer(rejection)));
    expect(error).toMatchObject({ kind: 'api', outcome: 'rejected' });
  });
});
