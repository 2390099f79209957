import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  asStale,
  bridgeSnapshot,
  cutTo,
  type DepthDelta,
  type DepthRefusal,
  type DepthSnapshot,
  type KnownBook,
} from '../../../src/live/order-book/index.js';

const frame = { market: 'BTC_USDT', engineTime: 1795316400.81, eventTime: 1795316400.85 };

const snapshotOf = (fields: Partial<DepthSnapshot>): DepthSnapshot => ({
  ...frame,
  isSnapshot: true,
  updateId: 100,
  bids: [
    ['60012.5', '9.31'],
    ['60012', '0.04'],
  ],
  asks: [
    ['60012.6', '0.2'],
    ['60013', '0.71'],
  ],
  ...fields,
});
const deltaOf = (fields: Partial<DepthDelta>): DepthDelta => ({
  ...frame,
  isSnapshot: false,
  updateId: 114,
  pastUpdateId: 100,
  bids: undefined,
  asks: undefined,
  ...fields,
});

function accepted(result: KnownBook | DepthRefusal): KnownBook {
  if (typeof result === 'string') throw new Error(`refused: ${result}`);
  return result;
}

const known = accepted(bridgeSnapshot(undefined, snapshotOf({}), 100, 1000));
const start = known.book;
const bridged = (fields: Partial<DepthSnapshot>, limit = 100, before?: KnownBook) =>
  bridgeSnapshot(before, snapshotOf(fields), limit, 11_000);
const applied = (fields: Partial<DepthDelta>, limit = 100) => applyDelta(known, deltaOf(fields), limit, 2000);
const after = (fields: Partial<DepthDelta>, limit = 100) => accepted(applied(fields, limit)).book;

describe('the book of a snapshot', () => {
  it('is live since it was received', () => {
    expect(start).toEqual({
      ...frame,
      market: 'BTC_USDT',
      status: 'live',
      since: 1000,
      receivedAt: 1000,
      updateId: 100,
      bids: [
        ['60012.5', '9.31'],
        ['60012', '0.04'],
      ],
      asks: [
        ['60012.6', '0.2'],
        ['60013', '0.71'],
      ],
    });
  });

  it('is sorted, whatever the order of the message', () => {
    const bids = [
      ['9', '1'],
      ['11', '1'],
      ['10.5', '1'],
    ] as const;
    const asks = [
      ['100', '1'],
      ['20', '1'],
      ['30.5', '1'],
    ] as const;
    const book = accepted(bridged({ bids, asks }, 2)).book;
    expect(book.bids.map(([price]) => price)).toEqual(['11', '10.5']);
    expect(book.asks.map(([price]) => price)).toEqual(['20', '30.5']);
  });

  it('has an empty side for one that is absent, empty or has amounts of 0 only', () => {
    for (const asks of [undefined, [], [['60013', '0.00'] as const]]) {
      const book = accepted(bridged({ asks })).book;
      expect(book).toMatchObject({ status: 'live', asks: [] });
      expect(book.bids).toHaveLength(2);
    }
  });

  it('is refused when it is crossed, or when both best prices are one', () => {
    for (const price of ['60012.50', '60012.4', '1']) expect(bridged({ asks: [[price, '1']] })).toBe('unreadable');
  });

  it('is refused when two levels have one price', () => {
    const asks = [['60013', '1'] as const, ['60013.0', '2'] as const];
    expect(bridged({ asks })).toBe('unreadable');
  });

  it('keeps the time and the unchanged levels of the live book before it', () => {
    const bids = [
      ['60012.50', '9.310'],
      ['60012', '0.05'],
    ] as const;
    const asks = [
      ['60012.60', '0.20'],
      ['60013', '0.71'],
    ] as const;
    const book = accepted(bridged({ bids, asks, updateId: 120 }, 100, known)).book;
    expect(book).toMatchObject({ since: 1000, receivedAt: 11_000, updateId: 120 });
    expect(book.asks).toBe(start.asks);
    expect(book.bids[0]).toBe(start.bids[0]);
    expect(book.bids[1]).toEqual(['60012', '0.05']);
  });

  it('is live from now on after a stale book', () => {
    const book = accepted(bridged({}, 100, asStale(known, 5000))).book;
    expect(book).toMatchObject({ status: 'live', since: 11_000 });
    expect(book.bids).toBe(start.bids);
  });
});

describe('a delta', () => {
  it('adds, changes and removes levels', () => {
    const book = after({
      bids: [
        ['60012.5', '0'],
        ['60012.3', '1'],
        ['60012', '0.05'],
        ['60011', '2'],
      ],
    });
    expect(book.bids).toEqual([
      ['60012.3', '1'],
      ['60012', '0.05'],
      ['60011', '2'],
    ]);
    expect(book).toMatchObject({ updateId: 114, since: 1000, receivedAt: 2000, status: 'live' });
  });

  it('shares the sides and the levels that it does not change', () => {
    const book = after({ bids: [['60012.3', '1']] });
    expect(book.asks).toBe(start.asks);
    expect(book.bids).not.toBe(start.bids);
    expect(book.bids[0]).toBe(start.bids[0]);
    expect(book.bids[2]).toBe(start.bids[1]);
    expect(start.bids).toHaveLength(2);
  });

  it('shares a side whose amounts are the same decimals, or that only loses what it does not have', () => {
    const book = after({ bids: [['60012.50', '9.310']], asks: [['70000', '0']] });
    expect(book.bids).toBe(start.bids);
    expect(book.asks).toBe(start.asks);
    expect(book.updateId).toBe(114);
  });

  it('compares prices as decimals', () => {
    expect(after({ bids: [['60012.50', '0.00']] }).bids).toEqual([['60012', '0.04']]);
    expect(after({ asks: [['060013.000', '0']] }).asks).toEqual([['60012.6', '0.2']]);
  });

  it('keeps prices of 20 digits apart that are one double', () => {
    const asks = ['60012.600000000000001', '60012.600000000000002', '60012.6000000000000015'] as const;
    const fine = accepted(applied({ asks: asks.map((price) => [price, '1'] as const) }));
    expect(fine.book.asks.map(([price]) => price)).toEqual(['60012.6', asks[0], asks[2], asks[1], '60013']);
    const next = applyDelta(fine, deltaOf({ pastUpdateId: 114, asks: [[asks[2], '0']] }), 100, 3000);
    expect(accepted(next).book.asks.map(([price]) => price)).toEqual(['60012.6', asks[0], asks[1], '60013']);
  });

  it('is applied as a whole before the book is cut to its limit', () => {
    const bids = [
      ['60011', '1'],
      ['60012', '0'],
    ] as const;
    expect(after({ bids }, 2).bids.map(([price]) => price)).toEqual(['60012.5', '60011']);
    expect(after({ bids: [['60011', '1']] }, 2).bids).toBe(start.bids);
    expect(after({ bids: [['60012.55', '1']] }, 2).bids.map(([price]) => price)).toEqual(['60012.55', '60012.5']);
  });

  it('may empty a side, and fill it again at any price', () => {
    const asks = ['60012.6', '60013'].map((price) => [price, '0'] as const);
    const empty = accepted(applied({ asks }));
    expect(empty.book.asks).toEqual([]);
    const filled = applyDelta(empty, deltaOf({ pastUpdateId: 114, asks: [['99999', '1']] }), 100, 3000);
    expect(accepted(filled).book.asks).toEqual([['99999', '1']]);
  });

  it('is refused when it does not continue the book', () => {
    for (const pastUpdateId of [99, 101, 114]) {
      expect(applied({ pastUpdateId })).toBe('sequence');
    }
  });

  it('is refused when it would cross the book', () => {
    expect(applied({ bids: [['60012.6', '1']] })).toBe('unreadable');
    expect(applied({ asks: [['60012.50', '1']] })).toBe('unreadable');
    const moved = { bids: [['60012.6', '1']], asks: [['60012.6', '0']] } as const;
    expect(after(moved).bids[0]).toEqual(['60012.6', '1']);
  });
});

it('a stale book has the levels of the live one, and the time since when it is stale', () => {
  const { book } = asStale(known, 1500);
  expect(book).toEqual({ ...start, status: 'stale', since: 1500 });
  expect(book.bids).toBe(start.bids);
  expect(start.status).toBe('live');
});

describe('a book cut to a limit', () => {
  it('has the best levels of each side', () => {
    expect(cutTo(start, 1)).toEqual({ ...start, bids: [['60012.5', '9.31']], asks: [['60012.6', '0.2']] });
    expect(start.bids).toHaveLength(2);
  });

  it('is the book itself when that is not longer', () => {
    expect(cutTo(start, 2)).toBe(start);
  });

  it('shares its sides with the cut book before it when their levels are the same', () => {
    const before = cutTo(start, 1);
    const cut = cutTo(after({ bids: [['60011', '1']], asks: [['60012.55', '1']] }), 1, before);
    expect(cut.bids).toBe(before.bids);
    expect(cut.asks).toEqual([['60012.55', '1']]);
    expect(cut.updateId).toBe(114);
  });
});
