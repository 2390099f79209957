// The times of a book, its limit and its cuts; its levels are in any-updates.test.ts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  asStale,
  bridgeSnapshot,
  compareDecimals,
  cutTo,
  nearestDouble,
  type DepthDelta,
  type DepthRefusal,
  type KnownBook,
} from '../../../src/live/order-book/index.js';
import { decimal } from '../../../src/model/decimal.js';

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

describe('a live order book', () => {
  it('is live since its snapshot was received', () => {
    expect(start).toEqual({ ...frame, ...levels, status: 'live', since: 1000, receivedAt: 1000, updateId: 100 });
  });

  it('has the levels of the live one while it is stale, and the time since when it is', () => {
    const { book } = asStale(known, 1500);
    expect(book).toEqual({ ...start, status: 'stale', since: 1500 });
    expect(book.bids).toBe(start.bids);
    expect(start.status).toBe('live');
  });
});

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

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^\\d{1,${maxLength}}$`));
const decimals = fc.oneof(
  digits(25),
  fc.tuple(digits(12), digits(12)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.tuple(digits(3), fc.integer({ min: -30, max: 30 })).map(([whole, power]) => `${whole}e${power}`),
  fc.constantFrom('0', '0.0', '-0', '-1.5', '0.1', '0.10', '9'.repeat(15), '9'.repeat(16), '9007199254740993', '1E5'),
);

describe('the decimal strings of a book', () => {
  it('are the doubles that Number makes of them', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        expect(nearestDouble(text) === Number(text)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('compare as exact decimals do', () => {
    fc.assert(
      fc.property(decimals, decimals, (one, other) => {
        const expected = decimal(one).comparedTo(decimal(other)) ?? Number.NaN;
        expect(Math.sign(compareDecimals(one, other)) === expected).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('compare exactly where two are one double', () => {
    expect(compareDecimals('60000.10', '60000.1')).toBe(0);
    expect(compareDecimals('12345678901234567890', '12345678901234567891')).toBe(-1);
    expect(compareDecimals('0.30000000000000000001', '0.3')).toBe(1);
  });
});
