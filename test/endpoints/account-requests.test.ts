// The requests of reads, cancels and orders: their fields byte by byte. Paths are those of the definitions.
import { createExchange, createScheduler, type Endpoint } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { catchError, EMPTY, lastValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { recordedOf } from '../support/recorded.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const { account, collateral, orders, spot } = endpoints;
const { candles, fundingRateHistory, markets, orderBook, recentTrades } = endpoints.public;

const market = 'BTC_USDT';
const future = 'BTC_PERP';
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

const placed = { market, side: 'buy', amount: 0.01, client_order_id: 'mine' } as const;
const placedFields = '"market":"BTC_USDT","side":"buy","amount":"0.01","client_order_id":"mine"';

describe('the request of', () => {
  it.each<readonly [Endpoint, object | undefined, fields: string]>([
    [spot.balance, undefined, ''],
    [spot.balanceOf, { ticker: 'BTC' }, '"ticker":"BTC"'],
    [account.mainBalanceOf, { ticker: 'BTC' }, '"ticker":"BTC"'],
    [collateral.balance, {}, ''],
    [collateral.balance, { ticker: 'BTC' }, '"ticker":"BTC"'],
    [collateral.balanceSummary, { ticker: 'BTC' }, '"ticker":"BTC"'],
    [
      orders.deals,
      { market, limit: 500, offset: 10, ...period },
      `"market":"BTC_USDT","limit":500,${periodFields},"offset":10`,
    ],
    [orders.dealsByMarket, {}, ''],
    [orders.dealsByMarket, { client_order_id: 'mine' }, '"client_order_id":"mine","clientOrderId":"mine"'],
    [orders.dealsOfOrder, { order_id: 7, limit: 100 }, '"order_id":7,"limit":100,"orderId":7'],
    [
      orders.cancelAll,
      { market: future, type: ['futures'], positionSide: 'long' },
      '"market":"BTC_PERP","type":["futures"],"positionSide":"long"',
    ],
    [orders.cancelAll, {}, ''],
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
    [orders.cancelConditional, { market, id: 7 }, '"market":"BTC_USDT","id":7'],
    [orders.cancelOto, { market, otoId: 7 }, '"market":"BTC_USDT","otoId":7'],
    [orders.oco, { market, limit: 100, offset: 5 }, '"market":"BTC_USDT","limit":100,"offset":5'],
    [orders.killSwitches, { market }, '"market":"BTC_USDT"'],
    [
      orders.setKillSwitch,
      { market, timeout: 60, types: ['margin', 'futures'] },
      '"market":"BTC_USDT","timeout":"60","types":["margin","futures"]',
    ],
    [
      orders.delisted,
      { market, status: 'delisting', startDate: 1, endDate: 2, limit: 10, offset: 3 },
      '"market":"BTC_USDT","status":"delisting","startDate":1,"endDate":2,"limit":10,"offset":3',
    ],
    [
      collateral.placeOcoOrder,
      {
        ...{ market, side: 'buy', amount: '0.001', client_order_id: 'mine', reduceOnly: true },
        ...{ price: 50_000, activation_price: '60000', stop_limit_price: '60100' },
      },
      '"market":"BTC_USDT","side":"buy","amount":"0.001","client_order_id":"mine","price":"50000","activation_price":"60000","stop_limit_price":"60100","reduceOnly":true,"clientOrderId":"mine"',
    ],
    ...(
      [
        [
          spot.placeLimitOrder,
          { price: '50000', postOnly: true, retail: true, stp: 'cancel_new' },
          '"stp":"cancel_new","price":"50000","postOnly":true,"retail":true',
        ],
        [spot.placeLimitOrder, { bboRole: 2, ioc: true, rpi: false }, '"bboRole":2,"ioc":true,"rpi":false'],
        [
          spot.placeStopLimitOrder,
          { price: 64000, activation_price: 65000 },
          '"activation_price":"65000","price":"64000"',
        ],
        [spot.placeStopLimitOrder, { bboRole: 1, activation_price: '65000' }, '"activation_price":"65000","bboRole":1'],
        [spot.placeStopMarketOrder, { activation_price: '65000' }, '"activation_price":"65000"'],
        [
          collateral.placeMarketOrder,
          { stopLoss: '50000', takeProfit: 70000 },
          '"stopLoss":"50000","takeProfit":"70000"',
        ],
        [
          collateral.placeStopLimitOrder,
          { price: '64000', activation_price: '65000', reduceOnly: true },
          '"activation_price":"65000","price":"64000","reduceOnly":true',
        ],
        [
          collateral.placeTriggerMarketOrder,
          { activation_price: '65000', positionSide: 'LONG' },
          '"activation_price":"65000","positionSide":"LONG"',
        ],
      ] as const
    ).map(
      ([endpoint, more, fields]) =>
        [endpoint, { ...placed, ...more }, `${placedFields},${fields},"clientOrderId":"mine"`] as const,
    ),
    [orders.conditional, { market, limit: 10 }, '"market":"BTC_USDT","limit":10'],
    [collateral.openPositions, { market: future }, '"market":"BTC_PERP"'],
    [collateral.setHedgeMode, { hedgeMode: true }, '"hedgeMode":true'],
    [
      collateral.closePosition,
      { market: future, positionId: 5, positionSide: 'SHORT' },
      '"market":"BTC_PERP","positionId":5,"positionSide":"SHORT"',
    ],
    [
      collateral.positionHistory,
      { market: future, positionId: 5, ...period, limit: 100, offset: 10 },
      `"market":"BTC_PERP","positionId":5,${periodFields},"limit":100,"offset":10`,
    ],
    [collateral.closedPositions, { ...period, limit: 100, offset: 9900 }, `${periodFields},"limit":100,"offset":9900`],
    [
      collateral.fundingPayments,
      { market: future, ...period, limit: 100, offset: 10 },
      `"market":"BTC_PERP",${periodFields},"limit":100,"offset":10`,
    ],
  ])('$name with %j has these fields and no other', async (endpoint, params, fields) => {
    const { url, body } = await requestOf(endpoint, params);
    expect(url).toBe(`https://exchange.example${endpoint.path}`);
    expect(body).toBe(`{${fields}${fields && ','}"request":"${endpoint.path}","nonce":"N","nonceWindow":true}`);
  });

  it.each<readonly [Endpoint, object | undefined, path: string]>([
    [markets, undefined, '/api/v4/public/markets'],
    [orderBook, { market, limit: 5, level: 2 }, '/api/v4/public/orderbook/BTC_USDT?limit=5&level=2'],
    [recentTrades, { type: 'buy', market }, '/api/v4/public/trades/BTC_USDT?type=buy'],
    [
      fundingRateHistory,
      { market: future, ...period, limit: 100, offset: 1_000_000 },
      '/api/v4/public/funding-history/BTC_PERP?startDate=1708600000&endDate=1708700000&limit=100&offset=1000000',
    ],
    [
      candles,
      { market, start: 1_795_316_400, end: 1_795_316_400, interval: '1M', limit: 1440 },
      '/api/v1/public/kline?market=BTC_USDT&start=1795316400&end=1795316400&interval=1M&limit=1440',
    ],
  ])('$name with %j is GET %s', async (endpoint, params, path) => {
    expect(await requestOf(endpoint, params)).toEqual({
      method: 'GET',
      url: `https://exchange.example${path}`,
      body: '',
    });
  });
});
