// Every known shape of a response, and its typed error.
import { createExchange, defineEndpoint, type Exchange, type Fetch } from 'exchange-rx';
import type { Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { failureOf as failureOfCall } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { useFakeTimers } from '../support/fake-timers.js';

const credentials = { apiKey: 'the-key', apiSecret: 'the-secret' };
const order = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;
const unknown = { outcome: 'unknown' };
const nonceTooOld = 'Your nonce is more than 5 seconds lesser than the current nonce';

function respondingWith(body: string, status: number, headers: Record<string, string> = {}): Exchange {
  const empty = status === 204 || status === 304;
  const fetch = () => Promise.resolve(new Response(empty ? null : body, { status, headers }));
  return createExchange({ baseUrl: 'https://exchange.example', credentials, fetch, retry: false, lookupTimeoutMs: 0 });
}

useFakeTimers();

/** A cancel whose outcome is unknown is looked up for seconds. */
async function failureOf(call$: Observable<unknown>) {
  const progress = { isOver: false };
  const failure = failureOfCall(call$).finally(() => (progress.isOver = true));
  while (!progress.isOver) await vi.advanceTimersByTimeAsync(1000);
  return failure;
}

describe('error responses', () => {
  const limited = { kind: 'rate-limited', outcome: 'rejected' };
  const auth = (reason: string) => ({ kind: 'auth', reason });
  const failed = { kind: 'api', outcome: 'unknown' };
  const rejected = { kind: 'api', outcome: 'rejected' };
  const payload = { ...auth('payload'), outcome: 'rejected' };
  const longText = `{"code":0,"message":"${'x'.repeat(2000)}","errors":{"nonce":["This nonce was used."]}}`;
  const expired = auth('nonce-expired');
  const tooOld = `{"code":0,"message":"${nonceTooOld}","errors":[]}`;
  const amountIsLow = '"errors":{"amount":["Too small."]}';
  const inParts = '{"success":false,"message":{"side":["Bad."]},"result":null}';
  it.each([
    ['a rate limit from the gateway', 429, 'Too Many Requests', limited],
    ['a rate limit of the exchange', 429, '{"code":0,"message":"Too Many Attempts.","errors":[]}', limited],
    ['a rate limit of the exchange without its code', 429, '{"message":"Too Many Attempts."}', limited],
    ['a rate limit of the gateway without a text', 429, '', limited],
    [
      'a rate limit in another language',
      429,
      '{"code":0,"message":"Забагато запитів."}',
      { kind: 'rate-limited', ...unknown },
    ],
    [
      'a nonce that was used',
      429,
      '{"code":0,"message":"Too many requests.","errors":[]}',
      { ...auth('nonce-used'), ...unknown },
    ],
    ['a nonce that was used, behind a long text', 422, longText, { ...auth('nonce-used'), ...unknown }],
    ['a nonce that was too old', 400, tooOld, { ...expired, ...unknown }],
    ['a nonce that was too old, with HTTP 422', 422, tooOld, { ...expired, ...unknown }],
    ['a nonce that was ahead', 400, tooOld.replace('lesser', 'greater'), { ...expired, outcome: 'rejected' }],
    ['a payload that differs', 400, '{"code":9,"message":"Invalid payload."}', auth('payload')],
    ['a wrong signature', 401, '{"code":10,"message":"Unauthorized request."}', auth('signature')],
    ['a disabled key', 403, '{"code":2,"message":"Enable your key in API settings"}', auth('key-disabled')],
    ['a key without the endpoint', 401, '{"code":4,"message":"Not authorized"}', auth('key-not-authorized')],
    ['a missing product', 403, '{"code":0,"message":"No permission"}', auth('no-permission')],
    ['missing two-factor authentication', 412, '{"code":1,"message":"enable Two-Factor"}', auth('two-factor')],
    ['a maintenance page', 503, '<html>503</html>', { kind: 'unavailable', code: undefined, ...unknown }],
    ['an inner failure', 500, '{"error":["Server error"]}', { ...failed, exchangeMessage: 'Server error' }],
    ['a failure in one text', 500, '{"error":"Server error"}', { ...failed, exchangeMessage: 'Server error' }],
    ['a bad gateway', 502, '', failed],
    ['a request timeout', 408, '', failed],
    ['a redirect', 302, '', failed],
    ['a regional block', 451, '', { ...rejected, reason: 'other' }],
    ['an empty 404', 404, '', { ...rejected, errors: {} }],
    ['bare field messages', 422, '{"amount":["Too small."]}', { kind: 'api', errors: { amount: ['Too small.'] } }],
    ['field messages in message', 200, inParts, { ...rejected, errors: { side: ['Bad.'] } }],
    ['a message alone', 400, '{"message":"translation.key"}', { kind: 'api', exchangeMessage: 'translation.key' }],
    ['code 10 with a field', 400, '{"code":10,"message":"x","errors":{"amount":["y"]}}', { kind: 'api', code: 10 }],
    ['a missing payload', 400, '{"code":0,"message":"Payload not provided."}', payload],
    ['a missing nonce', 400, '{"code":0,"message":"Nonce not provided."}', payload],
    ['an invalid flag of the nonce', 400, '{"code":0,"message":"Invalid nonceWindow."}', payload],
    ['a field beside the text of an old nonce', 400, `{"code":0,"message":"${nonceTooOld}",${amountIsLow}}`, rejected],
  ])('%s', async (_what, status, body, expected) => {
    const error = await failureOf(respondingWith(body, status).spot.placeStockMarketOrder(order));
    expect(error).toMatchObject({ endpoint: 'spot.placeStockMarketOrder', status, ...expected });
  });
});

it.each([
  ['a rejected order', 'Market is not available.'],
  ['no text', ''],
  ['a text of another language', 'Недостатньо коштів'],
])('code 0 with %s is an ApiError, not a rejected nonce, and is not retried', async (_what, message) => {
  for (const status of [400, 422]) {
    const { fetch, sent } = recordingFetch(() => jsonAnswer({ code: 0, message, errors: [] }, status));
    const exchange = createExchange({ baseUrl: 'https://exchange.example', credentials, fetch });
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

describe('an error response with a damaged body', () => {
  const whole = '{"code":0,"message":"Too many requests.","errors":[]}';
  it.each([400, 422, 429])(
    'with HTTP %d leaves an order and a cancel unknown, because the nonce may have been used by the original',
    async (status) => {
      const damaged = [
        whole.slice(0, 20),
        `\u0001${whole.slice(1)}`,
        whole.replace('"code"', '\u0001code"'),
        `\ufffd${whole.slice(1)}`,
      ];
      const calls = damaged.flatMap((body) => [
        respondingWith(body, status).spot.placeStockMarketOrder(order),
        respondingWith(body, status).orders.cancel({ market: 'BTC_USDT', order_id: 1 }),
      ]);
      for (const failure of await Promise.all(calls.map((call$) => failureOf(call$))))
        expect(failure).toMatchObject({ status, outcome: 'unknown' });
      for (const page of ['', 'Too Many Requests', '<html>\r\n<body>\tBad Request</body>\n</html>']) {
        expect(await failureOf(respondingWith(page, status).spot.placeStockMarketOrder(order))).toMatchObject({
          status,
          outcome: 'rejected',
        });
      }
    },
  );
});

it('HTTP 429 of a public endpoint is always a rate limit', async () => {
  const exchange = respondingWith('{"code":0,"message":"Too many requests."}', 429);
  expect(await failureOf(exchange.public.ping())).toMatchObject({ kind: 'rate-limited', outcome: 'rejected' });
});

describe('"Too Many Attempts." of the main account', () => {
  const text = '{"message":"Too Many Attempts.","code":0}';

  it.each([400, 422])('is a rate limit with HTTP %i', async (status) => {
    const exchange = respondingWith(text, status, { 'retry-after': '3' });
    expect(await failureOf(exchange.account.mainBalance())).toMatchObject({
      ...{ kind: 'rate-limited', status, retryAfterMs: 3000, outcome: 'rejected' },
    });
  });

  it('is not confused with the message of a field', async () => {
    const field = '{"message":"Too Many Attempts.","code":0,"errors":{"ticker":["Too Many Attempts."]}}';
    expect(await failureOf(respondingWith(field, 400).account.mainBalance())).toMatchObject({ kind: 'api' });
  });
});

describe('malformed successes', () => {
  const own = (response: v.GenericSchema) => defineEndpoint({ name: 'own', path: '/own', safety: 'read', response });
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
    expect(await failureOf(respondingWith(body, 200).call(own(response)))).toMatchObject({
      message: `own: HTTP 200: unexpected body: ${expected}`,
    });
  });

  it('an asynchronous schema is refused, which shows nothing of a response', async () => {
    // The types refuse it.
    const endpoint = own(v.objectAsync({ a: v.number() }) as never);
    expect(await failureOf(respondingWith('{"a":1}', 200).call(endpoint))).toMatchObject({
      message: 'own: HTTP 200: the response schema of the endpoint is asynchronous',
    });
  });
});

describe('an order may have been placed when', () => {
  const times = { timestamp: 1_795_000_000, dealStock: '0', dealMoney: '0', dealFee: '0', left: '1' };
  const placed = { orderId: 1, clientOrderId: '', ...order, type: 'stock market', ...times };
  const client = { baseUrl: 'https://exchange.example', credentials, lookupTimeoutMs: 0 };
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
