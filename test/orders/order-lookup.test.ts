// How an order, or an OCO order, is looked up: in one list after another; and which responses prove nothing.
import * as endpoints from 'exchange-rx/endpoints';
import { ApiError, ResponseError, TransportError } from 'exchange-rx';
import { lastValueFrom, of, throwError, toArray, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ocoLookup, orderLookup } from '../../src/endpoints/orders/lookups.js';
import { lookUp, type Read, type SearchedOrder } from '../../src/orders/order-lookup.js';

const key = { market: 'BTC_USDT', client_order_id: 'mine' };
const order = {
  ...key,
  order_id: 1,
  side: 'buy',
  type: 'limit',
  timestamp: 1_795_000_000.5,
  amount: '1',
  deal_stock: '1',
  deal_money: '2',
  deal_fee: '0',
  status: 'FILLED',
};
const answer = {
  status: 422,
  code: 30,
  exchangeMessage: undefined,
  errors: { orderHistory: ['Order history not found.'] },
  body: undefined,
};
const refusal = (reason: 'order-not-found' | 'other', changed: Partial<typeof answer> = {}) =>
  new ApiError({ ...answer, ...changed }, reason, { endpoint: 'orders.history', outcome: 'rejected' });
const notFound = throwError(() => refusal('order-not-found'));
const undecided = {
  kind: 'lookup',
  outcome: 'unknown',
  message: expect.stringMatching(/(open orders|of the history) do not prove .*: (one|unexpected)/) as string,
};
const lost = new TransportError('lost', { endpoint: 'orders.history', outcome: 'unknown' });

type Lists = Readonly<Record<string, Observable<unknown>>>;

/** Looks the order up in these lists; returns what is emitted, and the endpoints that were called. */
function lookedUp(
  lists: Lists,
  {
    since = 0,
    lookup = orderLookup,
    ...own
  }: Partial<SearchedOrder> & { since?: number; lookup?: typeof ocoLookup | typeof orderLookup } = {},
) {
  const called: string[] = [];
  const read = ((endpoint: { readonly name: string }, params: object) => {
    called.push(endpoint.name);
    expect(params).toMatchObject('limit' in params ? { market: key.market } : key);
    const { offset = 0 }: { readonly offset?: number } = params;
    return (
      lists[offset === 0 ? endpoint.name : `${endpoint.name} from ${offset}`] ??
      throwError(() => new Error(`${endpoint.name} was called`))
    );
  }) as Read;
  const found$ = lookUp<unknown>(lookup, read, { ...key, isConditional: false, ...own }, () => since);
  return { called, found: lastValueFrom(found$.pipe(toArray())) };
}

const found = (lists: Lists, since = 0, side?: string) =>
  lookedUp(lists, { since, ...(side === undefined ? {} : { side }) }).found;

const open = (...orders: readonly unknown[]) => ({ 'orders.open': of(orders), 'orders.history': notFound });
const history = (byMarket: object) => ({ 'orders.open': of([]), 'orders.history': of(byMarket) });
const ended = (...orders: readonly unknown[]) => history({ BTC_USDT: orders });

describe('an order', () => {
  const placedMs = order.timestamp * 1000;
  const dayBefore = { ...order, order_id: 2, timestamp: order.timestamp - 86_400 };
  const canceled = { ...order, status: 'CANCELED', deal_stock: '0' };
  const { timestamp: _timestamp, ...timeless } = order;

  it.each<[string, Lists, number, readonly object[]]>([
    ['that is open is found without a request to the history', { 'orders.open': of([order]) }, 0, [order]],
    ['that has ended is found in the history of its market', ended(order), 0, [{ order_id: 1, left: '0' }]],
    ['is the newest of those that had its identifier', ended(dayBefore, order), 0, [{ order_id: 1 }]],
    ['is the newest of them in any order of the list', ended(order, dayBefore), 0, [{ order_id: 1 }]],
    ['is the one of an OCO order that was executed', ended({ ...canceled, order_id: 2 }, order), 0, [{ order_id: 1 }]],
    ['is the newest, canceled one, and none executed before', ended(canceled, dayBefore), 0, [{ order_id: 1 }]],
    ['is absent when no order is open and the history does not list it', open(), 0, []],
    ['is found from the requested time on', open(order), placedMs, [order]],
    ['is another than one that was placed more than a minute before', ended(order), placedMs + 60_001, []],
    ['is another than several that were placed before', ended(dayBefore, order), placedMs + 120_000, []],
    ['without a time is it, when no other can have its identifier', ended(timeless), 0, [{ order_id: 1 }]],
    ['without a time is it, when it is open, as only one with its identifier is', open(timeless), placedMs, [timeless]],
  ])('%s', async (_, lists, since, orders) => {
    const seen = await found(lists, since);
    expect(seen).toMatchObject(orders);
    expect(seen).toHaveLength(orders.length);
  });

  it.each<[string, Lists, number]>([
    ['the history is {}: where there is no order, it refuses', history({}), 0],
    ['the history has a market without orders', ended(), 0],
    ['the history has an order of another market', history({ ETH_USDT: [{ ...order, market: 'ETH_USDT' }] }), 0],
    ['the history has an order of another identifier', ended({ ...order, client_order_id: 'other' }), 0],
    ...[1, 5000, 60_000].flatMap((ms): [string, Lists, number][] => [
      [`an open order was placed ${ms} ms before, by a clock that is behind`, open(order), placedMs + ms],
      [`an ended order was placed ${ms} ms before, by a clock that is behind`, ended(order), placedMs + ms],
    ]),
    ['an order placed before is open: it keeps its identifier', open(order), placedMs + 3_600_000],
    ['the page is full of others', ended(...Array.from({ length: 50 }, () => order)), placedMs + 60_001],
    ...[0, 1_795_000_000_500, Number.NaN].flatMap((timestamp): [string, Lists, number][] => [
      [`an open order has the time ${timestamp}`, open({ ...order, timestamp }), placedMs],
      [`an ended order has the time ${timestamp}`, ended({ ...order, timestamp }), placedMs],
    ]),
    ['one of several has no time', ended(timeless, dayBefore), placedMs],
    ['one of several may have been placed after', ended(dayBefore, order), placedMs + 5000],
  ])('is not proven absent when %s', async (_, lists, since) => {
    await expect(found(lists, since)).rejects.toMatchObject(undecided);
  });

  it.each([
    ['fails as it does', { status: 500 }],
    ['is not found', { status: 404 }],
    [
      'has another fault in the request',
      { errors: { orderHistory: ['Order history not found.'], market: ['Market is not available.'] } },
    ],
  ])('is not proven absent when the history %s, in the words of an absent order', async (_, changed) => {
    const refused = throwError(() => refusal('order-not-found', changed));
    await expect(found({ 'orders.open': of([]), 'orders.history': refused })).rejects.toMatchObject({
      reason: 'order-not-found',
    });
  });

  it.each([
    ['refuses otherwise', refusal('other')],
    ['is not reached', lost],
  ])('is not proven absent when the exchange %s', async (_, error) => {
    await expect(found({ 'orders.open': of([]), 'orders.history': throwError(() => error) })).rejects.toBe(error);
    await expect(found({ 'orders.open': throwError(() => error) })).rejects.toBe(error);
  });

  it('of the other side is not it, and no proof', async () => {
    await expect(found(open(order), placedMs, 'sell')).rejects.toMatchObject(undecided);
    expect(await found(open(order), placedMs, 'buy')).toHaveLength(1);
  });
});

describe('an order that may be among the conditional orders', () => {
  const page = (body: unknown) => of(v.parse(endpoints.orders.conditional.response, body));
  const { left, ...wire } = { ...order, left: '1' };
  const leg = {
    orderId: wire.order_id,
    clientOrderId: wire.client_order_id,
    market: wire.market,
    side: wire.side,
    left,
    status: 'OPEN',
    timestamp: wire.timestamp,
  };
  const listed = (records: readonly unknown[], more: object = {}) =>
    page({ limit: 100, offset: 0, total: records.length, records, ...more });
  const nowhere = { 'orders.open': of([]), 'orders.history': notFound };

  const other = { id: 7, conditionalOrder: { ...leg, clientOrderId: 'other' } };
  const unnamed = { id: 8, conditionalOrder: { ...leg, clientOrderId: '', market: 'ETH_USDT' } };
  const full = Array.from({ length: 100 }, () => other);

  const foundOf = (lists: Lists, isConditional = true) => lookedUp(lists, { isConditional });

  it.each([
    ['the order that brings others, in either spelling of its fields', { id: 1, type: 'oto', conditionalOrder: leg }],
    [
      'the order that brings others, as older descriptions spell it',
      { id: 1, type: 'oto', conditional_order: { ...key, order_id: 1, side: 'buy' } },
    ],
    [
      'the stop loss of a pair',
      { id: 1, type: 'oco', stopLoss: leg, takeProfit: { ...leg, orderId: 2, clientOrderId: '' } },
    ],
    [
      'the take profit of a pair, as older descriptions spell it',
      { id: 1, type: 'oco', stop_loss: { ...leg, orderId: 2, clientOrderId: '' }, take_profit: leg },
    ],
  ])('is found there as %s, and nothing else is read', async (_, conditional) => {
    const { called, found: orders } = foundOf({ 'orders.conditional': listed([conditional]) });
    expect(await orders).toMatchObject([{ order_id: 1, client_order_id: 'mine' }]);
    expect(called).toEqual(['orders.conditional']);
  });

  it('is absent when none of the three lists has it', async () => {
    const { called, found: orders } = foundOf({ ...nowhere, 'orders.conditional': listed([other, unnamed]) });
    expect(await orders).toEqual([]);
    expect(called).toEqual(['orders.conditional', 'orders.open', 'orders.history']);
    expect(await foundOf({ ...nowhere, 'orders.conditional': page([]) }).found).toEqual([]);
  });

  it('is looked up there too when it is not known whether it had stops, as after a restart', async () => {
    const lists = { ...nowhere, 'orders.conditional': listed([{ conditionalOrder: leg }]) };
    expect(await foundOf(lists).found).toHaveLength(1);
    expect(foundOf(nowhere, false).called).not.toContain('orders.conditional');
  });

  it.each([
    ['are refused to the key', throwError(() => refusal('other', { status: 403 }))],
    ['are not reached', throwError(() => lost)],
    ['are more than were given', listed([other], { total: 2 })],
    ['fill their page', listed(full, { total: undefined })],
    ['fill a page of fewer than were asked for', listed([other], { limit: 1, total: undefined })],
    [
      'have one that cannot be read',
      listed([other, { id: 8, type: 'oto', conditionalOrder: { orderId: 'x' } }], { total: undefined }),
    ],
    ['have one of a new kind', listed([other, { id: 8, type: 'ladder', steps: [leg] }], { total: undefined })],
  ])('is not proven absent when these %s; it is found elsewhere all the same', async (_, conditional) => {
    await expect(foundOf({ ...nowhere, 'orders.conditional': conditional }).found).rejects.toMatchObject({
      outcome: 'unknown',
      message: expect.stringContaining('the conditional orders do not prove that the order is absent') as string,
    });
    const elsewhere = { 'orders.conditional': conditional, 'orders.open': of([order]) };
    expect(await foundOf(elsewhere).found).toEqual([order]);
  });
});

describe('an order that may be one that cannot be read', () => {
  const readable = { orderId: 1, clientOrderId: 'mine', market: 'BTC_USDT', side: 'buy', timestamp: 1 };
  const listed = of(v.parse(endpoints.orders.open.response, [readable, { clientOrderId: 'mine' }]));
  const malformed = throwError(() => new ResponseError('unexpected body', 200, undefined, 'orders.open'));

  it('is not proven absent', async () => {
    const byMarket = v.parse(endpoints.orders.history.response, {
      BTC_USDT: [{ id: 1, clientOrderId: 'mine', side: 'buy', ctime: 1_700_000_000 }, { id: 'x' }],
    });
    const unread = { 'orders.open': malformed, 'orders.history': notFound };
    for (const lists of [{ 'orders.open': listed, 'orders.history': notFound }, unread, history(byMarket)])
      await expect(found(lists, 1_795_000_000_000)).rejects.toMatchObject(undecided);
  });

  it('is found when it is another of the list, or in the history', async () => {
    for (const lists of [{ 'orders.open': listed }, { ...ended(order), 'orders.open': malformed }])
      expect(await found(lists)).toMatchObject([{ order_id: 1 }]);
  });
});

describe('an OCO order', () => {
  const placedMs = 1_795_000_000_500;
  const leg = { ...{ market: 'BTC_USDT', side: 'buy', status: 'OPEN', amount: '1' }, timestamp: placedMs / 1000 };
  const limit = { ...leg, clientOrderId: 'mine', orderId: 1, type: 'limit', price: '50' };
  const stop = { ...limit, orderId: 2, type: 'stop limit', price: '71', activation_price: '70', activated: 0 };
  const whole = { id: 9, stop_loss: stop, take_profit: limit };
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: 100 + index,
      take_profit: { ...limit, clientOrderId: 'other' },
    }));
  const ended = ({ orderId, timestamp, ...same }: typeof limit, status: string) => {
    return { ...same, id: orderId, ctime: timestamp, ftime: timestamp + 1, status };
  };

  interface OcoLists {
    /** The OCO orders; a failure without them. */
    readonly oco?: readonly unknown[] | undefined;
    readonly conditional?: readonly unknown[];
    readonly open?: readonly unknown[];
    readonly history?: readonly unknown[];
  }

  const listed = ({ conditional = [], open = [], history, ...rest }: OcoLists): Lists => {
    const { oco = 'oco' in rest ? undefined : [] } = rest;
    const { orders } = endpoints;
    return {
      'orders.oco': oco === undefined ? throwError(() => lost) : of(v.parse(orders.oco.response, oco)),
      'orders.conditional': of(v.parse(orders.conditional.response, { records: conditional })),
      'orders.open': of(v.parse(orders.open.response, open)),
      'orders.history': history === undefined ? notFound : of(v.parse(orders.history.response, { BTC_USDT: history })),
    };
  };
  const ofOco = (lists: OcoLists, own: Parameters<typeof lookedUp>[1] = {}) =>
    lookedUp(listed(lists), { ...own, lookup: ocoLookup });
  const unproven = (why: string) => ({ ...undecided, message: expect.stringContaining(why) as string });

  it('that is open is found by its identifier, and nothing else is read', async () => {
    const { called, found } = ofOco({ oco: [...others(3), whole] });
    expect(await found).toMatchObject([{ id: 9, client_order_id: 'mine', take_profit: { order_id: 1 } }]);
    expect(called).toEqual(['orders.oco']);
  });

  it('is found by one of its orders that has the identifier', async () => {
    const odd = { ...whole, stop_loss: { ...stop, clientOrderId: '' } };
    expect(await ofOco({ oco: [odd] }).found).toMatchObject([{ id: 9, client_order_id: 'mine' }]);
  });

  it('is found on a later page', async () => {
    const second = of(v.parse(endpoints.orders.oco.response, [whole]));
    const pages = { ...listed({ oco: others(100) }), 'orders.oco from 100': second };
    const { called, found } = lookedUp(pages, { lookup: ocoLookup });
    expect(await found).toMatchObject([{ id: 9 }]);
    expect(called).toEqual(['orders.oco', 'orders.oco']);
  });

  it('is found among the conditional orders, with its number and both orders', async () => {
    const record = { id: 9, type: 'oco', stopLoss: stop, takeProfit: limit };
    for (const oco of [[], undefined])
      expect(await ofOco({ oco, conditional: [record] }).found).toMatchObject([
        { id: 9, client_order_id: 'mine', take_profit: { order_id: 1 }, stop_loss: { order_id: 2 } },
      ]);
  });

  const both = { take_profit: { order_id: 1, price: '50' }, stop_loss: { order_id: 2, price: '71' } };
  const later = { ...stop, timestamp: stop.timestamp + 1 };
  const sold = { ...ended(stop, 'CANCELED'), side: 'sell' };
  const earlier = { ...ended(stop, 'CANCELED'), ctime: placedMs / 1000 - 3600 };
  it.each<[string, OcoLists, object]>([
    ['both in the history', { history: [ended(stop, 'CANCELED'), ended(limit, 'FILLED')] }, both],
    ['both, a second apart', { history: [ended(later, 'CANCELED'), ended(limit, 'FILLED')] }, both],
    ['an open and an ended one', { open: [{ ...stop, activated: 1 }], history: [ended(limit, 'CANCELED')] }, both],
    ['one that is open, while no history can be read', { open: [limit] }, { take_profit: { order_id: 1 } }],
    ['its limit order in a pair', { conditional: [{ takeProfit: limit }] }, { take_profit: { order_id: 1 } }],
    ['its stop order in a pair', { conditional: [{ stopLoss: stop }] }, { stop_loss: { order_id: 2 } }],
    ['one that brings others', { conditional: [{ id: 9, conditionalOrder: limit }] }, { take_profit: { order_id: 1 } }],
    ['both open, as the exchange lists all open orders', { open: [limit, stop] }, both],
    ['one, where the history omits the other', { history: [ended(limit, 'FILLED')] }, { take_profit: { order_id: 1 } }],
    ['one beside one of the other side', { history: [ended(limit, 'FILLED'), sold] }, { take_profit: { order_id: 1 } }],
    ['one beside an earlier use', { history: [ended(limit, 'FILLED'), earlier] }, { take_profit: { order_id: 1 } }],
    [
      'one of a new type, which a price activates',
      { history: [ended({ ...stop, type: 'new' }, 'FILLED')] },
      { stop_loss: { order_id: 2 } },
    ],
    [
      'one of a new type, beside the stop order',
      { history: [ended({ ...limit, type: 'new' }, 'CANCELED'), ended(stop, 'FILLED')] },
      both,
    ],
  ])('is found by its orders: %s', async (_, lists, orders) => {
    const [oco] = await ofOco(lists).found;
    expect(oco).toMatchObject({ client_order_id: 'mine', ...orders });
    expect(oco).not.toHaveProperty('id');
    if (orders !== both) expect(Object.keys(oco as object).filter((name) => name in both)).toHaveLength(1);
  });

  it('whose only order has a new type is not known by it', async () => {
    const { found } = ofOco({ history: [ended({ ...limit, type: 'new' }, 'FILLED')] });
    await expect(found).rejects.toMatchObject(unproven('whether it is the stop order'));
  });

  it('is not absent when its endpoint makes no result of it', async () => {
    const { found } = lookedUp(listed({ oco: [whole] }), { lookup: { ...ocoLookup, outputOf: () => undefined } });
    await expect(found).rejects.toMatchObject(unproven('the lookup found an order'));
  });

  it('is absent when no list has it', async () => {
    const { called, found } = ofOco({ oco: others(3) });
    expect(await found).toEqual([]);
    expect(called).toEqual(['orders.oco', 'orders.conditional', 'orders.open', 'orders.history']);
  });

  it.each<[string, OcoLists, string]>([
    ['cannot be read', { oco: undefined }, 'lost'],
    ['fill their page', { oco: others(100) }, 'incomplete'],
    ['have one that cannot be read', { oco: [...others(1), { id: 8 }] }, 'incomplete'],
    ['have one without an identifier', { oco: [{ id: 8, take_profit: { ...limit, clientOrderId: '' } }] }, 'has no'],
  ])('is not proven absent when the OCO orders %s', async (_, lists, why) => {
    await expect(ofOco(lists).found).rejects.toMatchObject(unproven(why));
    expect(await ofOco({ ...lists, open: [limit] }).found).toHaveLength(1);
  });

  it.each([
    ['an earlier time', { since: placedMs + 5000 }],
    ['the other side', { side: 'sell' }],
  ])('may be one that is open with its identifier, and %s', async (_, own) => {
    await expect(ofOco({ oco: [whole] }, own).found).rejects.toMatchObject(unproven('the OCO orders do not prove'));
  });
});
