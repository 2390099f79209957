// A client on a transport of the user's own, which may do anything.
import type { Sending, SendOptions, Transport, TransportRequest, TransportResponse } from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { placed } from '../support/transports.js';
import { ordering } from './ordering.js';

const response: TransportResponse = { status: 200, headers: {}, body: JSON.stringify(placed) };

type SendFunction = (request: TransportRequest, options: SendOptions) => Sending;

/** A transport that reports when it sends. */
const reporting = (send: SendFunction): Transport => ({ reportsSent: true, send });
const rejecting = (error: unknown): Sending => ({
  response: Promise.reject(error instanceof Error ? error : new Error(String(error))),
  abort: () => undefined,
});
const never = new Promise<TransportResponse>(() => undefined);

describe('a transport of the user’s own', () => {
  it('gets the request as it was signed', async () => {
    const requests: TransportRequest[] = [];
    const transport = reporting((request, { onSent }) => {
      onSent();
      requests.push(request);
      return { response: Promise.resolve(response), abort: () => undefined };
    });
    const { order$, released } = ordering({ transport });
    expect(await firstValueFrom(order$)).toMatchObject({ order_id: 1 });
    expect(requests).toMatchObject([
      { method: 'POST', url: 'https://exchange.example/api/v4/order/stock_market', headers: { 'X-TXC-APIKEY': 'key' } },
    ]);
    expect(released).toEqual(['responded']);
  });

  const resolvingTo = (value: unknown) =>
    reporting((_request, { onSent }) => {
      onSent();
      return { response: Promise.resolve(value as TransportResponse), abort: () => undefined };
    });

  it.each<[what: string, transport: Transport, outcome: 'unknown' | 'not-executed']>([
    ['that does not report when it sends, counts as sending at once', { send: () => rejecting('lost') }, 'unknown'],
    ['that fails before it sends, has sent nothing', reporting(() => rejecting('lost')), 'not-executed'],
    [
      'that throws after it has sent, may have sent the order',
      reporting((_request, { onSent }) => {
        onSent();
        throw new Error('broken');
      }),
      'unknown',
    ],
    [
      'that throws before it sends, has sent nothing',
      reporting(() => {
        throw new Error('broken');
      }),
      'not-executed',
    ],
    [
      'that reports twice, tries to send the order twice',
      reporting((_request, { onSent }) => {
        onSent();
        onSent();
        return rejecting('not reached');
      }),
      'unknown',
    ],
    ...[undefined, null, 7, {}].map((value): [string, Transport, 'unknown'] => [
      `that returns ${JSON.stringify(value)} in place of a request, may have sent the order`,
      { send: () => value as Sending },
      'unknown',
    ]),
    ...Object.entries({
      nothing: undefined,
      null: null,
      'an empty object': {},
      'a status in text': { ...response, status: '200' },
      'an object as the body': { ...response, body: {} },
      'a body that is too large': { ...response, body: ' '.repeat(256 * 1024 + 1) },
    }).map(([what, value]): [string, Transport, 'unknown'] => [
      `that resolves to ${what}, has sent the order`,
      resolvingTo(value),
      'unknown',
    ]),
  ])('%s', async (_, transport, outcome) => {
    const { order$, released } = ordering({ transport });
    expect(await failureOf(order$)).toMatchObject({ kind: 'transport', outcome });
    expect(released).toEqual([outcome === 'unknown' ? 'unknown' : 'unsent']);
  });

  it('that ignores the abort does not keep the caller waiting, and learns too late that nothing may be sent', async () => {
    let onSent: () => void = () => undefined;
    const transport = reporting((_request, options) => {
      ({ onSent } = options);
      return { response: never, abort: () => undefined };
    });
    const { order$, released } = ordering({ transport, timeoutMs: 300 });
    expect(await failureOf(order$)).toMatchObject({ kind: 'timeout', outcome: 'not-executed' });
    expect(released).toEqual(['unsent']);
    expect(onSent).toThrow('the request was aborted');
  });

  it('may respond with bytes, without headers, and fail to abort', async () => {
    const abort = () => {
      throw new Error('no abort');
    };
    const body = new TextEncoder().encode('\ufeff{}');
    const unavailable = Promise.resolve({ status: 503, headers: {}, body });
    const { order$ } = ordering({ transport: { send: () => ({ response: unavailable, abort }) } });
    expect(await failureOf(order$)).toMatchObject({ kind: 'unavailable', retryAfterMs: undefined });
    const hanging = ordering({ transport: { send: () => ({ response: never, abort }) } });
    const subscription = hanging.order$.subscribe();
    await sleep(10);
    subscription.unsubscribe();
    expect(hanging.released).toEqual(['unknown']);
  });
});
