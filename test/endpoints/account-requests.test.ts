// The reads of an account, cancels and OCO orders: their requests byte by byte.
import { createExchange, createScheduler, type Exchange } from 'exchange-rx';
import { firstValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import * as vectors from '../contract/vectors.js';

type Row = readonly [
  method: string,
  path: string,
  fields: string,
  response: unknown,
  call: (exchange: Exchange) => Observable<unknown>,
];

const nowMs = 1_795_000_000_000;

const rows: readonly Row[] = [
  ['spot.balance', '/api/v4/trade-account/balance', '', vectors.tradeBalance, (exchange) => exchange.spot.balance()],
  [
    'spot.balanceOf',
    '/api/v4/trade-account/balance',
    '"ticker":"BTC",',
    vectors.tradeBalance.BTC,
    (exchange) => exchange.spot.balanceOf({ ticker: 'BTC' }),
  ],
  [
    'account.mainBalanceOf',
    '/api/v4/main-account/balance',
    '"ticker":"BTC",',
    vectors.mainBalance.BTC,
    (exchange) => exchange.account.mainBalanceOf({ ticker: 'BTC' }),
  ],
  ...(['balance', 'balanceSummary'] as const).flatMap((method): Row[] => {
    const path = `/api/v4/collateral-account/${method === 'balance' ? 'balance' : 'balance-summary'}`;
    return [
      [`collateral.${method}`, path, '', [], (exchange) => exchange.collateral[method]()],
      [
        `collateral.${method} of one asset`,
        path,
        '"ticker":"BTC",',
        [],
        (exchange) => exchange.collateral[method]({ ticker: 'BTC' }),
      ],
    ];
  }),
  [
    'collateral.summary',
    '/api/v4/collateral-account/summary',
    '',
    vectors.collateralSummary,
    (exchange) => exchange.collateral.summary(),
  ],
  ['spot.fees', '/api/v4/market/fee', '', vectors.tradingFees, (exchange) => exchange.spot.fees()],
  [
    'orders.deals',
    '/api/v4/trade-account/executed-history',
    '"market":"BTC_USDT",',
    [],
    (exchange) => exchange.orders.deals({ market: 'BTC_USDT' }),
  ],
  [
    'orders.deals with its parameters',
    '/api/v4/trade-account/executed-history',
    '"market":"BTC_USDT","limit":500,"offset":10,"startDate":1708600000,"endDate":1708700000,',
    [],
    (exchange) =>
      exchange.orders.deals({
        ...{ market: 'BTC_USDT', limit: 500, offset: 10, startDate: 1_708_600_000, endDate: 1_708_700_000 },
      }),
  ],
  [
    'orders.dealsByMarket',
    '/api/v4/trade-account/executed-history',
    '',
    [],
    (exchange) => exchange.orders.dealsByMarket(),
  ],
  [
    'orders.dealsByMarket of an order, with both names of its identifier',
    '/api/v4/trade-account/executed-history',
    '"client_order_id":"mine","clientOrderId":"mine",',
    [],
    (exchange) => exchange.orders.dealsByMarket({ client_order_id: 'mine' }),
  ],
  [
    'orders.dealsOfOrder, with both names of its identifier',
    '/api/v4/trade-account/order',
    '"order_id":7,"limit":100,"orderId":7,',
    { records: [] },
    (exchange) => exchange.orders.dealsOfOrder({ order_id: 7, limit: 100 }),
  ],
  [
    'orders.cancelAll',
    '/api/v4/order/cancel/all',
    '"market":"BTC_PERP","type":["futures"],"positionSide":"long",',
    [],
    (exchange) => exchange.orders.cancelAll({ market: 'BTC_PERP', type: ['futures'], positionSide: 'long' }),
  ],
  ['orders.cancelAll of all', '/api/v4/order/cancel/all', '', [], (exchange) => exchange.orders.cancelAll()],
  [
    'orders.cancelMany, with both names of each identifier',
    '/api/v4/order/cancel/bulk',
    '"orders":[{"market":"BTC_USDT","client_order_id":"mine","clientOrderId":"mine"},{"market":"BTC_USDT","order_id":7,"orderId":7}],',
    vectors.canceledOrders,
    (exchange) =>
      exchange.orders.cancelMany({
        orders: [
          { market: 'BTC_USDT', client_order_id: 'mine' },
          { market: 'BTC_USDT', order_id: 7 },
        ],
      }),
  ],
  [
    'orders.cancelOco, with both names of its identifier',
    '/api/v4/order/oco-cancel',
    '"market":"BTC_USDT","order_id":117703764,"orderId":117703764,',
    vectors.ocoOrder,
    (exchange) => exchange.orders.cancelOco({ market: 'BTC_USDT', order_id: 117_703_764 }),
  ],
  [
    'orders.cancelConditional',
    '/api/v4/order/conditional-cancel',
    '"market":"BTC_USDT","id":7,',
    [],
    (exchange) => exchange.orders.cancelConditional({ market: 'BTC_USDT', id: 7 }),
  ],
  [
    'orders.cancelOto',
    '/api/v4/order/oto-cancel',
    '"market":"BTC_USDT","otoId":7,',
    [],
    (exchange) => exchange.orders.cancelOto({ market: 'BTC_USDT', otoId: 7 }),
  ],
  [
    'orders.oco',
    '/api/v4/oco-orders',
    '"market":"BTC_USDT","limit":100,"offset":5,',
    [vectors.ocoOrder],
    (exchange) => exchange.orders.oco({ market: 'BTC_USDT', limit: 100, offset: 5 }),
  ],
  [
    'orders.killSwitches',
    '/api/v4/order/kill-switch/status',
    '"market":"BTC_USDT",',
    vectors.killSwitches,
    (exchange) => exchange.orders.killSwitches({ market: 'BTC_USDT' }),
  ],
  [
    'orders.setKillSwitch with its kinds of orders',
    '/api/v4/order/kill-switch',
    '"market":"BTC_USDT","timeout":"60","types":["margin","futures"],',
    vectors.killSwitches[0],
    (exchange) => exchange.orders.setKillSwitch({ market: 'BTC_USDT', timeout: 60, types: ['margin', 'futures'] }),
  ],
  [
    'orders.delisted',
    '/api/v4/trade-account/order/history/query',
    '"market":"BTC_USDT","status":"delisting","startDate":1,"endDate":2,"limit":10,"offset":3,',
    vectors.delistedOrders,
    (exchange) =>
      exchange.orders.delisted({
        ...({ market: 'BTC_USDT', status: 'delisting' } as const),
        ...{ startDate: 1, endDate: 2, limit: 10, offset: 3 },
      }),
  ],
  [
    'collateral.placeOcoOrder, with both names of its identifier',
    '/api/v4/order/collateral/oco',
    '"market":"BTC_USDT","side":"buy","amount":"0.001","client_order_id":"mine","price":"50000","activation_price":"60000","stop_limit_price":"60100","reduceOnly":true,"clientOrderId":"mine",',
    { ...vectors.ocoOrder, reduceOnly: true },
    (exchange) =>
      exchange.collateral.placeOcoOrder({
        ...({ market: 'BTC_USDT', side: 'buy', amount: '0.001', client_order_id: 'mine', reduceOnly: true } as const),
        ...{ price: 50_000, activation_price: '60000', stop_limit_price: '60100' },
      }),
  ],
  [
    'collateral.openPositions',
    '/api/v4/collateral-account/positions/open',
    '',
    [],
    (exchange) => exchange.collateral.openPositions(),
  ],
  [
    'collateral.openPositions of a market',
    '/api/v4/collateral-account/positions/open',
    '"market":"BTC_PERP",',
    [],
    (exchange) => exchange.collateral.openPositions({ market: 'BTC_PERP' }),
  ],
  [
    'collateral.hedgeMode',
    '/api/v4/collateral-account/hedge-mode',
    '',
    vectors.hedgeMode,
    (exchange) => exchange.collateral.hedgeMode(),
  ],
  [
    'collateral.setHedgeMode',
    '/api/v4/collateral-account/hedge-mode/update',
    '"hedgeMode":true,',
    [],
    (exchange) => exchange.collateral.setHedgeMode({ hedgeMode: true }),
  ],
  [
    'collateral.closePosition',
    '/api/v4/collateral-account/position/close',
    '"market":"BTC_PERP","positionId":5,',
    [],
    (exchange) => exchange.collateral.closePosition({ market: 'BTC_PERP', positionId: 5 }),
  ],
  [
    'collateral.closePosition in hedge mode',
    '/api/v4/collateral-account/position/close',
    '"market":"BTC_PERP","positionId":5,"positionSide":"SHORT",',
    [],
    (exchange) => exchange.collateral.closePosition({ market: 'BTC_PERP', positionId: 5, positionSide: 'SHORT' }),
  ],
  [
    'collateral.positionHistory',
    '/api/v4/collateral-account/positions/history',
    '',
    [],
    (exchange) => exchange.collateral.positionHistory(),
  ],
  [
    'collateral.positionHistory with its parameters',
    '/api/v4/collateral-account/positions/history',
    '"market":"BTC_PERP","positionId":5,"startDate":1708600000,"endDate":1708600000,"limit":100,"offset":10,',
    [],
    (exchange) =>
      exchange.collateral.positionHistory({
        ...{ market: 'BTC_PERP', positionId: 5, startDate: 1_708_600_000, endDate: 1_708_600_000 },
        ...{ limit: 100, offset: 10 },
      }),
  ],
  [
    'collateral.closedPositions',
    '/api/v4/collateral-account/positions/closed-pnl',
    '',
    [],
    (exchange) => exchange.collateral.closedPositions(),
  ],
  [
    'collateral.closedPositions with its parameters',
    '/api/v4/collateral-account/positions/closed-pnl',
    '"startDate":1708600000,"endDate":1708700000,"limit":100,"offset":9900,',
    [],
    (exchange) =>
      exchange.collateral.closedPositions({
        ...{ startDate: 1_708_600_000, endDate: 1_708_700_000, limit: 100, offset: 9900 },
      }),
  ],
  [
    'collateral.fundingPayments',
    '/api/v4/collateral-account/funding-history',
    '',
    { records: [] },
    (exchange) => exchange.collateral.fundingPayments(),
  ],
  [
    'collateral.fundingPayments with its parameters',
    '/api/v4/collateral-account/funding-history',
    '"market":"BTC_PERP","startDate":1708600000,"endDate":1708700000,"limit":100,"offset":10,',
    { records: [] },
    (exchange) =>
      exchange.collateral.fundingPayments({
        ...{ market: 'BTC_PERP', startDate: 1_708_600_000, endDate: 1_708_700_000, limit: 100, offset: 10 },
      }),
  ],
  [
    'collateral.adlQuantiles',
    '/api/v4/collateral-account/adl-quantile',
    '',
    [],
    (exchange) => exchange.collateral.adlQuantiles(),
  ],
];

describe('the request of', () => {
  it.each(rows)('%s is POST %s with the fields %s and nothing else', async (_, path, fields, response, call) => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer(response));
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      scheduler: createScheduler(),
      now: () => nowMs,
      retry: false,
      fetch,
    });
    await firstValueFrom(call(exchange));
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST https://exchange.example${path}`]);
    expect(sent[0]?.body.replace(/"nonce":"\d+"/, '"nonce":"N"')).toBe(
      `{${fields}"request":"${path}","nonce":"N","nonceWindow":true}`,
    );
  });
});
