// The schemas against responses that the exchange has published: every field of them, under the spec's names.
import type * as sdk from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { createSandbox } from 'exchange-rx/sandbox';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { emptyResponse } from '../../src/endpoints/responses.js';
import { isRecord } from '../../src/model/map.js';
import { allEndpoints } from '../support/endpoints.js';
import { recordedOf } from '../support/recorded.js';
import * as vectors from './vectors.js';
import { sendRaw } from './setup.js';

const { account, apiKeys, collateral, mining, orders, public: market, spot, subAccounts } = endpoints;

type Fields = Readonly<Record<string, unknown>>;

const specNames: Readonly<Record<string, string>> = {
  ...{ orderId: 'order_id', clientOrderId: 'client_order_id', ctime: 'timestamp', post_only: 'postOnly' },
  ...{ dealMoney: 'deal_money', dealStock: 'deal_stock', dealFee: 'deal_fee' },
  activation_condition: 'activationCondition',
};

/** A response with the spec's names, and without its nulls. */
function inSpec(value: unknown, names = specNames): unknown {
  if (Array.isArray(value)) return value.map((item) => inSpec(item, names));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [names[name] ?? name, inSpec(field, names)]));
}

function bodyOf(endpoint: sdk.Endpoint): unknown {
  const { response } = recordedOf(endpoint);
  return endpoint.envelope === true && isRecord(response) ? (response['result'] ?? response) : response;
}

const recordedOco = bodyOf(orders.cancelOco) as Readonly<Record<string, object>>;
const readOco = { ...(inSpec(recordedOco) as object), client_order_id: 'mine', timestamp: 1594605801.494 };
const placedOco = bodyOf(collateral.placeOcoOrder);
const notFound = { code: 404, message: 'Inner validation failed' };
const orderNumber = { ...specNames, id: 'order_id' };

/** The outputs that are more than the response under other names. Candles have a test of their own. */
const outputs: Fields = {
  'account.codeHistory': JSON.parse(JSON.stringify(bodyOf(account.codeHistory)).replace('"+', '"')) as unknown,
  'apiKeys.list': JSON.parse(JSON.stringify(bodyOf(apiKeys.list)).replace('"type":"1"', '"type":1')) as unknown,
  'compliance.listVasps': [{ vaspId: 'did:ethr:0x1', name: 'Example Exchange' }],
  'mining.workerNames': { workers: ['s19-1', 's19-2'], limit: 100, offset: 0 },
  'subAccounts.balances': { USDT: { main: '42', spot: '10', collateral: '14' } },
  'oauth.orders': {
    BTC_USDT: [{ ...(inSpec(vectors.liveOrderHistory.BTC_USDT[0], orderNumber) as object), market: 'BTC_USDT' }],
  },
  'collateral.closePosition': { orderId: 7 },
  'collateral.placeOcoOrder': {
    ...(inSpec(placedOco) as object),
    client_order_id: 'mine-1',
    timestamp: 1795470770.543001,
  },
  'orders.cancelMany': [
    { result: 'canceled', order_id: 4180284841, client_order_id: 'mine', market: 'BTC_USDT' },
    { result: 'not-found', ...notFound, errors: { orderId: ['Unexecuted order was not found.'] } },
  ],
  'orders.cancelOco': readOco,
  'orders.delisted': inSpec(bodyOf(orders.delisted), orderNumber),
  'orders.history': {
    BTC_USDT: [{ ...(inSpec(vectors.liveOrderHistory.BTC_USDT[0], orderNumber) as object), market: 'BTC_USDT' }],
  },
  'orders.oco': [readOco],
  'public.platformStatus': { status: 'system operational' },
};

const readOrder = inSpec(vectors.liveOrder) as object;
const { oto: _oto, feeAsset: _feeAsset, retail: _retail, ...specOrder } = readOrder as Fields;
const readDeal = inSpec(vectors.deal);
const { error: _error, ...readFees } = vectors.tradingFees;
const { stop_loss: stop, take_profit: takeProfit, ...sameOfOco } = recordedOco;
const { activation_price: activationPrice, activation_condition: activationCondition, ...sameOfStop } = stop as Fields;
const stopLoss = { ...sameOfStop, activationPrice, activationCondition };
const ocoInCamelCase = { ...sameOfOco, stopLoss, takeProfit };
const { stop_loss, take_profit } = readOco as Fields;
const change = { positionId: 2, market: 'BTC_USDT', amount: '1' };
const balance = { main: '42', spot: '10', collateral: '14' };
const transferred = { transactionId: 't', direction: 'main_to_sub', currency: 'USDT', amount: '5', createdAt: 1 };
const apiKey = { id: 'k', title: 'bot' };
const code = { code: 'WBc0de', ticker: 'USDT', date: 1 };

/** Other responses that were published or seen. */
const others: readonly (readonly [endpoint: sdk.Endpoint, body: unknown, output: unknown])[] = [
  ...[
    ...[spot.placeStockMarketOrder, spot.placeMarketOrder, spot.placeLimitOrder, spot.placeStopLimitOrder],
    ...[spot.placeStopMarketOrder, collateral.placeMarketOrder, collateral.placeStopLimitOrder],
    ...[collateral.placeTriggerMarketOrder, collateral.placeLimitOrder, orders.cancel],
  ].map((endpoint) => [endpoint, vectors.liveOrder, readOrder] as const),
  [spot.placeStockMarketOrder, specOrder, specOrder],
  [collateral.placeLimitOrder, specOrder, specOrder],
  [account.mainBalanceOf, { BTC: { main_balance: '0' } }, { ticker: 'BTC', main_balance: '0' }],
  [spot.balanceOf, { BTC: { available: '1', freeze: '0' } }, { ticker: 'BTC', available: '1', freeze: '0' }],
  [collateral.balance, { USDT: 100_000 }, { USDT: '100000' }],
  [collateral.balance, [], {}],
  [collateral.balanceSummary, [], []],
  [spot.fees, { ...vectors.tradingFees, custom_fee: { BTC_USDT: ['0.05', '0.02'] } }, readFees],
  [spot.fees, { ...vectors.tradingFees, custom_fee: [] }, { ...readFees, custom_fee: {} }],
  [
    orders.dealsByMarket,
    { BTC_USDT: [{ ...vectors.deal, id: '160305483', time: '1594667731.724403', role: '2', orderId: '3135554375' }] },
    { BTC_USDT: [readDeal] },
  ],
  [orders.dealsByMarket, [], {}],
  [orders.dealsByMarket, {}, {}],
  [orders.dealsOfOrder, [vectors.deal], { records: [readDeal] }],
  [orders.dealsOfOrder, { records: [], offset: 0, limit: 50 }, { records: [], offset: 0, limit: 50 }],
  [
    collateral.openPositions,
    [{ ...change, liquidationPrice: null, liquidationState: '', tpsl: null, leverage: '10' }],
    [{ ...change, liquidationState: '', leverage: '10' }],
  ],
  [collateral.openPositions, [], []],
  [collateral.placeOcoOrder, recordedOco, readOco],
  [collateral.placeOcoOrder, ocoInCamelCase, readOco],
  [orders.oco, [], []],
  [
    orders.conditional,
    { records: [{ ...ocoInCamelCase, type: 'oco' }] },
    { records: [{ id: 117703764, reduceOnly: false, type: 'oco', stopLoss: stop_loss, takeProfit: take_profit }] },
  ],
  [orders.killSwitches, [{ market: 'A_B', types: null }], [{ market: 'A_B' }]],
  [orders.killSwitches, [], []],
  [orders.history, [], {}],
  [collateral.setHedgeMode, [], {}],
  [
    collateral.positionHistory,
    [{ ...change, orderDetail: { id: 3, fundingFee: null, realizedPnl: null } }],
    [{ ...change, orderDetail: { id: 3 } }],
  ],
  [collateral.positionHistory, [], []],
  [collateral.closedPositions, [], []],
  [collateral.fundingPayments, { records: [], limit: 100, offset: 0 }, { records: [], limit: 100, offset: 0 }],
  [collateral.fundingPayments, [], { records: [] }],
  [collateral.fundingPayments, { records: null }, { records: [] }],
  [collateral.adlQuantiles, [], []],
  ...[[], {}, null, true, 0, '', 'done', [7]].map((body) => [collateral.closePosition, body, {}] as const),
  [collateral.closePosition, { orderId: 7, status: 'FILLED' }, { orderId: 7, status: 'FILLED' }],
  [subAccounts.balances, { USDT: balance }, { USDT: balance }],
  [subAccounts.transferHistory, [transferred], { data: [transferred] }],
  [subAccounts.transfer, [], {}],
  [subAccounts.transfer, { transaction_id: 't' }, { transactionId: 't' }],
  [apiKeys.list, [apiKey], { data: [apiKey] }],
  [mining.workerNames, { workers: ['a'] }, { workers: ['a'] }],
  [account.codeHistory, { data: [{ ...code, amount: '+5' }] }, { data: [{ ...code, amount: '5' }] }],
  [account.codeHistory, { data: [{ ...code, amount: -5 }] }, { data: [{ ...code, amount: '-5' }] }],
];

/** The body under the spec's names, without the wrapping that an output may lack. */
function wholeOf({ response }: sdk.Endpoint, body: unknown, output: unknown): unknown {
  if (response === emptyResponse) return [];
  const isWrapped = isRecord(body) && Object.keys(body).join() === 'data' && !(isRecord(output) && 'data' in output);
  return inSpec(isWrapped ? body['data'] : body);
}

describe('a published response', () => {
  it.each(allEndpoints.filter((endpoint) => endpoint !== market.candles))(
    'of $name is read whole, under the spec’s names',
    (endpoint) => {
      const body = bodyOf(endpoint);
      const output = v.parse(endpoint.response, body);
      expect(output).toEqual(outputs[endpoint.name] ?? wholeOf(endpoint, body, output));
    },
  );

  it.each(others.map(([endpoint, body, output]) => ({ name: endpoint.name, endpoint, body, output })))(
    'of $name is read whole in another form: $body',
    ({ endpoint, body, output }) => {
      expect(v.parse(endpoint.response, body)).toEqual(output);
    },
  );

  it('has the names of the sandbox, except those of its own case', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' };
    const { body } = await sendRaw({ sandbox }, '/api/v4/order/stock_market', order);
    expect(Object.keys(vectors.liveOrder)).toEqual(expect.arrayContaining(Object.keys(body as object)));
    const { body: history } = await sendRaw({ sandbox }, '/api/v4/trade-account/order/history', {});
    const [record] = (history as Record<string, object[]>)['BTC_USDT'] ?? [];
    const names = [...Object.keys(vectors.liveOrderHistory.BTC_USDT[0] ?? {}), 'stp'];
    expect(names).toEqual(expect.arrayContaining(Object.keys(record ?? {})));
  });
});
