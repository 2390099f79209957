// Quoting a response takes little time, whatever the response is, after hundreds of requests.
import * as endpoints from 'exchange-rx/endpoints';
import { expect, it } from 'vitest';
import { readErrorResponse } from '../../../src/http/error-response.js';
import { Redactor, rememberRequest } from '../../../src/http/redactor.js';
import { randomSecret } from './forms.js';

/** A redactor that remembers as much as it can. */
function busyRedactor(): Redactor {
  const redactor = new Redactor([randomSecret(16), randomSecret(16)]);
  for (let nonce = 1_800_000_000_000; nonce < 1_800_000_000_300; nonce += 1) {
    const body = JSON.stringify({
      market: 'BTC_USDT',
      side: 'buy',
      amount: '0.01',
      client_order_id: randomSecret(12),
      request: '/api/v4/order/stock_market',
      nonce: String(nonce),
      nonceWindow: true,
    });
    const headers = { 'X-TXC-PAYLOAD': Buffer.from(body).toString('base64'), 'X-TXC-SIGNATURE': randomSecret(64) };
    rememberRequest(redactor, endpoints.account.mainBalance, {}, { method: 'POST', url: '', headers, body });
    redactor.remember(randomSecret(), true);
  }
  return redactor;
}

/** CPU time of this process, ms: other programs do not count. */
const bestOf = (times: number, run: () => unknown) =>
  Math.min(
    ...Array.from({ length: times }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );

/** Texts that are slow to search: escapes, runs that a pattern may backtrack over, beginnings of secrets. */
const patterns = [
  '%41',
  '%25',
  '%2525',
  '\\u0041',
  '\\',
  '\\\\u00',
  '{"market":"BTC_USDT",',
  'eyJtYXJrZXQiOiJ',
  'a',
  '7b226d61726b6574',
];
const repeated = (pattern: string, length: number) => pattern.repeat(Math.ceil(length / pattern.length));
const response = (body: unknown) => ({ status: 422, headers: {}, body: JSON.stringify(body) });

it.each(patterns)('a response of 8 MiB of %j holds the event loop for less than 200 ms', (pattern) => {
  const text = repeated(pattern, 4 * 2 ** 20);
  const errors = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `field-${index}`,
      Array.from({ length: 10 }, () => text.slice(0, 10_000)),
    ]),
  );
  const quote = () =>
    readErrorResponse(response({ code: 30, message: text, errors }), {
      endpoint: endpoints.public.ping,
      redactor: busy,
    }).quoted;
  const busy = busyRedactor();
  expect(quote().exchangeMessage?.length).toBeLessThanOrEqual(4000);
  expect(bestOf(5, quote)).toBeLessThan(200);
});

it('hundreds of short messages hold the event loop for less than 200 ms', () => {
  const errors = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`field-${index}`, Array.from({ length: 10 }, () => '%41 is bad')]),
  );
  const busy = busyRedactor();
  expect(
    bestOf(5, () =>
      readErrorResponse(response({ code: 30, errors }), { endpoint: endpoints.public.ping, redactor: busy }),
    ),
  ).toBeLessThan(200);
});

it('after a request, an error of one line takes less than 10 ms', () => {
  const busy = busyRedactor();
  const body = { code: 30, message: 'Validation failed', errors: { amount: ['The amount field is required.'] } };
  expect(
    bestOf(10, () => {
      busy.remember(randomSecret());
      readErrorResponse(response(body), { endpoint: endpoints.public.ping, redactor: busy });
    }),
  ).toBeLessThan(10);
});
