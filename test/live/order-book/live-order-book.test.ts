// A book that is cut; the book itself is in any-updates.test.ts.
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  bridgeSnapshot,
  cutTo,
  type DepthDelta,
  type DepthRefusal,
  type KnownBook,
} from '../../../src/live/order-book/index.js';

const frame = { market: 'BTC_USDT', engineTime: 1795316400.81, eventTime: 1795316400.85 };
const levels = {
  bids: [
    ['60012.5', '9.31'],
    ['60012', '0.04'],
  ],
  asks: [
    ['60012.6', '0.2'],
    ['60013', '0.71'],
  ],
} as const;

function accepted(result: KnownBook | DepthRefusal): KnownBook {
  if (typeof result === 'string') throw new Error(`refused: ${result}`);
  return result;
}

const known = accepted(bridgeSnapshot(undefined, { ...frame, isSnapshot: true, updateId: 100, ...levels }, 100, 1000));
const start = known.book;
const after = (fields: Partial<DepthDelta>, limit = 100) => {
  const ids = { isSnapshot: false, updateId: 114, pastUpdateId: 100 } as const;
  const delta = { ...frame, ...ids, bids: undefined, asks: undefined };
  return accepted(applyDelta(known, { ...delta, ...fields }, limit, 2000)).book;
};

describe('a book cut to a limit', () => {
  it('has the best levels of each side, and is the book itself when that is not longer', () => {
    expect(cutTo(start, 1)).toEqual({ ...start, bids: [['60012.5', '9.31']], asks: [['60012.6', '0.2']] });
    expect(start.bids).toHaveLength(2);
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
