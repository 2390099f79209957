// Open orders as immutable maps: the same as a map that is copied at each change, and cheap.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenOrders } from '../../../src/live/my/open-orders.js';

const changes$ = fc.array(fc.tuple(fc.nat(30), fc.option(fc.nat(), { nil: undefined })), { maxLength: 6 });

describe('open orders', () => {
  it('are the same as a map that is copied at each change, and those before never change', () => {
    fc.assert(
      fc.property(fc.array(changes$, { maxLength: 60 }), (steps) => {
        let orders = new OpenOrders<number>([new Map([[3, 3]])]);
        const copy = new Map<number, number>([[3, 3]]);
        const before: (readonly [OpenOrders<number>, readonly (readonly [number, number])[]])[] = [];
        for (const changes of steps) {
          orders = orders.with(changes);
          for (const [id, order] of changes) {
            if (order === undefined) copy.delete(id);
            else copy.set(id, order);
          }
          before.push([orders, [...copy].toSorted(([one], [other]) => one - other)]);
        }
        for (const [then, entries] of before) {
          expect([...then].toSorted(([one], [other]) => one - other)).toEqual(entries);
          expect(then.size).toBe(entries.length);
          const ids = Array.from({ length: 31 }, (_, id) => id).filter((id) => then.has(id));
          expect(ids).toEqual(entries.map(([id]) => id));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keep the place of an entry, and have new ones last', () => {
    const orders = new OpenOrders([
      new Map([
        [5, 'a'],
        [1, 'b'],
      ]),
    ]).with([
      [9, 'c'],
      [5, 'd'],
      [1, undefined],
    ]);
    expect([...orders.keys()]).toEqual([5, 9]);
    expect([...orders.values()]).toEqual(['d', 'c']);
    const seen: unknown[] = [];
    orders.forEach((order, id, all) => seen.push([order, id, all === orders]));
    expect(seen).toEqual([
      ['d', 5, true],
      ['c', 9, true],
    ]);
    expect(orders.with([])).toBe(orders);
  });

  it('of several markets are those of each', () => {
    const joined = new OpenOrders([new Map([[1, 'a']]), new Map([[2, 'b']])]);
    expect([joined.size, joined.get(1), joined.get(2), joined.get(3), joined.has(2), joined.has(3)]).toEqual([
      ...[2, 'a', 'b', undefined, true, false],
    ]);
    expect([...joined]).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });
});
