// The same packages as one would first put them together: ky on the platform's fetch, a Bottleneck job a request,
// valibot, RxJS.
import Bottleneck from 'bottleneck';
import ky from 'ky';
import { randomUUID } from 'node:crypto';
import { defer, from, lastValueFrom, map, retry, throwError, timer } from 'rxjs';
import * as v from 'valibot';
import { apiSecret, order, orderPath, signed, type Open } from './contender.js';

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

  const post = async (params: object): Promise<unknown> =>
    client.post(orderPath.slice(1), signed(params, apiSecret)).json();
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
