// The typed error of an error response, and of a request that ends without a response.
import * as endpoints from 'exchange-rx/endpoints';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { classifyError, classifyItem, retryAfterMs, transportError } from '../../src/http/classify.js';
import type { SentRequest } from '../../src/http/outcome.js';
import { Redactor } from '../../src/http/redactor.js';
import { LostResponse } from '../../src/http/transport.js';
import { useFakeTimers } from '../support/fake-timers.js';

const { account, oauth, orders, public: market, spot } = endpoints;
const { placeStockMarketOrder } = spot;
const unknown = { outcome: 'unknown' };
const nonceTooOld = 'Your nonce is more than 5 seconds lesser than the current nonce';

const sentTo = (endpoint: SentRequest['endpoint'], fields: SentRequest['fields'] = {}): SentRequest => ({
  endpoint,
  fields,
  redactor: new Redactor(['the-secret-of-the-account']),
});
const sent = sentTo(placeStockMarketOrder, { market: 'BTC_USDT', side: 'buy', amount: '1' });

function classified(body: string, status: number, request = sent, headers: Record<string, string> = {}) {
  return classifyError(request, { status, headers, body }, parsed(body));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

describe('error responses', () => {
  const limited = { kind: 'rate-limited', outcome: 'rejected' };
  const maybeLimited = { ...limited, ...unknown };
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
    ['a rate limit in another language', 429, '{"code":0,"message":"Забагато запитів."}', maybeLimited],
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
    [
      'a nonce that was used, after a text with a time',
      422,
      '{"code":0,"message":"A second nonce."}',
      auth('nonce-used'),
    ],
    ['the text of a nonce with another code', 400, '{"code":5,"message":"Invalid nonce."}', rejected],
    ['code 9 with HTTP 422', 422, '{"code":9,"message":"x"}', rejected],
    ['the text of a used nonce with another code', 429, '{"code":7,"message":"Too many requests."}', maybeLimited],
    [
      'the key of a translation',
      422,
      '{"code":0,"message":"translation.key","errors":[]}',
      { kind: 'api', ...unknown },
    ],
  ])('%s', (_what, status, body, expected) => {
    expect(classified(body, status)).toMatchObject({ endpoint: 'spot.placeStockMarketOrder', status, ...expected });
  });

  it.each([400, 422, 429])(
    'with a damaged body and HTTP %d may be that of a nonce that the original used',
    (status) => {
      const whole = '{"code":0,"message":"Too many requests.","errors":[]}';
      const cancel = sentTo(orders.cancel, { market: 'BTC_USDT', order_id: 1 });
      for (const body of [whole.slice(0, 20), ` ${whole.slice(0, 20)}`, `\u0001${whole}`, `\ufffd${whole}`])
        for (const request of [sent, cancel])
          expect(classified(body, status, request)).toMatchObject({ status, ...unknown });
      for (const page of ['', 'Too Many [Requests]', '<html>\r\n<body>\tBad Request</body>\n</html>'])
        expect(classified(page, status)).toMatchObject({ status, outcome: 'rejected' });
    },
  );

  it('of a public endpoint with HTTP 429 is always a rate limit', () => {
    const error = classified('{"code":0,"message":"Too many requests."}', 429, sentTo(market.ping));
    expect(error).toMatchObject(limited);
  });

  it.each([400, 422])('of the main account with "Too Many Attempts." and HTTP %i is a rate limit', (status) => {
    const text = '{"message":"Too Many Attempts.","code":0}';
    for (const [body, expected] of [
      [text, { ...limited, retryAfterMs: 3000 }],
      [text.replace('Too', 'You made too'), { kind: 'api' }],
      [text.replace('0', '1'), { kind: 'api' }],
      ['{"message":"Too Many Attempts.","code":0,"errors":{"ticker":["Too Many Attempts."]}}', { kind: 'api' }],
    ] as const)
      expect(classified(body, status, sentTo(account.mainBalance), { 'retry-after': '3' })).toMatchObject(expected);
  });

  it('with HTTP 503 has its Retry-After, and the outcome none for a read', () => {
    const error = classified('', 503, sentTo(market.ping), { 'retry-after': '3' });
    expect(error).toMatchObject({ kind: 'unavailable', retryAfterMs: 3000, outcome: 'none' });
  });

  it.each<[string, SentRequest['endpoint'], number, string, string]>([
    ['by its status', oauth.apiKeySecret, 409, '{}', 'duplicate'],
    ['unless the status is another', oauth.apiKeySecret, 404, '{}', 'other'],
    ['by a field', orders.history, 422, '{"code":30,"errors":{"orderHistory":["no"]}}', 'order-not-found'],
    ['unless the field is another', orders.history, 422, '{"code":30,"errors":{"limit":["no"]}}', 'validation'],
    ['or of its code', orders.history, 422, '{"code":31,"errors":{"market":["no"]}}', 'market'],
  ])('has the reason of its endpoint %s', (_, endpoint, status, body, reason) => {
    expect(classified(body, status, sentTo(endpoint))).toMatchObject({ kind: 'api', reason });
  });
});

describe('the error of one of several orders', () => {
  it.each([undefined, null])(
    'without an order, and with %s in the place of an error, is that of its response',
    (none) => {
      expect(classifyItem(sent, 200, none)).toMatchObject({
        message: `${placeStockMarketOrder.name}: HTTP 200: the response has neither the order nor an error`,
        ...{ kind: 'response', status: 200, ...unknown },
      });
    },
  );

  it('is rejected with a code for a rejection', () => {
    const error = { code: 10, message: 'Not enough balance', errors: { amount: ['the-secret-of-the-account'] } };
    expect(classifyItem(sent, 200, error)).toMatchObject({
      ...{ kind: 'api', endpoint: placeStockMarketOrder.name, reason: 'insufficient-balance', outcome: 'rejected' },
      errors: { amount: ['[hidden]'] },
    });
    expect(classifyItem(sent, 200, { code: 503, message: 'x' })).toMatchObject({ kind: 'api', ...unknown });
    expect(classifyItem(sent, 200, {})).toMatchObject({
      message: expect.stringContaining('2 bytes') as string,
      ...unknown,
    });
  });
});

describe('the wait that Retry-After requests', () => {
  const day = 24 * 60 * 60 * 1000;
  useFakeTimers(Date.UTC(2026, 0, 1));

  it.each<readonly [value: string | undefined, ms: number | undefined]>([
    ['86399', day - 1000],
    [' 5 ', 5000],
    ['31536000', day],
    ['9'.repeat(400), day],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ['Thu, 31 Dec 2099 23:59:59 GMT', day],
    ['0', 0],
    ...[undefined, '', 'soon GMT', '-5', '1.5', '1e9', '0x10', '5, 6', 'soon 5', '2027-01-01', 'NaN'].map(
      (value) => [value, undefined] as const,
    ),
  ])('of %j is %s ms', (value, ms) => {
    expect(retryAfterMs(value)).toBe(ms);
  });
});

describe('a request without a response', () => {
  beforeEach(() => {
    for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const lost = 'the connection was lost before the response was complete';
  const unconnected = (code: string) => `could not connect to exchange.example:443 (${code})`;
  const failureOf = (error: unknown, isWritten = true) =>
    transportError(sent, error, { connectTimeoutMs: 5000, baseUrl: 'https://exchange.example', isWritten });
  const failing = (code: string | undefined, message = '') =>
    Object.assign(new Error(message), code === undefined ? {} : { code });
  const message = (text: string) => ({ message: `${placeStockMarketOrder.name}: ${text}` });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused'])(
    'is not executed with %s, because it was not connected, unless its response was lost',
    (code) => {
      expect(failureOf(failing(code))).toMatchObject({ outcome: 'not-executed', ...message(unconnected(code)) });
      const ofOther = new LostResponse('', { cause: failing(code) });
      for (const isWritten of [true, false])
        expect(failureOf(ofOther, isWritten)).toMatchObject({ ...unknown, ...message(`${lost} (${code})`) });
    },
  );

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT'])(
    'is not executed when the certificate is not trusted: %s',
    (code) => {
      const text = `the server certificate is not trusted (${code})`;
      expect(failureOf(failing(code))).toMatchObject({ outcome: 'not-executed', ...message(text) });
    },
  );

  it('is not executed when the time limit of connecting has passed, unless its response was lost', () => {
    const error = failing('UND_ERR_CONNECT_TIMEOUT');
    const limit = { kind: 'timeout', phase: 'connect', timeoutMs: 5000, outcome: 'not-executed' };
    expect(failureOf(error)).toMatchObject(limit);
    expect(failureOf(error).message).toMatch(/ within 5000 ms: exchange\.example:443$/);
    expect(failureOf(new LostResponse('', { cause: error }))).toMatchObject({ kind: 'transport', ...unknown });
  });

  it.each([
    ['a code of another kind', failing('NO_CERT_X'), `${lost} (NO_CERT_X)`],
    ['no code', failing(undefined), lost],
    ['a code that holds a secret', failing('the-secret-of-the-account'), `${lost} ([hidden])`],
    [
      'a large response',
      failing('UND_ERR_RES_EXCEEDED_MAX_SIZE'),
      'the response exceeds its maximum size (UND_ERR_RES_EXCEEDED_MAX_SIZE)',
    ],
    ['a large body', failing('ERR_BUFFER_TOO_LARGE'), 'the response exceeds its maximum size (ERR_BUFFER_TOO_LARGE)'],
    [
      'large headers',
      failing('UND_ERR_HEADERS_OVERFLOW'),
      'the response exceeds its maximum size (UND_ERR_HEADERS_OVERFLOW)',
    ],
    [
      'large responses',
      failing('ERR_TOO_MANY_LARGE_RESPONSES'),
      'the response was dropped, because too many large responses are in flight (ERR_TOO_MANY_LARGE_RESPONSES)',
    ],
    ['a response that was lost in a known way', new LostResponse('the way', { cause: failing('X') }), 'the way (X)'],
  ])('is unknown with %s, which the message names', (_, error, text) => {
    expect(failureOf(error)).toMatchObject({ kind: 'transport', ...unknown, ...message(text) });
  });

  it('is not executed when nothing was written, whatever the code', () => {
    expect(failureOf(failing('ECONNRESET'), false)).toMatchObject({
      ...{ kind: 'transport', outcome: 'not-executed' },
      ...message(unconnected('ECONNRESET')),
    });
  });

  it.each(['HTTPS_PROXY', 'https_proxy'])('says that the proxy of %s needs an option', (name) => {
    vi.stubEnv(name, 'http://127.0.0.1:3128');
    for (const code of ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'])
      expect(failureOf(failing(code)).message).toMatch(
        /; HTTPS_PROXY is set, which a client uses with the option proxy: 'environment' only$/,
      );
  });
});
