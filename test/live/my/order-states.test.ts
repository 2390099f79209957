// The states of orders: pushes and lists in any order, more than once, and what must come out.
import { describe, expect, it } from 'vitest';
import { liveOrderSchema, type LiveOrder } from '../../../src/model/live-order.js';
import type { SeenOrder } from '../../../src/live/channels/account.js';
import { OrderStates, replacementMs, type OrderChange } from '../../../src/live/my/order-states.js';
import * as v from 'valibot';

const wire = {
  ...{ id: 1, market: 'BTC_USDT', type: 1, side: 2, post_only: false, ioc: false, ctime: 1000.25, mtime: 1000.25 },
  ...{ price: '60000', amount: '1', left: '1', deal_stock: '0', deal_money: '0', deal_fee: '0' },
  ...{ client_order_id: 'a-1', stp: 'no', status: 'OPEN', position_side: 'BOTH', rpi: false, reduce_only: false },
};

function order(fields: Readonly<Record<string, unknown>> = {}): LiveOrder {
  return v.parse(liveOrderSchema, { ...wire, ...fields });
}

const pushed = (fields: Parameters<typeof order>[0] = {}, rest: Partial<SeenOrder> = {}): SeenOrder => ({
  order: order(fields),
  ...rest,
});
const ended = (fields: Parameters<typeof order>[0] = {}) => pushed(fields, { hasEnded: true });

const filled = (amount: number) => ({ deal_stock: String(amount), left: String(1 - amount) });
const brief = ({ kind, order: { order_id, status, deal_stock } }: OrderChange) =>
  `${kind} ${order_id} ${status ?? ''} ${deal_stock ?? ''}`;

function statesOf(...seen: readonly SeenOrder[]): OrderStates {
  const states = new OrderStates();
  for (const one of seen) states.see(one, 0);
  return states;
}

/** The changes of sightings that come at these times. */
function changesOf(...seen: readonly (readonly [at: number, seen: SeenOrder])[]): readonly OrderChange[] {
  const states = new OrderStates();
  const changes = seen.flatMap(([at, one]) => [...states.release(at), ...states.see(one, at)]);
  return [...changes, ...states.release(Number.POSITIVE_INFINITY)];
}

describe('the record of a pushed order', () => {
  it('has the names of the order endpoints', () => {
    expect(order({ type: 202, activated: true, note: 'kept' })).toEqual({
      ...{ order_id: 1, client_order_id: 'a-1', market: 'BTC_USDT', side: 'buy', type: 'stock market' },
      ...{ timestamp: 1000.25, mtime: 1000.25, price: '60000', amount: '1', left: '1', activated: 1 },
      ...{ deal_stock: '0', deal_money: '0', deal_fee: '0', status: 'OPEN', stp: 'no' },
      ...{ postOnly: false, ioc: false, positionSide: 'BOTH', rpi: false, reduceOnly: false, note: 'kept' },
    });
  });

  it('keeps a type that is not known', () => {
    expect(order({ type: 77 }).type).toBe('77');
  });
});

describe('the states of an order', () => {
  it.each([
    [undefined, 0.4, 'CANCELED'],
    ['OPEN', 0.4, 'CANCELED'],
    ['PARTIALLY_FILLED', 0.4, 'CANCELED'],
    [undefined, 1, 'FILLED'],
  ])('an end with status %s, filled by %s, is %s', (status, amount, expected) => {
    expect(changesOf([0, ended({ ...filled(amount), status })])[0]?.order.status).toBe(expected);
  });

  it('keeps a status that is not known, of an open order and of its end', () => {
    const changes = changesOf([0, pushed({ status: 'RESTING' })], [1, ended({ status: 'EXPIRED' })]);
    expect(changes.map(brief)).toEqual(['opened 1 RESTING 0', 'ended 1 EXPIRED 0']);
  });

  it('an end with a smaller filled amount keeps the larger one', () => {
    const changes = changesOf(
      [0, pushed(filled(0.5))],
      [1, ended({ ...filled(0), mtime: 1004, status: 'CANCELED_STP' })],
    );
    expect(changes.at(-1)?.order).toMatchObject({ status: 'CANCELED_STP', deal_stock: '0.5', left: '0.5' });
  });

  it('a greater filled amount after the end is reported', () => {
    const changes = changesOf(
      [0, ended({ ...filled(0.5), status: 'CANCELED_STP' })],
      [1, ended({ ...filled(0.6), status: 'CANCELED_STP' })],
    );
    expect(changes.map(brief)).toEqual(['ended 1 CANCELED_STP 0.5', 'ended 1 CANCELED_STP 0.6']);
  });

  it.each([
    ['a smaller filled amount', pushed(filled(0.5)), pushed({ ...filled(0.4), mtime: 1004 })],
    ['before its activation', pushed({ type: 3, activated: 1 }), pushed({ type: 3, activated: 0, mtime: 1004 })],
  ])('an order does not go back to %s by a push of a later time', (_, first, later) => {
    expect(changesOf([0, first], [1, later]).map(({ kind }) => kind)).toEqual(['opened']);
  });

  it('an order of a list, which has no time of its last change, is not older than a push that says the same', () => {
    const { mtime: _, ...listed } = order();
    const changes = changesOf([0, { order: listed }], [1, pushed()], [2, pushed({ mtime: 1005, rpi: true })]);
    expect(changes.map(({ kind }) => kind)).toEqual(['opened', 'updated']);
  });
});

describe('an activation', () => {
  const stop = { type: 3, activation_price: '61000', activation_condition: 'gte' };

  it('is a change of the same order', () => {
    const changes = changesOf(
      [0, pushed({ ...stop, activated: 0 })],
      [1, pushed({ ...stop, activated: 1, mtime: 1001 })],
    );
    expect(changes.map(brief)).toEqual(['opened 1 OPEN 0', 'activated 1 OPEN 0']);
  });

  it('is not reported for an order without a later push', () => {
    const unchanged = pushed({ ...stop, mtime: undefined }, { isNew: true });
    expect(changesOf([0, unchanged], [1, unchanged]).map(({ kind }) => kind)).toEqual(['opened']);
    const changes = changesOf([0, unchanged], [1, pushed({ ...stop, mtime: 1001 }, { isNew: true })]);
    expect(changes.map(({ kind }) => kind)).toEqual(['opened']);
  });

  it('is recognized by the second push of a new order, where the order does not say so', () => {
    const changes = changesOf(
      [0, pushed(stop, { isNew: true })],
      [1, pushed(stop, { isNew: true })],
      [2, pushed({ ...stop, mtime: 1001 }, { isNew: true })],
      [3, pushed({ ...stop, mtime: 1001 }, { isNew: true })],
    );
    expect(changes.map(({ kind }) => kind)).toEqual(['opened', 'activated']);
  });
});

describe('a modification', () => {
  const end = ended({ mtime: 1005, status: 'CANCELED' });
  const next = pushed({ id: 2, ctime: 1005, mtime: 1005, price: '61000' }, { isNew: true });
  const fill = ended({ id: 2, ctime: 1005, ...filled(1), status: 'FILLED' });
  const other = { id: 2, ctime: 1005 };
  const sightings: Readonly<Record<string, SeenOrder>> = {
    ...{ first: pushed(), end, next, fill, found: end },
    third: pushed({ id: 3, ctime: 1005.1, mtime: 1005.1, price: '62000' }, { isNew: true }),
    endOfNext: ended({ id: 2, ctime: 1005, mtime: 1005.1, status: 'CANCELED' }),
    later: pushed({ ...other, ctime: 1007.5 }),
    ofOtherSide: pushed({ ...other, side: 1 }),
  };

  /** When each is seen, and what is emitted: `1>2` is a modification of order 1 to order 2. */
  it.each([
    ['is one change', '0 first, 10 end, 11 next', 'opened 1, 1>2'],
    ['is joined after the new order was reported', '0 first, 10 next, 5000 end', 'opened 1, opened 2, 1>2'],
    [
      'and another one directly after it are two changes, when both new orders are pushed before both ends',
      ...['0 first, 10 next, 11 third, 12 end, 13 endOfNext', 'opened 1, opened 2, opened 3, 1>2, 2>3'],
    ],
    [
      'that is found after the next one is the end of an order, and the order between them does not come back',
      ...['0 endOfNext, 1 third, 60000 found', '2>3, ended 1'],
    ],
    ['to an order that is filled at once is followed by its end', '0 first, 10 end, 11 fill', 'opened 1, 1>2, ended 2'],
    ['is another order after the end was reported', '0 first, 10 end, 5000 next', 'opened 1, ended 1, opened 2'],
    ['is another one that is filled, too', '0 first, 10 end, 5000 fill', 'opened 1, ended 1, ended 2'],
    [
      'to an order whose end was reported is the end of the other one',
      ...['0 first, 10 next, 400 fill, 5000 end', 'opened 1, opened 2, ended 2, ended 1'],
    ],
    ['is no order that was placed later', '0 first, 10 end, 11 later', 'opened 1, opened 2, ended 1'],
    ['is no order of the other side', '0 first, 10 end, 11 ofOtherSide', 'opened 1, opened 2, ended 1'],
  ])('%s', (_, schedule = '', expected) => {
    const seen = schedule.split(', ').map((one): readonly [number, SeenOrder] => {
      const [at, name = ''] = one.split(' ');
      return [Number(at), sightings[name] ?? pushed()];
    });
    const changes = changesOf(...seen).map((change) =>
      change.kind === 'modified'
        ? `${change.before.order_id}>${change.order.order_id}`
        : `${change.kind} ${change.order.order_id}`,
    );
    expect(changes.join(', ')).toBe(expected);
  });

  it('holds the end of a canceled order back for a quarter of a second, and no longer', () => {
    const states = statesOf(pushed());
    expect(states.see(end, 10)).toEqual([]);
    expect(states.releaseAt).toBe(10 + replacementMs);
    expect(states.release(9 + replacementMs)).toEqual([]);
    expect(states.release(10 + replacementMs).map(brief)).toEqual(['ended 1 CANCELED 0']);
    expect(states.releaseAt).toBeUndefined();
  });

  it.each([
    ['a fill', { ...filled(1), status: 'FILLED', client_order_id: 'a-1' }],
    ['a cancel by the exchange', { status: 'CANCELED_STP', client_order_id: 'a-1' }],
    ['an order without an identifier', { status: 'CANCELED', client_order_id: '' }],
  ])('does not hold %s back', (_, fields) => {
    const { client_order_id } = fields;
    const states = statesOf(pushed({ client_order_id }));
    expect(states.see(ended({ mtime: 1005, ...fields }), 10).map(({ kind }) => kind)).toEqual(['ended']);
    expect(states.releaseAt).toBeUndefined();
  });
});

describe('an order whose change waits for that of another one', () => {
  const end = ended({ mtime: 1005, status: 'CANCELED' });
  /** Of the same identifier, but placed too late to be what the order was modified to. */
  const other = { id: 2, ctime: 1007.5, mtime: 1007.5 };

  it('is not forgotten when it replaced another one and more orders end meanwhile than are kept whole', () => {
    const states = statesOf(pushed(), end, ended({ id: 2, ctime: 1005, mtime: 1005, status: 'CANCELED' }));
    for (let id = 3; id < 300; id += 1)
      states.see(ended({ id, client_order_id: '', ...filled(1), status: 'FILLED' }), 10);
    expect(states.releaseAt).toBe(replacementMs);
    expect(states.release(replacementMs).map(brief)).toEqual(['ended 2 CANCELED 0']);
    expect(states.releaseAt).toBeUndefined();
  });

  it('is due when the first of several has waited long enough', () => {
    const states = statesOf(pushed());
    states.see(end, 10);
    states.see(pushed({ ...other, client_order_id: 'a-2' }), 20);
    states.see(ended({ ...other, client_order_id: 'a-2', mtime: 1008, status: 'CANCELED' }), 30);
    expect(states.releaseAt).toBe(10 + replacementMs);
    expect(states.release(10 + replacementMs).map(brief)).toEqual(['ended 1 CANCELED 0']);
    expect(states.releaseAt).toBe(30 + replacementMs);
  });
});

describe('orders that have ended', () => {
  const fill = { ...order({ ...filled(1), status: 'FILLED' }), client_order_id: '' };
  const end = (states: OrderStates, from: number, to: number) => {
    for (let id = from; id <= to; id += 1) states.see({ order: { ...fill, order_id: id }, hasEnded: true }, 0);
    states.trim();
  };
  const partial = { id: 2, client_order_id: '', mtime: 1005, status: 'CANCELED' };

  it('are kept whole until 250 later ones have ended, and open orders until they end', () => {
    const states = statesOf(pushed());
    end(states, 2, 252);
    expect([1, 2, 3, 252].map((id) => states.has(id))).toEqual([true, false, true, true]);
  });

  it.each([
    [250, 'still kept whole'],
    [11_249, 'known by their filled amounts'],
  ])('change nothing by a late push while %s later ones have ended: they are %s', (later) => {
    const late = [pushed({ id: 2, client_order_id: '' }), ended({ ...partial, ...filled(0.25) })];
    const states = statesOf(...late);
    end(states, 3, later + 2);
    expect(late.flatMap((one) => states.see(one, 1))).toEqual([]);
    expect(late.map((one) => states.isNews(one))).toEqual([false, false]);
  });

  it('end again with a greater filled amount, also after many other ends', () => {
    const states = statesOf(ended({ ...partial, ...filled(0.25) }));
    end(states, 3, 5000);
    expect(states.see(ended({ ...partial, ...filled(0.5) }), 1).map(brief)).toEqual(['ended 2 CANCELED 0.5']);
    expect(states.see(ended({ ...partial, ...filled(0.5) }), 1)).toEqual([]);
  });

  it('do not take their identifier from a newer order when they are forgotten', () => {
    const first = ended({ mtime: 1001, status: 'CANCELED_STP' });
    const states = statesOf(pushed(), first, pushed({ id: 20_000, ctime: 1003 }));
    end(states, 2, 251);
    expect(states.has(1)).toBe(false);
    states.see(ended({ id: 20_000, ctime: 1003, mtime: 1005, status: 'CANCELED' }), 0);
    const next = states.see(pushed({ id: 20_001, ctime: 1005, mtime: 1005 }), 1);
    expect(next).toMatchObject([{ kind: 'modified', before: { order_id: 20_000 } }]);
  });
});
