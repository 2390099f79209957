// Bad requests fail before they cost a permit: each parameter by the kind of its value, and the rules between parameters.
import { createExchange, createScheduler, type Endpoint, type RequestError } from 'exchange-rx';
import { collateral, orders, spot } from 'exchange-rx/endpoints';
import fc from 'fast-check';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parameterNames } from '../../src/endpoint/index.js';
import { allEndpoints, callUntyped } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';
import { recordedOf } from '../support/recorded.js';

let sent = 0;
let permits = 0;
const client = createExchange({
  baseUrl: 'https://exchange.example',
  credentials: { apiKey: 'key', apiSecret: 'secret' },
  fetch: () => {
    sent += 1;
    return Promise.reject(new Error('a bad request was sent'));
  },
  scheduler: {
    ...createScheduler(),
    acquire: () => {
      permits += 1;
      throw new Error('a bad request took a permit');
    },
  },
});

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '100' };
const stopMarket = { ...order, activation_price: '110' };
const stopLimit = { ...limit, activation_price: '110' };
const ocoOrder = { ...limit, activation_price: '120', stop_limit_price: '121' };

// What a JavaScript caller, or data from elsewhere, may hand in: no type checks it.
type Invalid = readonly (readonly [rule: string, ...values: readonly unknown[]])[];

const decimal: Invalid = [
  ['decimal string', 'abc', '', '1e-9', '-1', '1,5', ' 1', '.5', '0x10', true, 10n, null],
  ['greater than 0', '0', '0.000', 0, -1],
  ['finite', Number.NaN, Number.POSITIVE_INFINITY],
];
const number: Invalid = [
  ['above 0', 0, -1],
  ['integer', 1.5, '1', 2 ** 53],
];
const flag: Invalid = [['true or false', 'yes', 1, null]];
const time: Invalid = [['0 to', 1_795_000_000_000, '10', -1, 1.5]];
const count: Invalid = [['integer from', -1, 1.5, '10']];

/** Invalid values of each parameter, whichever endpoint has it. */
const invalid: Readonly<Record<string, Invalid>> = {
  market: [
    ['BTC_USDT', '', 'BTCUSDT', 'BTC_', '..', 'BTC_USDT/..'],
    ['string', 7],
  ],
  side: [['"buy", "sell"', 'hold', 'BUY', 1]],
  client_order_id: [
    ['letters', '', 'a b', 'größe', 'a/b'],
    ['string', 5],
    ['64', 'x'.repeat(65)],
  ],
  stp: [['cancel_both', 'cancel', true]],
  positionSide: [['must be one of', 'UP', 1]],
  ticker: [
    ['such as "BTC"', ''],
    ['string', 7],
  ],
  leverage: [['1, 2, 3, 5, 10, 20, 50, 100', 0, 4, 7, 101, -1, 1.5, '5', null]],
  ...{ amount: decimal, price: decimal, activation_price: decimal, stop_limit_price: decimal, total: decimal },
  ...{ stopLoss: decimal, takeProfit: decimal },
  ...{ order_id: number, id: number, otoId: number, positionId: number },
  ...{ postOnly: flag, ioc: flag, rpi: flag, retail: flag, reduceOnly: flag, hedgeMode: flag, stopOnFail: flag },
  ...{ startDate: time, endDate: time, start: time, end: time },
  ...{ limit: count, offset: count, level: count },
};

/** A UUID, where the other identifiers are numbers. */
const uuid: Invalid = [['string', 7, null]];

const invalidValues = allEndpoints.flatMap((endpoint) =>
  parameterNames(endpoint).flatMap((name) =>
    (name === 'id' && typeof recordedOf(endpoint).params['id'] === 'string' ? uuid : (invalid[name] ?? [])).map(
      ([rule, ...values]) => ({ endpoint, name, rule, values }),
    ),
  ),
);

type Bad = readonly [params: unknown, field: string, rule: string];

const page = [
  [{ limit: 0 }, 'limit', '1 to 100'],
  [{ limit: 101 }, 'limit', '1 to 100'],
  [{ offset: 10_001 }, 'offset', '0 to 10000'],
] as const;
const upTo500 = [
  [{ limit: 0 }, 'limit', '1 to 500'],
  [{ limit: 501 }, 'limit', '1 to 500'],
] as const;
const period: Bad = [{ startDate: 10, endDate: 9 }, 'endDate', 'at or after startDate'];
const month: Bad = [{ startDate: 0, endDate: 32 * 86_400 }, 'endDate', '31 days'];
const identifiers: readonly Bad[] = [
  [{ market: 'BTC_USDT' }, 'order_id', 'or client_order_id is required'],
  [{ market: 'BTC_USDT', order_id: 1, client_order_id: 'a' }, 'order_id', 'cannot be combined with client_order_id'],
];
const reducesAlone = (valid: object): Bad[] => [
  [{ ...valid, reduceOnly: true, stopLoss: '90' }, 'reduceOnly', 'cannot be combined'],
  [{ ...valid, reduceOnly: true, takeProfit: '110' }, 'reduceOnly', 'cannot be combined'],
];
const immediate = (valid: object): Bad[] => [
  [{ ...valid, ioc: true, postOnly: true }, 'ioc', 'cannot be combined'],
  [{ ...valid, ioc: true, rpi: true }, 'ioc', 'cannot be combined'],
];
const cancels = (count: number) => Array.from({ length: count }, () => ({ market: 'BTC_USDT', order_id: 1 }));

const permissions = { spotEnabled: true, collateralEnabled: false };
const originator = {
  ...{ type: 'individual', firstName: 'Ada', lastName: 'Example', residenceCountry: 'DEU', walletAddress: '0x1' },
  address: { country: 'DEU', city: 'Berlin', addressLine1: 'Example street 1' },
};
const verification = { uniqueId: 'u', walletType: 'hosted', originator };

/** The bounds of single endpoints, and the rules between parameters. */
const rules: Readonly<Record<string, readonly Bad[]>> = {
  'spot.placeLimitOrder': [
    ...immediate(limit),
    [order, 'price', 'or bboRole is required'],
    [{ ...limit, bboRole: 1 }, 'price', 'cannot be combined with bboRole'],
    [{ ...order, bboRole: 3 }, 'bboRole', '1, 2'],
    [{ ...order, bboRole: 1, ioc: true }, 'ioc', 'cannot be combined with bboRole 1'],
    [{ ...order, bboRole: 1, postOnly: true }, 'postOnly', 'cannot be combined with bboRole'],
    [{ ...limit, rpi: true, postOnly: true }, 'postOnly', 'cannot be combined with bboRole or rpi'],
    [{ ...limit, rpi: true, retail: true }, 'retail', 'cannot be combined with rpi'],
  ],
  'spot.placeStopLimitOrder': [
    [stopMarket, 'price', 'or bboRole is required'],
    [{ ...stopLimit, bboRole: 2 }, 'price', 'cannot be combined with bboRole'],
  ],
  'collateral.placeLimitOrder': [...immediate(limit), ...reducesAlone(limit)],
  'collateral.placeMarketOrder': [...reducesAlone(order), [limit, 'price', 'not a parameter']],
  'collateral.placeStopLimitOrder': [...reducesAlone(stopLimit)],
  'collateral.placeTriggerMarketOrder': [...reducesAlone(stopMarket)],
  'collateral.placeOcoOrder': [
    [{ ...ocoOrder, activation_price: '100' }, 'activation_price', 'above price for a buy'],
    [{ ...ocoOrder, activation_price: 99 }, 'activation_price', 'above price for a buy'],
    [{ ...ocoOrder, side: 'sell' }, 'activation_price', 'below price for a sell'],
    [{ ...ocoOrder, side: 'sell', activation_price: '100.0' }, 'activation_price', 'below price for a sell'],
  ],
  'orders.cancel': [...identifiers],
  'orders.cancelOco': [...identifiers],
  'orders.modify': [
    [{ market: 'BTC_USDT', order_id: 7 }, 'amount', 'required'],
    [{ market: 'BTC_USDT', order_id: 7, amount: '1', total: '1' }, 'total', 'amount'],
    [{ market: 'BTC_USDT', client_order_id: 'mine', price: '1' }, 'order_id', 'required'],
  ],
  'orders.setKillSwitch': [
    ...[4, 601, 7.5, '10'].map((timeout): Bad => [{ market: 'BTC_USDT', timeout }, 'timeout', '5 to 600 seconds']),
    [{ market: 'BTC_USDT', timeout: 5, types: [] }, 'types', '"spot", "margin", "futures"'],
    [{ market: 'BTC_USDT', timeout: 5, types: ['spot', 'options'] }, 'types.1', '"spot", "margin", "futures"'],
  ],
  'orders.cancelAll': [
    [{ type: 'margin' }, 'type', 'must be a list of'],
    [{ type: [] }, 'type', 'must be a list of'],
    [{ type: ['Margin'] }, 'type.0', '"spot", "margin", "futures"'],
    [{ market: 'BTC_PERP', positionSide: 'LONG' }, 'positionSide', '"both", "long", "short"'],
    [{ positionSide: 'long' }, 'positionSide', 'requires a market of futures'],
    [{ market: 'BTC_USDT', positionSide: 'long' }, 'positionSide', 'requires a market of futures'],
  ],
  'orders.cancelMany': [
    [{ orders: [] }, 'orders', '1 to 100'],
    [{ orders: cancels(101) }, 'orders', '1 to 100'],
    [{ orders: cancels(1)[0] }, 'orders', '1 to 100'],
    [{ orders: [{ market: 'BTC_USDT' }] }, 'orders.0.order_id', 'or client_order_id is required'],
    [
      { orders: [...cancels(1), { market: 'BTC_USDT', order_id: 1, client_order_id: 'a' }] },
      'orders.1.order_id',
      '1 cannot be combined with client_order_id',
    ],
    [{ orders: [{ order_id: 1 }] }, 'orders.0.market', 'required'],
    [{ orders: [{ market: 'BTC_USDT', orderId: 1 }] }, 'orders.0.orderId', 'not a parameter'],
    [{ orders: [{ market: 'BTC_USDT', order_id: '1' }] }, 'orders.0.order_id', 'integer'],
  ],
  'orders.delisted': [
    [{ status: 'canceled' }, 'status', '"filled", "delisting"'],
    [{ limit: 501 }, 'limit', '1 to 500'],
    [{ limit: 1, offset: 10_000 }, 'offset', '0 to 9999'],
    [{ offset: 9501 }, 'offset', 'at most 10000 together'],
    [{ limit: 2, offset: 9999 }, 'offset', 'at most 10000 together'],
    period,
    month,
  ],
  'orders.oco': [...page],
  'orders.open': [
    ...page,
    [{ client_order_id: 'a' }, 'market', 'together with order_id or client_order_id'],
    [{ order_id: 3 }, 'market', 'together with order_id or client_order_id'],
  ],
  'orders.history': [...upTo500, period, month, [{ status: 5 }, 'status', 'string']],
  'orders.dealsByMarket': [...upTo500, period, [{ offset: 10_001 }, 'offset', '0 to 10000']],
  'orders.deals': [[{ market: 'BTC_USDT', startDate: 10, endDate: 9 }, 'endDate', 'at or after startDate']],
  'orders.dealsOfOrder': [...page],
  'subAccounts.list': [...page, [{ search: 5 }, 'search', 'string']],
  'mining.listAccounts': [...page, [{ name: 'x'.repeat(256) }, 'name', '255'], [{ name: 1 }, 'name', 'string']],
  'account.mainBalance': [[{ ticker: 'BTC' }, 'ticker', 'not an option']],
  'collateral.positionHistory': [...page, period],
  'collateral.fundingPayments': [...page, period],
  'collateral.closedPositions': [
    ...page,
    period,
    [{ limit: 100, offset: 9901 }, 'offset', 'at most 10000'],
    [{ offset: 9951 }, 'offset', 'at most 10000'],
  ],
  'public.orderBook': [
    [{ market: 'BTC_USDT', limit: 101 }, 'limit', '0 to 100'],
    [{ market: 'BTC_USDT', level: 11 }, 'level', '0 to 10'],
  ],
  'public.recentTrades': [[{ market: 'BTC_USDT', type: 'ask' }, 'type', '"buy", "sell"']],
  'public.fundingRateHistory': [
    [{ market: 'BTC_PERP', startDate: 10, endDate: 10 }, 'endDate', 'after startDate'],
    [{ market: 'BTC_PERP', limit: 0 }, 'limit', '1 to 100'],
    [{ market: 'BTC_PERP', offset: 1_000_001 }, 'offset', '0 to 1000000'],
  ],
  'public.candles': [
    [{ market: 'BTC_USDT', interval: '2m' }, 'interval', '"1s"'],
    [{ market: 'BTC_USDT', start: 10, end: 9 }, 'end', 'before start'],
    [{ market: 'BTC_USDT', limit: 1441 }, 'limit', '1 to 1440'],
    [{ market: 'BTC_USDT', limit: 0 }, 'limit', '1 to 1440'],
  ],
  'account.transfer': [
    [{ from: 'main', to: 'main', ticker: 'USDT', amount: '1' }, 'to', 'another balance'],
    [{ from: 'main', to: 'spot', ticker: 'USDT', amount: '0.000000001' }, 'amount', 'at most 8 decimals'],
  ],
  'convert.convert': [[{ from: 'BTC', to: 'BTC', direction: 'from', amount: '1' }, 'to', 'another asset']],
  'convert.confirmQuote': [[{ quoteId: '4050a' }, 'quoteId', 'digits']],
  'subAccounts.create': [[{ alias: 'bot', permissions }, 'email', 'unless shareKyc']],
  'apiKeys.addIp': [[{ apiKeyId: 'a', ip: '203.0.113' }, 'ip', 'an IP address']],
  'collateral.borrowHistory': [[{ startTime: 10, endTime: 10 }, 'endTime', 'after startTime']],
  'mining.setPayoutDestination': [
    [{ accountName: 'rig', destination: 'external_address' }, 'address', 'paid to an address'],
    [{ accountName: 'rig', destination: 'main_balance', address: 'bc1' }, 'address', 'left out otherwise'],
  ],
  'compliance.verifyDeposit': [
    [{ ...verification, originator: { ...originator, type: 'entity' } }, 'originator', 'fullName of an entity'],
    [{ ...verification, vaspData: {} }, 'vaspData', 'hosted wallet'],
  ],
  'compliance.addressCheckHistory': [[{ network: ['TRC20'] }, 'network', 'needs asset']],
  'account.createCode': [
    [{ ticker: 'USDT', amount: '1', passphrase: 'a b' }, 'passphrase', 'spaces'],
    [{ ticker: 'USDT', amount: `0.${'0'.repeat(18)}1` }, 'amount', 'at most 18 decimals'],
    [{ ticker: 'USDT', amount: '100000000000000001' }, 'amount', 'at most 1e17'],
  ],
  'account.createFiatDeposit': [
    [{ ticker: 'UAH', provider: 'MERCURYO', amount: '5', uniqueId: 'i' }, 'customer', 'is required'],
    [{ ticker: 'USD', provider: 'VISAMASTER', amount: '5', uniqueId: 'i' }, 'customer', 'is required'],
    [{ ticker: 'UAH', provider: 'SEPA', amount: '5', uniqueId: 'i', expiresAfter: 5 }, 'expiresAfter', 'CHECKOUT only'],
  ],
  'oauth.mainBalance': [[{ access_token: 'short' }, 'access_token', 'at least 8']],
  'oauth.refreshToken': [
    [{ client_id: '', client_secret: 's', token: 't' }, 'client_id', 'empty'],
    [{ client_id: 'i', client_secret: 5, token: 't' }, 'client_secret', 'string'],
  ],
};

async function refusalOf(endpoint: Endpoint, params: unknown): Promise<RequestError> {
  const before = { sent, permits };
  const error = await failureOf(callUntyped(client, endpoint, params));
  expect({ sent, permits }).toEqual(before);
  if (error.kind !== 'request') throw error;
  expect(error.outcome).toBe('not-executed');
  return error;
}

describe('a bad request is refused before anything is sent or spent', () => {
  it.each(invalidValues)('$endpoint.name: $name $rule', async ({ endpoint, name, rule, values }) => {
    for (const value of values) {
      const error = await refusalOf(endpoint, { ...recordedOf(endpoint).params, [name]: value });
      expect(error.issues.find(({ field }) => field === name)?.message, inspect(value)).toContain(rule);
    }
  });

  const broken = Object.entries(rules).flatMap(([name, bad]) => {
    const endpoint = allEndpoints.find((one) => one.name === name);
    if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`);
    return bad.map(([params, field, rule]) => ({ endpoint, field, rule, params }));
  });
  it.each(broken)('$endpoint.name: $field $rule', async ({ endpoint, params, field, rule }) => {
    const error = await refusalOf(endpoint, params);
    expect(error.issues.find((one) => one.field === field)?.message).toContain(rule);
    expect(error.message).toContain(endpoint.name);
    expect(error.message).toContain(field);
  });

  it.each([null, 'BTC_USDT'])('%j is not an object of parameters', async (params) => {
    expect((await refusalOf(spot.placeStockMarketOrder, params)).issues).toMatchObject([{ field: 'params' }]);
  });

  it('a rule between parameters quotes the value of the parameter that it is about', async () => {
    const both = await refusalOf(collateral.placeLimitOrder, { ...limit, ioc: true, postOnly: true });
    expect(both.issues).toEqual([{ field: 'ioc', message: 'true cannot be combined with postOnly or rpi' }]);
    const neither = await refusalOf(orders.cancel, { market: 'BTC_USDT' });
    expect(neither.issues).toEqual([{ field: 'order_id', message: 'or client_order_id is required' }]);
  });

  it('several faults are named together', async () => {
    const error = await refusalOf(spot.placeStockMarketOrder, { side: 'hold', amount: 'x' });
    expect(error.issues.map(({ field }) => field)).toEqual(['market', 'side', 'amount']);
  });

  it('any text that is not a positive decimal is refused as an amount', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string().filter((text) => !/^\d+(\.\d+)?$/.test(text) || Number(text) === 0),
        async (amount) => {
          const error = await refusalOf(spot.placeStockMarketOrder, { ...order, amount });
          expect(error.issues.map(({ field }) => field)).toEqual(['amount']);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('values that JSON cannot write are named all the same', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const amount of [circular, { deep: 1n }]) await refusalOf(spot.placeStockMarketOrder, { ...order, amount });
  });
});
