// Quoting a response takes little time, whatever the response is, after hundreds of requests.
import * as endpoints from 'exchange-rx/endpoints';
import { expect, it } from 'vitest';
import { quoteErrorResponse, readErrorResponse } from '../../../src/http/error-response.js';
import { readJson } from '../../../src/http/json.js';
import { Redactor } from '../../../src/http/redactor.js';
import { randomSecret } from './forms.js';

/** A redactor that remembers as much as it can, for one request. */
function busyRedactor(): Redactor {
  const redactor = new Redactor([randomSecret(16), randomSecret(16)]);
  for (let count = 0; count < 300; count += 1) redactor.remember(randomSecret());
  const body = JSON.stringify({
    ...{ market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id: randomSecret(12) },
    ...{ request: '/api/v4/order/stock_market', nonce: '1800000000000', nonceWindow: true },
  });
  return redactor.with([body, Buffer.from(body).toString('base64'), randomSecret(64)]);
}

/** CPU time of this process, ms. Two of them are compared, because it depends on the machine. */
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
const bodyOf = (message: string, errors: object) => JSON.stringify({ code: 30, message, errors });
const endpoint = endpoints.public.ping;
const read = (body: string, redactor: Redactor) => {
  const json = readJson(body);
  const original = readErrorResponse(422, 'value' in json ? json.value : undefined, endpoint);
  return quoteErrorResponse(original, { headers: {}, body }, { endpoint, redactor });
};
const manyFields = (message: string) =>
  Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field-${index}`, Array<string>(10).fill(message)]));

const line = bodyOf('Validation failed', { amount: ['The amount field is required.'] });
/** Computes the forms of all secrets, which later readings of the response use. */
const firstReading = () => read(line, busyRedactor());

it.each(patterns)('reading 2 MiB of %j takes at most 30 times as long as parsing it', (pattern) => {
  const text = repeated(pattern, 2 ** 20);
  const body = bodyOf(text, manyFields(text.slice(0, 10_000)));
  const busy = busyRedactor();
  expect(read(body, busy).exchangeMessage?.length).toBeLessThanOrEqual(4000);
  expect(bestOf(3, () => read(body, busy))).toBeLessThan(30 * bestOf(3, () => JSON.parse(body) as unknown));
});

it('reading hundreds of short messages takes at most 20 times as long as the first reading', () => {
  const busy = busyRedactor();
  const body = bodyOf('', manyFields('%41 is bad'));
  expect(bestOf(5, () => read(body, busy))).toBeLessThan(20 * bestOf(5, firstReading));
});
