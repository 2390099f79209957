// The secrets of a client, removed from texts.
import fc from 'fast-check';
import { defineEndpoint } from 'exchange-rx';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Redactor, secretsOf } from '../../src/http/redactor.js';
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

  it('has no word of 48 characters or more, also at the cut', () => {
    const word = 'w'.repeat(48);
    expect(new Redactor().quote(`not ${word}, but ${'w'.repeat(47)} ${body}`)).toBe(
      `not [hidden] but ${'w'.repeat(47)} [hidden]`,
    );
    expect(new Redactor().quote(`${'x '.repeat(100)}${word}`, 210)).toBe(`${'x '.repeat(100)}[hidden]`);
    expect(new Redactor().quote(`${'x '.repeat(100)}${word}${word}`, 210)).not.toContain('w');
    expect(new Redactor().quote(`before ${'w'.repeat(30_000)}`, 100)).toBe('before [hidden]');
    expect(new Redactor().quote(`${'v'.repeat(60)} after ${'x '.repeat(200)}`, 100)).toMatch(
      /^\[hidden\] after (x ?)+$/,
    );
    expect(new Redactor().quote('cut after BTC_USDT, '.repeat(10), 17)).toBe('cut after ');
  });
});

describe('the secrets of a request', () => {
  const own = (confidential: boolean) =>
    defineEndpoint({ name: 'own', path: '/api/v4/x', safety: 'read', confidential, response: v.unknown() });
  const request = { method: 'POST', url: 'https://exchange.example/api/v4/x', body } as const;

  it('are payload, signature and body', () => {
    const signature = randomSecret(64);
    const headers = { 'X-TXC-APIKEY': key, 'X-TXC-PAYLOAD': payload, 'X-TXC-SIGNATURE': signature };
    expect(secretsOf(own(false), {}, { ...request, headers })).toEqual([payload, signature, body]);
  });

  it('of a confidential endpoint are also its distinctive parameters, at any depth', () => {
    const token = randomSecret();
    const fields = { market: '1000INCH_USDT', network: 'ERC20-USDT', of: [{ [token]: 12n }] };
    expect(secretsOf(own(true), fields, { ...request, headers: {} })).toEqual([body, token]);
  });

  it('are hidden beside the lasting ones, which are never forgotten, unlike the oldest of many confidential values', () => {
    const redactor = new Redactor([key]);
    const [early, late, again, signature] = [randomSecret(), randomSecret(), randomSecret(), randomSecret(64)];
    redactor.remember(again);
    redactor.remember(early);
    for (let count = 0; count < 254; count += 1) redactor.remember(randomSecret());
    redactor.remember(again);
    redactor.remember(late);
    expect(redactor.with([signature]).redact(`${key} ${signature} ${late} ${again} ${early}`)).toBe(
      `${'[hidden] '.repeat(4)}${early}`,
    );
  });
});
