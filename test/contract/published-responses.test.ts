// The schemas against responses that the exchange has published: every field of them, under the spec's names.
import * as sdk from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as vectors from './vectors.js';
import { sendRaw } from './setup.js';

const readOrder = { ...vectors.specStockMarketOrder, feeAsset: 'USDT', oto: vectors.liveOrder.oto, retail: true };

const { error: _error, ...readFees } = vectors.tradingFees;

const { clientOrderId: client_order_id, orderId: order_id, ...sameOfDeal } = vectors.deals[0];
const readDeal = { ...sameOfDeal, client_order_id, order_id };
const {
  records: [{ clientOrderId: idOfOrder, ...sameOfOrderDeal }],
  ...dealPage
} = vectors.dealsOfOrder;
const readPage = { ...dealPage, records: [{ ...sameOfOrderDeal, client_order_id: idOfOrder }] };

const { takerFee, makerFee, mtime } = vectors.ocoOrder.take_profit;
const readLeg = {
  ...{ client_order_id: 'mine', market: 'BTC_USDT', side: 'buy', timestamp: 1594605801.494, amount: '0.001' },
  ...{ deal_money: '0', deal_stock: '0', deal_fee: '0', left: '0.001', postOnly: false, status: 'OPEN', stp: 'no' },
  ...{ positionSide: 'LONG', takerFee, makerFee, mtime },
};
const readOco = {
  id: 117703764,
  client_order_id: 'mine',
  timestamp: 1594605801.494,
  reduceOnly: false,
  stop_loss: {
    ...readLeg,
    ...{ order_id: 117703763, type: 'stop limit', price: '60100', activated: 0 },
    ...{ activation_price: '60000', activationCondition: 'gte' },
  },
  take_profit: { ...readLeg, order_id: 117703764, type: 'limit', price: '50000' },
};
const { activation_price: activationPrice, activation_condition, ...sameOfStop } = vectors.ocoOrder.stop_loss;
const ocoInCamelCase = {
  id: 117703764,
  reduceOnly: false,
  stopLoss: { ...sameOfStop, activationPrice, activationCondition: activation_condition },
  takeProfit: vectors.ocoOrder.take_profit,
};

const published: readonly (readonly [name: string, endpoint: sdk.Endpoint, body: unknown, output: unknown])[] = [
  ['the stock market order, live', endpoints.spot.placeStockMarketOrder, vectors.liveOrder, readOrder],
  [
    'the stock market order of the spec',
    endpoints.spot.placeStockMarketOrder,
    vectors.specStockMarketOrder,
    vectors.specStockMarketOrder,
  ],
  ['the market order, live', endpoints.spot.placeMarketOrder, vectors.liveOrder, readOrder],
  ['the spot limit order, live', endpoints.spot.placeLimitOrder, vectors.liveOrder, readOrder],
  ['the spot stop limit order, live', endpoints.spot.placeStopLimitOrder, vectors.liveOrder, readOrder],
  ['the spot stop market order, live', endpoints.spot.placeStopMarketOrder, vectors.liveOrder, readOrder],
  ...[
    endpoints.collateral.placeMarketOrder,
    endpoints.collateral.placeStopLimitOrder,
    endpoints.collateral.placeTriggerMarketOrder,
  ].map((endpoint): (typeof published)[number] => [
    `the order of ${endpoint.name}, live`,
    endpoint,
    { ...vectors.liveCollateralLimitOrder, activation_price: '41000' },
    { ...vectors.specCollateralLimitOrder, activation_price: '41000' },
  ]),
  ['the canceled order, live', endpoints.orders.cancel, vectors.liveOrder, readOrder],
  ['the open orders, live', endpoints.orders.open, [vectors.liveOrder], [readOrder]],
  [
    'the collateral limit order, live',
    endpoints.collateral.placeLimitOrder,
    vectors.liveCollateralLimitOrder,
    vectors.specCollateralLimitOrder,
  ],
  [
    'the collateral limit order of the spec',
    endpoints.collateral.placeLimitOrder,
    vectors.specCollateralLimitOrder,
    vectors.specCollateralLimitOrder,
  ],
  ['the main balance', endpoints.account.mainBalance, vectors.mainBalance, vectors.mainBalance],
  [
    'the main balance of one asset, bare',
    endpoints.account.mainBalanceOf,
    vectors.mainBalance.BTC,
    vectors.mainBalance.BTC,
  ],
  [
    'the main balance of one asset, under its name',
    endpoints.account.mainBalanceOf,
    { BTC: vectors.mainBalance.BTC },
    { ticker: 'BTC', ...vectors.mainBalance.BTC },
  ],
  ['the trade balance', endpoints.spot.balance, vectors.tradeBalance, vectors.tradeBalance],
  [
    'the trade balance of one asset, bare',
    endpoints.spot.balanceOf,
    vectors.tradeBalance.BTC,
    vectors.tradeBalance.BTC,
  ],
  [
    'the trade balance of one asset, under its name',
    endpoints.spot.balanceOf,
    { BTC: vectors.tradeBalance.BTC },
    { ticker: 'BTC', ...vectors.tradeBalance.BTC },
  ],
  ['the collateral balance', endpoints.collateral.balance, vectors.collateralBalance, vectors.collateralBalance],
  ['the collateral balance of numbers', endpoints.collateral.balance, { USDT: 100_000 }, { USDT: '100000' }],
  ['the collateral balance of nothing', endpoints.collateral.balance, [], {}],
  [
    'the collateral balance with what is available',
    endpoints.collateral.balanceSummary,
    vectors.collateralBalanceSummary,
    vectors.collateralBalanceSummary,
  ],
  ['the collateral balance of nothing with what is available', endpoints.collateral.balanceSummary, [], []],
  ['the collateral account', endpoints.collateral.summary, vectors.collateralSummary, vectors.collateralSummary],
  ['the fees', endpoints.spot.fees, vectors.tradingFees, readFees],
  [
    'the fees with pairs of custom fees',
    endpoints.spot.fees,
    { ...vectors.tradingFees, custom_fee: { BTC_USDT: ['0.05', '0.02'] } },
    readFees,
  ],
  [
    'the fees without custom fees',
    endpoints.spot.fees,
    { ...vectors.tradingFees, custom_fee: [] },
    { ...readFees, custom_fee: {} },
  ],
  ['the deals of a market', endpoints.orders.deals, vectors.deals, [readDeal]],
  [
    'the deals of all markets',
    endpoints.orders.dealsByMarket,
    vectors.dealsByMarket,
    { BTC_USDT: [readDeal], ETH_USDT: [{ ...readDeal, id: 160_305_484 }] },
  ],
  [
    'the deals of all markets with texts as numbers',
    endpoints.orders.dealsByMarket,
    {
      BTC_USDT: [{ ...vectors.deals[0], id: '160305483', time: '1594667731.724403', role: '2', orderId: '3135554375' }],
    },
    { BTC_USDT: [readDeal] },
  ],
  ['no deals of any market, as a list', endpoints.orders.dealsByMarket, [], {}],
  ['no deals of any market', endpoints.orders.dealsByMarket, {}, {}],
  ['the deals of an order', endpoints.orders.dealsOfOrder, vectors.dealsOfOrder, readPage],
  [
    'the deals of an order, bare',
    endpoints.orders.dealsOfOrder,
    vectors.dealsOfOrder.records,
    { records: readPage.records },
  ],
  [
    'the deals of an order that has none',
    endpoints.orders.dealsOfOrder,
    { records: [], offset: 0, limit: 50 },
    { records: [], offset: 0, limit: 50 },
  ],
  ['the open positions', endpoints.collateral.openPositions, vectors.openPositions, vectors.openPositions],
  [
    'an open position that nothing closes, with an empty state',
    endpoints.collateral.openPositions,
    [
      {
        positionId: 2,
        market: 'BTC_PERP',
        amount: '1',
        liquidationPrice: null,
        liquidationState: '',
        tpsl: null,
        leverage: '10',
      },
    ],
    [{ positionId: 2, market: 'BTC_PERP', amount: '1', liquidationState: '', leverage: '10' }],
  ],
  ['no open positions', endpoints.collateral.openPositions, [], []],
  ['the hedge mode', endpoints.collateral.hedgeMode, vectors.hedgeMode, vectors.hedgeMode],
  ['the OCO order', endpoints.collateral.placeOcoOrder, vectors.ocoOrder, readOco],
  ['the OCO order in camel case', endpoints.collateral.placeOcoOrder, ocoInCamelCase, readOco],
  ['the OCO orders', endpoints.orders.oco, [vectors.ocoOrder], [readOco]],
  ['no OCO orders', endpoints.orders.oco, [], []],
  ['the canceled OCO order', endpoints.orders.cancelOco, vectors.ocoOrder, readOco],
  [
    'the OCO order among the conditional orders',
    endpoints.orders.conditional,
    { records: [{ ...ocoInCamelCase, type: 'oco' }] },
    {
      records: [
        { id: 117703764, reduceOnly: false, type: 'oco', stopLoss: readOco.stop_loss, takeProfit: readOco.take_profit },
      ],
    },
  ],
  ['the canceled orders', endpoints.orders.cancelAll, [], []],
  ['the canceled conditional order', endpoints.orders.cancelConditional, [], []],
  ['the canceled OTO order', endpoints.orders.cancelOto, [], []],
  [
    'the results of several cancels',
    endpoints.orders.cancelMany,
    vectors.canceledOrders,
    [
      { result: 'canceled', order_id: 4180284841, client_order_id: 'mine', market: 'BTC_USDT' },
      { result: 'not-found', ...vectors.canceledOrders[1].error },
    ],
  ],
  ['the kill switches', endpoints.orders.killSwitches, vectors.killSwitches, vectors.killSwitches],
  [
    'the kill switches of all kinds',
    endpoints.orders.killSwitches,
    [{ market: 'A_B', types: null }],
    [{ market: 'A_B' }],
  ],
  ['no kill switches', endpoints.orders.killSwitches, [], []],
  [
    'the orders of delisted markets',
    endpoints.orders.delisted,
    vectors.delistedOrders,
    vectors.delistedOrders.map(({ id, clientOrderId, dealStock, dealMoney, ...same }) => ({
      ...same,
      ...{ order_id: id, client_order_id: clientOrderId, deal_stock: dealStock, deal_money: dealMoney },
    })),
  ],
  ['the hedge mode after a change', endpoints.collateral.setHedgeMode, vectors.hedgeMode, vectors.hedgeMode],
  ['the hedge mode after a change, without a response', endpoints.collateral.setHedgeMode, [], {}],
  ['the history of positions', endpoints.collateral.positionHistory, vectors.positionHistory, vectors.positionHistory],
  [
    'a change of a position that realized nothing',
    endpoints.collateral.positionHistory,
    [{ positionId: 2, market: 'BTC_USDT', amount: '1', orderDetail: { id: 3, fundingFee: null, realizedPnl: null } }],
    [{ positionId: 2, market: 'BTC_USDT', amount: '1', orderDetail: { id: 3 } }],
  ],
  ['no history of positions', endpoints.collateral.positionHistory, [], []],
  ['the closed positions', endpoints.collateral.closedPositions, vectors.closedPositions, vectors.closedPositions],
  ['no closed positions', endpoints.collateral.closedPositions, [], []],
  ['the funding payments', endpoints.collateral.fundingPayments, vectors.fundingPayments, vectors.fundingPayments],
  [
    'no funding payments',
    endpoints.collateral.fundingPayments,
    { records: [], limit: 100, offset: 0 },
    { records: [], limit: 100, offset: 0 },
  ],
  ['no funding payments, as a bare list', endpoints.collateral.fundingPayments, [], { records: [] }],
  ['no funding payments, as null', endpoints.collateral.fundingPayments, { records: null }, { records: [] }],
  [
    'the ranks of positions',
    endpoints.collateral.adlQuantiles,
    vectors.adlQuantiles,
    [{ market: 'BTC_PERP', short: 4 }],
  ],
  ['no ranks of positions', endpoints.collateral.adlQuantiles, [], []],
  ...[[], {}, null, true, 0, '', 'done', [7]].map(
    (body) =>
      [
        `the closing of a position, answered by ${JSON.stringify(body)}`,
        endpoints.collateral.closePosition,
        body,
        {},
      ] as const,
  ),
  [
    'the closing of a position, answered by an object',
    endpoints.collateral.closePosition,
    { orderId: 7, status: 'FILLED' },
    { orderId: 7, status: 'FILLED' },
  ],
  ['the markets', endpoints.public.markets, vectors.markets, vectors.markets],
  ['the mining accounts', endpoints.mining.listAccounts, vectors.miningAccounts, vectors.miningAccounts],
  ['the sub-accounts', endpoints.subAccounts.list, vectors.subAccountList, vectors.subAccountList],
  ['the refreshed token', endpoints.oauth.refreshToken, vectors.oauthRefreshToken, vectors.oauthRefreshToken],
  ['the leverage', endpoints.collateral.setLeverage, vectors.leverage, vectors.leverage],
  ['the ping', endpoints.public.ping, vectors.ping, vectors.ping],
  ['the server time', endpoints.public.serverTime, vectors.serverTime, vectors.serverTime],
  [
    'the platform status',
    endpoints.public.platformStatus,
    { status: 'system operational' },
    { status: 'system operational' },
  ],
  ['the tickers', endpoints.public.tickers, vectors.ticker, vectors.ticker],
  ['the assets', endpoints.public.assets, vectors.assets, vectors.assets],
  ['the order book', endpoints.public.orderBook, vectors.orderBook, vectors.orderBook],
  ['the depth', endpoints.public.marketDepth, vectors.orderBook, vectors.orderBook],
  ['the trades', endpoints.public.recentTrades, vectors.publicTrades, vectors.publicTrades],
  [
    'the collateral markets',
    endpoints.public.collateralMarkets,
    vectors.collateralMarkets.result,
    ['BTC_USDT', 'ETH_USDT'],
  ],
  ['the funding rates', endpoints.public.fundingRateHistory, vectors.fundingHistory, vectors.fundingHistory],
  ['the mining pool', endpoints.public.miningPool, vectors.miningPool, vectors.miningPool],
];

describe('published responses', () => {
  it.each(published)('%s is read whole, under the spec’s names', (_name, endpoint, body, output) => {
    expect(v.parse(endpoint.response, body)).toEqual(output);
  });

  it('the order history is read under the spec’s names, with the market in each order', () => {
    const { id, ctime, clientOrderId, dealFee, dealStock, dealMoney, ...same } =
      vectors.liveOrderHistory.BTC_USDT[0] ?? {};
    const order = { ...same, market: 'BTC_USDT', order_id: id, timestamp: ctime, client_order_id: clientOrderId };
    expect(v.parse(endpoints.orders.history.response, vectors.liveOrderHistory)).toEqual({
      BTC_USDT: [{ ...order, deal_fee: dealFee, deal_stock: dealStock, deal_money: dealMoney }],
    });
    expect(v.parse(endpoints.orders.history.response, [])).toEqual({});
  });

  it('the sandbox responds with the live names that were published, and no others but those of its own case', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const { body } = await sendRaw({ sandbox }, '/api/v4/order/stock_market', {
      market: 'BTC_USDT',
      side: 'buy',
      amount: '0.01',
    });
    expect(Object.keys(vectors.liveOrder)).toEqual(expect.arrayContaining(Object.keys(body as object)));
    const { body: history } = await sendRaw({ sandbox }, '/api/v4/trade-account/order/history', {});
    const [record] = (history as Record<string, object[]>)['BTC_USDT'] ?? [];
    const names = [...Object.keys(vectors.liveOrderHistory.BTC_USDT[0] ?? {}), 'stp'];
    expect(names).toEqual(expect.arrayContaining(Object.keys(record ?? {})));
  });

  it('a response without status, stp, ioc and postOnly, with fields unknown to us, is read and kept whole', async () => {
    const old = {
      orderId: 1,
      clientOrderId: '',
      market: 'BTC_USDT',
      side: 'buy',
      type: 'stock market',
      timestamp: 1595792396,
      dealMoney: '10',
      dealStock: '1',
      amount: '1',
      left: '0',
      dealFee: '0.01',
      takerFee: '0.001',
      makerFee: '0.001',
    };
    const fetch = () => Promise.resolve(new Response(JSON.stringify(old)));
    const now = () => old.timestamp * 1000;
    const exchange = sdk.createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'k', apiSecret: 's' },
      fetch,
      now,
    });
    const order = await firstValueFrom(
      exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '1' }),
    );
    expect(order).toMatchObject({ order_id: 1, takerFee: '0.001' });
    expect([sdk.isFilled(order), sdk.isOpen(order), sdk.isCanceled(order)]).toEqual([true, false, false]);
  });

  it('a status, a side or a type that is new passes as the string it is', () => {
    const order = v.parse(endpoints.spot.placeStockMarketOrder.response, {
      ...vectors.liveOrder,
      status: 'EXPIRED',
      type: 'iceberg',
    });
    expect(order).toMatchObject({ status: 'EXPIRED', type: 'iceberg' });
  });
});
