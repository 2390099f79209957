// Promise 3: a field without influence on a decision may be absent, null, a number for a string or the reverse, or of a
// new kind; one odd record hides no other.
import * as sdk from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { listOf, mapOf, integer, record } from '../../src/model/tolerant.js';
import { unreadableIn } from '../../src/model/unreadable.js';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import * as vectors from '../contract/vectors.js';

type Fields = Readonly<Record<string, unknown>>;

interface Row {
  readonly name: string;
  readonly endpoint: sdk.Endpoint;
  /** A published record. */
  readonly record: Fields;
  /** What decides: it must be there. */
  readonly decides: readonly string[];
  /** The response around the record. */
  readonly around?: (record: Fields) => unknown;
  /** The record of an output. */
  readonly inside?: (output: unknown) => unknown;
}

const list = { around: (record: Fields): unknown => [record], inside: (output: unknown) => (output as unknown[])[0] };
const page = {
  around: (record: Fields): unknown => ({ limit: 30, offset: 0, data: [record] }),
  inside: (output: unknown) => (output as { data: unknown[] }).data[0],
};
const placed = ['orderId', 'market', 'side'];
const {
  markets: [market = {}],
  subAccountList,
  miningAccounts,
  liveOrderHistory,
} = vectors;

// Fields that the schema does not name.
const { takerFee: _takerFee, makerFee: _makerFee, mtime: _mtime, ...stopLoss } = vectors.ocoOrder.stop_loss;

const rows: readonly Row[] = [
  {
    name: 'a stock market order',
    endpoint: endpoints.spot.placeStockMarketOrder,
    record: vectors.liveOrder,
    decides: placed,
  },
  { name: 'a market order', endpoint: endpoints.spot.placeMarketOrder, record: vectors.liveOrder, decides: placed },
  {
    name: 'a collateral limit order',
    endpoint: endpoints.collateral.placeLimitOrder,
    record: vectors.liveCollateralLimitOrder,
    decides: placed,
  },
  { name: 'a canceled order', endpoint: endpoints.orders.cancel, record: vectors.liveOrder, decides: placed },
  { name: 'an open order', endpoint: endpoints.orders.open, record: vectors.liveOrder, decides: placed, ...list },
  {
    name: 'an order of the history',
    endpoint: endpoints.orders.history,
    record: liveOrderHistory.BTC_USDT[0] ?? {},
    decides: ['id', 'side'],
    around: (record) => ({ BTC_USDT: [record] }),
    inside: (output) => (output as { BTC_USDT: unknown[] }).BTC_USDT[0],
  },
  {
    name: 'a conditional order',
    endpoint: endpoints.orders.conditional,
    record: {
      id: 7,
      type: 'oto',
      conditionalOrderType: 'limit',
      stopLossPrice: '1',
      takeProfitPrice: '2',
      conditionalOrder: vectors.liveOrder,
    },
    decides: ['conditionalOrder'],
    around: (record) => ({ limit: 100, offset: 0, total: 1, records: [record] }),
    inside: (output) => (output as { records: unknown[] }).records[0],
  },
  {
    name: 'an OCO order',
    endpoint: endpoints.collateral.placeOcoOrder,
    record: { id: 1, reduceOnly: true, take_profit: vectors.ocoOrder.take_profit },
    decides: ['take_profit'],
  },
  {
    name: 'an order of an OCO order',
    endpoint: endpoints.orders.oco,
    record: stopLoss,
    decides: placed,
    around: (record) => [{ ...vectors.ocoOrder, stop_loss: record }],
    inside: (output) => (output as readonly sdk.OcoOrder[])[0]?.stop_loss,
  },
  {
    name: 'a kill switch',
    endpoint: endpoints.orders.killSwitches,
    record: vectors.killSwitches[0],
    decides: ['market'],
    ...list,
  },
  {
    name: 'an order of a delisted market',
    endpoint: endpoints.orders.delisted,
    // A number has no zeros at its end.
    record: { ...vectors.delistedOrders[0], ...{ price: '4', amount: '3', dealStock: '2', dealMoney: '8', fee: '1' } },
    decides: ['id', 'market'],
    ...list,
  },
  {
    name: 'a trade balance',
    endpoint: endpoints.spot.balance,
    record: vectors.tradeBalance.BTC,
    decides: ['available'],
    around: (record) => ({ BTC: record }),
    inside: (output) => (output as { BTC: unknown }).BTC,
  },
  {
    name: 'the main balance of an asset',
    endpoint: endpoints.account.mainBalanceOf,
    record: vectors.mainBalance.BTC,
    decides: ['main_balance'],
  },
  {
    name: 'the trade balance of an asset',
    endpoint: endpoints.spot.balanceOf,
    record: vectors.tradeBalance.BTC,
    decides: ['available'],
  },
  {
    name: 'the trade balance of an asset under its name',
    endpoint: endpoints.spot.balanceOf,
    record: vectors.tradeBalance.BTC,
    decides: ['available'],
    around: (record) => ({ BTC: record }),
  },
  {
    name: 'a collateral asset',
    endpoint: endpoints.collateral.balanceSummary,
    record: { ...vectors.collateralBalanceSummary[0] },
    decides: ['asset'],
    ...list,
  },
  {
    name: 'the collateral account',
    endpoint: endpoints.collateral.summary,
    record: vectors.collateralSummary,
    decides: ['equity'],
  },
  {
    name: 'the fees of trades',
    endpoint: endpoints.spot.fees,
    record: vectors.tradingFees,
    decides: ['taker', 'maker'],
  },
  {
    name: 'a deal',
    endpoint: endpoints.orders.deals,
    record: vectors.deals[0],
    decides: ['id', 'time', 'price', 'amount'],
    ...list,
  },
  {
    name: 'a deal of all markets',
    endpoint: endpoints.orders.dealsByMarket,
    record: vectors.deals[0],
    decides: ['id', 'time', 'price', 'amount'],
    around: (record) => ({ BTC_USDT: [record] }),
    inside: (output) => (output as { BTC_USDT: unknown[] }).BTC_USDT[0],
  },
  {
    name: 'a deal of an order',
    endpoint: endpoints.orders.dealsOfOrder,
    record: vectors.dealsOfOrder.records[0],
    decides: ['id', 'time', 'price', 'amount'],
    around: (record) => ({ records: [record], offset: 0, limit: 50 }),
    inside: (output) => (output as { records: unknown[] }).records[0],
  },
  {
    name: 'a page of deals',
    endpoint: endpoints.orders.dealsOfOrder,
    record: vectors.dealsOfOrder,
    decides: ['records'],
  },
  {
    name: 'an open position',
    endpoint: endpoints.collateral.openPositions,
    record: vectors.openPositions[0],
    decides: ['positionId', 'market', 'amount'],
    ...list,
  },
  {
    name: 'the stops of a position',
    endpoint: endpoints.collateral.openPositions,
    record: vectors.openPositions[0].tpsl,
    decides: [],
    around: (record) => [{ ...vectors.openPositions[0], tpsl: record }],
    inside: (output) => (output as readonly sdk.Position[])[0]?.tpsl,
  },
  {
    name: 'a change of a position',
    endpoint: endpoints.collateral.positionHistory,
    record: vectors.positionHistory[0],
    decides: ['positionId', 'market', 'amount'],
    ...list,
  },
  {
    name: 'the order of a change of a position',
    endpoint: endpoints.collateral.positionHistory,
    record: vectors.positionHistory[0].orderDetail,
    decides: [],
    around: (record) => [{ ...vectors.positionHistory[0], orderDetail: record }],
    inside: (output) => (output as readonly sdk.PositionChange[])[0]?.orderDetail,
  },
  {
    name: 'a closed position',
    endpoint: endpoints.collateral.closedPositions,
    record: vectors.closedPositions[0],
    decides: ['positionId', 'market', 'netPnl'],
    ...list,
  },
  {
    name: 'a funding payment',
    endpoint: endpoints.collateral.fundingPayments,
    record: vectors.fundingPayments.records[0],
    decides: ['market', 'fundingTime', 'fundingAmount'],
    around: (record) => ({ records: [record], limit: 100, offset: 0 }),
    inside: (output) => (output as { records: unknown[] }).records[0],
  },
  {
    name: 'the rank of a position',
    endpoint: endpoints.collateral.adlQuantiles,
    record: { market: 'BTC_PERP', long: 0, short: 4 },
    decides: ['market'],
    ...list,
  },
  { name: 'a changed hedge mode', endpoint: endpoints.collateral.setHedgeMode, record: vectors.hedgeMode, decides: [] },
  {
    name: 'the hedge mode',
    endpoint: endpoints.collateral.hedgeMode,
    record: vectors.hedgeMode,
    decides: ['hedgeMode'],
  },
  {
    name: 'a market',
    endpoint: endpoints.public.markets,
    record: market,
    decides: ['name', 'stock', 'money', 'stockPrec', 'moneyPrec'],
    ...list,
  },
  {
    name: 'a sub-account',
    endpoint: endpoints.subAccounts.list,
    record: { ...subAccountList.data[0] },
    decides: ['id'],
    ...page,
  },
  {
    name: 'a mining account',
    endpoint: endpoints.mining.listAccounts,
    record: { ...miningAccounts.data[0] },
    decides: ['name'],
    ...page,
  },
  { name: 'a page', endpoint: endpoints.subAccounts.list, record: subAccountList, decides: ['data'] },
  {
    name: 'a token',
    endpoint: endpoints.oauth.refreshToken,
    record: vectors.oauthRefreshToken.data,
    decides: ['access_token', 'refresh_token'],
    around: (data) => ({ data }),
    inside: (output) => (output as { data: unknown }).data,
  },
  {
    name: 'a kill switch',
    endpoint: endpoints.orders.setKillSwitch,
    record: { market: 'BTC_USDT', startTime: 1, cancellationTime: 2, types: ['spot'] },
    decides: [],
  },
  {
    name: 'a ticker',
    endpoint: endpoints.public.tickers,
    record: vectors.ticker.BTC_USDT,
    decides: ['last_price'],
    around: (record) => ({ BTC_USDT: record }),
    inside: (output) => (output as { BTC_USDT: unknown }).BTC_USDT,
  },
  {
    name: 'an asset',
    endpoint: endpoints.public.assets,
    record: vectors.assets.BTC,
    decides: [],
    around: (record) => ({ BTC: record }),
    inside: (output) => (output as { BTC: unknown }).BTC,
  },
  {
    name: 'the fees of an asset',
    endpoint: endpoints.public.assetFees,
    record: vectors.fee['USDT (ERC20)'],
    decides: [],
    around: (record) => ({ USDT: record }),
    inside: (output) => (output as { USDT: unknown }).USDT,
  },
  { name: 'an order book', endpoint: endpoints.public.orderBook, record: vectors.orderBook, decides: ['asks', 'bids'] },
  {
    name: 'a trade',
    endpoint: endpoints.public.recentTrades,
    record: { ...vectors.publicTrades[0] },
    decides: ['tradeID', 'price', 'quote_volume', 'trade_timestamp'],
    ...list,
  },
  {
    name: 'a futures market',
    endpoint: endpoints.public.futuresMarkets,
    record: { ...vectors.futures.result[0] },
    decides: ['ticker_id'],
    ...list,
  },
  {
    name: 'a funding rate',
    endpoint: endpoints.public.fundingRateHistory,
    record: { ...vectors.fundingHistory[0] },
    decides: ['fundingTime', 'fundingRate'],
    ...list,
  },
  {
    name: 'the mining pool',
    endpoint: endpoints.public.miningPool,
    record: vectors.miningPool.data,
    decides: [],
    around: (data) => ({ data }),
    inside: (output) => (output as { data: unknown }).data,
  },
  {
    name: 'the platform status',
    endpoint: endpoints.public.platformStatus,
    record: { status: '1' },
    decides: ['status'],
  },
  { name: 'a leverage', endpoint: endpoints.collateral.setLeverage, record: vectors.leverage, decides: ['leverage'] },
  { name: 'the server time', endpoint: endpoints.public.serverTime, record: vectors.serverTime, decides: ['time'] },
];

const same = (value: unknown): unknown => value;

/** The record of an output, or `undefined` when the response cannot be read. */
function read({ endpoint, around = same, inside = same }: Row, record: Fields): Fields | undefined {
  const result = v.safeParse(endpoint.response, around(record));
  return result.success ? (inside(result.output) as Fields) : undefined;
}

const without = (record: Fields, field: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

/** Each optional field of each record. */
const optional = rows.flatMap((row) =>
  Object.keys(row.record)
    .filter((field) => !row.decides.includes(field))
    .map((field) => [row.name, field, row] as const),
);
const deciding = rows.flatMap((row) => row.decides.map((field) => [row.name, field, row] as const));

/** Passed on as they are, null or not. */
const unknown: ReadonlySet<string> = new Set(['retail', 'isTradFiFutures']);

/** May be left out, but not be of a new kind. */
const decidesWhereGiven: ReadonlySet<string> = new Set(['status', 'clientOrderId', 'ticker_id', 'types']);

describe('a record is read', () => {
  it.each(rows)('$name, as published', (row) => {
    expect(read(row, row.record)).toBeDefined();
  });

  it.each(optional.filter(([, field]) => !unknown.has(field)))(
    '%s without %s, or with null, which is the same',
    (_, field, row) => {
      const output = read(row, without(row.record, field));
      expect(output).toBeDefined();
      expect(read(row, { ...row.record, [field]: null })).toEqual(output);
    },
  );

  it.each(optional.filter(([, field]) => !decidesWhereGiven.has(field)))(
    '%s with %s of a new kind, as if it were left out',
    (_, field, row) => {
      const known = read(row, row.record) ?? {};
      for (const odd of [{ new: 'kind' }, [['new']], true, 'new', 7.5]) {
        const output = read(row, { ...row.record, [field]: odd });
        expect(output).toBeDefined();
        for (const [name, value] of Object.entries(output ?? {})) {
          // What is declared stays what it was declared to be; what is not known is passed on.
          if (name in known && value !== odd) expect(typeof value).toBe(typeof known[name]);
        }
      }
    },
  );

  it.each(optional)(
    '%s with %s as a number for a string, or a string for a number, given its type',
    (_, field, row) => {
      const value = row.record[field];
      const turned =
        typeof value === 'number'
          ? String(value)
          : typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
            ? Number(value)
            : value;
      expect(read(row, { ...row.record, [field]: turned })).toEqual(read(row, row.record));
    },
  );
});

describe('a record is not read', () => {
  it.each(deciding)('%s without %s', (_, field, row) => {
    expect(read(row, without(row.record, field))).toBeUndefined();
    expect(read(row, { ...row.record, [field]: null })).toBeUndefined();
    expect(read(row, { ...row.record, [field]: { new: 'kind' } })).toBeUndefined();
  });

  it('an order with a status that is no text', () => {
    expect(
      v.safeParse(endpoints.spot.placeStockMarketOrder.response, { ...vectors.liveOrder, status: { new: 'kind' } })
        .success,
    ).toBe(false);
    expect(v.parse(endpoints.spot.placeStockMarketOrder.response, { ...vectors.liveOrder, status: 7 })).toMatchObject({
      status: '7',
    });
  });
});

describe('a market', () => {
  const bare = without(without(market, 'stockPrec'), 'moneyPrec');

  it.each([
    ['0.01', '2'],
    ['0.0025', '4'],
    [0.5, '1'],
    ['1', '0'],
    ['5', '0'],
    ['1000', '-3'],
    ['1.0', '0'],
  ])('whose steps are %j, and whose decimal places are null or left out, has those of its steps', (step, places) => {
    for (const missing of [{}, { stockPrec: null, moneyPrec: null }]) {
      const [read] = v.parse(endpoints.public.markets.response, [
        { ...bare, ...missing, stepSize: step, tickSize: step },
      ]);
      expect(read).toMatchObject({ stockPrec: places, moneyPrec: places });
    }
  });

  it.each(['', '0', '-1', 'abc', null])('whose step is %j is not read without decimal places', (step) => {
    expect(v.safeParse(endpoints.public.markets.response, [{ ...bare, stepSize: step, tickSize: step }]).success).toBe(
      false,
    );
  });
});

describe('an order', () => {
  it('without an identifier of the client has an empty one', () => {
    for (const clientOrderId of [null, undefined]) {
      expect(
        v.parse(endpoints.spot.placeStockMarketOrder.response, { ...vectors.liveOrder, clientOrderId }),
      ).toMatchObject({
        client_order_id: '',
      });
    }
  });
});

const odd = { orderId: 'x' };
const order = vectors.liveOrder;

describe('records that cannot be read', () => {
  it('are left out of a list, and counted, with a sample that holds no value', () => {
    const orders = v.parse(endpoints.orders.open.response, [odd, order, { ...order, side: 7 }, 'PLANTED']);
    expect(orders).toMatchObject([{ order_id: order.orderId }]);
    expect(unreadableIn(orders)).toEqual({ count: 3, sample: '0.order_id is not an integer' });
  });

  it('are left out of a map', () => {
    const balance = v.parse(endpoints.account.mainBalance.response, {
      BTC: { main_balance: 1 },
      ETH: null,
      LTC: { main_balance: 'many' },
    });
    expect(balance).toEqual({ BTC: { main_balance: '1' } });
    expect(unreadableIn(balance)).toEqual({ count: 2, sample: 'ETH is not an object', keys: ['ETH', 'LTC'] });
  });

  it.each([[['0.05']], [[]], [{ taker: '0.05' }], ['0.05'], [null]])(
    'are left out of custom fees, such as %j',
    (fee) => {
      const fees = v.parse(endpoints.spot.fees.response, {
        ...vectors.tradingFees,
        custom_fee: { ETH_USDT: [0.1, 0.1], BTC_USDT: fee },
      });
      expect(fees).toMatchObject({ custom_fee: { ETH_USDT: { taker: '0.1', maker: '0.1' } } });
      expect(unreadableIn(fees)).toMatchObject({ count: 1 });
    },
  );

  it('are left out of the deals of all markets, each deal for itself', () => {
    const [deal] = vectors.deals;
    const lists = v.parse(endpoints.orders.dealsByMarket.response, {
      BTC_USDT: [deal, { id: 1 }],
      ETH_USDT: [{ ...deal, price: 'many' }],
    });
    expect(lists).toMatchObject({ BTC_USDT: [{ id: deal.id }], ETH_USDT: [] });
    expect(unreadableIn(lists)).toMatchObject({ count: 2 });
    expect(v.safeParse(endpoints.orders.dealsByMarket.response, { BTC_USDT: [{ id: 1 }] }).success).toBe(false);
  });

  it('are left out of a collateral balance', () => {
    const balance = v.parse(endpoints.collateral.balance.response, {
      BTC: 1.5,
      ETH: null,
      USDT: '2',
      XRP: { amount: '3' },
    });
    expect(balance).toEqual({ BTC: '1.5', USDT: '2' });
    expect(unreadableIn(balance)).toMatchObject({ count: 2, keys: ['ETH', 'XRP'] });
  });

  it('are counted together when two lists of one record have them', () => {
    const account = record({ open: listOf(integer), ended: listOf(integer), balances: mapOf(integer) });
    const fields = { open: [1, 'x'], ended: ['y', 'z', 2], balances: { BTC: 3 } };
    const output = v.parse(account, fields);
    expect(output).toEqual({ open: [1], ended: [2], balances: { BTC: 3 } });
    expect(unreadableIn(output)).toEqual({ count: 3, sample: 'open.1 is not an integer' });
  });

  it('are left out of a history, each order for itself', () => {
    const [record] = liveOrderHistory.BTC_USDT;
    const history = v.parse(endpoints.orders.history.response, {
      BTC_USDT: [record, odd, odd],
      ETH_USDT: [odd],
      LTC_USDT: null,
    });
    expect(history).toMatchObject({ BTC_USDT: [{ order_id: 4986126152 }], ETH_USDT: [] });
    expect(unreadableIn(history)).toEqual({ count: 4, sample: 'BTC_USDT.1.order_id is missing', keys: ['LTC_USDT'] });
  });

  it('are left out of a page, and of the conditional orders', () => {
    const accounts = v.parse(endpoints.subAccounts.list.response, { limit: 2, offset: 0, data: [{ id: 'a' }, {}] });
    expect(unreadableIn(accounts)).toEqual({ count: 1, sample: 'data.1.id is missing' });
    const conditional = v.parse(endpoints.orders.conditional.response, {
      records: [{ stopLoss: order, takeProfit: odd }, { conditionalOrder: order }],
    });
    expect(unreadableIn(conditional)).toEqual({
      count: 1,
      sample: 'records.0.takeProfit.order_id is not an integer',
    });
  });

  it.each([
    ['open orders', endpoints.orders.open, [odd]],
    ['a history', endpoints.orders.history, { BTC_USDT: [odd] }],
    ['a balance', endpoints.account.mainBalance, { BTC: {} }],
    ['markets', endpoints.public.markets, [{ name: 'BTC_USDT' }]],
    ['a page', endpoints.subAccounts.list, { limit: 1, offset: 0, data: [{}] }],
  ] as readonly (readonly [string, sdk.Endpoint, unknown])[])(
    'make %s of nothing else no response: an empty list would say that there is nothing',
    (_, { response }, body) => {
      expect(v.safeParse(response, body).success).toBe(false);
    },
  );

  it('are absent from a complete response', () => {
    expect(unreadableIn(v.parse(endpoints.orders.open.response, [order]))).toBeUndefined();
    expect(unreadableIn(v.parse(endpoints.orders.open.response, []))).toBeUndefined();
  });
});

describe('a client', () => {
  const credentials = { apiKey: 'key', apiSecret: 'secret' };
  const clientOf = (...bodies: readonly unknown[]) => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer(bodies[Math.min(sent.length, bodies.length) - 1]));
    return {
      sent,
      exchange: sdk.createExchange({
        baseUrl: 'https://exchange.example',
        credentials,
        retry: false,
        lookupTimeoutMs: 0,
        fetch,
      }),
    };
  };

  it('reports an order as placed whose response has a null', async () => {
    const { exchange } = clientOf({ ...order, stp: null, dealFee: null, oto: null });
    const params = { market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id: 'order1987111' } as const;
    expect(await firstValueFrom(exchange.spot.placeStockMarketOrder(params))).toMatchObject({
      order_id: 4180284841,
      status: 'FILLED',
    });
  });

  it('gives the records that can be read, and an event about the others', async () => {
    const { exchange } = clientOf([order, odd]);
    const events: sdk.ClientEvent[] = [];
    exchange.events$.subscribe((event) => events.push(event));
    expect(await firstValueFrom(exchange.orders.open())).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'unreadable')).toMatchObject([
      {
        type: 'unreadable',
        endpoint: 'orders.open',
        rateLimit: 'orders',
        attempt: 1,
        count: 1,
        sample: '1.order_id is not an integer',
      },
    ]);
  });

  it('shows its caller that a list or a map is partial', async () => {
    const partial = clientOf([order, odd], { BTC: { main_balance: '1' }, ETH: null });
    expect(sdk.unreadableIn(await firstValueFrom(partial.exchange.orders.open()))).toEqual({
      count: 1,
      sample: '1.order_id is not an integer',
    });
    expect(sdk.unreadableIn(await firstValueFrom(partial.exchange.account.mainBalance()))).toEqual({
      count: 1,
      sample: 'ETH is not an object',
      keys: ['ETH'],
    });
    const whole = clientOf([order]);
    expect(sdk.unreadableIn(await firstValueFrom(whole.exchange.orders.open()))).toBeUndefined();
  });

  it('reports keys of a map as they can be logged: short, on one line, and without secrets', async () => {
    const { exchange } = clientOf({ BTC: { main_balance: '1' }, [`secret \u001b ${'x'.repeat(1000)}`]: {} });
    const samples: string[] = [];
    exchange.events$.subscribe((event) => {
      if (event.type === 'unreadable') samples.push(event.sample);
    });
    await firstValueFrom(exchange.account.mainBalance());
    expect(samples).toHaveLength(1);
    expect(samples[0]?.length).toBe(200);
    expect(samples[0]).not.toMatch(/\p{Cc}/u);
  });

  it('reads a list to its end when a page has a record that cannot be read, or does not say how many it could hold', async () => {
    const ids = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `${from + index}` }));
    const { exchange, sent } = clientOf(
      { limit: 100, offset: 0, data: [...ids(0, 99), {}] },
      { data: ids(100, 5) },
      { data: [] },
    );
    expect(await lastValueFrom(exchange.subAccounts.listAll().pipe(toArray()))).toHaveLength(104);
    expect(sent.map(({ body }) => (JSON.parse(body) as Fields)['offset'])).toEqual([0, 100, 105]);
  });

  it('fails for a list without a readable record', async () => {
    expect(await failureOf(clientOf([odd]).exchange.orders.open())).toMatchObject({
      kind: 'response',
      message: expect.stringContaining('0.order_id') as string,
    });
  });
});
