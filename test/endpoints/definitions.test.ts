// What each endpoint is: where it is, which limit it counts against, who asks, and when it may be repeated.
import * as sdk from 'exchange-rx';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

const { rateLimits } = sdk;

interface Row {
  readonly endpoint: sdk.Endpoint;
  readonly name: string;
  readonly place: string;
  readonly rateLimit: sdk.RateLimit;
  readonly authentication: sdk.Authentication;
  readonly safety: sdk.Safety;
  readonly priority?: sdk.Priority;
}

const rows: readonly Row[] = [
  {
    endpoint: sdk.public.ping,
    name: 'public.ping',
    place: 'GET /api/v4/public/ping',
    rateLimit: rateLimits.public,
    authentication: 'none',
    safety: 'read',
  },
  {
    endpoint: sdk.public.serverTime,
    name: 'public.serverTime',
    place: 'GET /api/v4/public/time',
    rateLimit: rateLimits.public,
    authentication: 'none',
    safety: 'read',
  },
  {
    endpoint: sdk.public.markets,
    name: 'public.markets',
    place: 'GET /api/v4/public/markets',
    rateLimit: rateLimits.public,
    authentication: 'none',
    safety: 'read',
  },
  {
    endpoint: sdk.spot.placeStockMarketOrder,
    name: 'spot.placeStockMarketOrder',
    place: 'POST /api/v4/order/stock_market',
    rateLimit: rateLimits.stockMarket,
    authentication: 'signed',
    safety: 'order',
  },
  {
    endpoint: sdk.spot.placeMarketOrder,
    name: 'spot.placeMarketOrder',
    place: 'POST /api/v4/order/market',
    rateLimit: rateLimits.marketOrder,
    authentication: 'signed',
    safety: 'order',
  },
  {
    endpoint: sdk.collateral.placeLimitOrder,
    name: 'collateral.placeLimitOrder',
    place: 'POST /api/v4/order/collateral/limit',
    rateLimit: rateLimits.collateralLimit,
    authentication: 'signed',
    safety: 'order',
  },
  {
    endpoint: sdk.orders.cancel,
    name: 'orders.cancel',
    place: 'POST /api/v4/order/cancel',
    rateLimit: rateLimits.cancelOrder,
    authentication: 'signed',
    safety: 'idempotent',
    priority: 'urgent',
  },
  {
    endpoint: sdk.orders.setKillSwitch,
    name: 'orders.setKillSwitch',
    place: 'POST /api/v4/order/kill-switch',
    rateLimit: rateLimits.killSwitch,
    authentication: 'signed',
    safety: 'idempotent',
    priority: 'urgent',
  },
  {
    endpoint: sdk.orders.open,
    name: 'orders.open',
    place: 'POST /api/v4/orders',
    rateLimit: rateLimits.orders,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.orders.history,
    name: 'orders.history',
    place: 'POST /api/v4/trade-account/order/history',
    rateLimit: rateLimits.orders,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.orders.conditional,
    name: 'orders.conditional',
    place: 'POST /api/v4/conditional-orders',
    rateLimit: rateLimits.orders,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.collateral.setLeverage,
    name: 'collateral.setLeverage',
    place: 'POST /api/v4/collateral-account/leverage',
    rateLimit: rateLimits.leverage,
    authentication: 'signed',
    safety: 'idempotent',
  },
  {
    endpoint: sdk.account.mainBalance,
    name: 'account.mainBalance',
    place: 'POST /api/v4/main-account/balance',
    rateLimit: rateLimits.mainBalance,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.subAccounts.list,
    name: 'subAccounts.list',
    place: 'POST /api/v4/sub-account/list',
    rateLimit: rateLimits.subAccounts,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.mining.listAccounts,
    name: 'mining.listAccounts',
    place: 'POST /api/v4/mining/accounts',
    rateLimit: rateLimits.miningAccounts,
    authentication: 'signed',
    safety: 'read',
  },
  {
    endpoint: sdk.oauth.refreshToken,
    name: 'oauth.refreshToken',
    place: 'POST /oauth2/refresh_token',
    rateLimit: rateLimits.oauth,
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
      'oauth.refreshToken',
    ]);
  });

  it('that places an order says how to find it, and what to check', () => {
    for (const { endpoint, safety } of rows) {
      const isOrder = safety === 'order';
      expect([endpoint.lookup !== undefined, endpoint.toCheck !== undefined]).toEqual([isOrder, isOrder]);
    }
  });

  it.each([
    [sdk.spot.placeStockMarketOrder, { type: 'stock market', market: 'BTC_USDT', side: 'buy', amount: '1' }],
    [sdk.spot.placeMarketOrder, { type: 'market', market: 'BTC_USDT', side: 'buy', amount: '1' }],
    [sdk.collateral.placeLimitOrder, { type: 'limit', market: 'BTC_USDT', side: 'buy', amount: '1', price: '2' }],
  ] as readonly (readonly [sdk.Endpoint, object])[])(
    '$name has its amount and price checked against its market',
    (endpoint, toCheck) => {
      expect(endpoint.toCheck?.({ market: 'BTC_USDT', side: 'buy', amount: '1', price: '2', stp: 'no' })).toEqual(
        toCheck,
      );
    },
  );

  it.each([
    [sdk.orders.cancel, 'orderId', 2],
    [sdk.orders.cancel, 'order_id', 2],
    [sdk.orders.history, 'orderHistory', 30],
  ] as readonly (readonly [sdk.Endpoint, string, number])[])(
    '$name knows what it means that the exchange complains about %s',
    (endpoint, field, code) => {
      expect(endpoint.errorCodes).toContainEqual({ code, field, reason: 'order-not-found' });
    },
  );
});

it.each(['amount', 'price', 'activation_price', 'stop_limit_price', 'stopLoss', 'takeProfit'])(
  'every order endpoint knows that code 1 about %s is a step',
  (field) => {
    for (const endpoint of [
      sdk.spot.placeStockMarketOrder,
      sdk.spot.placeMarketOrder,
      sdk.collateral.placeLimitOrder,
    ] as readonly sdk.Endpoint[]) {
      expect(endpoint.errorCodes).toContainEqual({ code: 1, field, reason: 'step' });
    }
  },
);

it('a collateral limit order has its stops checked against its market', () => {
  const stops = { stopLoss: '1', takeProfit: '3' };
  const endpoint: sdk.Endpoint = sdk.collateral.placeLimitOrder;
  expect(endpoint.toCheck?.({ market: 'BTC_USDT', side: 'buy', amount: '1', price: '2', ...stops })).toMatchObject(
    stops,
  );
});

describe('an answer', () => {
  it.each([
    [sdk.collateral.setLeverage],
    [sdk.public.serverTime],
    [sdk.oauth.refreshToken],
    [sdk.account.mainBalance],
    [sdk.subAccounts.list],
  ] as readonly (readonly [sdk.Endpoint])[])('of $name without what it is for is none', (endpoint) => {
    expect(v.safeParse(endpoint.response, endpoint === sdk.account.mainBalance ? { BTC: {} } : {}).success).toBe(false);
  });

  it('of no orders is an empty history, be it a list', () => {
    expect([v.parse(sdk.orders.history.response, []), v.parse(sdk.orders.history.response, {})]).toEqual([{}, {}]);
  });

  it('of the server time tells the exchange’s clock', () => {
    expect(sdk.public.serverTime.exchangeTime?.({ time: 1_795_000_000 })).toBe(1_795_000_000);
  });
});

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '100' };
const market = 'BTC_USDT';
const month = 31 * 86_400;

describe('parameters at their bounds are accepted', () => {
  it.each([
    [sdk.spot.placeStockMarketOrder, { ...order, client_order_id: 'x'.repeat(64) }],
    [sdk.spot.placeStockMarketOrder, { ...order, client_order_id: 'aZ09-._', stp: 'cancel_both' }],
    [sdk.collateral.placeLimitOrder, { ...limit, ioc: true, postOnly: false, rpi: false }],
    [sdk.collateral.placeLimitOrder, { ...limit, ioc: false, postOnly: true, rpi: true }],
    [sdk.collateral.placeLimitOrder, { ...limit, postOnly: true }],
    [sdk.collateral.placeLimitOrder, { ...limit, reduceOnly: true }],
    [sdk.collateral.placeLimitOrder, { ...limit, reduceOnly: false, stopLoss: '90', takeProfit: '110' }],
    [sdk.orders.cancel, { market, order_id: 1 }],
    [sdk.orders.cancel, { market, order_id: Number.MAX_SAFE_INTEGER }],
    [sdk.orders.cancel, { market, client_order_id: 'mine' }],
    [sdk.orders.open, {}],
    [sdk.orders.open, { market, limit: 1, offset: 0 }],
    [sdk.orders.open, { market, order_id: 1, client_order_id: 'mine', limit: 100, offset: 10_000 }],
    [sdk.orders.history, { limit: 1, startDate: 0, endDate: month }],
    [sdk.orders.history, { limit: 500, startDate: 7, endDate: 7, status: 'FILLED' }],
    [sdk.orders.history, { startDate: 1_795_000_000, endDate: 1_795_000_000 + month }],
    [sdk.orders.history, { startDate: month }],
    [sdk.orders.history, { endDate: 2 * month }],
    [sdk.subAccounts.list, { search: '', limit: 100, offset: 10_000 }],
    [sdk.mining.listAccounts, { name: 'x'.repeat(255), limit: 1, offset: 0 }],
  ] as readonly (readonly [sdk.Endpoint, object])[])('$name: %j', (endpoint, params) => {
    expect(v.parse(endpoint.request, params)).toEqual(params);
  });

  it.each([
    [5, '5'],
    [600, '600'],
    [null, null],
  ])('a kill switch after %s', (timeout, sent) => {
    expect(v.parse(sdk.orders.setKillSwitch.request, { market, timeout })).toEqual({ market, timeout: sent });
  });
});
