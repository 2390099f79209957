import { createClient, createScheduler, type Endpoint, type RequestError } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import fc from 'fast-check';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';

const { placeStockMarketOrder, placeMarketOrder, balance, balanceOf, fees } = endpoints.spot;
const { mainBalanceOf } = endpoints.account;
const { placeLimitOrder: spotLimit, placeStopLimitOrder, placeStopMarketOrder } = endpoints.spot;
const {
  placeLimitOrder,
  placeMarketOrder: collateralMarket,
  placeStopLimitOrder: collateralStopLimit,
  placeTriggerMarketOrder,
  setLeverage,
  balance: collateralBalance,
  balanceSummary,
  summary,
  openPositions,
  hedgeMode,
  placeOcoOrder,
  setHedgeMode,
  closePosition,
  positionHistory,
  closedPositions,
  fundingPayments,
  adlQuantiles,
} = endpoints.collateral;
const { cancel, setKillSwitch, open, history, deals, dealsByMarket, dealsOfOrder } = endpoints.orders;
const { cancelAll, cancelMany, cancelConditional, cancelOco, cancelOto, oco, killSwitches, delisted } =
  endpoints.orders;
const { ping, serverTime, markets, tickers, orderBook, marketDepth, recentTrades } = endpoints.public;
const { fundingRateHistory, candles } = endpoints.public;
const { mainBalance, websocketToken } = endpoints.account;
const { listAccounts } = endpoints.mining;
const { refreshToken } = endpoints.oauth;
const { list } = endpoints.subAccounts;

let sent = 0;
let permits = 0;
const client = createClient({
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

// What a JavaScript caller, or data from elsewhere, may hand in: no type checks it.
type Bad = readonly [params: unknown, field: string, rule: string];

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '100' };
const stopMarket = { ...order, activation_price: '110' };
const stopLimit = { ...limit, activation_price: '110' };
const ocoOrder = { ...limit, activation_price: '120', stop_limit_price: '121' };
const without = (params: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(params).filter(([name]) => name !== field));

const commonOrderCases = (valid: Record<string, unknown>): Bad[] => [
  [without(valid, 'market'), 'market', 'required'],
  [without(valid, 'side'), 'side', 'required'],
  [without(valid, 'amount'), 'amount', 'required'],
  [{ ...valid, market: '' }, 'market', 'BTC_USDT'],
  [{ ...valid, market: 'BTCUSDT' }, 'market', 'BTC_USDT'],
  [{ ...valid, market: 'BTC_' }, 'market', 'BTC_USDT'],
  [{ ...valid, market: 7 }, 'market', 'string'],
  [{ ...valid, side: 'hold' }, 'side', '"buy", "sell"'],
  [{ ...valid, side: 'BUY' }, 'side', '"buy", "sell"'],
  [{ ...valid, side: 1 }, 'side', '"buy", "sell"'],
  [{ ...valid, amount: 'abc' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '1e-9' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '-1' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '1,5' }, 'amount', 'decimal string'],
  [{ ...valid, amount: ' 1' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '.5' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '0x10' }, 'amount', 'decimal string'],
  [{ ...valid, amount: '0' }, 'amount', 'greater than 0'],
  [{ ...valid, amount: '0.000' }, 'amount', 'greater than 0'],
  [{ ...valid, amount: 0 }, 'amount', 'greater than 0'],
  [{ ...valid, amount: -1 }, 'amount', 'greater than 0'],
  [{ ...valid, amount: Number.NaN }, 'amount', 'finite number'],
  [{ ...valid, amount: Number.POSITIVE_INFINITY }, 'amount', 'finite'],
  [{ ...valid, amount: true }, 'amount', 'decimal string'],
  [{ ...valid, amount: 10n }, 'amount', 'decimal string'],
  [{ ...valid, amount: null }, 'amount', 'decimal string'],
  [{ ...valid, client_order_id: '' }, 'client_order_id', 'letters'],
  [{ ...valid, client_order_id: 'a b' }, 'client_order_id', 'letters'],
  [{ ...valid, client_order_id: 'größe' }, 'client_order_id', 'letters'],
  [{ ...valid, client_order_id: 'a/b' }, 'client_order_id', 'letters'],
  [{ ...valid, client_order_id: 5 }, 'client_order_id', 'string'],
  [{ ...valid, client_order_id: 'x'.repeat(65) }, 'client_order_id', '64'],
  [{ ...valid, stp: 'cancel' }, 'stp', 'cancel_both'],
  [{ ...valid, stp: true }, 'stp', 'cancel_both'],
  [{ ...valid, clientOrderId: 'x' }, 'clientOrderId', 'not a parameter'],
  [{ ...valid, request: '/api' }, 'request', 'not a parameter'],
  [{ ...valid, nonce: '1' }, 'nonce', 'not a parameter'],
  [null, 'params', 'must be'],
  ['BTC_USDT', 'params', 'must be'],
];

const collateralCases = (valid: Record<string, unknown>): Bad[] => [
  [{ ...valid, stopLoss: '-5' }, 'stopLoss', 'decimal string'],
  [{ ...valid, takeProfit: 'up' }, 'takeProfit', 'decimal string'],
  [{ ...valid, reduceOnly: 'no' }, 'reduceOnly', 'true or false'],
  [{ ...valid, positionSide: 'UP' }, 'positionSide', 'LONG'],
  [{ ...valid, reduceOnly: true, stopLoss: '90' }, 'reduceOnly', 'cannot be combined'],
  [{ ...valid, reduceOnly: true, takeProfit: '110' }, 'reduceOnly', 'cannot be combined'],
];

const stopCases = (valid: Record<string, unknown>): Bad[] => [
  ...commonOrderCases(valid),
  [without(valid, 'activation_price'), 'activation_price', 'required'],
  [{ ...valid, activation_price: '0' }, 'activation_price', 'greater than 0'],
  [{ ...valid, activation_price: 'up' }, 'activation_price', 'decimal string'],
  [{ ...valid, activationPrice: '1' }, 'activationPrice', 'not a parameter'],
  [{ ...valid, postOnly: true }, 'postOnly', 'not a parameter'],
  [{ ...valid, ioc: true }, 'ioc', 'not a parameter'],
];

const paging: Bad[] = [
  [{ limit: 0 }, 'limit', '1 to 100'],
  [{ limit: 101 }, 'limit', '1 to 100'],
  [{ limit: 1.5 }, 'limit', '1 to 100'],
  [{ limit: '10' }, 'limit', '1 to 100'],
  [{ offset: -1 }, 'offset', '0 to 10000'],
  [{ offset: 10_001 }, 'offset', '0 to 10000'],
  [{ offset: '0' }, 'offset', '0 to 10000'],
  [{ page: 2 }, 'page', 'not a parameter'],
];

const cases: readonly (readonly [Endpoint, readonly Bad[]])[] = [
  [placeStockMarketOrder, commonOrderCases(order)],
  [placeMarketOrder, commonOrderCases(order)],
  [
    spotLimit,
    [
      ...commonOrderCases(limit),
      [order, 'price', 'or bboRole is required'],
      [{ ...limit, bboRole: 1 }, 'price', 'cannot be combined with bboRole'],
      [{ ...limit, price: '0' }, 'price', 'greater than 0'],
      [{ ...order, bboRole: 3 }, 'bboRole', '1, 2'],
      [{ ...order, bboRole: '1' }, 'bboRole', '1, 2'],
      [{ ...limit, retail: 'yes' }, 'retail', 'true or false'],
      [{ ...limit, ioc: true, postOnly: true }, 'ioc', 'cannot be combined'],
      [{ ...limit, ioc: true, rpi: true }, 'ioc', 'cannot be combined'],
      [{ ...order, bboRole: 1, ioc: true }, 'ioc', 'cannot be combined with bboRole 1'],
      [{ ...order, bboRole: 1, postOnly: true }, 'postOnly', 'cannot be combined with bboRole'],
      [{ ...limit, rpi: true, postOnly: true }, 'postOnly', 'cannot be combined with bboRole or rpi'],
      [{ ...limit, rpi: true, retail: true }, 'retail', 'cannot be combined with rpi'],
      [{ ...limit, stopLoss: '90' }, 'stopLoss', 'not a parameter'],
      [{ ...limit, reduceOnly: true }, 'reduceOnly', 'not a parameter'],
    ],
  ],
  [
    placeLimitOrder,
    [
      ...commonOrderCases(limit),
      ...collateralCases(limit),
      [without(limit, 'price'), 'price', 'required'],
      [{ ...limit, price: '0' }, 'price', 'greater than 0'],
      [{ ...limit, price: 'x' }, 'price', 'decimal string'],
      [{ ...limit, postOnly: 'yes' }, 'postOnly', 'true or false'],
      [{ ...limit, ioc: 1 }, 'ioc', 'true or false'],
      [{ ...limit, rpi: null }, 'rpi', 'true or false'],
      [{ ...limit, ioc: true, postOnly: true }, 'ioc', 'cannot be combined'],
      [{ ...limit, ioc: true, rpi: true }, 'ioc', 'cannot be combined'],
    ],
  ],
  [
    placeStopLimitOrder,
    [
      ...stopCases(stopLimit),
      [stopMarket, 'price', 'or bboRole is required'],
      [{ ...stopLimit, bboRole: 2 }, 'price', 'cannot be combined with bboRole'],
      [{ ...stopMarket, bboRole: 3 }, 'bboRole', '1, 2'],
      [{ ...stopLimit, stopLoss: '90' }, 'stopLoss', 'not a parameter'],
    ],
  ],
  [
    placeStopMarketOrder,
    [
      ...stopCases(stopMarket),
      [stopLimit, 'price', 'not a parameter'],
      [{ ...stopMarket, bboRole: 1 }, 'bboRole', 'not'],
    ],
  ],
  [collateralMarket, [...commonOrderCases(order), ...collateralCases(order), [limit, 'price', 'not a parameter']]],
  [
    collateralStopLimit,
    [
      ...stopCases(stopLimit),
      ...collateralCases(stopLimit),
      [stopMarket, 'price', 'required'],
      [{ ...stopLimit, bboRole: 1 }, 'bboRole', 'not a parameter'],
    ],
  ],
  [
    placeTriggerMarketOrder,
    [...stopCases(stopMarket), ...collateralCases(stopMarket), [stopLimit, 'price', 'not a parameter']],
  ],
  [
    placeOcoOrder,
    [
      ...commonOrderCases(ocoOrder),
      ...['price', 'activation_price', 'stop_limit_price'].flatMap((field): Bad[] => [
        [without(ocoOrder, field), field, 'required'],
        [{ ...ocoOrder, [field]: '0' }, field, 'greater than 0'],
        [{ ...ocoOrder, [field]: 'x' }, field, 'decimal string'],
      ]),
      [{ ...ocoOrder, activation_price: '100' }, 'activation_price', 'above price for a buy'],
      [{ ...ocoOrder, activation_price: 99 }, 'activation_price', 'above price for a buy'],
      [{ ...ocoOrder, side: 'sell' }, 'activation_price', 'below price for a sell'],
      [{ ...ocoOrder, side: 'sell', activation_price: '100.0' }, 'activation_price', 'below price for a sell'],
      [{ ...ocoOrder, positionSide: 'UP' }, 'positionSide', 'LONG'],
      [{ ...ocoOrder, reduceOnly: 'no' }, 'reduceOnly', 'true or false'],
      [{ ...ocoOrder, stopLoss: '90' }, 'stopLoss', 'not a parameter'],
    ],
  ],
  [
    setLeverage,
    [
      ...[0, 4, 7, 101, -1, 1.5, '5', null].map((leverage): Bad => [
        { leverage },
        'leverage',
        '1, 2, 3, 5, 10, 20, 50, 100',
      ]),
      [{}, 'leverage', 'required'],
    ],
  ],
  [
    cancel,
    [
      [{ order_id: 1 }, 'market', 'required'],
      [{ market: 'BTC_USDT' }, 'order_id', 'or client_order_id is required'],
      [
        { market: 'BTC_USDT', order_id: 1, client_order_id: 'a' },
        'order_id',
        'cannot be combined with client_order_id',
      ],
      [{ market: 'BTC_USDT', order_id: 0 }, 'order_id', 'above 0'],
      [{ market: 'BTC_USDT', order_id: 2 ** 53 }, 'order_id', 'integer'],
      [{ market: 'BTC_USDT', order_id: '1' }, 'order_id', 'integer'],
    ],
  ],
  [
    setKillSwitch,
    [
      ...[4, 601, 7.5, '10'].map((timeout): Bad => [{ market: 'BTC_USDT', timeout }, 'timeout', '5 to 600 seconds']),
      [{ market: 'BTC_USDT' }, 'timeout', 'required'],
      [{ timeout: 5 }, 'market', 'required'],
      ...[[], ['spot', 'options'], 'spot'].map((types): Bad => [
        { market: 'BTC_USDT', timeout: 5, types },
        Array.isArray(types) && types.length > 1 ? 'types.1' : 'types',
        '"spot", "margin", "futures"',
      ]),
    ],
  ],
  [
    cancelAll,
    [
      [{ market: 'BTCUSDT' }, 'market', 'BTC_USDT'],
      [{ type: 'margin' }, 'type', 'must be a list of'],
      [{ type: [] }, 'type', 'must be a list of'],
      [{ type: ['Margin'] }, 'type.0', '"spot", "margin", "futures"'],
      [{ market: 'BTC_PERP', positionSide: 'LONG' }, 'positionSide', '"both", "long", "short"'],
      [{ positionSide: 'long' }, 'positionSide', 'requires a market of futures'],
      [{ market: 'BTC_USDT', positionSide: 'long' }, 'positionSide', 'requires a market of futures'],
      [{ order_id: 1 }, 'order_id', 'not a parameter'],
    ],
  ],
  [
    cancelMany,
    [
      [{}, 'orders', 'required'],
      [{ orders: [] }, 'orders', '1 to 100'],
      [{ orders: Array.from({ length: 101 }, () => ({ market: 'BTC_USDT', order_id: 1 })) }, 'orders', '1 to 100'],
      [{ orders: { market: 'BTC_USDT', order_id: 1 } }, 'orders', '1 to 100'],
      [{ orders: [{ market: 'BTC_USDT' }] }, 'orders.0.order_id', 'or client_order_id is required'],
      [
        {
          orders: [
            { market: 'BTC_USDT', order_id: 1 },
            { market: 'BTC_USDT', order_id: 1, client_order_id: 'a' },
          ],
        },
        'orders.1.order_id',
        '1 cannot be combined with client_order_id',
      ],
      [{ orders: [{ order_id: 1 }] }, 'orders.0.market', 'required'],
      [{ orders: [{ market: 'BTC_USDT', orderId: 1 }] }, 'orders.0.orderId', 'not a parameter'],
      [{ orders: [{ market: 'BTC_USDT', order_id: '1' }] }, 'orders.0.order_id', 'integer'],
    ],
  ],
  [
    cancelOco,
    [
      [{ order_id: 1 }, 'market', 'required'],
      [{ market: 'BTC_USDT' }, 'order_id', 'or client_order_id is required'],
      [
        { market: 'BTC_USDT', order_id: 1, client_order_id: 'a' },
        'order_id',
        'cannot be combined with client_order_id',
      ],
      [{ market: 'BTC_USDT', order_id: 0 }, 'order_id', 'above 0'],
      [{ market: 'BTC_USDT', id: 1 }, 'id', 'not a parameter'],
    ],
  ],
  ...(
    [
      [cancelConditional, 'id'],
      [cancelOto, 'otoId'],
    ] as const
  ).map(([endpoint, name]): [Endpoint, Bad[]] => [
    endpoint,
    [
      [{ [name]: 1 }, 'market', 'required'],
      [{ market: 'BTC_USDT' }, name, 'required'],
      [{ market: 'BTC_USDT', [name]: 0 }, name, 'above 0'],
      [{ market: 'BTC_USDT', [name]: '1' }, name, 'integer'],
      [{ market: 'BTC_USDT', [name]: 1, client_order_id: 'a' }, 'client_order_id', 'not a parameter'],
    ],
  ]),
  [oco, [...paging, [{ market: 'BTCUSDT' }, 'market', 'BTC_USDT'], [{ order_id: 1 }, 'order_id', 'not a parameter']]],
  [
    killSwitches,
    [
      [{ market: 'BTCUSDT' }, 'market', 'BTC_USDT'],
      [{ types: ['spot'] }, 'types', 'not a parameter'],
    ],
  ],
  [
    delisted,
    [
      [{ status: 'canceled' }, 'status', '"filled", "delisting"'],
      [{ limit: 501 }, 'limit', '1 to 500'],
      [{ limit: 1, offset: 10_000 }, 'offset', '0 to 9999'],
      [{ offset: 9501 }, 'offset', 'at most 10000 together'],
      [{ limit: 2, offset: 9999 }, 'offset', 'at most 10000 together'],
      [{ startDate: 10, endDate: 9 }, 'endDate', 'at or after startDate'],
      [{ startDate: 0, endDate: 32 * 86_400 }, 'endDate', '31 days'],
    ],
  ],
  [
    open,
    [
      ...paging,
      [{ client_order_id: 'a' }, 'market', 'together with order_id or client_order_id'],
      [{ order_id: 3 }, 'market', 'together with order_id or client_order_id'],
    ],
  ],
  [
    history,
    [
      [{ limit: 501 }, 'limit', '1 to 500'],
      [{ limit: 0 }, 'limit', '1 to 500'],
      [{ startDate: 10, endDate: 5 }, 'endDate', '31 days'],
      [{ startDate: 0, endDate: 32 * 86_400 }, 'endDate', '31 days'],
      [{ status: 5 }, 'status', 'string'],
    ],
  ],
  ...[deals, dealsByMarket].map((endpoint): [Endpoint, Bad[]] => {
    const valid = endpoint === deals ? { market: 'BTC_USDT' } : {};
    return [
      endpoint,
      [
        [{ ...valid, limit: 0 }, 'limit', '1 to 500'],
        [{ ...valid, limit: 501 }, 'limit', '1 to 500'],
        [{ ...valid, offset: 10_001 }, 'offset', '0 to 10000'],
        [{ ...valid, client_order_id: 'a b' }, 'client_order_id', 'letters'],
        [{ ...valid, order_id: 1 }, 'order_id', 'not a parameter'],
        [{ ...valid, startDate: 10, endDate: 9 }, 'endDate', 'at or after startDate'],
        [{ ...valid, startDate: 1_795_000_000_000 }, 'startDate', '0 to'],
      ],
    ];
  }),
  [
    deals,
    [
      [{}, 'market', 'required'],
      [{ market: 'BTCUSDT' }, 'market', 'BTC_USDT'],
    ],
  ],
  [dealsByMarket, [[{ market: 'BTC_USDT' }, 'market', 'not a parameter']]],
  [
    dealsOfOrder,
    [
      ...paging,
      [{}, 'order_id', 'required'],
      [{ order_id: '1' }, 'order_id', 'integer'],
      [{ order_id: 0 }, 'order_id', 'above 0'],
      [{ order_id: 1, market: 'BTC_USDT' }, 'market', 'not a parameter'],
    ],
  ],
  [list, [...paging, [{ search: 5 }, 'search', 'string']]],
  [listAccounts, [...paging, [{ name: 'x'.repeat(256) }, 'name', '255'], [{ name: 1 }, 'name', 'string']]],
  [mainBalance, [[{ ticker: 'BTC' }, 'ticker', 'not an option']]],
  [websocketToken, [[{ token: 'x' }, 'token', 'not an option']]],
  ...[collateralBalance, balanceSummary].map((endpoint): [Endpoint, Bad[]] => [
    endpoint,
    [
      [{ ticker: '' }, 'ticker', 'such as "BTC"'],
      [{ ticker: 7 }, 'ticker', 'string'],
      [{ asset: 'BTC' }, 'asset', 'not a parameter'],
    ],
  ]),
  [fees, [[{ market: 'BTC_USDT' }, 'market', 'not an option']]],
  [hedgeMode, [[{ hedgeMode: true }, 'hedgeMode', 'not an option']]],
  [
    openPositions,
    [
      [{ market: 'BTCUSDT' }, 'market', 'BTC_USDT'],
      [{ market: 7 }, 'market', 'string'],
      [{ positionId: 1 }, 'positionId', 'not a parameter'],
    ],
  ],
  [
    setHedgeMode,
    [
      [{}, 'hedgeMode', 'required'],
      [{ hedgeMode: 'true' }, 'hedgeMode', 'true or false'],
      [{ hedgeMode: 1 }, 'hedgeMode', 'true or false'],
    ],
  ],
  [
    closePosition,
    [
      [{ positionId: 1 }, 'market', 'required'],
      [{ market: 'BTC_PERP' }, 'positionId', 'required'],
      [{ market: 'BTCPERP', positionId: 1 }, 'market', 'BTC_USDT'],
      ...[0, -1, 1.5, '1', 2 ** 53].map((positionId): Bad => [
        { market: 'BTC_PERP', positionId },
        'positionId',
        positionId === 0 || positionId === -1 ? 'above 0' : 'integer',
      ]),
      [{ market: 'BTC_PERP', positionId: 1, positionSide: 'long' }, 'positionSide', '"LONG", "SHORT", "BOTH"'],
      [{ market: 'BTC_PERP', positionId: 1, amount: '1' }, 'amount', 'not a parameter'],
    ],
  ],
  ...[positionHistory, closedPositions, fundingPayments].map((endpoint): [Endpoint, Bad[]] => [
    endpoint,
    [
      ...paging,
      [{ startDate: 10, endDate: 9 }, 'endDate', 'at or after startDate'],
      [{ startDate: 1_795_000_000_000 }, 'startDate', '0 to'],
      [{ endDate: '10' }, 'endDate', '0 to'],
    ],
  ]),
  [
    positionHistory,
    [
      [{ market: 'BTCUSDT' }, 'market', 'BTC_USDT'],
      [{ positionId: 0 }, 'positionId', 'above 0'],
    ],
  ],
  [
    closedPositions,
    [
      [{ limit: 100, offset: 9901 }, 'offset', 'at most 10000'],
      [{ offset: 9951 }, 'offset', 'at most 10000'],
      [{ market: 'BTC_USDT' }, 'market', 'not a parameter'],
    ],
  ],
  [fundingPayments, [[{ market: 'BTCPERP' }, 'market', 'BTC_USDT']]],
  [adlQuantiles, [[{ market: 'BTC_PERP' }, 'market', 'not an option']]],
  [summary, [[{ ticker: 'BTC' }, 'ticker', 'not an option']]],
  [balance, [[{ ticker: 'BTC' }, 'ticker', 'not an option']]],
  ...[balanceOf, mainBalanceOf].map((endpoint): [Endpoint, Bad[]] => [
    endpoint,
    [
      [{}, 'ticker', 'required'],
      [{ ticker: '' }, 'ticker', 'such as "BTC"'],
      [{ ticker: 7 }, 'ticker', 'string'],
      [{ ticker: 'BTC', market: 'BTC_USDT' }, 'market', 'not a parameter'],
    ],
  ]),
  [ping, [[{ loud: true }, 'loud', 'not an option']]],
  [serverTime, [[{ zone: 'UTC' }, 'zone', 'not an option']]],
  [markets, [[{ market: 'BTC_USDT' }, 'market', 'not an option']]],
  [tickers, [[{ market: 'BTC_USDT' }, 'market', 'not an option']]],
  ...[orderBook, marketDepth, recentTrades, fundingRateHistory, candles].map((endpoint): [Endpoint, Bad[]] => [
    endpoint,
    [
      [{}, 'market', 'required'],
      [{ market: '' }, 'market', 'BTC_USDT'],
      [{ market: '..' }, 'market', 'BTC_USDT'],
      [{ market: 'BTC_USDT/..' }, 'market', 'BTC_USDT'],
      [{ market: 7 }, 'market', 'string'],
      [{ market: 'BTC_USDT', ticker: 1 }, 'ticker', 'not a parameter'],
    ],
  ]),
  [
    orderBook,
    [
      [{ market: 'BTC_USDT', limit: 101 }, 'limit', '0 to 100'],
      [{ market: 'BTC_USDT', limit: -1 }, 'limit', '0 to 100'],
      [{ market: 'BTC_USDT', level: 11 }, 'level', '0 to 10'],
      [{ market: 'BTC_USDT', level: '1' }, 'level', '0 to 10'],
    ],
  ],
  [recentTrades, [[{ market: 'BTC_USDT', type: 'ask' }, 'type', '"buy", "sell"']]],
  [
    fundingRateHistory,
    [
      [{ market: 'BTC_PERP', startDate: 10, endDate: 10 }, 'endDate', 'after startDate'],
      [{ market: 'BTC_PERP', startDate: 1_795_000_000_000 }, 'startDate', '0 to'],
      [{ market: 'BTC_PERP', limit: 0 }, 'limit', '1 to 100'],
      [{ market: 'BTC_PERP', offset: 1_000_001 }, 'offset', '0 to 1000000'],
    ],
  ],
  [
    candles,
    [
      [{ market: 'BTC_USDT', interval: '2m' }, 'interval', '"1s"'],
      [{ market: 'BTC_USDT', start: 10, end: 9 }, 'end', 'before start'],
      [{ market: 'BTC_USDT', end: 1.5 }, 'end', 'integer'],
      [{ market: 'BTC_USDT', limit: 1441 }, 'limit', '1 to 1440'],
      [{ market: 'BTC_USDT', limit: 0 }, 'limit', '1 to 1440'],
    ],
  ],
  [
    refreshToken,
    [
      [{ client_secret: 's', token: 't' }, 'client_id', 'required'],
      [{ client_id: 'i', token: 't' }, 'client_secret', 'required'],
      [{ client_id: 'i', client_secret: 's' }, 'token', 'required'],
      [{ client_id: '', client_secret: 's', token: 't' }, 'client_id', 'empty'],
      [{ client_id: 'i', client_secret: 5, token: 't' }, 'client_secret', 'string'],
    ],
  ],
];

function callUntyped(endpoint: Endpoint, params: unknown) {
  const call: (endpoint: Endpoint, params: never) => ReturnType<typeof client.call> = (one, given) =>
    client.call(one, given);
  return call(endpoint, params as never);
}

async function refusalOf(endpoint: Endpoint, params: unknown): Promise<RequestError> {
  const before = { sent, permits };
  const error = await failureOf(callUntyped(endpoint, params));
  expect({ sent, permits }).toEqual(before);
  if (error.kind !== 'request') throw error;
  expect(error.outcome).toBe('not-executed');
  return error;
}

describe('a bad request is refused before anything is sent or spent', () => {
  it('in at least 100 distinct ways', () => {
    expect(cases.flatMap(([, bad]) => bad).length).toBeGreaterThanOrEqual(100);
  });

  for (const [endpoint, bad] of cases) {
    const titled = bad.map(([params, field, rule]) => ({
      params,
      field,
      rule,
      shown: inspect(params, { breakLength: Infinity }),
    }));
    it.each(titled)(`${endpoint.name} refuses $shown for its $field: $rule`, async ({ params, field, rule }) => {
      const error = await refusalOf(endpoint, params);
      const issue = error.issues.find((one) => one.field === field);
      expect(issue?.message).toContain(rule);
      expect(error.message).toContain(endpoint.name);
      expect(error.message).toContain(field);
    });
  }

  it('a rule between parameters quotes the value of the parameter that it is about', async () => {
    const both = await refusalOf(placeLimitOrder, { ...limit, ioc: true, postOnly: true });
    expect(both.issues).toEqual([{ field: 'ioc', message: 'true cannot be combined with postOnly or rpi' }]);
    const neither = await refusalOf(cancel, { market: 'BTC_USDT' });
    expect(neither.issues).toEqual([{ field: 'order_id', message: 'or client_order_id is required' }]);
  });

  it('several faults are named together', async () => {
    const error = await refusalOf(placeStockMarketOrder, { side: 'hold', amount: 'x' });
    expect(error.issues.map(({ field }) => field)).toEqual(['market', 'side', 'amount']);
  });

  it('any text that is not a positive decimal is refused as an amount', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string().filter((text) => !/^\d+(\.\d+)?$/.test(text) || Number(text) === 0),
        async (amount) => {
          const error = await refusalOf(placeStockMarketOrder, { ...order, amount });
          expect(error.issues.map(({ field }) => field)).toEqual(['amount']);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('any leverage but the eight accepted ones is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -200, max: 200 }).filter((leverage) => ![1, 2, 3, 5, 10, 20, 50, 100].includes(leverage)),
        async (leverage) => {
          await refusalOf(setLeverage, { leverage });
        },
      ),
    );
  });

  it('values that JSON cannot write are named all the same', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const amount of [circular, { deep: 1n }]) await refusalOf(placeStockMarketOrder, { ...order, amount });
  });

  it('a required field that is undefined is reported as missing', async () => {
    expect((await refusalOf(placeStockMarketOrder, { ...order, amount: undefined })).issues).toEqual([
      { field: 'amount', message: 'is required' },
    ]);
    expect((await refusalOf(setKillSwitch, { market: 'BTC_USDT', timeout: undefined })).issues).toEqual([
      { field: 'timeout', message: 'is required' },
    ]);
  });

  it('an amount that was computed with binary fractions is refused with advice', async () => {
    const [issue] = (await refusalOf(placeStockMarketOrder, { ...order, amount: 0.1 + 0.2 })).issues;
    expect(issue).toEqual({
      field: 'amount',
      message: expect.stringMatching(
        /^0\.30000000000000004 must have at most 15 significant digits.*roundAmount/,
      ) as string,
    });
  });

  it.each([Number.NaN, 0, -1, 2 ** 31])(
    'a call with a time-out of %s is refused before it is sent',
    async (timeoutMs) => {
      const before = { sent, permits };
      expect(await failureOf(client.call(placeStockMarketOrder, order, { timeoutMs }))).toMatchObject({
        kind: 'request',
        outcome: 'not-executed',
      });
      expect({ sent, permits }).toEqual(before);
    },
  );

  it('no secret of a refused token refresh is in the error', async () => {
    const params = { client_id: 'PLANTED-id', client_secret: 'PLANTED-secret', token: ['PLANTED-token'] };
    const error = await refusalOf(refreshToken, params);
    expect(inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error)).not.toContain('PLANTED');
  });
});
