// Responses of the right shape that belong to another request, or to none: they are rejected.
import { createExchange, type Endpoint, type Exchange } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { lastValueFrom, toArray, type Observable } from 'rxjs';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { callUntyped } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';
import { clientThatGets, jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

// The times of the responses are made with the tests. A change whose response is no answer is looked up for 4 s.
vi.useFakeTimers();
vi.setTimerTickMode('nextTimerAsync');
const start = Date.now();
beforeEach(() => {
  vi.setSystemTime(start);
});
afterAll(() => {
  vi.useRealTimers();
});

const answering = (...bodies: readonly unknown[]): Exchange => clientThatGets(bodies).exchange;

const settled = {
  ...{ market: 'BTC_USDT', side: 'buy', type: 'limit', price: '1', amount: '1', status: 'FILLED' },
  ...{ dealStock: '1', dealMoney: '1', dealFee: '0' },
};
const ended = { ...settled, id: 1, clientOrderId: 'mine', ctime: 1_795_000_000, ftime: 1_795_000_001 };
const open = { ...settled, orderId: 1, clientOrderId: 'mine', timestamp: 1_795_000_000, left: '0' };
const named = { market: 'BTC_USDT', client_order_id: 'mine' } as const;

type Row = readonly [what: string, body: unknown, call: (exchange: Exchange) => Observable<unknown>];

const market = 'BTC_USDT';
const other = 'ETH_USDT';
const { account, collateral, mining, orders, spot, subAccounts } = endpoints;
const armed = { market, startTime: 1_795_000_000, cancellationTime: 1_795_000_010, types: ['spot'] };
const killSwitch = [orders.setKillSwitch, { market, timeout: 10 }] as const;
const leverage = [collateral.setLeverage, { leverage: 5 }] as const;
const hedgeMode = [collateral.setHedgeMode, { hedgeMode: true }] as const;
const close = [collateral.closePosition, { market: 'BTC_PERP', positionId: 7 }] as const;
const modify = [orders.modify, { market, order_id: 1, price: '1' }] as const;
const position = { positionId: 1, market: other, amount: '1' };
const deal = { id: 1, time: 1_795_000_000, price: '1', amount: '1' };
const dealOfOther = { ...deal, clientOrderId: 'other' };
const openOfOther = { ...open, clientOrderId: 'other' };
const conditional = { conditionalOrder: { ...open, market: other } };
const funding = { market: 'ETH_PERP', fundingTime: '1', fundingAmount: '1' };
const amounts = { available: '1', freeze: '0' };
const ofSpot = [orders.setKillSwitch, { market, timeout: 10, types: ['spot'] }] as const;
const notFound = { positionId: ['Position was not found.'] };
const positionNotFound = { code: 104, message: 'Validation failed', errors: notFound };

type Answer = readonly [what: string, body: unknown, endpoint: Endpoint, params: object];

const mistaken: readonly Answer[] = [
  ...['data', 'errors', 'result', ''].map((key): Answer => [
    `a history of "${key}", which is no market`,
    { [key]: [] },
    orders.history,
    {},
  ]),
  ['a history of another market', { ETH_USDT: [] }, orders.history, { market }],
  ['a history whose order says another market', { BTC_USDT: [{ ...ended, market: other }] }, orders.history, {}],
  ['a history of another identifier', { BTC_USDT: [{ ...ended, clientOrderId: 'other' }] }, orders.history, named],
  ['a history of another number', { BTC_USDT: [ended] }, orders.history, { order_id: 2 }],
  ['open orders of another market', [{ ...open, market: other }], orders.open, named],
  ['open orders of another identifier', [open, openOfOther], orders.open, named],
  ['the cancel of an order without the identifier', { ...open, clientOrderId: '' }, orders.cancel, named],
  ['conditional orders of another market', { records: [conditional] }, orders.conditional, { market }],
  ['a page of conditional orders of another place', { offset: 100, records: [] }, orders.conditional, {}],
  ['OCO orders of another market', [{ id: 1, take_profit: { ...open, market: other } }], orders.oco, { market }],
  ...[{ market: other }, { clientOrderId: 'other' }, { clientOrderId: '' }].map((fields): Answer => [
    'the cancel of another OCO order',
    { id: 1, take_profit: { ...open, ...fields } },
    orders.cancelOco,
    named,
  ]),
  ['the cancel of another number', { id: 2, take_profit: open }, orders.cancelOco, { market, order_id: 1 }],
  ['no result of one cancel', [], orders.cancelMany, { orders: [named] }],
  ['two results of one cancel', [{ result: open }, { result: open }], orders.cancelMany, { orders: [named] }],
  ['the cancel of another order of a list', [{ result: openOfOther }], orders.cancelMany, { orders: [named] }],
  ['kill switches of another market', [{ market: other }], orders.killSwitches, { market }],
  ['delisted orders of another market', [{ id: 1, market: other }], orders.delisted, { market }],
  ['a kill switch of another market', { market: other }, ...killSwitch],
  ['a list as a kill switch', ['pong'], ...killSwitch],
  ['nothing as a kill switch that was set', [], ...killSwitch],
  ['an empty object as a kill switch that was set', {}, ...killSwitch],
  ['a kill switch of no market and no time as one that was set', { market: null }, ...killSwitch],
  ['a kill switch that is set, for its removal', armed, orders.setKillSwitch, { market, timeout: null }],
  ['a kill switch of other types', armed, orders.setKillSwitch, { market, timeout: 10, types: ['margin'] }],
  ['a kill switch of more types', { ...armed, types: ['spot', 'margin'] }, ...ofSpot],
  ['another leverage', { leverage: 100 }, ...leverage],
  ['a leverage of 0', { leverage: 0 }, ...leverage],
  ['a leverage of 101', { leverage: 101 }, ...leverage],
  ['the other hedge mode', { hedgeMode: false }, ...hedgeMode],
  ['a list of positions as a hedge mode', [{ positionId: 7, market: 'BTC_PERP', amount: '1' }], ...hedgeMode],
  ['another position', { positionId: 99 }, ...close],
  ['a position of another market', { positionId: 7, market: 'ETH_PERP' }, ...close],
  ['a list of positions as a closed one', [{ positionId: 7, market: 'BTC_PERP', amount: '1' }], ...close],
  ['an error response with HTTP 200 as a closed position', positionNotFound, ...close],
  ['the order before its modification', open, ...modify],
  ['orders of another market', [{ ...open, market: other }], orders.cancelAll, { market }],
  ['the response to a ping as canceled orders', ['pong'], orders.cancelAll, {}],
  ['the cancel of another conditional order', [{ id: 2 }], orders.cancelConditional, { market, id: 1 }],
  ['the cancel of another OTO order', [{ otoId: 2 }], orders.cancelOto, { market, otoId: 1 }],
  ['a page of another place', { limit: 30, offset: 30, data: [] }, subAccounts.list, {}],
  ['a page of the beginning', { limit: 30, offset: 0, data: [] }, mining.listAccounts, { offset: 30 }],
  ['the trade balance of another asset', { ETH: amounts }, spot.balanceOf, { ticker: 'BTC' }],
  ['the main balance of another asset', { ETH: { main_balance: '1' } }, account.mainBalanceOf, { ticker: 'BTC' }],
  ['the trade balance of several assets for one', { BTC: amounts, ETH: amounts }, spot.balanceOf, { ticker: 'BTC' }],
  ['the collateral balance of another asset', { ETH: '1' }, collateral.balance, { ticker: 'BTC' }],
  ['the summary of another asset', [{ asset: 'ETH', balance: '1' }], collateral.balanceSummary, { ticker: 'BTC' }],
  ['the deals of another identifier', [dealOfOther], orders.deals, named],
  [
    'the deals of all markets of another identifier',
    { ETH_USDT: [dealOfOther] },
    orders.dealsByMarket,
    { client_order_id: 'mine' },
  ],
  ['deals of "data", which is no market', { data: [] }, orders.dealsByMarket, {}],
  ['the deals of all markets for those of one', { BTC_USDT: [] }, orders.deals, { market }],
  ['a page of deals of another place', { offset: 50, records: [] }, orders.dealsOfOrder, { order_id: 1 }],
  ['the positions of another market', [position], collateral.openPositions, { market }],
  ['the history of positions in another market', [position], collateral.positionHistory, { market }],
  ['the history of another position', [position], collateral.positionHistory, { positionId: 2 }],
  ['the funding of another market', { records: [funding] }, collateral.fundingPayments, { market: 'BTC_PERP' }],
  ['a page of funding of another place', { offset: 100, records: [] }, collateral.fundingPayments, {}],
];

describe('a response that belongs to another request', () => {
  it.each(mistaken)('is refused: %s', async (_, body, endpoint, params) => {
    expect(await failureOf(callUntyped(answering(body), endpoint, params))).toMatchObject({
      kind: 'response',
      outcome: endpoint.safety === 'read' ? 'none' : 'unknown',
    });
  });
});

describe('a response that belongs to its request', () => {
  const several = { BTC_USDT: [ended], ETH_USDT: [{ ...ended, market: other }] };

  it.each<Answer>([
    ['a history of the market', { BTC_USDT: [ended] }, orders.history, named],
    ['a history of several markets', several, orders.history, {}],
    ['open orders', [open], orders.open, named],
    ['the cancel of the order', open, orders.cancel, named],
    ['nothing as a removed kill switch', [], orders.setKillSwitch, { market, timeout: null }],
    ['a kill switch without a time', { market, startTime: null, cancellationTime: null }, ...killSwitch],
    ['a kill switch without a market', { startTime: 1, cancellationTime: 2 }, ...killSwitch],
    [
      'a kill switch of the types',
      { ...armed, types: ['Margin', 'spot'] },
      orders.setKillSwitch,
      { market, timeout: 10, types: ['spot', 'margin'] },
    ],
    ['a kill switch of all types', { ...armed, types: null }, ...ofSpot],
    ['the balance of the asset', { BTC: '1' }, collateral.balance, { ticker: 'BTC' }],
    ['no balance of the asset', {}, collateral.balance, { ticker: 'BTC' }],
    ['a deal without an identifier', [deal], orders.deals, named],
    [
      'the history of the position',
      [{ ...position, positionId: 2 }],
      collateral.positionHistory,
      { market: other, positionId: 2 },
    ],
    ['the requested hedge mode', { hedgeMode: true }, ...hedgeMode],
    ['no hedge mode', [], ...hedgeMode],
    ['the leverage as a string', { leverage: '5' }, ...leverage],
    ['nothing of a closed position', [], ...close],
    ['the number of the position as a string', { positionId: '7', market: 'BTC_PERP' }, ...close],
    ['the modified order', { ...open, orderId: 2 }, ...modify],
    ['the canceled orders of the market', [open], orders.cancelAll, { market }],
  ])('is read: %s', async (_, body, endpoint, params) => {
    await expect(lastValueFrom(callUntyped(answering(body), endpoint, params))).resolves.toBeDefined();
  });
});

describe('a response to an order that does not bear its identifier', () => {
  const now = () => Date.now() / 1000;
  const stock = { orderId: 1, market: 'BTC_USDT', side: 'buy', type: 'stock market', amount: '0.50', timestamp: now() };
  const limit = { ...stock, type: 'margin limit', price: '100.0', positionSide: 'BOTH', oto: null };
  const linked = { ...limit, oto: { otoId: 2, stopLoss: '90', takeProfit: '110.00' } };
  const asked = { market: 'BTC_USDT', side: 'buy', amount: '0.5' } as const;
  const placeStock = ({ spot }: Exchange) => spot.placeStockMarketOrder(asked);
  const placeMarket = ({ spot }: Exchange) => spot.placeMarketOrder(asked);
  const placeLimit = ({ collateral }: Exchange) =>
    collateral.placeLimitOrder({ ...asked, price: '100', positionSide: 'LONG' });
  const stopMarket = { ...stock, type: 'stop market', activation_price: '110.0' };
  const stopLimit = { ...stopMarket, type: 'stop limit', price: '120' };
  const trigger = { activation_price: '110' } as const;
  const placeSpotLimit = ({ spot }: Exchange) => spot.placeLimitOrder({ ...asked, price: '100' });
  const placeBest = ({ spot }: Exchange) => spot.placeLimitOrder({ ...asked, bboRole: 1 });
  const placeStopLimit = ({ spot }: Exchange) => spot.placeStopLimitOrder({ ...asked, ...trigger, price: '120' });
  const placeStopMarket = ({ spot }: Exchange) => spot.placeStopMarketOrder({ ...asked, ...trigger });
  const placeCollateralMarket = ({ collateral }: Exchange) => collateral.placeMarketOrder(asked);
  const placeCollateralStopLimit = ({ collateral }: Exchange) =>
    collateral.placeStopLimitOrder({ ...asked, ...trigger, price: '120' });
  const placeTrigger = ({ collateral }: Exchange) => collateral.placeTriggerMarketOrder({ ...asked, ...trigger });
  const placeLinked = ({ collateral }: Exchange) =>
    collateral.placeLimitOrder({ ...asked, price: '100', stopLoss: '90.0', takeProfit: '110' });

  it.each<Row>([
    ['no type and no time', { ...stock, type: null, timestamp: null }, placeStock],
    ['the time of a clock that is a few seconds behind', { ...stock, timestamp: now() - 4 }, placeStock],
    ['an amount of money', { ...stock, type: 'market', amount: 0.5 }, placeMarket],
    ['stop loss and take profit', linked, placeLinked],
    ['the price of a spot limit order', { ...limit, type: 'limit', positionSide: null }, placeSpotLimit],
    ['the best price of the book', { ...limit, type: 'limit', price: '99.5' }, placeBest],
    ['both prices of a stop order', stopLimit, placeStopLimit],
    ['its activation price', stopMarket, placeStopMarket],
    ['the type of a triggered order', { ...stopMarket, type: 'trigger stop market' }, placeStopMarket],
    ['the market type of a collateral account', { ...stock, type: 'margin market' }, placeCollateralMarket],
    ['the stop type of a collateral account', { ...stopLimit, type: 'margin stop limit' }, placeCollateralStopLimit],
    ['the trigger type of a collateral account', { ...stopMarket, type: 'trigger margin market' }, placeTrigger],
  ])('is one when the order has %s', async (_, body, call) => {
    await expect(lastValueFrom(call(answering(body)))).resolves.toMatchObject({ order_id: 1, client_order_id: '' });
  });

  it.each<Row>([
    ['an amount that is no decimal', { ...stock, amount: 'half' }, placeStock],
    ['the type of a stop order', { ...stock, type: 'stop market' }, placeMarket],
    ['a time before its request', { ...stock, timestamp: now() - 20 }, placeStock],
    ['the other direction', { ...limit, positionSide: 'SHORT' }, placeLimit],
    ['no price of the book, and another amount', { ...limit, type: 'limit', amount: '0.4' }, placeBest],
    ['another activation price', { ...stopLimit, activation_price: '111' }, placeStopLimit],
    ['an activation price that was not requested', { ...limit, activation_price: '110' }, placeLimit],
    ['the type of a plain limit order', { ...stopLimit, type: 'limit' }, placeStopLimit],
    ['the type of another stop order', { ...stopMarket, type: 'margin stop limit' }, placeTrigger],
    ['a stop type of the collateral account', { ...stock, type: 'trigger margin market' }, placeCollateralMarket],
    ['nothing but what every order has', { orderId: 1, market: 'BTC_USDT', side: 'buy' }, placeStock],
  ])('is none when the order has %s: the outcome is unknown', async (_, body, call) => {
    expect(await failureOf(call(answering(body)))).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });
});

describe('a response to an OCO order that does not bear its identifier', () => {
  const now = () => Date.now() / 1000;
  const leg = { market: 'BTC_USDT', side: 'buy', amount: '0.50', timestamp: now() };
  const take_profit = { ...leg, orderId: 1, type: 'margin limit', price: '100.0' };
  const stop_loss = { ...leg, orderId: 2, type: 'margin stop limit', price: '121', activation_price: '120.00' };
  const oco = { id: 3, take_profit, stop_loss };
  const asked = {
    ...({ market: 'BTC_USDT', side: 'buy', amount: '0.5' } as const),
    ...{ price: '100', activation_price: '120', stop_limit_price: '121' },
  };
  const place = ({ collateral }: Exchange) => collateral.placeOcoOrder(asked);

  it.each([
    ['the same prices, written otherwise', oco],
    ['no activation price', { ...oco, stop_loss: { ...stop_loss, activation_price: null } }],
    ['one of its orders', { id: 3, take_profit }],
    ['types that are new', { ...oco, take_profit: { ...take_profit, type: 'normalization' } }],
  ])('is one when the OCO order has %s', async (_, body) => {
    await expect(lastValueFrom(place(answering(body)))).resolves.toMatchObject({ id: 3, client_order_id: '' });
  });

  it.each([
    ['another amount', { ...oco, take_profit: { ...take_profit, amount: '5' } }],
    ['another price', { ...oco, take_profit: { ...take_profit, price: '101' } }],
    ['another price of its stop order', { ...oco, stop_loss: { ...stop_loss, price: '120' } }],
    ['another activation price', { ...oco, stop_loss: { ...stop_loss, activation_price: '119' } }],
    ['its orders exchanged', { ...oco, take_profit: stop_loss, stop_loss: take_profit }],
    ['the other side', { ...oco, stop_loss: { ...stop_loss, side: 'sell' } }],
    ['another market', { ...oco, stop_loss: { ...stop_loss, market: 'ETH_USDT' } }],
    ['another identifier', { ...oco, stop_loss: { ...stop_loss, clientOrderId: 'other' } }],
    [
      'a time before its request',
      { take_profit: { ...take_profit, timestamp: now() - 20 }, stop_loss: { ...stop_loss, timestamp: now() - 20 } },
    ],
  ])('is none when the OCO order has %s: the outcome is unknown', async (_, body) => {
    expect(await failureOf(place(answering(body)))).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });

  it('is none when the OCO order was reported for another', async () => {
    const exchange = answering(oco);
    await lastValueFrom(place(exchange));
    expect(await failureOf(place(exchange))).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });
});

describe('an order of the exchange that was reported for one client_order_id', () => {
  const order = { orderId: 1, market: 'BTC_USDT', side: 'buy', amount: '1', timestamp: Date.now() / 1000 };
  const asked = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;
  const isNotIts = { outcome: 'unknown', message: expect.stringMatching(/another/) as string };

  it.each(['', 'second'])(
    'is not reported for another, by any endpoint, though its response bears the identifier "%s"',
    async (clientOrderId) => {
      const exchange = answering(order, { ...order, clientOrderId });
      await lastValueFrom(exchange.spot.placeStockMarketOrder(asked));
      expect(await failureOf(exchange.spot.placeMarketOrder({ ...asked, client_order_id: 'second' }))).toMatchObject(
        isNotIts,
      );
    },
  );

  it('is not found for another by a lookup, which proves nothing', async () => {
    const { fetch, sent } = recordingFetch(({ url }) => {
      if (url.endsWith('/orders')) return jsonAnswer([{ ...order, clientOrderId: 'second' }]);
      return sent.length === 1 ? jsonAnswer(order) : jsonAnswer({}, 503);
    });
    const credentials = { apiKey: 'key', apiSecret: 'secret' };
    const common = { baseUrl: 'https://exchange.example', credentials, retry: false } as const;
    const exchange = createExchange({ ...common, lookupTimeoutMs: 1, fetch });
    await lastValueFrom(exchange.spot.placeStockMarketOrder(asked));
    expect(await failureOf(exchange.spot.placeMarketOrder({ ...asked, client_order_id: 'second' }))).toMatchObject({
      outcome: 'unknown',
    });
    expect(await failureOf(exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'second' }))).toMatchObject({
      outcome: 'unknown',
    });
    expect(sent.filter(({ url }) => url.endsWith('/orders')).length).toBeGreaterThan(1);
  });

  it('is found again for its own', async () => {
    const exchange = answering({ ...order, clientOrderId: 'first' }, [{ name: 'BTC_USDT' }], { records: [] }, [
      { ...order, clientOrderId: 'first' },
    ]);
    await lastValueFrom(exchange.spot.placeStockMarketOrder({ ...asked, client_order_id: 'first' }));
    expect(await lastValueFrom(exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'first' }))).toMatchObject({
      order_id: 1,
    });
  });
});

describe('a response to the modification of an order that the client placed', () => {
  const placed = { orderId: 10, market: 'BTC_USDT', side: 'buy', amount: '1', price: '1' };
  const named = { ...placed, timestamp: Date.now() / 1000, clientOrderId: 'mine' };
  const place = ({ spot }: Exchange) =>
    spot.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '1', price: '1', client_order_id: 'mine' });
  const move = ({ orders }: Exchange, order_id = 10) => orders.modify({ market: 'BTC_USDT', order_id, price: '2' });
  const moved = { ...named, orderId: 11, price: '2' };

  it.each([
    ['has its identifier', moved],
    ['has no identifier', { ...moved, clientOrderId: '' }],
  ])('is one when it %s', async (_, body) => {
    const exchange = answering(named, body);
    await lastValueFrom(place(exchange));
    expect(await lastValueFrom(move(exchange))).toMatchObject({ order_id: 11, price: '2' });
  });

  it.each([
    ['the other side', { ...moved, side: 'sell' }],
    ['the identifier of another order', { ...moved, clientOrderId: 'other' }],
    ['its old number', { ...moved, orderId: 10 }],
  ])('is none when it has %s: the outcome is unknown', async (_, body) => {
    const exchange = answering(named, body);
    await lastValueFrom(place(exchange));
    expect(await failureOf(move(exchange))).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });

  it('is none when the client has reported it for another modification, or as another order', async () => {
    const exchange = answering(named, moved);
    await lastValueFrom(place(exchange));
    await lastValueFrom(move(exchange));
    expect(await failureOf(move(exchange, 12))).toMatchObject({ kind: 'response', outcome: 'unknown' });
    const order$ = exchange.spot.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '1', price: '2' });
    expect(await failureOf(order$)).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });

  it('has the side of the order that it modified, after a second modification', async () => {
    const exchange = answering(named, { ...moved, clientOrderId: '' }, { ...moved, orderId: 12, side: 'sell' });
    await lastValueFrom(place(exchange));
    await lastValueFrom(move(exchange));
    expect(await failureOf(move(exchange, 11))).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });
});

describe('a list that is read to its end', () => {
  const page = (offset: number, ids: readonly string[], limit = 100) => ({
    limit,
    offset,
    data: ids.map((id) => ({ id, alias: id })),
  });
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => `${from + index}`);

  const all = <Item>(items$: Observable<Item>) => lastValueFrom(items$.pipe(toArray()));

  it('does not end at a page that is full, whatever limit the exchange says', async () => {
    const { subAccounts } = answering(page(0, ids(0, 100), 1000), page(100, ids(100, 5), 1000));
    expect(await all(subAccounts.listAll())).toHaveLength(105);
  });

  it('fails where pages bring nothing new, and does not ask for ever', async () => {
    const pages = Array.from({ length: 9 }, (_, offset) => page(offset, ['same'], 1));
    const { exchange, sent } = clientThatGets(pages);
    expect(await failureOf(exchange.subAccounts.listAll())).toMatchObject({ kind: 'response' });
    expect(sent).toHaveLength(4);
  });

  it('has mining accounts of one name as often as there are any', async () => {
    const accounts = [1, 2].map((createdAt) => ({ name: 'rig', createdAt }));
    const { mining } = answering({ limit: 100, offset: 0, data: accounts });
    expect(await all(mining.listAllAccounts())).toEqual(accounts);
  });
});
