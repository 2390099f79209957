// What each endpoint is: where it is, which limit it counts against, who asks, and when it may be repeated.
import * as sdk from 'exchange-rx';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

const { limitGroups } = sdk;

interface Row {
  readonly endpoint: sdk.Endpoint;
  readonly name: string;
  readonly place: string;
  readonly group: sdk.LimitGroup;
  readonly authentication: sdk.Authentication;
  readonly safety: sdk.Safety;
  readonly priority?: sdk.Priority;
}

const rows: readonly Row[] = [
  {
    endpoint: sdk.ping,
    name: 'ping',
    place: 'GET /api/v4/public/ping',
    group: limitGroups.public,
    authentication: 'none',
    safety: 'read',
  },
  {
    endpoint: sdk.serverTime,
    name: 'serverTime',
    place: 'GET /api/v4/public/time',
    group: limitGroups.public,
    authentication: 'none',
    safety: 'read',
  },
  {
    endpoint: sdk.markets,
    name: 'markets',
    place: 'GET /api/v4/public/markets',
    group: limitGroups.public,
    authentication: 'none',
    safety: 'read',
  },
  {
    endpoint: sdk.placeStockMarketOrder,
    name: 'placeStockMarketOrder',
    place: 'POST /api/v4/order/stock_market',
    group: limitGroups.stockMarket,
    authentication: 'signed',
    safety: 'order',
  },
  {
    endpoint: sdk.placeMarketOrder,
    name: 'placeMarketOrder',
    place: 'POST /api/v4/order/market',
    group: limitGroups.marketOrder,
    authentication: 'signed',
    safety: 'order',
  },
  {
    endpoint: sdk.placeCollateralLimitOrder,
    name: 'placeLimitOrder',
    place: 'POST /api/v4/order/collateral/limit',
    group: limitGroups.collateralLimit,
    authentication: 'signed',
    safety: 'order',
  },
  {
    endpoint: sdk.cancelOrder,
    name: 'cancelOrder',
    place: 'POST /api/v4/order/cancel',
    group: limitGroups.cancelOrder,
    authentication: 'signed',
    safety: 'set',
    priority: 'urgent',
  },
  {
    endpoint: sdk.setKillSwitch,
    name: 'setKillSwitch',
    place: 'POST /api/v4/order/kill-switch',
    group: limitGroups.killSwitch,
    authentication: 'signed',
    safety: 'set',
    priority: 'urgent',
  },
  {
    endpoint: sdk.openOrders,
    name: 'openOrders',
    place: 'POST /api/v4/orders',
    group: limitGroups.orders,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.orderHistory,
    name: 'orderHistory',
    place: 'POST /api/v4/trade-account/order/history',
    group: limitGroups.orders,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.conditionalOrders,
    name: 'conditionalOrders',
    place: 'POST /api/v4/conditional-orders',
    group: limitGroups.orders,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.setLeverage,
    name: 'setLeverage',
    place: 'POST /api/v4/collateral-account/leverage',
    group: limitGroups.leverage,
    authentication: 'signed',
    safety: 'set',
  },
  {
    endpoint: sdk.mainBalance,
    name: 'mainBalance',
    place: 'POST /api/v4/main-account/balance',
    group: limitGroups.mainBalance,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.listSubAccounts,
    name: 'listSubAccounts',
    place: 'POST /api/v4/sub-account/list',
    group: limitGroups.subAccounts,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.listMiningAccounts,
    name: 'listMiningAccounts',
    place: 'POST /api/v4/mining/accounts',
    group: limitGroups.miningAccounts,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.refreshToken,
    name: 'refreshToken',
    place: 'POST /oauth2/refresh_token',
    group: limitGroups.oauth,
    authentication: 'form',
    safety: 'once',
  },
];

describe('an endpoint', () => {
  it.each(rows)('$name is $place', ({ endpoint, place, priority, ...same }) => {
    expect({ ...endpoint, place: `${endpoint.method} ${endpoint.path}` }).toMatchObject({ place, ...same });
    expect(endpoint.priority).toBe(priority);
  });

  it('hides its parameters and its answer when they are secrets', () => {
    expect(rows.filter(({ endpoint }) => endpoint.confidential === true).map(({ name }) => name)).toEqual([
      'refreshToken',
    ]);
  });

  it('that places an order says how to find it, and what to check', () => {
    for (const { endpoint, safety } of rows) {
      const isOrder = safety === 'order';
      expect([endpoint.lookUp !== undefined, endpoint.toCheck !== undefined]).toEqual([isOrder, isOrder]);
    }
  });

  it.each([
    [sdk.placeStockMarketOrder, { type: 'stock market', market: 'BTC_USDT', side: 'buy', amount: '1' }],
    [sdk.placeMarketOrder, { type: 'market', market: 'BTC_USDT', side: 'buy', amount: '1' }],
    [sdk.placeCollateralLimitOrder, { type: 'limit', market: 'BTC_USDT', side: 'buy', amount: '1', price: '2' }],
  ] as readonly (readonly [sdk.Endpoint, object])[])(
    '$name has its amount and price checked against its market',
    (endpoint, toCheck) => {
      expect(endpoint.toCheck?.({ market: 'BTC_USDT', side: 'buy', amount: '1', price: '2', stp: 'no' })).toEqual(
        toCheck,
      );
    },
  );

  it.each([
    [sdk.cancelOrder, 'orderId', 2],
    [sdk.cancelOrder, 'order_id', 2],
    [sdk.orderHistory, 'orderHistory', 30],
  ] as readonly (readonly [sdk.Endpoint, string, number])[])(
    '$name knows what it means that the exchange complains about %s',
    (endpoint, field, code) => {
      expect(endpoint.refusals).toContainEqual({ code, field, reason: 'order-not-found' });
    },
  );
});

it.each(['amount', 'price', 'activation_price', 'stop_limit_price', 'stopLoss', 'takeProfit'])(
  'every order endpoint knows that code 1 about %s is a step',
  (field) => {
    for (const endpoint of [
      sdk.placeStockMarketOrder,
      sdk.placeMarketOrder,
      sdk.placeCollateralLimitOrder,
    ] as readonly sdk.Endpoint[]) {
      expect(endpoint.refusals).toContainEqual({ code: 1, field, reason: 'step' });
    }
  },
);

it('a collateral limit order has its stops checked against its market', () => {
  const stops = { stopLoss: '1', takeProfit: '3' };
  const endpoint: sdk.Endpoint = sdk.placeCollateralLimitOrder;
  expect(endpoint.toCheck?.({ market: 'BTC_USDT', side: 'buy', amount: '1', price: '2', ...stops })).toMatchObject(
    stops,
  );
});

describe('an answer', () => {
  it.each([
    [sdk.setLeverage],
    [sdk.serverTime],
    [sdk.refreshToken],
    [sdk.mainBalance],
    [sdk.listSubAccounts],
  ] as readonly (readonly [sdk.Endpoint])[])('of $name without what it is for is none', (endpoint) => {
    expect(v.safeParse(endpoint.response, endpoint === sdk.mainBalance ? { BTC: {} } : {}).success).toBe(false);
  });

  it('of no orders is an empty history, be it a list', () => {
    expect([v.parse(sdk.orderHistory.response, []), v.parse(sdk.orderHistory.response, {})]).toEqual([{}, {}]);
  });

  it('of the server time tells the exchange’s clock', () => {
    expect(sdk.serverTime.exchangeTime?.({ time: 1_795_000_000 })).toBe(1_795_000_000);
  });
});

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '100' };
const market = 'BTC_USDT';
const month = 31 * 86_400;

describe('parameters at their bounds are accepted', () => {
  it.each([
    [sdk.placeStockMarketOrder, { ...order, client_order_id: 'x'.repeat(64) }],
    [sdk.placeStockMarketOrder, { ...order, client_order_id: 'aZ09-._', stp: 'cancel_both' }],
    [sdk.placeCollateralLimitOrder, { ...limit, ioc: true, postOnly: false, rpi: false }],
    [sdk.placeCollateralLimitOrder, { ...limit, ioc: false, postOnly: true, rpi: true }],
    [sdk.placeCollateralLimitOrder, { ...limit, postOnly: true }],
    [sdk.placeCollateralLimitOrder, { ...limit, reduceOnly: true }],
    [sdk.placeCollateralLimitOrder, { ...limit, reduceOnly: false, stopLoss: '90', takeProfit: '110' }],
    [sdk.cancelOrder, { market, order_id: 1 }],
    [sdk.cancelOrder, { market, order_id: Number.MAX_SAFE_INTEGER }],
    [sdk.cancelOrder, { market, client_order_id: 'mine' }],
    [sdk.openOrders, {}],
    [sdk.openOrders, { market, limit: 1, offset: 0 }],
    [sdk.openOrders, { market, order_id: 1, client_order_id: 'mine', limit: 100, offset: 10_000 }],
    [sdk.orderHistory, { limit: 1, startDate: 0, endDate: month }],
    [sdk.orderHistory, { limit: 500, startDate: 7, endDate: 7, status: 'FILLED' }],
    [sdk.orderHistory, { startDate: 1_795_000_000, endDate: 1_795_000_000 + month }],
    [sdk.orderHistory, { startDate: month }],
    [sdk.orderHistory, { endDate: 2 * month }],
    [sdk.listSubAccounts, { search: '', limit: 100, offset: 10_000 }],
    [sdk.listMiningAccounts, { name: 'x'.repeat(255), limit: 1, offset: 0 }],
  ] as readonly (readonly [sdk.Endpoint, object])[])('$name: %j', (endpoint, params) => {
    expect(v.parse(endpoint.request, params)).toEqual(params);
  });

  it.each([
    [5, '5'],
    [600, '600'],
    [null, null],
  ])('a kill switch after %s', (timeout, sent) => {
    expect(v.parse(sdk.setKillSwitch.request, { market, timeout })).toEqual({ market, timeout: sent });
  });
});
