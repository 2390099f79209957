import * as endpoints from 'exchange-rx/endpoints';

// What of a caller's parameters goes on the wire, and what cannot.
import { createExchange, defineEndpoint, rateLimits, type Endpoint, type Exchange } from 'exchange-rx';
import { firstValueFrom, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import type { RequestSchema } from '../../src/endpoint/index.js';

const credentials = { apiKey: 'key', apiSecret: 'secret' };
const setup = () => {
  const { fetch, sent } = recordingFetch(() => jsonAnswer([]));
  const options = { baseUrl: 'https://exchange.example', credentials, retry: false, lookupTimeoutMs: 0 } as const;
  const exchange = createExchange({ ...options, fetch });
  const bodies = () => sent.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);
  return { exchange, sent, bodies };
};
const order = { market: 'BTC_USDT', side: 'buy', amount: 0.01, client_order_id: 'mine' } as const;
type AnyParams = Readonly<Record<string, unknown>>;
const own = (request: RequestSchema): Endpoint<AnyParams> =>
  defineEndpoint({
    name: 'own',
    method: 'POST',
    path: '/own',
    rateLimit: rateLimits.orders,
    authentication: 'signed',
    safety: 'read',
    request,
    response: v.unknown(),
  });

describe('a request', () => {
  it('does not have the parameters that were undefined', async () => {
    const { exchange, bodies } = setup();
    // As a program without exactOptionalPropertyTypes may call it.
    const anyParams: Endpoint<AnyParams> = endpoints.orders.open;
    await firstValueFrom(
      exchange.call(anyParams, { market: 'BTC_USDT', limit: undefined, client_order_id: undefined }),
    );
    expect(Object.keys(bodies()[0] ?? {}).sort()).toEqual(['market', 'nonce', 'nonceWindow', 'request']);
  });

  it('has both names of an identifier inside of lists and objects, too', async () => {
    const { exchange, bodies } = setup();
    await firstValueFrom(
      exchange.call(own(v.looseObject({})), { orders: [{ client_order_id: 'a' }], replaced: { order_id: 7 } }),
    );
    expect(bodies()).toMatchObject([
      { orders: [{ client_order_id: 'a', clientOrderId: 'a' }], replaced: { order_id: 7, orderId: 7 } },
    ]);
  });

  it.each<[string, Endpoint<AnyParams>, AnyParams]>([
    ['a bigint', own(v.looseObject({ id: v.bigint() })), { id: 10n }],
    [
      'a schema that throws',
      own(
        v.pipe(
          v.object({}),
          v.transform((): Readonly<Record<string, unknown>> => {
            throw new Error('no');
          }),
        ),
      ),
      {},
    ],
  ])('with %s is refused before anything is sent, with an error of ours', async (_, endpoint, params) => {
    const { exchange, sent } = setup();
    expect(await failureOf(exchange.call(endpoint, params))).toMatchObject({
      kind: 'request',
      outcome: 'not-executed',
    });
    expect(sent).toEqual([]);
  });

  it.each<[string, (exchange: Exchange) => Observable<unknown>, AnyParams]>([
    [
      '/api/v4/order/new',
      ({ spot }) => spot.placeLimitOrder({ ...order, price: '50000', postOnly: true, retail: true, stp: 'cancel_new' }),
      { price: '50000', postOnly: true, retail: true, stp: 'cancel_new' },
    ],
    [
      '/api/v4/order/new',
      ({ spot }) => spot.placeLimitOrder({ ...order, bboRole: 2, ioc: true, rpi: false }),
      { bboRole: 2, ioc: true, rpi: false },
    ],
    [
      '/api/v4/order/stop_limit',
      ({ spot }) => spot.placeStopLimitOrder({ ...order, price: 64000, activation_price: 65000 }),
      { price: '64000', activation_price: '65000' },
    ],
    [
      '/api/v4/order/stop_limit',
      ({ spot }) => spot.placeStopLimitOrder({ ...order, bboRole: 1, activation_price: '65000' }),
      { bboRole: 1, activation_price: '65000' },
    ],
    [
      '/api/v4/order/stop_market',
      ({ spot }) => spot.placeStopMarketOrder({ ...order, activation_price: '65000' }),
      { activation_price: '65000' },
    ],
    [
      '/api/v4/order/collateral/market',
      ({ collateral }) => collateral.placeMarketOrder({ ...order, stopLoss: '50000', takeProfit: 70000 }),
      { stopLoss: '50000', takeProfit: '70000' },
    ],
    [
      '/api/v4/order/collateral/stop-limit',
      ({ collateral }) =>
        collateral.placeStopLimitOrder({ ...order, price: '64000', activation_price: '65000', reduceOnly: true }),
      { price: '64000', activation_price: '65000', reduceOnly: true },
    ],
    [
      '/api/v4/order/collateral/trigger-market',
      ({ collateral }) =>
        collateral.placeTriggerMarketOrder({ ...order, activation_price: '65000', positionSide: 'LONG' }),
      { activation_price: '65000', positionSide: 'LONG' },
    ],
  ])('to %s has both names of its identifier, and the fields that were given', async (path, place, fields) => {
    const { exchange, sent, bodies } = setup();
    await failureOf(place(exchange));
    expect(sent[0]?.url).toBe(`https://exchange.example${path}`);
    const [{ nonce: _nonce, nonceWindow: _window, ...body } = {}] = bodies();
    expect(body).toEqual({
      ...{ request: path, market: 'BTC_USDT', side: 'buy', amount: '0.01' },
      ...{ client_order_id: 'mine', clientOrderId: 'mine' },
      ...fields,
    });
  });

  it('of a market’s conditional orders names market and page', async () => {
    const { exchange, sent, bodies } = setup();
    expect(await firstValueFrom(exchange.orders.conditional({ market: 'BTC_USDT', limit: 10 }))).toEqual({
      records: [],
    });
    expect(sent[0]?.url).toBe('https://exchange.example/api/v4/conditional-orders');
    expect(bodies()).toMatchObject([{ market: 'BTC_USDT', limit: 10 }]);
  });
});
