// Responses of the right shape that belong to another request, or to none: they are rejected.
import type { Endpoint, Exchange } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { lastValueFrom, toArray, type Observable } from 'rxjs';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { callUntyped } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';
import { clientThatGets } from '../support/recording-fetch.js';

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
const mine = { client_order_id: 'mine' };
const named = { market: 'BTC_USDT', client_order_id: 'mine' } as const;
const now = start / 1000;
const unnamed = { ...open, clientOrderId: '', timestamp: now };

const market = 'BTC_USDT';
const other = 'ETH_USDT';
const { account, collateral, mining, orders, spot, subAccounts } = endpoints;
const armed = { market, startTime: 1_795_000_000, cancellationTime: 1_795_000_010, types: ['spot'] };
const killSwitch = [orders.setKillSwitch, { market, timeout: 10 }] as const;
const leverage = [collateral.setLeverage, { leverage: 5 }] as const;
const hedgeMode = [collateral.setHedgeMode, { hedgeMode: true }] as const;
const close = [collateral.closePosition, { market: 'BTC_PERP', positionId: 7 }] as const;
const modify = [orders.modify, { market, order_id: 1, price: '1' }] as const;
const limitParams = { market, side: 'buy', amount: '1', price: '1' };
const limitOrder = [spot.placeLimitOrder, limitParams] as const;
const ocoPrices = { activation_price: '3', stop_limit_price: '4' };
const ocoOrder = [collateral.placeOcoOrder, { ...limitParams, ...ocoPrices }] as const;
const position = { positionId: 1, market: other, amount: '1' };
const deal = { id: 1, time: 1_795_000_000, price: '1', amount: '1' };
const dealOfOther = { ...deal, clientOrderId: 'other' };
const openOfOther = { ...open, clientOrderId: 'other' };
const conditional = { conditionalOrder: { ...open, market: other } };
const funding = { market: 'ETH_PERP', fundingTime: '1', fundingAmount: '1' };
const rate = { market: 'ETH_PERP', fundingTime: '1', fundingRate: '0' };
const amounts = { available: '1', freeze: '0' };
const ofPosition = [collateral.positionHistory, { market: other, positionId: 2 }] as const;
const ofBoth = [orders.setKillSwitch, { market, timeout: 10, types: ['spot', 'margin'] }] as const;
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
  ['the deals of all markets of another identifier', { ETH_USDT: [dealOfOther] }, orders.dealsByMarket, mine],
  ['deals of "data", which is no market', { data: [] }, orders.dealsByMarket, {}],
  ['the deals of all markets for those of one', { BTC_USDT: [] }, orders.deals, { market }],
  ['a page of deals of another place', { offset: 50, records: [] }, orders.dealsOfOrder, { order_id: 1 }],
  ['the positions of another market', [position], collateral.openPositions, { market }],
  ['the history of positions in another market', [position], collateral.positionHistory, { market }],
  ['the history of another position', [position], collateral.positionHistory, { positionId: 2 }],
  ['the funding of another market', { records: [funding] }, collateral.fundingPayments, { market: 'BTC_PERP' }],
  ['a page of funding of another place', { offset: 100, records: [] }, collateral.fundingPayments, {}],
  ['the funding rates of another market', [rate], endpoints.public.fundingRateHistory, { market: 'BTC_PERP' }],
  ['an order of another amount, without an identifier', { ...unnamed, amount: '2' }, ...limitOrder],
  ['an order from before its request, without an identifier', { ...unnamed, timestamp: now - 20 }, ...limitOrder],
  ['an OCO order of another price, without an identifier', { take_profit: { ...unnamed, price: '2' } }, ...ocoOrder],
  ['an OCO order from before its request', { take_profit: { ...unnamed, timestamp: now - 20 } }, ...ocoOrder],
];

it.each(mistaken)('a response that belongs to another request is refused: %s', async (_, body, endpoint, params) => {
  expect(await failureOf(callUntyped(answering(body), endpoint, params))).toMatchObject({
    kind: 'response',
    outcome: endpoint.safety === 'read' ? 'none' : 'unknown',
  });
});

const several = { BTC_USDT: [ended], ETH_USDT: [{ ...ended, market: other }] };

it.each<Answer>([
  ['a history of the market', { BTC_USDT: [ended] }, orders.history, named],
  ['a history of several markets', several, orders.history, {}],
  ['open orders', [open], orders.open, named],
  ['an order without identifier, type and time', { ...unnamed, type: null, timestamp: null }, ...limitOrder],
  ['an order of a clock that is a few seconds behind', { ...unnamed, timestamp: now - 4 }, ...limitOrder],
  ['an OCO order of which one order is shown', { take_profit: unnamed }, ...ocoOrder],
  ['the cancel of the order', open, orders.cancel, named],
  ['nothing as a removed kill switch', [], orders.setKillSwitch, { market, timeout: null }],
  ['a kill switch without a time', { market, startTime: null, cancellationTime: null }, ...killSwitch],
  ['a kill switch without a market', { startTime: 1, cancellationTime: 2 }, ...killSwitch],
  ['a kill switch of the types', { ...armed, types: ['Margin', 'spot'] }, ...ofBoth],
  ['a kill switch of all types', { ...armed, types: null }, ...ofSpot],
  ['the balance of the asset', { BTC: '1' }, collateral.balance, { ticker: 'BTC' }],
  ['no balance of the asset', {}, collateral.balance, { ticker: 'BTC' }],
  ['a deal without an identifier', [deal], orders.deals, named],
  ['the history of the position', [{ ...position, positionId: 2 }], ...ofPosition],
  ['the requested hedge mode', { hedgeMode: true }, ...hedgeMode],
  ['no hedge mode', [], ...hedgeMode],
  ['the leverage as a string', { leverage: '5' }, ...leverage],
  ['nothing of a closed position', [], ...close],
  ['the number of the position as a string', { positionId: '7', market: 'BTC_PERP' }, ...close],
  ['the modified order', { ...open, orderId: 2 }, ...modify],
  ['the canceled orders of the market', [open], orders.cancelAll, { market }],
])('a response that belongs to its request is read: %s', async (_, body, endpoint, params) => {
  await expect(lastValueFrom(callUntyped(answering(body), endpoint, params))).resolves.toBeDefined();
});

const order = { orderId: 1, market: 'BTC_USDT', side: 'buy', amount: '1', timestamp: Date.now() / 1000 };
const asked = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;
const isNotIts = { outcome: 'unknown', message: expect.stringMatching(/another/) as string };

it.each(['', 'second'])(
  'an order is not reported for a second client_order_id, although its response bears the identifier "%s"',
  async (clientOrderId) => {
    const exchange = answering(order, { ...order, clientOrderId });
    await lastValueFrom(exchange.spot.placeStockMarketOrder(asked));
    expect(await failureOf(exchange.spot.placeMarketOrder({ ...asked, client_order_id: 'second' }))).toMatchObject(
      isNotIts,
    );
  },
);

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
  ])('is accepted when it %s', async (_, body) => {
    const exchange = answering(named, body);
    await lastValueFrom(place(exchange));
    expect(await lastValueFrom(move(exchange))).toMatchObject({ order_id: 11, price: '2' });
  });

  it.each([
    ['the other side', { ...moved, side: 'sell' }],
    ['the identifier of another order', { ...moved, clientOrderId: 'other' }],
    ['its old number', { ...moved, orderId: 10 }],
  ])('is not accepted when it has %s: the outcome is unknown', async (_, body) => {
    const exchange = answering(named, body);
    await lastValueFrom(place(exchange));
    expect(await failureOf(move(exchange))).toMatchObject({ kind: 'response', outcome: 'unknown' });
  });

  it('is not accepted when the client has reported it for another modification, or as another order', async () => {
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
  const all = <Item>(items$: Observable<Item>) => lastValueFrom(items$.pipe(toArray()));

  it('does not end at a page that is full, whatever limit the exchange says', async () => {
    const page = (offset: number, count: number) => ({
      limit: 1000,
      offset,
      data: Array.from({ length: count }, (_, index) => ({ id: `${offset + index}`, alias: 'bot' })),
    });
    const { subAccounts } = answering(page(0, 100), page(100, 5));
    expect(await all(subAccounts.listAll())).toHaveLength(105);
  });

  it('has mining accounts of one name as often as there are any', async () => {
    const accounts = [1, 2].map((createdAt) => ({ name: 'rig', createdAt }));
    const { mining } = answering({ limit: 100, offset: 0, data: accounts });
    expect(await all(mining.listAllAccounts())).toEqual(accounts);
  });
});
