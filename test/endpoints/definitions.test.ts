// What the definitions of the endpoints promise beyond their fields: their names, paths, limits and secrets.
import * as sdk from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parameterNames, type LimitWindow } from '../../src/endpoint/index.js';
import { emptyResponse } from '../../src/endpoints/responses.js';
import { leftOut, publishedEndpoints } from '../../scripts/docs/published-endpoints.js';
import { allEndpoints, members } from '../support/endpoints.js';
import { recordedOf } from '../support/recorded.js';

const { account, collateral, mining, orders, spot, subAccounts } = endpoints;
const tenPerSecond = { limit: 10, windowMs: 1000 };
const ofTrades = { ...tenPerSecond, name: 'trades' };
const { public: shared } = sdk.rateLimits;

describe('the name of an endpoint', () => {
  const paths = members.map(({ group, method }) => `${group}.${method}`);

  it('is the path of its method', () => {
    expect(members.map(({ member }) => member.name)).toEqual(paths);
  });

  it('is a method of a client, which has no other', () => {
    const groups = new Set(members.map(({ group }) => group));
    const exchange = sdk.createExchange({ baseUrl: 'https://exchange.example' });
    const bound = Object.entries<object | string | boolean>({ ...exchange })
      .filter(([group]) => groups.has(group))
      .flatMap(([group, methods]) => Object.keys(methods).map((method) => `${group}.${method}`));
    expect(bound.sort()).toEqual(paths.toSorted());
  });
});

describe('the published endpoints', () => {
  const present = new Set(allEndpoints.map(({ method, path }) => `${method} ${path}`));

  it('have every method and path of the package', () => {
    expect([...present].filter((endpoint) => !publishedEndpoints.includes(endpoint))).toEqual([]);
  });

  it('are in the package, but for those that are left out for a reason', () => {
    const missing = publishedEndpoints.filter((published) => !present.has(published));
    expect(missing.toSorted()).toEqual([...leftOut.keys()].sort());
  });
});

describe('an endpoint', () => {
  it('has the same limit as every endpoint whose limit has the same name', () => {
    const rateLimits = allEndpoints.flatMap((endpoint) => endpoint.rateLimits);
    for (const rateLimit of rateLimits) {
      const same = rateLimits.filter(({ name }) => name === rateLimit.name);
      expect(same).toEqual(same.map(() => rateLimit));
    }
  });

  it.each<[string, LimitWindow | readonly [LimitWindow, ...LimitWindow[]], readonly sdk.RateLimit[]]>([
    ['one of its own', tenPerSecond, [ofTrades]],
    ['a shared one and one of its own', [shared, tenPerSecond], [shared, ofTrades]],
    ['a shared one', shared, [shared]],
    ['one of its own and a shared one', [tenPerSecond, shared], [ofTrades, shared]],
  ])('counts against %s', (_, rateLimit, rateLimits) => {
    const trades = sdk.defineEndpoint({ name: 'trades', path: '/', safety: 'read', response: v.unknown(), rateLimit });
    expect(trades).toMatchObject({ rateLimits });
    expect(trades).not.toHaveProperty('rateLimit');
  });

  it('hides its parameters and its response when they are secrets', () => {
    // Codes, passwords, tokens, keys and the addresses of people. The account's own address is for everybody.
    const isSecret = (name: string) => /(?:secret|passphrase|token|address|addresses|code)$/i.test(name);
    const namesIn = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => (typeof inner === 'string' ? [name] : namesIn(inner)))
        : [];
    const open = allEndpoints.filter((endpoint) => {
      const { params, response } = recordedOf(endpoint);
      return (
        !endpoint.confidential &&
        !/deposit_?address/i.test(endpoint.name) &&
        [...parameterNames(endpoint), ...namesIn(params), ...namesIn(response)].some(isSecret)
      );
    });
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  const ofOrders = allEndpoints.filter(({ name }) => /^(?:orders|spot|collateral)\./.test(name));
  const placing = allEndpoints.filter(({ safety }) => safety === 'order');

  it.each<[what: string, code: number, reason: sdk.ApiErrorReason | undefined, among: readonly sdk.Endpoint[]]>([
    ['of orders has no meaning of its own for code 31, the market of every endpoint', 31, undefined, ofOrders],
    ['that places an order has insufficient-balance for code 10', 10, 'insufficient-balance', placing],
    ['that modifies an order has would-take for code 13', 13, 'would-take', [orders.modify]],
    ['that modifies an order has would-take for code 14', 14, 'would-take', [orders.modify]],
  ])('%s', (_, code, reason, among) => {
    for (const { name, errorCodes = [] } of among) {
      const first = errorCodes.find((known) => known.code === undefined || known.code === code);
      expect([name, first?.reason]).toEqual([name, reason]);
    }
  });

  it('that places an order has a lookup and a check', () => {
    for (const endpoint of allEndpoints) {
      const isOrder = endpoint.safety === 'order';
      const isChecked = isOrder || endpoint.name === 'orders.modify';
      expect([endpoint.lookup !== undefined, endpoint.toCheck !== undefined]).toEqual([isOrder, isChecked]);
    }
  });

  const bare = { market: 'BTC_USDT', side: 'buy', amount: '1' };
  const price = '2';
  const activation_price = '4';
  const linked = { stopLoss: '1', takeProfit: '3' };
  const stopLimit = { price, activation_price };
  it.each([
    [spot.placeStockMarketOrder, {}, { type: 'stock market' }],
    [spot.placeMarketOrder, {}, { type: 'market' }],
    [spot.placeLimitOrder, { price }, { type: 'limit', price }],
    [spot.placeLimitOrder, { bboRole: 1 }, { type: 'stock market' }],
    [spot.placeStopLimitOrder, stopLimit, { type: 'limit', ...stopLimit }],
    [spot.placeStopLimitOrder, { activation_price, bboRole: 1 }, { type: 'stock market', activation_price }],
    [spot.placeStopMarketOrder, { activation_price }, { type: 'market', activation_price }],
    [collateral.placeLimitOrder, { price, ...linked }, { type: 'limit', price, ...linked }],
    [collateral.placeMarketOrder, linked, { type: 'stock market', ...linked }],
    [collateral.placeStopLimitOrder, { ...stopLimit, ...linked }, { type: 'limit', ...stopLimit, ...linked }],
    [
      collateral.placeTriggerMarketOrder,
      { activation_price, ...linked },
      { type: 'stock market', activation_price, ...linked },
    ],
    [
      collateral.placeOcoOrder,
      { ...stopLimit, stop_limit_price: '5' },
      { type: 'limit', ...stopLimit, stop_limit_price: '5' },
    ],
  ] as readonly (readonly [sdk.Endpoint, object, object])[])(
    '$name with %j has its amount and prices checked against its market',
    (endpoint, given, toCheck) => {
      expect(endpoint.toCheck?.({ ...bare, stp: 'no', ...given })).toEqual({ ...bare, ...toCheck });
    },
  );
});

it.each([
  [orders.cancelAll, { market: 'BTC_USDT', type: ['spot'] }],
  [orders.cancelMany, { orders: [{ market: 'BTC_USDT', order_id: 1 }] }],
  [orders.cancelConditional, { market: 'BTC_USDT', id: 1 }],
  [orders.cancelOco, { market: 'BTC_USDT', client_order_id: 'mine' }],
  [orders.cancelOto, { market: 'BTC_USDT', otoId: 1 }],
] as readonly (readonly [sdk.Endpoint, Readonly<Record<string, unknown>>])[])(
  '$name is urgent, may be retried, and is not replaced by a cancel of anything else',
  (endpoint, fields) => {
    expect([endpoint.priority, endpoint.safety]).toEqual(['urgent', 'idempotent']);
    const keys = [fields, { ...fields, market: 'ETH_USDT', orders: [] }].map((one) => endpoint.key?.(one));
    expect(keys[0]).not.toBe(keys[1]);
    expect(endpoint.key?.({ ...fields })).toBe(keys[0]);
  },
);

/** Whose responses may be empty objects: maps of which nothing is required, and settings. */
const mayBeEmpty = [
  ...['account.mainBalance', 'account.withdrawableBalance', 'collateral.balance', 'spot.balance'],
  ...['public.assetFees', 'public.assets', 'public.tickers', 'subAccounts.balances', 'subAccounts.transfer'],
  ...['collateral.closePosition', 'collateral.setHedgeMode', 'orders.setKillSwitch'],
  ...['orders.history', 'orders.dealsByMarket'],
  ...['deals', 'mainBalance', 'orders', 'spotBalance'].map((name) => `oauth.${name}`),
];

it('the endpoints that move money out of an account, which need allowWithdrawals, are these', () => {
  const needing = allEndpoints.filter(({ movesMoneyOut }) => movesMoneyOut === true).map(({ name }) => name);
  expect(needing.sort()).toEqual([
    'account.createCode',
    'account.refundDeposit',
    'account.withdraw',
    'account.withdrawExact',
    'mining.setPayoutDestination',
    'subAccounts.confirmWithdrawal',
  ]);
});

describe('a response', () => {
  it('may be an empty object only where the exchange sends one', () => {
    const readable = allEndpoints.filter(
      ({ response }) => response !== emptyResponse && v.safeParse(response, {}).success,
    );
    expect(readable.map(({ name }) => name).sort()).toEqual(mayBeEmpty.sort());
    expect(v.safeParse(account.mainBalance.response, { BTC: {} }).success).toBe(false);
  });

  it.each([
    [1_795_000_000, 1_795_000_000],
    // Seen live, once: milliseconds.
    [1_795_000_000_500, 1_795_000_000.5],
    // Absurd in either unit.
    [9e12, 9e12],
  ])('of the server time has the exchange’s clock in seconds: %d', (time, seconds) => {
    const { response, exchangeTime } = endpoints.public.serverTime;
    const output = v.parse(response, { time });
    expect(output).toEqual({ time: seconds });
    expect(exchangeTime?.(output)).toBe(seconds);
  });
});

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '100' };
const market = 'BTC_USDT';
const month = 31 * 86_400;

describe('parameters at their bounds are accepted', () => {
  it.each([
    [spot.placeStockMarketOrder, { ...order, client_order_id: 'x'.repeat(64) }],
    [spot.placeStockMarketOrder, { ...order, client_order_id: 'aZ09-._', stp: 'cancel_both' }],
    [collateral.placeLimitOrder, { ...limit, ioc: true, postOnly: false, rpi: false }],
    [collateral.placeLimitOrder, { ...limit, ioc: false, postOnly: true, rpi: true }],
    [collateral.placeLimitOrder, { ...limit, reduceOnly: true }],
    [collateral.placeLimitOrder, { ...limit, reduceOnly: false, stopLoss: '90', takeProfit: '110' }],
    [orders.cancel, { market, order_id: Number.MAX_SAFE_INTEGER }],
    [orders.open, { market, limit: 1, offset: 0 }],
    [orders.open, { market, order_id: 1, client_order_id: 'mine', limit: 100, offset: 10_000 }],
    [orders.history, { limit: 1, startDate: 0, endDate: month }],
    [orders.history, { limit: 500, startDate: 7, endDate: 7, status: 'FILLED' }],
    [orders.history, { startDate: month }],
    [orders.history, { endDate: 2 * month }],
    [orders.deals, { market, limit: 500, offset: 10_000, startDate: 7, endDate: 7, client_order_id: 'mine' }],
    [orders.dealsByMarket, { limit: 1, startDate: 0 }],
    [orders.dealsOfOrder, { order_id: 1, limit: 100, offset: 0 }],
    [orders.cancelAll, { market: 'BTC_PERP', type: ['spot', 'margin', 'futures'], positionSide: 'both' }],
    [orders.cancelMany, { orders: Array.from({ length: 100 }, () => ({ market, client_order_id: 'mine' })) }],
    [orders.oco, { market, limit: 100, offset: 10_000 }],
    [orders.killSwitches, {}],
    [orders.delisted, { offset: 9999, limit: 1, status: 'filled', startDate: 0, endDate: month }],
    [orders.delisted, { offset: 9500 }],
    [collateral.placeOcoOrder, { ...limit, activation_price: '100.1', stop_limit_price: '90', reduceOnly: true }],
    [collateral.placeOcoOrder, { ...limit, side: 'sell', activation_price: '99.9', stop_limit_price: '110' }],
    [endpoints.public.orderBook, { market }],
    [endpoints.public.orderBook, { market, limit: 0, level: 0 }],
    [endpoints.public.orderBook, { market, limit: 100, level: 10 }],
    [endpoints.public.recentTrades, { market, type: 'sell' }],
    [endpoints.public.fundingRateHistory, { market, startDate: 0, endDate: 1, limit: 1, offset: 0 }],
    [endpoints.public.candles, { market, start: 0, end: 0, interval: '1s', limit: 1 }],
    [subAccounts.list, { search: '', limit: 100, offset: 10_000 }],
    [mining.listAccounts, { name: 'x'.repeat(255), limit: 1, offset: 0 }],
  ] as readonly (readonly [sdk.Endpoint, object])[])('$name: %j', (endpoint, params) => {
    expect(v.parse(endpoint.request, params)).toEqual(params);
  });

  it.each([
    [5, '5'],
    [600, '600'],
    [null, null],
  ])('a kill switch after %s', (timeout, sent) => {
    expect(v.parse(orders.setKillSwitch.request, { market, timeout })).toEqual({ market, timeout: sent });
  });
});
