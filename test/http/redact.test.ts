import * as endpoints from 'exchange-rx/endpoints';

// What is secret in a request, taken out of what is redacted of its failure.
import { describe, expect, it } from 'vitest';
import { readErrorResponse } from '../../src/http/error-response.js';
import { withoutSecrets } from '../../src/http/redact.js';

const key = 'd41d8cd98f00b204';
const payload = 'eyJtYXJrZXQi/OiJCVENf+VVNEVCJ9==';
const body = '{"market":"BTC_USDT","nonce":"1800000000123","nonceWindow":true}';
const redact = (text: string) => withoutSecrets(text, [key, payload, body]);

describe('a text that holds secrets of its request', () => {
  it('is redacted', () => {
    expect(redact(`key ${key} sent ${payload}: ${body}, why?`)).toBe('key [hidden] sent [hidden]: [hidden], why?');
  });

  it.each([
    ['JSON', JSON.stringify({ request: body })],
    ['JSON with slashes escaped', JSON.stringify({ payload }).replaceAll('/', '\\/')],
    ['a URL', `?payload=${encodeURIComponent(payload)}`],
    ['a form', new URLSearchParams({ body }).toString()],
    ['HTML', body.replaceAll('"', '&quot;')],
    ['capitals', `key ${key.toUpperCase()}`],
  ])('is hidden as a whole when the secret is written as %s', (_as, text) => {
    expect(redact(text)).toBe('[hidden]');
  });

  it('is redacted before it is cut', () => {
    for (let place = 900; place < 1000; place += 1) {
      const { exchangeMessage = '', errors } = readErrorResponse(
        422,
        JSON.stringify({ message: '.'.repeat(place) + payload, errors: { amount: ['.'.repeat(place) + payload] } }),
        endpoints.public.ping,
        redact,
      ).redacted;
      expect(exchangeMessage + String(errors['amount'])).not.toContain(payload.slice(0, 4));
    }
  });

  it('keeps similar texts', () => {
    for (const text of [
      '',
      'nonce 1800000000124 is used, nonceWindow is true for market BTC_USDT',
      'clientOrderId is taken',
      key.slice(0, -1),
    ])
      expect(redact(text)).toBe(text);
  });

  it('keeps everything when the values are too short to be secrets', () => {
    expect(withoutSecrets('1234567: a bad amount', ['a', 'b', '1234567', ''])).toBe('1234567: a bad amount');
  });
});
