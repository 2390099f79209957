// The lists of positions and open orders: whole, and with what was added, changed or has gone.
import { createExchange, watchOpenOrders, watchPositions, type OpenOrdersUpdate } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../src/sandbox/random.js';
import { collect, scripted } from './scripted.js';

const market = 'BTC_USDT';
const everyMs = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const position = (positionId: number, fields: object = {}) => ({ positionId, market, amount: '0.1', ...fields });
const order = (orderId: number, fields: object = {}) => ({ orderId, market, side: 'buy', type: 'limit', ...fields });
const unreadable = { orderId: null, positionId: null };

describe('watchPositions', () => {
  it('emits positions by number, with what was added, changed or has gone', async () => {
    const { exchange } = scripted([
      [position(1), position(2)],
      [position(2, { amount: '0.2' }), position(3)],
      // The same fields in another order, and a null that counts as absent.
      [{ market, amount: '0.2', positionId: 2, tpsl: null }, position(3)],
    ]);
    const updates = collect(watchPositions(exchange, { everyMs }));
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates.map(({ positions }) => [...positions.keys()])).toEqual([
      [1, 2],
      [2, 3],
      [2, 3],
    ]);
    expect(updates.map(({ changes }) => changes.map(({ kind }) => kind))).toEqual([
      [],
      ['changed', 'added', 'gone'],
      [],
    ]);
    expect(updates[1]?.changes[0]).toMatchObject({ before: { amount: '0.1' }, after: { amount: '0.2' } });
    expect(updates[1]?.changes[2]).toMatchObject({ before: { positionId: 1 } });
  });

  it('keeps a position that a partial list lacks', async () => {
    const { exchange } = scripted([[position(1), position(2)], [unreadable, position(2)], [position(2)]]);
    const updates = collect(watchPositions(exchange, { everyMs }));
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates[1]).toMatchObject({ changes: [], stale: false, unreadable: { count: 1 } });
    expect([...(updates[1]?.positions.keys() ?? [])].sort()).toEqual([1, 2]);
    expect(updates[2]).toMatchObject({ changes: [{ kind: 'gone', before: { positionId: 1 } }], unreadable: undefined });
  });

  it('sees a position that an order opens on the sandbox', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    const updates = collect(watchPositions(exchange, { everyMs, market }));
    await vi.advanceTimersByTimeAsync(500);
    exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.1', price: '61000' }).subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates[1]?.changes).toMatchObject([{ kind: 'added', after: { market, amount: '0.1' } }]);
  });
});

describe('watchOpenOrders', () => {
  it('sees orders come, change and go on the sandbox', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    const updates = collect(watchOpenOrders(exchange, { everyMs, market }));
    await vi.advanceTimersByTimeAsync(500);
    const params = { market, side: 'buy', amount: '0.1', price: '50000' } as const;
    const placed = lastValueFrom(exchange.collateral.placeLimitOrder(params));
    await vi.advanceTimersByTimeAsync(1000);
    const { order_id } = await placed;
    exchange.orders.cancel({ market, order_id }).subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates.map(({ orders }) => [...orders.keys()])).toEqual([[], [order_id], []]);
    expect(updates.map(({ changes }) => changes.map(({ kind }) => kind))).toEqual([[], ['added'], ['gone']]);
  });

  it('keeps an order that a partial list lacks', async () => {
    const { exchange } = scripted([
      [order(1), order(2)],
      [unreadable, order(2)],
    ]);
    const updates = collect(watchOpenOrders(exchange, { everyMs }));
    await vi.advanceTimersByTimeAsync(1500);
    expect(updates[1]).toMatchObject({ changes: [], unreadable: { count: 1 } });
    expect(updates[1]?.orders.get(1)).toMatchObject({ order_id: 1 });
  });
});

describe('a list with an order that stays unreadable', () => {
  it('keeps an order while it may be the unreadable one', async () => {
    const { exchange } = scripted([
      [order(1), order(2)],
      [unreadable, order(2)],
    ]);
    const updates = collect(watchOpenOrders(exchange, { everyMs }));
    await vi.advanceTimersByTimeAsync(20_500);
    expect([...(updates.at(-1)?.orders.keys() ?? [])]).toEqual([2, 1]);
  });

  it('reports orders as gone after a few lists when more are missing than are unreadable', async () => {
    const { exchange } = scripted([
      [unreadable, order(1), order(2), order(3)],
      [unreadable, order(3)],
    ]);
    const updates = collect(watchOpenOrders(exchange, { everyMs }));
    await vi.advanceTimersByTimeAsync(5500);
    const gone = updates.map(({ changes }) => changes.map(({ kind }) => kind));
    expect(gone).toEqual([[], [], [], [], ['gone', 'gone'], []]);
    expect([...(updates.at(-1)?.orders.keys() ?? [])]).toEqual([3]);
  });

  it('holds a bounded number of orders', async () => {
    const { exchange } = scripted((_sent, index) => [unreadable, ...numbered(index * 20 + 1, index * 20 + 20)]);
    const updates = collect(watchOpenOrders(exchange, { everyMs }));
    await vi.advanceTimersByTimeAsync(99_500);
    expect(updates.at(-1)?.orders.size).toBe(80);
  });
});

/** A list that may change after each request; `offset` and `limit` as the exchange has them. */
function listing(listAt: (request: number) => readonly object[]) {
  const offsets: number[] = [];
  const { exchange } = scripted(({ body }) => {
    const { offset, limit } = JSON.parse(body) as { readonly offset: number; readonly limit: number };
    const list = listAt(offsets.length);
    offsets.push(offset);
    return list.slice(offset, offset + limit);
  });
  return { exchange, offsets };
}

const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => order(from + index));

async function firstUpdate(
  listAt: (request: number) => readonly object[],
): Promise<OpenOrdersUpdate & { offsets: number[] }> {
  const { exchange, offsets } = listing(listAt);
  const updates = collect(watchOpenOrders(exchange, { everyMs: 60_000 }));
  await vi.advanceTimersByTimeAsync(100);
  const [update] = updates;
  if (update === undefined) throw new Error('no update');
  return { ...update, offsets };
}

describe('the pages of open orders', () => {
  it.each([
    [0, [0]],
    [99, [0]],
    [100, [0, 99, 0]],
    [250, [0, 99, 198, 0]],
  ])('hold all %i orders', async (count, expected) => {
    const { orders, stale, offsets } = await firstUpdate(() => numbered(1, count));
    expect([orders.size, stale, offsets]).toEqual([count, false, expected]);
  });

  it('are read again when an order ended between two of them, so that no order is missing', async () => {
    // The first 100 are read, then the first one ends: the 101st moves to the first page.
    const { orders, offsets } = await firstUpdate((request) => numbered(request === 0 ? 1 : 2, 150));
    expect([...orders.keys()]).toEqual(numbered(2, 150).map(({ orderId }) => orderId));
    expect(offsets).toEqual([0, 99, 0, 99, 0]);
  });

  it('are read again when an order was placed between two of them', async () => {
    const { orders } = await firstUpdate((request) => numbered(request === 0 ? 2 : 1, 150));
    expect(orders.size).toBe(150);
  });

  it('are read again when an order ended between two of them, although another one is unreadable', async () => {
    const list = numbered(1, 150).map((one) => (one.orderId === 4 || one.orderId === 120 ? unreadable : one));
    const { orders, offsets } = await firstUpdate((request) => list.slice(request === 0 ? 0 : 11));
    expect(offsets).toEqual([0, 99, 0, 99, 0]);
    expect(orders.size).toBe(138);
  });

  it('are joined by an unreadable order', async () => {
    const list = numbered(1, 150).map((one) => (one.orderId === 100 ? unreadable : one));
    const { orders, stale, offsets } = await firstUpdate(() => list);
    expect([orders.size, stale, offsets]).toEqual([149, false, [0, 99, 0]]);
  });

  /** An order moves from the second page to the front while one of the first page ends: the pages are joined. */
  const movedToFront = (moved: object) => (request: number) =>
    request === 0 ? numbered(1, 150) : [moved, ...numbered(1, 150).filter((_, index) => index !== 4 && index !== 139)];

  it('hold an order that moved to the front while another ended', async () => {
    const { orders, stale, offsets } = await firstUpdate(movedToFront(order(140)));
    expect([orders.has(140), stale, offsets]).toEqual([true, false, [0, 99, 0]]);
  });

  it('are read again when an order that moved to the front is unreadable', async () => {
    const { orders, unreadable: leftOut, offsets } = await firstUpdate(movedToFront(unreadable));
    expect([orders.size, leftOut?.count, offsets]).toEqual([148, 1, [0, 99, 0, 0, 99, 0]]);
  });

  it('are read again when a whole page of other orders is at the front', async () => {
    const { orders, offsets } = await firstUpdate((request) =>
      request < 2 ? numbered(1, 150) : [...numbered(201, 300), ...numbered(1, 150)],
    );
    expect([orders.size, offsets]).toEqual([250, [0, 99, 0, 0, 99, 198, 0]]);
  });

  it('are an error when the list never holds still', async () => {
    const { orders, stale, error, offsets } = await firstUpdate((request) => numbered(1 + request, 300));
    expect([orders.size, stale, offsets.length]).toEqual([0, true, 6]);
    expect(error).toMatchObject({ kind: 'response', endpoint: 'orders.open' });
    expect(error?.message).toContain('changed while its pages were read');
  });

  it('are an error when the exchange ignores the offset', async () => {
    const { exchange } = scripted(() => numbered(1, 100));
    const updates = collect(watchOpenOrders(exchange));
    await vi.advanceTimersByTimeAsync(100);
    expect(updates).toMatchObject([{ stale: true, error: { kind: 'response' } }]);
  });

  it('are an error when there are more of them than can be requested', async () => {
    const { error, offsets } = await firstUpdate(() => numbered(1, 11_000));
    expect(error?.message).toContain('more open orders than can be listed');
    expect(Math.max(...offsets)).toBeLessThanOrEqual(10_000);
  });
});

describe('the pages of open orders, at random', () => {
  it.each(['newest first', 'oldest first'])('miss no order that was open all the time: %s', async (sorting) => {
    const random = createRandom(20_261_123);
    const stale: boolean[] = [];
    for (let run = 0; run < 60; run += 1) {
      let next = 1000;
      let list = numbered(1, 80 + Math.floor(random() * 250));
      const lists: (readonly { readonly orderId: number }[])[] = [];
      const { orders, stale: isStale } = await firstUpdate(() => {
        if (lists.length > 0 && random() < 0.4) {
          const [ended, placed] = [Math.floor(random() * list.length), order(next++)];
          if (random() < 0.7) list = list.filter((_, index) => index !== ended);
          if (random() < 0.5) list = sorting === 'newest first' ? [placed, ...list] : [...list, placed];
        }
        lists.push(list);
        return list;
      });
      stale.push(isStale);
      const always = lists[0]?.filter((one) => lists.every((other) => other.includes(one))) ?? [];
      const missing = always.filter(({ orderId }) => !orders.has(orderId));
      if (!isStale) expect(missing).toEqual([]);
    }
    expect(stale.filter((one) => !one).length).toBeGreaterThan(40);
  });
});
