// The sandbox serves the published interface: it has a route of every endpoint, and its responses have the published shapes.
import { createExchange, type Fetch } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/sandbox/http/index.js';
import { rawAnswer, read, sendRaw, setup } from '../contract/setup.js';
import { allEndpoints } from '../support/endpoints.js';
import { orderKinds } from '../support/order-kinds.js';
import { differencesOf, publishedDescription, type Published } from '../support/published-shape.js';

const perpetuals = [
  { name: 'BTC_USDT', price: '60000' },
  { name: 'BTC_PERP', price: '60006', stockPrec: 3 },
  { name: 'PEPE_PERP', price: '0.00001', moneyPrec: 8, stockPrec: -6, minAmount: '1000000' },
];

const publicEndpoints = publishedDescription.filter(({ path }) => path.includes('/public/'));

/** Published after the description was made: `mark_price`, and the steps of markets. */
const newer = [/\.mark_price is not published$/, /\.(tickSize|stepSize) is not published$/];

const queryOf = ({ path, params }: Published) => {
  if (path === '/api/v1/public/kline') return '?market=BTC_PERP&interval=1m';
  return params.some(({ name, in: where }) => name === 'market' && where === 'query') ? '?market=BTC_PERP' : '';
};
const pathOf = (endpoint: Published) => endpoint.path.replace('{market}', 'BTC_PERP') + queryOf(endpoint);

describe('every public endpoint', () => {
  const sandbox = createSandbox({ clock: 'manual', markets: perpetuals, tickMs: 10_000 });
  sandbox.clock.advance(9 * 3_600_000);

  it.each(publicEndpoints)('$path responds with the published status and shape', async (endpoint) => {
    const { status, body } = await rawAnswer(await sandbox.fetch(sandbox.baseUrl + pathOf(endpoint)));
    expect(String(status)).toBe(endpoint.statuses?.[0]);
    const differences = differencesOf(body, endpoint.response ?? {});
    expect(differences.filter((one) => !newer.some((known) => known.test(one)))).toEqual([]);
    expect(JSON.stringify(body).length).toBeGreaterThan(5);
  });

  it('gets 503 from the gateway during a maintenance, which the platform status shows', async () => {
    const sandbox = createSandbox({ history: 0 });
    const read = async (path: string) => rawAnswer(await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/${path}`));
    expect(await read('platform/status')).toEqual({ status: 200, body: { status: 'system operational' } });
    sandbox.setMaintenance(true);
    sandbox.fault({ kind: 'reset' });
    expect(await read('ticker')).toMatchObject({ status: 503, body: expect.stringContaining('<html>') as string });
    expect(sandbox.pendingFaults()).toHaveLength(1);
    sandbox.setMaintenance(false);
    await expect(read('ticker')).rejects.toThrow('fetch failed');
    expect(await read('platform/status')).toMatchObject({ body: { status: 'system operational' } });
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual([200, 503, undefined, 200]);
  });
});

/** Recorded, and not published: the status of an open order, and the asset of the fee on collateral. */
const recorded = [/^response\.status is "OPEN"$/, /^response\.feeAsset is not published$/];

it.each(orderKinds)('$path responds to $name with the published status and shape', async ({ path, ...kind }) => {
  const sandbox = createSandbox({ volatility: 0 });
  let placed: unknown;
  const fetch: Fetch = async (...request) => {
    const response = await sandbox.fetch(...request);
    placed ??= await response.clone().json();
    return response;
  };
  await firstValueFrom(kind.place(createExchange({ ...sandbox.clientOptions(), fetch }), { amount: kind.amount }));
  const described = publishedDescription.find((endpoint) => endpoint.path === path);
  const differences = differencesOf(placed, described?.response ?? {});
  expect(differences.filter((one) => !recorded.some((known) => known.test(one)))).toEqual([]);
});

describe('an invalid public request', () => {
  const read = async (path: string) => {
    const { fetch, baseUrl } = createSandbox({ markets: perpetuals });
    return rawAnswer(await fetch(baseUrl + path));
  };
  const market = ['Market is not available.'];

  it.each([
    ['/api/v4/public/orderbook/NO_ONE', { market }],
    ['/api/v4/public/orderbook/constructor', { market }],
    ['/api/v4/public/orderbook/BTC_USDT?limit=101', { limit: ['The limit may not be greater than 100.'] }],
    ['/api/v4/public/orderbook/BTC_USDT?limit=-1', { limit: ['The limit must be at least 0.'] }],
    ['/api/v4/public/orderbook/BTC_USDT?limit=ten', { limit: ['The limit must be an integer.'] }],
    ['/api/v4/public/orderbook/depth/NO_ONE', { market }],
    ['/api/v4/public/trades/NO_ONE', { market }],
    ['/api/v4/public/trades/BTC_USDT?type=both', { type: ['The selected type is invalid.'] }],
    ['/api/v4/public/funding-history/NO_ONE', { market }],
    ['/api/v4/public/funding-history/BTC_USDT', { market }],
    ['/api/v4/public/funding-history/BTC_PERP?limit=0', { limit: 'The limit must be at least 1.' }],
    [
      '/api/v4/public/funding-history/BTC_PERP?startDate=9&endDate=9',
      { endDate: 'The endDate must be after startDate.' },
    ],
  ])('%s: 422 with the errors by field, without code and message', async (path, body) => {
    expect(await read(path)).toEqual({ status: 422, body });
  });

  it.each([
    ['', { market: ['The market field is required.'] }],
    ['?market=NO_ONE', { market }],
    ['?market=BTC_USDT&interval=2m', { interval: ['The selected interval is invalid.'] }],
    ['?market=BTC_USDT&limit=1441', { limit: ['The limit may not be greater than 1440.'] }],
  ])('candles%s: 200 with the errors as the message', async (query, message) => {
    const body = { success: false, message, result: [] };
    expect(await read(`/api/v1/public/kline${query}`)).toEqual({ status: 200, body });
  });
});

it('the ticker of a market has the statistics of 24 hours and the best offers; that of an unknown one is an error with status 200', async () => {
  const sandbox = createSandbox({ clock: 'manual', volatility: 0 });
  sandbox.clock.advance(60_000);
  sandbox.market('BTC_USDT').setPrice('61200');
  const ticker = (market: string) => read(sandbox, `/api/v1/public/ticker?market=${market}`);
  const result = {
    ...{ bid: '61184.7', ask: '61215.3', open: '60000', high: '61200', low: '60000', last: '61200' },
    ...{ volume: '0.0002', deal: '12.12', change: '2' },
  };
  expect(await ticker('BTC_USDT')).toEqual({ success: true, message: null, result });
  const message = { market: ['Market is not available.'] };
  expect(await ticker('NO_ONE')).toEqual({ success: false, message, result: null });
});

it('the path of a market meets faults of its own path and of the path of every market', async () => {
  const sandbox = createSandbox();
  const trades = async (market: string) =>
    (await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/trades/${market}`)).status;
  sandbox.fault({ kind: 'status', path: '/api/v4/public/trades/{market}', status: 502 });
  sandbox.fault({ kind: 'status', path: '/api/v4/public/trades/ETH_USDT', status: 504 });
  expect([await trades('BTC_USDT'), await trades('BTC_USDT'), await trades('ETH_USDT')]).toEqual([502, 200, 504]);
  const asked = sandbox.ledger.requests.map(({ path }) => path.split('/').at(-1));
  expect(asked).toEqual(['BTC_USDT', 'BTC_USDT', 'ETH_USDT']);
  const unknown = '/api/v4/public/trades/BTC_USDT/all';
  expect(() => {
    sandbox.fault({ kind: 'reset', path: unknown });
  }).toThrow(`no route ${unknown}`);
});

const market = 'BTC_USDT';
const perpetual = 'BTC_PERP';
const oco = { market, side: 'buy', amount: '0.01', price: '50000', activation_price: '70000' } as const;
const ofOco = { ...oco, stop_limit_price: '70100' };
const mine = { market, clientOrderId: 'mine' };

const ofPlan = (end: string) => ({ planId: `7b4a1c0e-6f0e-4f0b-9d1e-0000000000${end}` });

/** An account with investments, orders, positions, an OCO order, a kill switch and a funding payment, at no whole second. */
async function world() {
  const markets = [market, perpetual].map((name) => ({ name, price: '60000' }));
  const { sandbox, exchange } = setup({ clock: 'manual', markets, tickMs: 60_000 });
  const { collateral, lending, orders, spot } = exchange;
  await firstValueFrom(spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' }));
  const taking = { side: 'buy', amount: '0.1', price: '61000', ioc: true } as const;
  await firstValueFrom(collateral.placeLimitOrder({ market, ...taking, stopLoss: '50000' }));
  await firstValueFrom(collateral.placeLimitOrder({ market: perpetual, ...taking }));
  await firstValueFrom(lending.investFixed({ ...ofPlan('11'), amount: '10' }));
  await firstValueFrom(lending.investFlex({ plan: ofPlan('03').planId, amount: '100' }));
  sandbox.account().connectWorker('my_miner_01', 'a', '100');
  sandbox.clock.advance((7 * 24 + 8) * 3_600_000 + 500.25);
  await firstValueFrom(
    collateral.placeLimitOrder({ market: perpetual, ...taking, side: 'sell', amount: '0.2', price: '59000' }),
  );
  const bid = { market, side: 'buy', amount: '0.01', price: '50000' } as const;
  await firstValueFrom(collateral.placeLimitOrder({ ...bid, client_order_id: 'mine' }));
  await firstValueFrom(collateral.placeOcoOrder({ ...ofOco, client_order_id: 'oco' }));
  await firstValueFrom(orders.setKillSwitch({ market, timeout: 60, types: ['margin'] }));
  return { sandbox };
}

/** Not published, but seen: the ratio, the spelling of an identifier, and the status of an order that rests. */
const seen = /\.(maintenanceMarginFraction|transactionId) is not published$|is "OPEN"$/;

it.each([
  ['collateral-account/positions/open', {}],
  ['collateral-account/positions/history', {}],
  ['collateral-account/positions/closed-pnl', {}],
  ['collateral-account/funding-history', { market: perpetual }],
  ['collateral-account/adl-quantile', {}],
  ['collateral-account/hedge-mode', {}],
  ['collateral-account/balance-summary', {}],
  ['collateral-account/summary', {}],
  ['main-account/smart/plans', {}],
  ['main-account/smart/investments', {}],
  ['main-account/smart/interest-payment-history', {}],
  ['main-account/smart-flex/plans', {}],
  ['main-account/smart-flex/investments', {}],
  ['main-account/smart-flex/investments/history', {}],
  ['main-account/smart-flex/investments/payment-history', {}],
  ['mining/rewards', {}],
  ['mining/hashrate', { account: 'my_miner_01', interval: '24h' }],
  ['mining/miners/info', { account: 'my_miner_01' }],
  ['mining/workers/names', { account: 'my_miner_01' }],
  ['mining/workers/hashrate', { account: 'my_miner_01', worker: 'a' }],
  ['mining/accounts/create', { name: 'rig' }],
  ['mining/accounts', {}],
  ['trade-account/balance', {}],
  ['trade-account/balance', { ticker: 'BTC' }],
  ['trade-account/executed-history', { market }],
  ['trade-account/executed-history', {}],
  ['trade-account/order', { orderId: 4_180_000_000 }],
  ['trade-account/order/history/query', {}],
  ['market/fee', {}],
  ['order/cancel/all', {}],
  ['order/cancel/bulk', { orders: [mine, { market, orderId: 1 }] }],
  ['order/kill-switch/status', {}],
  ['order/collateral/oco', { ...ofOco, clientOrderId: 'another' }],
  ['order/oco-cancel', { market, clientOrderId: 'oco' }],
  ['oco-orders', {}],
  ['conditional-orders', {}],
])('the sandbox responds to %s with %j in the published shape', async (end, fields) => {
  const one = await world();
  const path = `/api/v4/${end}`;
  if (end.endsWith('query')) one.sandbox.market(market).delist();
  const { status, body } = await sendRaw(one, path, fields);
  const published = publishedDescription.find((endpoint) => endpoint.path === path);
  const isBare = end === 'trade-account/balance' && 'ticker' in fields;
  const differences = differencesOf(isBare ? { BTC: body } : body, published?.response ?? {});
  expect([status, differences.filter((difference) => !seen.test(difference))]).toEqual([200, []]);
  // All orders are canceled without a word.
  if (end !== 'order/cancel/all') expect(JSON.stringify(body).length).toBeGreaterThan(5);
});

const users = 'The sandbox has no page on which users authorize applications: `oauthClient` has a refresh token.';

/** By the beginning of a path: why the sandbox has no route. A bot adds its own with `sandbox.route`. */
const without: Readonly<Record<string, string>> = {
  '/api/v4/credit-line/': 'Neither how a loan is made nor how its loan to value is computed is published.',
  '/api/v4/collateral-account/borrow-history': 'The sandbox lends nothing.',
  '/api/v4/aml/': 'A paid service outside of the exchange.',
  '/api/v4/travel-rule/': 'The sandbox has no other providers of wallets.',
  '/oauth2/token': users,
  '/oauth2/api-key/': users,
};

const reasonOf = (path: string) => Object.keys(without).find((start) => path.startsWith(start));
const served = new Map(routes.map((route) => [route.path, route]));

it('every endpoint has a route, or one of the reasons', () => {
  const reasons = allEndpoints.flatMap(({ name, path }) => (served.has(path) ? [] : [reasonOf(path) ?? name]));
  expect(new Set(reasons)).toEqual(new Set(Object.keys(without)));
});

it('every route has the method of its endpoint, and checks the signature where the endpoint is signed', () => {
  const wrong = allEndpoints.filter(({ path, method, authentication }) => {
    const route = served.get(path);
    const isSigned = route?.authentication === 'signed';
    return route !== undefined && (route.method !== method || isSigned !== (authentication === 'signed'));
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
