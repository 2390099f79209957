// Taking secrets out of an error takes little time, whoever wrote the text.
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

/** After hundreds of requests, all of which are remembered. */
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

/**
 * Made to be slow to read: escapes of escapes, runs that a pattern could read again and again, the beginnings of what
 * is searched.
 */
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

/** In ms of this process: what else runs on the machine does not count. */
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
