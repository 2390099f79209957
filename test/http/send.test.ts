// A client on a transport of the user's own, which may do anything.
import {
  createExchange,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { order, placed, recordedPermits } from '../support/transports.js';

const response: TransportResponse = { status: 200, headers: {}, body: JSON.stringify(placed) };

type SendFunction = (request: TransportRequest, options: SendOptions) => Sending;

function ordering(transport: Transport) {
  const { scheduler, released } = recordedPermits();
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    scheduler,
    transport,
    retry: false,
    lookupTimeoutMs: 0,
    timeoutMs: 300,
  });
  return { order$: exchange.spot.placeStockMarketOrder(order), released };
}

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
    const { order$, released } = ordering(
      reporting((request, { onSent }) => {
        onSent();
        requests.push(request);
        return { response: Promise.resolve(response), abort: () => undefined };
      }),
    );
    expect(await firstValueFrom(order$)).toMatchObject({ order_id: 1 });
    expect(requests).toMatchObject([
      { method: 'POST', url: 'https://exchange.example/api/v4/order/stock_market', headers: { 'X-TXC-APIKEY': 'key' } },
    ]);
    expect(released).toEqual(['responded']);
  });

  it.each([
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
  ] satisfies [string, Transport, string][])('%s', async (_, transport, outcome) => {
    const { order$, released } = ordering(transport);
    expect(await failureOf(order$)).toMatchObject({ kind: 'transport', outcome });
    expect(released).toEqual([outcome === 'unknown' ? 'unknown' : 'unsent']);
  });

  const malformed: readonly unknown[] = [
    undefined,
    null,
    {},
    { ...response, status: '200' },
    { ...response, body: {} },
    { ...response, body: ' '.repeat(256 * 1024 + 1) },
  ];
  it.each(malformed)('that resolves to something else ends the order in a typed error: %#', async (value) => {
    const { order$ } = ordering(
      reporting((_request, { onSent }) => {
        onSent();
        return { response: Promise.resolve(value as TransportResponse), abort: () => undefined };
      }),
    );
    expect(await failureOf(order$)).toMatchObject({ kind: 'transport', outcome: 'unknown' });
  });

  const noSendings: readonly unknown[] = [undefined, null, 7, {}];
  it.each(noSendings)('that returns no request ends the order in a typed error: %s', async (value) => {
    const { order$ } = ordering({ send: () => value as Sending });
    expect(await failureOf(order$)).toMatchObject({ kind: 'transport', outcome: 'unknown' });
  });

  it('that ignores the abort does not keep the caller waiting, and learns too late that nothing may be sent', async () => {
    let onSent: () => void = () => undefined;
    const { order$, released } = ordering(
      reporting((_request, options) => {
        ({ onSent } = options);
        return { response: never, abort: () => undefined };
      }),
    );
    expect(await failureOf(order$)).toMatchObject({ kind: 'timeout', outcome: 'not-executed' });
    expect(released).toEqual(['unsent']);
    expect(onSent).toThrow('the request was aborted');
  });

  it('may respond with bytes, without headers, and fail to abort', async () => {
    const { order$ } = ordering({
      send: () => ({
        response: Promise.resolve({
          status: 503,
          headers: {},
          body: new TextEncoder().encode('\ufeff{}'),
        }),
        abort: () => {
          throw new Error('no abort');
        },
      }),
    });
    expect(await failureOf(order$)).toMatchObject({ kind: 'unavailable', retryAfterMs: undefined });
    const hanging = ordering({
      send: () => ({
        response: never,
        abort: () => {
          throw new Error('no abort');
        },
      }),
    });
    const subscription = hanging.order$.subscribe();
    await sleep(10);
    subscription.unsubscribe();
    expect(hanging.released).toEqual(['unknown']);
  });
});
