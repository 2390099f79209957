// How an order is looked up: among the open orders, then among the ended ones; an invalid response proves nothing.
import * as endpoints from 'exchange-rx/endpoints';
import { ApiError, TransportError } from 'exchange-rx';
import { lastValueFrom, of, throwError, toArray, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { lookUpOrder, type Read } from '../../src/orders/order-lookup.js';

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
const undecided = { kind: 'lookup', outcome: 'unknown' };
const lost = new TransportError('lost', { endpoint: 'orders.history', outcome: 'unknown' });

/** The result of a lookup with these responses. */
function found(answers: Readonly<Record<string, Observable<unknown>>>, since = 0, side?: string): Promise<unknown[]> {
  const asked: unknown[] = [];
  const call = ((endpoint: { readonly name: string }, params: unknown) => {
    asked.push(params);
    return answers[endpoint.name] ?? throwError(() => new Error(`${endpoint.name} was asked`));
  }) as Read;
  const looked = { ...key, isConditional: false, ...(side === undefined ? {} : { side }) };
  return lastValueFrom(lookUpOrder(endpoints.orders, call, looked, () => since).pipe(toArray())).finally(() => {
    for (const params of asked) expect(params).toEqual(key);
  });
}

describe('an order', () => {
  it('that is open is found without a request to the history', async () => {
    expect(await found({ 'orders.open': of([order]), 'orders.history': of({}) })).toEqual([order]);
  });

  it('that has ended is found in the history of its market', async () => {
    expect(await found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [order] }) })).toMatchObject([
      { order_id: 1, left: '0' },
    ]);
  });

  it('is the newest of those that had its identifier', async () => {
    const older = { ...order, order_id: 2, timestamp: order.timestamp - 86_400 };
    expect(await found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [older, order] }) })).toMatchObject([
      { order_id: 1 },
    ]);
    expect(await found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [order, older] }) })).toMatchObject([
      { order_id: 1 },
    ]);
  });

  it('is absent when no order is open and the history does not list it', async () => {
    expect(await found({ 'orders.open': of([]), 'orders.history': notFound })).toEqual([]);
  });

  it.each([
    ['{}', {}],
    ['a market without orders', { BTC_USDT: [] }],
  ])('may be anywhere when the history answers %s: where there is no order, it refuses', async (_, history) => {
    await expect(found({ 'orders.open': of([]), 'orders.history': of(history) })).rejects.toMatchObject({
      ...undecided,
      message: expect.stringContaining('do not prove that the order is absent') as string,
    });
  });

  it.each([
    ['fails as it does', { status: 500 }],
    ['is not found', { status: 404 }],
    [
      'has another fault in the request',
      { errors: { orderHistory: ['Order history not found.'], market: ['Market is not available.'] } },
    ],
  ])('may be anywhere when the history %s, with the words of an order that is not there', async (_, changed) => {
    const history = throwError(() => refusal('order-not-found', changed));
    await expect(found({ 'orders.open': of([]), 'orders.history': history })).rejects.toMatchObject({
      reason: 'order-not-found',
    });
  });

  it.each([
    ['another market', { ETH_USDT: [{ ...order, market: 'ETH_USDT' }] }],
    ['another identifier', { BTC_USDT: [{ ...order, client_order_id: 'other' }] }],
  ])('may be anywhere when the history answers orders of %s, which were not asked for', async (_, history) => {
    await expect(found({ 'orders.open': of([]), 'orders.history': of(history) })).rejects.toMatchObject({
      kind: 'lookup',
      outcome: 'unknown',
    });
  });

  it.each([
    ['refuses otherwise', refusal('other')],
    ['is not reached', lost],
  ])('may be anywhere when the exchange %s', async (_, error) => {
    await expect(found({ 'orders.open': of([]), 'orders.history': throwError(() => error) })).rejects.toBe(error);
    await expect(found({ 'orders.open': throwError(() => error) })).rejects.toBe(error);
  });

  const placedMs = order.timestamp * 1000;

  it('is found from the requested time on', async () => {
    expect(await found({ 'orders.open': of([order]), 'orders.history': notFound }, placedMs)).toHaveLength(1);
  });

  it.each([1, 5000, 60_000])(
    'may be one that was placed %i ms before that time, by a clock that is behind',
    async (earlierMs) => {
      await expect(
        found({ 'orders.open': of([order]), 'orders.history': notFound }, placedMs + earlierMs),
      ).rejects.toMatchObject(undecided);
      await expect(
        found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [order] }) }, placedMs + earlierMs),
      ).rejects.toMatchObject(undecided);
    },
  );

  it('is another than one that was placed more than a minute before', async () => {
    expect(
      await found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [order] }) }, placedMs + 60_001),
    ).toEqual([]);
  });

  it('may be one that is open and was placed before: while it is, another cannot have its identifier', async () => {
    await expect(
      found({ 'orders.open': of([order]), 'orders.history': notFound }, placedMs + 3_600_000),
    ).rejects.toMatchObject({
      ...undecided,
      message: expect.stringContaining('one of them may be the order') as string,
    });
  });

  it('may be behind a page that is full of others of its identifier', async () => {
    const page = Array.from({ length: 50 }, () => order);
    await expect(
      found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: page }) }, placedMs + 60_001),
    ).rejects.toMatchObject(undecided);
  });

  it.each([0, 1_795_000_000_500, Number.NaN])('may be one whose time can be none: %d', async (timestamp) => {
    const timeless = { ...order, timestamp };
    await expect(found({ 'orders.open': of([timeless]), 'orders.history': notFound }, placedMs)).rejects.toMatchObject(
      undecided,
    );
    await expect(
      found({ 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [timeless] }) }, placedMs),
    ).rejects.toMatchObject(undecided);
  });

  it('may be one of several of its identifier, if not all of them were surely placed before', async () => {
    const dayBefore = { ...order, order_id: 2, timestamp: order.timestamp - 86_400 };
    const answers = { 'orders.open': of([]), 'orders.history': of({ BTC_USDT: [dayBefore, order] }) };
    await expect(found(answers, placedMs + 5000)).rejects.toMatchObject(undecided);
    expect(await found(answers, placedMs + 120_000)).toEqual([]);
  });

  it('without a time is it, when no other can have its identifier', async () => {
    const { timestamp: _timestamp, ...timeless } = order;
    expect(await found({ 'orders.open': of([timeless]), 'orders.history': notFound })).toEqual([timeless]);
  });

  it('of the other side is not it, and no proof', async () => {
    await expect(
      found({ 'orders.open': of([order]), 'orders.history': notFound }, placedMs, 'sell'),
    ).rejects.toMatchObject(undecided);
    expect(await found({ 'orders.open': of([order]), 'orders.history': notFound }, placedMs, 'buy')).toHaveLength(1);
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

  function foundOf(responses: Readonly<Record<string, Observable<unknown>>>, isConditional = true) {
    const asked: string[] = [];
    const call = ((endpoint: { readonly name: string }) => {
      asked.push(endpoint.name);
      return responses[endpoint.name] ?? throwError(() => new Error(`${endpoint.name} was asked`));
    }) as Read;
    const looked = { ...key, isConditional };
    return { asked, orders: lastValueFrom(lookUpOrder(endpoints.orders, call, looked, () => 0).pipe(toArray())) };
  }

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
    const { asked, orders } = foundOf({ 'orders.conditional': listed([conditional]) }, true);
    expect(await orders).toMatchObject([{ order_id: 1, client_order_id: 'mine' }]);
    expect(asked).toEqual(['orders.conditional']);
  });

  it('is absent when none of the three lists has it', async () => {
    const { asked, orders } = foundOf(
      { ...nowhere, 'orders.conditional': listed([{ id: 7, conditionalOrder: { ...leg, clientOrderId: 'other' } }]) },
      true,
    );
    expect(await orders).toEqual([]);
    expect(asked).toEqual(['orders.conditional', 'orders.open', 'orders.history']);
    expect(await foundOf({ ...nowhere, 'orders.conditional': page([]) }).orders).toEqual([]);
  });

  it('is looked up there too when it is not known whether it had stops, as after a restart', async () => {
    expect(
      await foundOf({ ...nowhere, 'orders.conditional': listed([{ conditionalOrder: leg }]) }).orders,
    ).toHaveLength(1);
    expect(foundOf({ ...nowhere }, false).asked).not.toContain('orders.conditional');
  });

  const other = { id: 7, conditionalOrder: { ...leg, clientOrderId: 'other' } };
  it.each([
    [
      'are refused to the key',
      throwError(
        () =>
          new ApiError({ ...answer, status: 403 }, 'other', { endpoint: 'orders.conditional', outcome: 'rejected' }),
      ),
    ],
    ['are not reached', throwError(() => lost)],
    ['are more than were given', listed([other], { total: 2 })],
    [
      'fill their page',
      listed(
        Array.from({ length: 100 }, () => other),
        { total: undefined },
      ),
    ],
    ['fill a page of fewer than were asked for', listed([other], { limit: 1, total: undefined })],
    [
      'have one that cannot be read',
      listed([other, { id: 8, type: 'oto', conditionalOrder: { orderId: 'x' } }], { total: undefined }),
    ],
    ['have one of a new kind', listed([other, { id: 8, type: 'ladder', steps: [leg] }], { total: undefined })],
  ])('is not proven absent when these %s; it is found elsewhere all the same', async (_, conditional) => {
    await expect(foundOf({ ...nowhere, 'orders.conditional': conditional }, true).orders).rejects.toMatchObject({
      outcome: 'unknown',
      message: expect.stringContaining('the conditional orders do not prove that the order is absent') as string,
    });
    expect(
      await foundOf({ ...nowhere, 'orders.conditional': conditional, 'orders.open': of([order]) }, true).orders,
    ).toEqual([order]);
  });
});

describe('an order that may be one that cannot be read', () => {
  const odd = { clientOrderId: 'mine' };
  const readable = { orderId: 1, clientOrderId: 'mine', market: 'BTC_USDT', side: 'buy', timestamp: 1 };
  const open = of(v.parse(endpoints.orders.open.response, [readable, odd]));

  it('is not proven absent', async () => {
    const history = v.parse(endpoints.orders.history.response, {
      BTC_USDT: [{ id: 1, clientOrderId: 'mine', side: 'buy', ctime: 1_700_000_000 }, { id: 'x' }],
    });
    await expect(found({ 'orders.open': open, 'orders.history': notFound }, 1_795_000_000_000)).rejects.toMatchObject(
      undecided,
    );
    await expect(
      found({ 'orders.open': of([]), 'orders.history': of(history) }, 1_795_000_000_000),
    ).rejects.toMatchObject(undecided);
  });

  it('is found when it is another of the list', async () => {
    expect(await found({ 'orders.open': open })).toMatchObject([{ order_id: 1 }]);
  });
});
