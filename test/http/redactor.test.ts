// The secrets of a client, removed from texts.
import fc from 'fast-check';
import { defineEndpoint, rateLimits } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Redactor, rememberRequest } from '../../src/http/redactor.js';
import { escaped, randomSecret, replaced } from '../promises/secrets/forms.js';

const key = 'd41d8cd98f00b204';
const payload = 'eyJtYXJrZXQi/OiJCVENf+VVNEVCJ9==';
const body = '{"market":"BTC_USDT","nonce":"1800000000123","nonceWindow":true}';

function remembering(...secrets: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.remember(secret);
  return redactor;
}

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...Array.from('0123456789abcdef')), { minLength: length, maxLength: length * 2 })
    .map((digits) => digits.join(''));
const base64 = fc.uint8Array({ minLength: 24, maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const anySecret = fc.oneof(
  hex(16),
  hex(64),
  base64,
  fc.uuid(),
  fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ0189-_.~+/"\\{}:, ')), minLength: 8, maxLength: 60 }),
);
/** Its first and last characters cannot continue the text beside it. */
const anyText = fc
  .oneof(fc.string({ maxLength: 300 }), fc.lorem(), fc.json())
  .map((written) => ` ${written.replaceAll(/[\\&%]/g, '')} `);

describe('a text that holds secrets', () => {
  it.each(replaced)('has [hidden] in place of a secret $name', ({ write }) => {
    fc.assert(
      fc.property(anySecret, anyText, anyText, (secret, before, after) => {
        const redacted = remembering(secret).redact(before + write(secret) + after);
        // The padding of base64 may stay.
        expect(redacted.replace(/\[hidden\]=+/, '[hidden]')).toBe(`${before}[hidden]${after}`);
      }),
      { numRuns: 30 },
    );
  });

  it.each(escaped)('is hidden as a whole when a secret is written $name', ({ write }) => {
    fc.assert(
      fc.property(hex(16), anyText, anyText, (secret, before, after) => {
        expect(remembering(secret).redact(before + write(secret) + after)).toBe('[hidden]');
      }),
      { numRuns: 15 },
    );
  });

  it.each([...replaced, ...escaped])('holds nothing of a secret $name at the cut', ({ write }) => {
    const secret = randomSecret(64);
    const redactor = remembering(secret, randomSecret(8));
    for (let before = 900; before <= 1000; before += 7) {
      for (const after of [0, 10, 500, 9000]) {
        const redacted = redactor.redact('.'.repeat(before) + write(secret) + '.'.repeat(after), 1000);
        expect(redacted.replaceAll(/[.=]/g, '').replace('[hidden]', '')).toMatch(/^(\[?h?i?d?d?e?n?)$/);
        expect(redacted.length).toBeLessThanOrEqual(1000);
      }
    }
  });
});

describe('a text without secrets', () => {
  it('is unchanged', () => {
    const redactor = remembering(body, Buffer.from(body).toString('base64'), randomSecret(64));
    const likely = fc.oneof(
      fc.string({ maxLength: 2000 }),
      fc.json(),
      fc.lorem({ maxCount: 200 }),
      fc.uuid(),
      hex(64),
      base64,
      fc.constantFrom(
        '',
        '{"market":"BTC_USDT","side":"buy","amount":"0.01","client_order_id":"mine-7"}',
        '{"code":30,"errors":{"nonce":["Your nonce is more than 5 seconds lesser than the current nonce"]}}',
        '<a href="/api/v4/order/stock_market?a=%20b&amp;c=1">x</a>',
        'nonce 1800000000124 is used, nonceWindow is true for market BTC_USDT',
      ),
    );
    fc.assert(
      fc.property(fc.array(likely, { maxLength: 5 }), (texts) => {
        expect(redactor.redact(texts.join('\n'))).toBe(texts.join('\n'));
      }),
      { numRuns: 200 },
    );
  });

  it('is cut at its maximum', () => {
    expect(new Redactor().redact('abcdef', 4)).toBe('abcd');
    expect(remembering(key).redact('x'.repeat(9000), 4000)).toBe('x'.repeat(4000));
  });

  it('is unchanged where a remembered value is too short to be a secret', () => {
    expect(remembering('a', 'b', '1234567', '').redact('1234567: a bad amount')).toBe('1234567: a bad amount');
  });
});

describe('a quote', () => {
  it('is one line without control and bidirectional characters', () => {
    const marks = ['\u202a', '\u202e', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c', '\u001b', '\u009b', '\r\n'];
    expect(remembering(key).quote(`a${marks.join('b')}c ${key}`)).toBe(`a ${'b '.repeat(9)}c [hidden]`);
  });
});

describe('the secrets of a request', () => {
  const own = (authentication: 'signed' | 'bearer', confidential: boolean) =>
    defineEndpoint({
      name: 'own',
      method: 'POST',
      path: '/api/v4/x',
      rateLimit: rateLimits.public,
      authentication,
      safety: 'read',
      confidential,
      request: v.looseObject({ access_token: v.optional(v.string()) }),
      response: v.unknown(),
    });
  const request = { method: 'POST', url: 'https://exchange.example/api/v4/x', body } as const;

  it('are payload, signature, access token and body', () => {
    const redactor = new Redactor();
    const [signature, token] = [randomSecret(64), randomSecret()];
    rememberRequest(
      redactor,
      own('signed', false),
      {},
      {
        ...request,
        headers: { 'X-TXC-APIKEY': key, 'X-TXC-PAYLOAD': payload, 'X-TXC-SIGNATURE': signature },
      },
    );
    rememberRequest(redactor, own('bearer', false), {}, { ...request, headers: { authorization: `Bearer ${token}` } });
    for (const secret of [payload, signature, token, body])
      expect(redactor.redact(`not ${secret}`)).toBe('not [hidden]');
  });

  it('of a confidential endpoint are also its distinctive parameters, at any depth', () => {
    const redactor = new Redactor();
    const token = randomSecret();
    const market = '1000INCH_USDT';
    rememberRequest(
      redactor,
      own('signed', true),
      { market, network: 'ERC20-USDT', of: [{ [token]: 12n }] },
      {
        ...request,
        headers: {},
      },
    );
    expect(redactor.redact(`${market} on ERC20-USDT: ${token}`)).toBe('1000INCH_USDT on ERC20-USDT: [hidden]');
  });

  it('are remembered for at least 64 later requests, confidential ones among hundreds of others', () => {
    const redactor = new Redactor();
    const [token, early, late] = [randomSecret(), randomSecret(64), randomSecret(64)];
    redactor.remember(token, true);
    redactor.remember(early);
    const send = (count: number) => {
      for (let sent = 0; sent < count; sent += 1)
        rememberRequest(
          redactor,
          endpoints.account.mainBalance,
          {},
          {
            ...request,
            headers: { 'X-TXC-PAYLOAD': randomSecret(90), 'X-TXC-SIGNATURE': randomSecret(64) },
            body: randomSecret(60),
          },
        );
    };
    send(300);
    redactor.remember(late);
    send(64);
    expect(redactor.redact(`${token} ${late}`)).toBe('[hidden] [hidden]');
    expect(redactor.redact(early)).toBe(early);
  });

  it('that is used again is remembered like a new one', () => {
    const others = Array.from({ length: 384 }, () => randomSecret());
    const redactor = remembering(key, ...others.slice(1), key, ...others.slice(0, 1));
    expect(redactor.redact(key)).toBe('[hidden]');
  });

  it('that lasts is never forgotten', () => {
    const redactor = new Redactor([key]);
    for (let sent = 0; sent < 1000; sent += 1) redactor.remember(randomSecret());
    expect(redactor.redact(key)).toBe('[hidden]');
  });
});
