// The same packages as one would first put them together: ky on the platform's fetch, a Bottleneck job a request,
// valibot, RxJS.
import Bottleneck from 'bottleneck';
import ky from 'ky';
import { createHmac, randomUUID } from 'node:crypto';
import { defer, from, lastValueFrom, map, retry, throwError, timer } from 'rxjs';
import * as v from 'valibot';
import { apiKey, apiSecret, order, orderPath, type Open } from './contender.js';

const requestSchema = v.strictObject({
  market: v.string(),
  side: v.picklist(['buy', 'sell']),
  amount: v.pipe(v.string(), v.decimal()),
  clientOrderId: v.string(),
});
const responseSchema = v.looseObject({
  orderId: v.number(),
  clientOrderId: v.string(),
  market: v.string(),
  side: v.picklist(['buy', 'sell']),
  amount: v.pipe(v.string(), v.decimal()),
  dealMoney: v.pipe(v.string(), v.decimal()),
  dealStock: v.pipe(v.string(), v.decimal()),
  status: v.string(),
});

export const naive: Open = (baseUrl, connections) => {
  const limiter = new Bottleneck({
    reservoir: 100_000_000,
    reservoirRefreshAmount: 100_000_000,
    reservoirRefreshInterval: 10_000,
    maxConcurrent: connections,
  });
  const client = ky.create({ prefixUrl: baseUrl, retry: 0 });
  let lastNonce = 0;

  const post = async (params: object): Promise<unknown> => {
    lastNonce = Math.max(lastNonce + 1, Date.now());
    const body = JSON.stringify({ ...params, request: orderPath, nonce: String(lastNonce), nonceWindow: true });
    const payload = Buffer.from(body).toString('base64');
    const signature = createHmac('sha512', apiSecret).update(payload).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'X-TXC-APIKEY': apiKey,
      'X-TXC-PAYLOAD': payload,
      'X-TXC-SIGNATURE': signature,
    };
    return client.post(orderPath.slice(1), { body, headers }).json();
  };
  const place$ = (params: object) => {
    const checked = v.parse(requestSchema, params);
    return defer(() => from(limiter.schedule(() => post(checked)))).pipe(
      map((answer) => v.parse(responseSchema, answer)),
      retry({
        count: 3,
        delay: (error: unknown, count) => (isUnavailable(error) ? timer(200 * 2 ** count) : throwError(() => error)),
      }),
    );
  };
  return { place: async () => (await lastValueFrom(place$({ ...order, clientOrderId: randomUUID() }))).orderId };
};

function isUnavailable(error: unknown): boolean {
  return (
    error instanceof Error && 'response' in error && error.response instanceof Response && error.response.status === 503
  );
}
