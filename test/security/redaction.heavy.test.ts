// Redaction of an error takes little time for any text.
import { defineEndpoint, rateLimits } from 'exchange-rx';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { RecentSecrets, type Redact } from '../../src/http/index.js';
import { randomSecret } from './forms.js';

const endpoint = defineEndpoint({
  name: 'own',
  method: 'POST',
  path: '/api/v4/x',
  rateLimit: rateLimits.public,
  authentication: 'signed',
  safety: 'read',
  request: v.object({}),
  response: v.unknown(),
});

/** A redactor after hundreds of requests, the maximum that is remembered. */
function busyRedactor(): Redact {
  const secrets = new RecentSecrets(randomSecret(16));
  const send = (nonce: number) => {
    const body = JSON.stringify({
      market: 'BTC_USDT',
      side: 'buy',
      amount: '0.01',
      client_order_id: randomSecret(12),
      request: '/api/v4/order/stock_market',
      nonce: String(nonce),
      nonceWindow: true,
    });
    return secrets.redactorOf(endpoint, {
      method: 'POST',
      url: '',
      headers: { 'X-TXC-PAYLOAD': Buffer.from(body).toString('base64'), 'X-TXC-SIGNATURE': randomSecret(64) },
      body,
    });
  };
  for (let nonce = 1_800_000_000_000; nonce < 1_800_000_000_300; nonce += 1) send(nonce);
  return send(1_800_000_000_300);
}

/** Texts that are slow to search: nested escapes, runs that a pattern may backtrack over, beginnings of secrets. */
const patterns = [
  '%41',
  '%25',
  '%2525',
  '&#65;',
  '&#x00000041;',
  '&amp;',
  '&amp;amp;#65;',
  '\\u0041',
  '\\',
  '&#x000000',
  '&#',
  '&',
  '&aaaaaaaaaaaaaaa',
  '0x41,',
  'once1800',
  'marketbtcusdt',
  'eyJtYXJrZXQiOiJ',
  'a',
  '7b226d61726b6574',
  '{"market":"BTC_USDT","price":"1"},',
];

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

it.each(patterns)('a body of 8 MiB of %j holds the event loop for less than 200 ms', (pattern) => {
  const redact = busyRedactor();
  const body = pattern.repeat(Math.ceil((8 * 2 ** 20) / pattern.length));
  expect(redact(body).length).toBeLessThanOrEqual(262_144);
  expect(bestOf(5, () => redact(body))).toBeLessThan(200);
});
