// The requests whose fields are not the parameters as they are given, byte by byte.
import { createExchange, createScheduler, type Endpoint } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { catchError, EMPTY, lastValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { recordedOf } from '../support/recorded.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const { collateral, orders, spot } = endpoints;
const { orderBook } = endpoints.public;

const market = 'BTC_USDT';
const period = { startDate: 1_708_600_000, endDate: 1_708_700_000 };
const periodFields = '"startDate":1708600000,"endDate":1708700000';

async function requestOf(endpoint: Endpoint, params: object | undefined) {
  const { fetch, sent } = recordingFetch(() => jsonAnswer(recordedOf(endpoint).response));
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    scheduler: createScheduler(),
    now: () => 1_795_000_000_000,
    retry: false,
    lookupTimeoutMs: 0,
    fetch,
  });
  const call: (endpoint: Endpoint, params: never) => Observable<unknown> = (one, given) => exchange.call(one, given);
  // The recorded response may belong to other parameters.
  await lastValueFrom(call(endpoint, params as never).pipe(catchError(() => EMPTY)), { defaultValue: undefined });
  const [{ method, url, body } = { method: '', url: '', body: '' }] = sent;
  return { method, url, body: body.replace(/"nonce":"\d+"/, '"nonce":"N"') };
}

describe('the request of', () => {
  it.each<readonly [Endpoint, object | undefined, fields: string]>([
    [
      orders.deals,
      { market, limit: 500, offset: 10, ...period },
      `"market":"BTC_USDT","limit":500,"offset":10,${periodFields}`,
    ],
    [orders.dealsByMarket, { client_order_id: 'mine' }, '"client_order_id":"mine","clientOrderId":"mine"'],
    [orders.dealsOfOrder, { order_id: 7, limit: 100 }, '"order_id":7,"limit":100,"orderId":7'],
    [
      orders.cancelMany,
      {
        orders: [
          { market, client_order_id: 'mine' },
          { market, order_id: 7 },
        ],
      },
      '"orders":[{"market":"BTC_USDT","client_order_id":"mine","clientOrderId":"mine"},{"market":"BTC_USDT","order_id":7,"orderId":7}]',
    ],
    [orders.cancelOco, { market, order_id: 117 }, '"market":"BTC_USDT","order_id":117,"orderId":117'],
    [
      orders.setKillSwitch,
      { market, timeout: 60, types: ['margin', 'futures'] },
      '"market":"BTC_USDT","timeout":"60","types":["margin","futures"]',
    ],
    [
      collateral.placeOcoOrder,
      {
        ...{ market, side: 'buy', amount: '0.001', client_order_id: 'mine', reduceOnly: true },
        ...{ price: 50_000, activation_price: '60000', stop_limit_price: '60100' },
      },
      '"market":"BTC_USDT","side":"buy","amount":"0.001","client_order_id":"mine","price":"50000","activation_price":"60000","stop_limit_price":"60100","reduceOnly":true,"clientOrderId":"mine"',
    ],
    [
      collateral.placeTriggerMarketOrder,
      {
        ...{ market, side: 'buy', amount: 0.01, client_order_id: 'mine', stp: 'cancel_new' },
        ...{ activation_price: 65000, positionSide: 'LONG', stopLoss: '50000' },
      },
      '"market":"BTC_USDT","side":"buy","amount":"0.01","client_order_id":"mine","stp":"cancel_new","activation_price":"65000","stopLoss":"50000","positionSide":"LONG","clientOrderId":"mine"',
    ],
    [
      spot.placeLimitOrder,
      { market, side: 'buy', amount: '1', client_order_id: 'mine', bboRole: 2, ioc: true, rpi: false },
      '"market":"BTC_USDT","side":"buy","amount":"1","client_order_id":"mine","bboRole":2,"ioc":true,"rpi":false,"clientOrderId":"mine"',
    ],
  ])('$name with %j has these fields and no other', async (endpoint, params, fields) => {
    const { url, body } = await requestOf(endpoint, params);
    expect(url).toBe(`https://exchange.example${endpoint.path}`);
    expect(body).toBe(`{${fields}${fields && ','}"request":"${endpoint.path}","nonce":"N","nonceWindow":true}`);
  });

  it.each<readonly [Endpoint, object | undefined, path: string]>([
    [orderBook, { market, limit: 5, level: 2 }, '/api/v4/public/orderbook/BTC_USDT?limit=5&level=2'],
  ])('$name with %j is GET %s', async (endpoint, params, path) => {
    expect(await requestOf(endpoint, params)).toEqual({
      method: 'GET',
      url: `https://exchange.example${path}`,
      body: '',
    });
  });
});
