// All open orders, page by page, while orders open and end.
import { isExchangeError, type AnyExchangeError, type Order } from 'exchange-rx';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allOpenOrders } from '../../../src/live/my/all-open-orders.js';
import type { Unreadable } from '../../../src/model/unreadable.js';
import { createRandom } from '../../../src/sandbox/random.js';
import { scripted } from '../../streams/scripted.js';

const market = 'BTC_USDT';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const order = (orderId: number, fields: object = {}) => ({ orderId, market, side: 'buy', type: 'limit', ...fields });
const unreadable = { orderId: null, positionId: null };

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

interface Listed {
  readonly orders: ReadonlyMap<number, Order>;
  readonly unreadable: Unreadable | undefined;
  readonly error: AnyExchangeError | undefined;
  readonly offsets: readonly number[];
}

async function read(listAt: (request: number) => readonly object[]): Promise<Listed> {
  const { exchange, offsets } = listing(listAt);
  let listed: Listed = { orders: new Map(), unreadable: undefined, error: undefined, offsets };
  allOpenOrders((page) => exchange.orders.open(page)).subscribe({
    next: ({ items, unreadable: leftOut }) => {
      listed = { ...listed, orders: new Map(items.map((one) => [one.order_id, one])), unreadable: leftOut };
    },
    error: (error: unknown) => {
      if (!isExchangeError(error)) throw error;
      listed = { ...listed, error };
    },
  });
  await vi.advanceTimersByTimeAsync(100);
  return listed;
}

describe('the pages of open orders', () => {
  it.each([
    [0, [0]],
    [99, [0]],
    [100, [0, 99, 0]],
    [250, [0, 99, 198, 0]],
  ])('hold all %i orders', async (count, expected) => {
    const { orders, error, offsets } = await read(() => numbered(1, count));
    expect([orders.size, error, offsets]).toEqual([count, undefined, expected]);
  });

  const without = (...ids: readonly number[]) =>
    numbered(1, 150).map((one) => (ids.includes(one.orderId) ? unreadable : one));
  /** An order moves from the second page to the front while one of the first page ends: the pages are joined. */
  const movedToFront = (moved: object) => (request: number) =>
    request === 0 ? numbered(1, 150) : [moved, ...numbered(1, 150).filter((_, index) => index !== 4 && index !== 139)];

  it.each<[string, (request: number) => readonly object[], number, readonly number[]]>([
    [
      // The first 100 are read, then the first one ends: the 101st moves to the first page.
      'are read again when an order ended between two of them',
      (request) => numbered(request === 0 ? 1 : 2, 150),
      ...([149, [0, 99, 0, 99, 0]] as const),
    ],
    [
      'are read again when an order was placed between two of them',
      (request) => numbered(request === 0 ? 2 : 1, 150),
      ...([150, [0, 99, 0, 99, 0]] as const),
    ],
    [
      'are read again when an order ended between two of them, although another one is unreadable',
      (request) => without(4, 120).slice(request === 0 ? 0 : 11),
      ...([138, [0, 99, 0, 99, 0]] as const),
    ],
    ['are joined by an unreadable order', () => without(100), 149, [0, 99, 0]],
    ['hold an order that moved to the front while another ended', movedToFront(order(140)), 150, [0, 99, 0]],
    [
      'are read again when an order that moved to the front is unreadable',
      ...([movedToFront(unreadable), 148, [0, 99, 0, 0, 99, 0]] as const),
    ],
    [
      'are read again when a whole page of other orders is at the front',
      (request) => (request < 2 ? numbered(1, 150) : [...numbered(201, 300), ...numbered(1, 150)]),
      ...([250, [0, 99, 0, 0, 99, 198, 0]] as const),
    ],
  ])('%s', async (_, listAt, size, expected) => {
    const { orders, error, offsets } = await read(listAt);
    expect([orders.size, error, offsets]).toEqual([size, undefined, expected]);
  });

  it('are an error when the list never holds still', async () => {
    const { orders, error, offsets } = await read((request) => numbered(1 + request, 300));
    expect([orders.size, offsets.length]).toEqual([0, 6]);
    expect(error).toMatchObject({ kind: 'response', endpoint: 'orders.open' });
    expect(error?.message).toContain('changed while its pages were read');
  });

  it('are an error when the exchange ignores the offset', async () => {
    const { exchange } = scripted(() => numbered(1, 100));
    await expect(lastValueFrom(allOpenOrders((page) => exchange.orders.open(page)))).rejects.toMatchObject({
      kind: 'response',
    });
  });

  it('are an error when there are more of them than can be requested', async () => {
    const all = numbered(1, 11_000);
    const { error, offsets } = await read(() => all);
    expect(error?.message).toContain('more open orders than can be listed');
    expect(Math.max(...offsets)).toBeLessThanOrEqual(10_000);
  });
});

describe('the pages of open orders, at random', () => {
  it.each(['newest first', 'oldest first'])('miss no order that was open all the time: %s', async (sorting) => {
    const random = createRandom(20_261_123);
    const failed: boolean[] = [];
    for (let run = 0; run < 20; run += 1) {
      let next = 1000;
      let list = numbered(1, 80 + Math.floor(random() * 250));
      const lists: (readonly { readonly orderId: number }[])[] = [];
      const { orders, error } = await read(() => {
        if (lists.length > 0 && random() < 0.4) {
          const [ended, placed] = [Math.floor(random() * list.length), order(next++)];
          if (random() < 0.7) list = list.filter((_, index) => index !== ended);
          if (random() < 0.5) list = sorting === 'newest first' ? [placed, ...list] : [...list, placed];
        }
        lists.push(list);
        return list;
      });
      failed.push(error !== undefined);
      const always = lists[0]?.filter((one) => lists.every((other) => other.includes(one))) ?? [];
      const missing = always.filter(({ orderId }) => !orders.has(orderId));
      if (error === undefined) expect(missing).toEqual([]);
    }
    expect(failed.filter((one) => !one).length).toBeGreaterThan(12);
  });
});
