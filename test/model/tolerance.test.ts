// Promise 3: a field without influence on a decision may be absent, null, a number for a string or the reverse, or of a
// new kind; one odd record hides no other.
import * as sdk from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../src/model/map.js';
import { listOf, mapOf, integer, record } from '../../src/model/tolerant.js';
import { unreadableIn } from '../../src/model/unreadable.js';
import { allEndpoints } from '../support/endpoints.js';
import { recordedOf } from '../support/recorded.js';
import { clientThatGets } from '../support/recording-fetch.js';
import * as vectors from '../contract/vectors.js';
import { collected } from '../support/watch.js';

type Fields = Readonly<Record<string, unknown>>;

const placed = ['orderId', 'market', 'side'];
const deal = ['id', 'time', 'price', 'amount'];
const below = (prefix: string, fields: readonly string[]) => fields.map((field) => `${prefix}.${field}`);
const legs = [...below('stop_loss', placed), ...below('take_profit', placed)];

/** The fields of each response that decide: without one of them, the record cannot be read. */
const deciding: Readonly<Record<string, readonly string[]>> = {
  'account.mainBalanceOf': ['main_balance'],
  'account.websocketToken': ['websocket_token'],
  'collateral.adlQuantiles': ['0.market'],
  'collateral.balanceSummary': ['0.asset'],
  'collateral.closedPositions': ['0.positionId', '0.market', '0.netPnl'],
  'collateral.fundingPayments': ['records', ...below('records.0', ['market', 'fundingTime', 'fundingAmount'])],
  'collateral.hedgeMode': ['hedgeMode'],
  'collateral.openPositions': ['0.positionId', '0.market', '0.amount'],
  'collateral.placeLimitOrder': placed,
  'collateral.placeOcoOrder': legs,
  'collateral.positionHistory': ['0.positionId', '0.market', '0.amount'],
  'collateral.setHedgeMode': [],
  'collateral.setLeverage': ['leverage'],
  'collateral.summary': ['equity'],
  'mining.listAccounts': ['data', 'data.0.name'],
  'oauth.refreshToken': ['data', 'data.access_token', 'data.refresh_token'],
  'orders.cancel': placed,
  'orders.conditional': ['records', 'records.0.conditionalOrder', ...below('records.0.conditionalOrder', placed)],
  'orders.deals': below('0', deal),
  'orders.dealsByMarket': [...below('BTC_USDT.0', deal), ...below('ETH_USDT.0', deal)],
  'orders.dealsOfOrder': ['records', ...below('records.0', deal)],
  'orders.delisted': ['0.id', '0.market'],
  'orders.history': ['BTC_USDT.0.id', 'BTC_USDT.0.side'],
  'orders.killSwitches': ['0.market'],
  'orders.modify': placed,
  'orders.oco': legs.map((path) => `0.${path}`),
  'orders.open': below('0', placed),
  'orders.setKillSwitch': [],
  'public.assetFees': [],
  'public.assets': [],
  'public.fundingRateHistory': ['0.fundingTime', '0.fundingRate'],
  'public.futuresMarkets': ['0.ticker_id'],
  'public.marketDepth': ['asks', 'bids'],
  'public.markets': below('0', ['name', 'stock', 'money', 'stockPrec', 'moneyPrec']),
  'public.miningPool': ['data'],
  'public.orderBook': ['asks', 'bids'],
  'public.platformStatus': ['status'],
  'public.recentTrades': below('0', ['tradeID', 'price', 'quote_volume', 'trade_timestamp']),
  'public.serverTime': ['time'],
  'public.tickers': ['BTC_USDT.last_price'],
  'spot.balance': ['BTC.available', 'XMR.available'],
  'spot.balanceOf': ['available'],
  'spot.fees': ['taker', 'maker'],
  'spot.placeMarketOrder': placed,
  'spot.placeStockMarketOrder': placed,
  'subAccounts.list': ['data', 'data.0.id'],
};

/** May be left out, but not be of a new kind. */
const decidesWhereGiven: ReadonlySet<string> = new Set([
  ...['status', 'clientOrderId', 'ticker_id', 'types', 'stop_loss', 'take_profit'],
]);

const {
  markets: [market = {}],
  liveOrderHistory,
} = vectors;
const without = (record: Fields, field: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

type Path = readonly (string | number)[];

/** The fields of a response, in the first item of each list. Assets, markets and networks are keys, not fields. */
function fieldsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : fieldsOf(value[0], [...at, 0]);
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(/^[A-Z\d_ ()]+$/.test(name) ? [] : [[...at, name]]),
    ...fieldsOf(inner, [...at, name]),
  ]);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Readonly<Record<string | number, unknown>>)[key], value);
}

/** A response with another value at a path; without the field for `undefined`. */
function withValue(response: unknown, path: Path, value: unknown): unknown {
  const copy: unknown = structuredClone(response);
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const key = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(parent, key);
  else parent[key] = value;
  return copy;
}

/** The output, or `undefined` when the response, or a record of it, cannot be read. */
function read({ response }: sdk.Endpoint, body: unknown): unknown {
  const result = v.safeParse(response, body);
  return result.success && unreadableIn(result.output) === undefined ? result.output : undefined;
}

/** The types of the output's fields. */
const typesOf = (output: unknown) =>
  new Map(fieldsOf(output).map((path) => [path.join('.'), typeof valueAt(output, path)]));

const bodies = allEndpoints.map((endpoint) => {
  const { response } = recordedOf(endpoint);
  const body = endpoint.envelope === true && isRecord(response) ? (response['result'] ?? response) : response;
  // A field that the schema does not name is passed on.
  const isNamed = (path: Path) =>
    !JSON.stringify(read(endpoint, withValue(body, path, null)) ?? '').includes(`"${path.at(-1) ?? ''}":null`);
  const fields = fieldsOf(body).filter(isNamed);
  const optional = fields.filter((path) => read(endpoint, withValue(body, path, undefined)) !== undefined);
  return { name: endpoint.name, endpoint, body, fields, optional };
});

describe('a response', () => {
  it.each(bodies.filter(({ name }) => deciding[name] !== undefined))(
    'of $name is read without any field but those that decide',
    ({ endpoint, body, fields, optional, name }) => {
      const decides = fields.filter((path) => !optional.includes(path));
      expect(decides.map((path) => path.join('.')).sort()).toEqual([...(deciding[name] ?? [])].sort());
      for (const path of decides) {
        if (typeof valueAt(body, path) !== 'object')
          expect(read(endpoint, withValue(body, path, { new: 'kind' }))).toBeUndefined();
        // No funding is null.
        if (name !== 'collateral.fundingPayments' || path.length > 1)
          expect(read(endpoint, withValue(body, path, null))).toBeUndefined();
      }
    },
  );

  it.each(bodies)('of $name with a null is read as without the field', ({ endpoint, body, optional }) => {
    for (const path of optional) {
      const output = read(endpoint, withValue(body, path, null));
      expect(output, path.join('.')).toEqual(read(endpoint, withValue(body, path, undefined)));
    }
  });

  it.each(bodies)('of $name with a field of a new kind has its declared types', ({ endpoint, body, optional }) => {
    const types = typesOf(read(endpoint, body));
    for (const path of optional.filter((one) => !decidesWhereGiven.has(String(one.at(-1))))) {
      for (const odd of [{ new: 'kind' }, [['new']], true, 'new', 7.5]) {
        const result = v.safeParse(endpoint.response, withValue(body, path, odd));
        expect(result.success, path.join('.')).toBe(true);
        const changed = [...typesOf(result.output)].filter(([place, type]) => (types.get(place) ?? type) !== type);
        expect(changed, path.join('.')).toEqual([]);
      }
    }
  });

  it.each(bodies)(
    'of $name with a number for a string, or the reverse, is read the same',
    ({ endpoint, body, fields }) => {
      const output = read(endpoint, body);
      for (const path of fields) {
        const value = valueAt(body, path);
        const number = typeof value === 'string' && String(Number(value)) === value ? Number(value) : value;
        const turned = typeof value === 'number' ? String(value) : number;
        expect(read(endpoint, withValue(body, path, turned)), path.join('.')).toEqual(output);
      }
    },
  );
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
  const { response } = endpoints.spot.placeStockMarketOrder;

  it('has its status as text, and is not read with another kind of status', () => {
    expect(v.parse(response, { ...vectors.liveOrder, status: 7 })).toMatchObject({ status: '7' });
    expect(v.safeParse(response, { ...vectors.liveOrder, status: { new: 'kind' } }).success).toBe(false);
  });

  it.each([null, undefined])('with the identifier %s has an empty one', (clientOrderId) => {
    expect(v.parse(response, { ...vectors.liveOrder, clientOrderId })).toMatchObject({ client_order_id: '' });
  });
});

const odd = { orderId: 'x' };
const order = vectors.liveOrder;

describe('records that cannot be read', () => {
  const [historical] = liveOrderHistory.BTC_USDT;
  const { deal } = vectors;

  it.each<readonly [what: string, endpoint: sdk.Endpoint, body: object, output: object, unreadable: object]>([
    [
      'a list',
      endpoints.orders.open,
      [odd, order, { ...order, side: 7 }, 'PLANTED'],
      [{ order_id: order.orderId }],
      { count: 3, sample: '0.order_id is not an integer' },
    ],
    [
      'a map',
      endpoints.account.mainBalance,
      { BTC: { main_balance: 1 }, ETH: null, LTC: { main_balance: 'many' } },
      { BTC: { main_balance: '1' } },
      { count: 2, sample: 'ETH is not an object', keys: ['ETH', 'LTC'] },
    ],
    [
      'the deals of all markets, each deal for itself',
      endpoints.orders.dealsByMarket,
      { BTC_USDT: [deal, { id: 1 }], ETH_USDT: [{ ...deal, price: 'many' }] },
      { BTC_USDT: [{ id: deal.id }], ETH_USDT: [] },
      { count: 2, sample: 'BTC_USDT.1.time is missing' },
    ],
    [
      'a collateral balance',
      endpoints.collateral.balance,
      { BTC: 1.5, ETH: null, USDT: '2', XRP: { amount: '3' } },
      { BTC: '1.5', USDT: '2' },
      { count: 2, sample: 'ETH is not a decimal string', keys: ['ETH', 'XRP'] },
    ],
    [
      'a history, each order for itself',
      endpoints.orders.history,
      { BTC_USDT: [historical, odd, odd], ETH_USDT: [odd], LTC_USDT: null },
      { BTC_USDT: [{ order_id: 4986126152 }], ETH_USDT: [] },
      { count: 4, sample: 'BTC_USDT.1.order_id is missing', keys: ['LTC_USDT'] },
    ],
    [
      'a page',
      endpoints.subAccounts.list,
      { limit: 2, offset: 0, data: [{ id: 'a' }, {}] },
      { limit: 2, offset: 0, data: [{ id: 'a' }] },
      { count: 1, sample: 'data.1.id is missing' },
    ],
    [
      'the conditional orders',
      endpoints.orders.conditional,
      { records: [{ stopLoss: order, takeProfit: odd }, { conditionalOrder: order }] },
      { records: [{ conditionalOrder: { order_id: order.orderId } }] },
      { count: 1, sample: 'records.0.takeProfit.order_id is not an integer' },
    ],
  ])('are left out of %s, and counted, with a sample that holds no value', (_, endpoint, body, kept, unreadable) => {
    const output = v.parse(endpoint.response, body) as object;
    expect(output).toMatchObject(kept);
    expect(Object.keys(output)).toEqual(Object.keys(kept));
    expect(unreadableIn(output)).toEqual(unreadable);
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

  it('are counted together when two lists of one record have them', () => {
    const account = record({ open: listOf(integer), ended: listOf(integer), balances: mapOf(integer) });
    const fields = { open: [1, 'x'], ended: ['y', 'z', 2], balances: { BTC: 3 } };
    const output = v.parse(account, fields);
    expect(output).toEqual({ open: [1], ended: [2], balances: { BTC: 3 } });
    expect(unreadableIn(output)).toEqual({ count: 3, sample: 'open.1 is not an integer' });
  });

  it.each([
    ['open orders', endpoints.orders.open, [odd]],
    ['a history', endpoints.orders.history, { BTC_USDT: [odd] }],
    ['a balance', endpoints.account.mainBalance, { BTC: {} }],
    ['the deals of all markets', endpoints.orders.dealsByMarket, { BTC_USDT: [{ id: 1 }] }],
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
  it('gives the records that can be read, says that the list is partial, and emits an event', async () => {
    const { exchange } = clientThatGets([[order, odd]]);
    const events = collected(exchange.events$);
    const orders = await firstValueFrom(exchange.orders.open());
    const unreadable = { count: 1, sample: '1.order_id is not an integer' };
    expect(orders).toHaveLength(1);
    expect(sdk.unreadableIn(orders)).toEqual(unreadable);
    expect(events.filter(({ type }) => type === 'unreadable')).toMatchObject([
      { endpoint: 'orders.open', rateLimit: 'orders', attempt: 1, ...unreadable },
    ]);
  });

  it('reports keys of a map as they can be logged: short, on one line, and without secrets', async () => {
    const { exchange } = clientThatGets([{ BTC: { main_balance: '1' }, [`secret \u001b ${'x '.repeat(500)}`]: {} }]);
    const samples: string[] = [];
    exchange.events$.subscribe((event) => {
      if (event.type === 'unreadable') samples.push(event.sample);
    });
    await firstValueFrom(exchange.account.mainBalance());
    expect(samples).toHaveLength(1);
    expect(samples[0]?.length).toBe(200);
    expect(samples[0]).not.toMatch(/\p{Cc}/u);
  });
});

const { account } = endpoints;

describe.each([account.mainBalance, endpoints.orders.history])('a map, the response of $name,', ({ response }) => {
  it('is empty where the exchange responds with an empty list', () => {
    expect(v.parse(response, [])).toEqual({});
  });

  it.each([[[{ main_balance: '5' }]], [[[]]], [['BTC']], [5], ['BTC'], [null]])(
    'is not %j: indexes are no names',
    (body) => {
      expect(v.safeParse(response, body).success).toBe(false);
    },
  );
});
