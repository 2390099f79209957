// How an OCO order is looked up: in the list of OCO orders, page by page, then by its orders; and which responses prove
// nothing.
import { ApiError, TransportError, type Endpoint } from 'exchange-rx';
import { orders as lists } from 'exchange-rx/endpoints';

import { lastValueFrom, of, throwError, toArray, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { lookUpOco } from '../../src/orders/oco-lookup.js';
import type { Read } from '../../src/orders/order-lookup.js';

const key = { market: 'BTC_USDT', client_order_id: 'mine' };
const placedMs = 1_795_000_000_500;
const leg = { market: 'BTC_USDT', side: 'buy', status: 'OPEN', timestamp: placedMs / 1000, amount: '1' };
const named = { ...leg, clientOrderId: 'mine' };
const limit = { ...named, orderId: 1, type: 'limit', price: '50' };
const stop = { ...named, orderId: 2, type: 'stop limit', price: '71', activation_price: '70', activated: 0 };
const whole = { id: 9, stop_loss: stop, take_profit: limit };
const others = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: 100 + index, take_profit: { ...limit, clientOrderId: 'other' } }));

const refusal = { status: 422, code: 30, exchangeMessage: undefined, body: undefined };
const notFound = throwError(
  () =>
    new ApiError({ ...refusal, errors: { orderHistory: ['OrderHistory was not found.'] } }, 'order-not-found', {
      endpoint: 'orders.history',
      outcome: 'rejected',
    }),
);
const lost = throwError(() => new TransportError('lost', { endpoint: 'orders.oco', outcome: 'none' }));

interface Lists {
  /** The pages of the OCO orders, or a failure. */
  readonly oco?: readonly (readonly unknown[])[] | Observable<never>;
  readonly conditional?: readonly unknown[];
  readonly open?: readonly unknown[];
  readonly history?: readonly unknown[];
}

/** Looks the order up in these lists; returns what is emitted, and the endpoints that were called. */
function lookUp({ oco = [[]], conditional = [], open = [], history }: Lists, since = 0, side?: string) {
  const called: string[] = [];
  const call = ((endpoint: Endpoint, { offset = 0 }: { readonly offset?: number }) => {
    called.push(endpoint.name);
    switch (endpoint.name) {
      case 'orders.oco':
        return Array.isArray(oco) ? of(v.parse(endpoint.response, oco[offset / 100])) : oco;
      case 'orders.conditional':
        return of(v.parse(endpoint.response, { records: conditional }));
      case 'orders.open':
        return of(v.parse(endpoint.response, open));
      default:
        return history === undefined ? notFound : of(v.parse(endpoint.response, { BTC_USDT: history }));
    }
  }) as Read;
  const found$ = lookUpOco(
    lists,
    call,
    { ...key, isConditional: true, ...(side === undefined ? {} : { side }) },
    () => since,
  );
  return { called, found: lastValueFrom(found$.pipe(toArray())) };
}

const undecided = (why: string) => ({
  kind: 'lookup',
  outcome: 'unknown',
  message: expect.stringContaining(why) as string,
});

describe('an OCO order', () => {
  it('that is open is found by its identifier, and nothing else is read', async () => {
    const { called, found } = lookUp({ oco: [[...others(3), whole]] });
    expect(await found).toMatchObject([{ id: 9, client_order_id: 'mine', take_profit: { order_id: 1 } }]);
    expect(called).toEqual(['orders.oco']);
  });

  it('is found by one of its orders that has the identifier', async () => {
    const odd = { ...whole, stop_loss: { ...stop, clientOrderId: '' } };
    expect(await lookUp({ oco: [[odd]] }).found).toMatchObject([{ id: 9, client_order_id: 'mine' }]);
  });

  it('is found on a later page', async () => {
    const { called, found } = lookUp({ oco: [others(100), [whole]] });
    expect(await found).toMatchObject([{ id: 9 }]);
    expect(called).toEqual(['orders.oco', 'orders.oco']);
  });

  it('is found among the conditional orders, with its number and both orders', async () => {
    const record = { id: 9, type: 'oco', stopLoss: stop, takeProfit: limit };
    for (const oco of [[[]], lost])
      expect(await lookUp({ oco, conditional: [record] }).found).toMatchObject([
        { id: 9, client_order_id: 'mine', take_profit: { order_id: 1 }, stop_loss: { order_id: 2 } },
      ]);
  });

  it.each<[string, Lists]>([
    ['both in the history', { history: [ended(stop, 'CANCELED'), ended(limit, 'FILLED')] }],
    ['one open, and one in the history', { open: [{ ...stop, activated: 1 }], history: [ended(limit, 'CANCELED')] }],
    ['both open, as the exchange lists all open orders', { open: [limit, stop] }],
  ])('is found by its orders: %s', async (_, lists) => {
    expect(await lookUp(lists).found).toMatchObject([
      { client_order_id: 'mine', take_profit: { order_id: 1, price: '50' }, stop_loss: { order_id: 2, price: '71' } },
    ]);
  });

  it('is found by one of its orders where the history omits the other', async () => {
    const [found] = await lookUp({ history: [ended(limit, 'FILLED')] }).found;
    expect(found).toMatchObject({ client_order_id: 'mine', take_profit: { order_id: 1 } });
    expect(found).not.toHaveProperty('stop_loss');
    expect(found).not.toHaveProperty('id');
  });

  it('has no order of an earlier use of its identifier', async () => {
    const earlier = { ...ended(stop, 'CANCELED'), ctime: placedMs / 1000 - 3600 };
    const [found] = await lookUp({ history: [ended(limit, 'FILLED'), earlier] }).found;
    expect(found).toMatchObject({ take_profit: { order_id: 1 } });
    expect(found).not.toHaveProperty('stop_loss');
  });

  it.each([
    ['none', [ended({ ...limit, type: 'new' }, 'FILLED')], undefined],
    ['a price that activates it', [ended({ ...stop, type: 'new' }, 'FILLED')], { stop_loss: { order_id: 2 } }],
    [
      'the type of the other',
      [ended({ ...limit, type: 'new' }, 'CANCELED'), ended(stop, 'FILLED')],
      { stop_loss: { order_id: 2 }, take_profit: { order_id: 1 } },
    ],
  ])('whose orders have types that are new is known by %s', async (_, history, shown) => {
    const { found } = lookUp({ history });
    if (shown === undefined) await expect(found).rejects.toMatchObject(undecided('whether it is the stop order'));
    else expect(await found).toMatchObject([shown]);
  });

  it('is absent when no list has it', async () => {
    const { called, found } = lookUp({ oco: [others(3)] });
    expect(await found).toEqual([]);
    expect(called).toEqual(['orders.oco', 'orders.conditional', 'orders.open', 'orders.history']);
  });

  it.each<[string, Lists, string]>([
    ['cannot be read', { oco: lost }, 'lost'],
    ['are more than one page', { oco: [others(100), others(3)] }, 'more than one page'],
    ['have one that cannot be read', { oco: [[...others(1), { id: 8 }]] }, 'cannot be read'],
    ['have one without an identifier', { oco: [[{ id: 8, take_profit: { ...limit, clientOrderId: '' } }]] }, 'may be'],
  ])('is not proven absent when the OCO orders %s', async (_, lists, why) => {
    await expect(lookUp(lists).found).rejects.toMatchObject(undecided(why));
    expect(await lookUp({ ...lists, open: [limit] }).found).toHaveLength(1);
  });

  it.each([
    ['an earlier time', placedMs + 5000, undefined],
    ['the other side', 0, 'sell'],
  ])('may be one that is open with its identifier, and %s', async (_, since, side) => {
    await expect(lookUp({ oco: [[whole]] }, since, side).found).rejects.toMatchObject(
      undecided('the OCO orders do not prove'),
    );
  });
});

function ended({ orderId, timestamp, ...same }: typeof limit, status: string) {
  return { ...same, id: orderId, ctime: timestamp, ftime: timestamp + 1, status };
}
