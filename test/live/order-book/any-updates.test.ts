// Any sequence of snapshots and deltas gives the book of a map of decimals: sorted, whole, never crossed, shared; also
// when it is cut to fewer levels.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  applyDelta,
  asStale,
  bridgeSnapshot,
  cutTo,
  type DepthRefusal,
  type KnownBook,
  type LiveOrderBook,
} from '../../../src/live/order-book/index.js';
import { decimal } from '../../../src/model/decimal.js';
import type { PriceLevel } from '../../../src/model/order-book.js';

const limit = 8;
const narrowLimit = 3;

/** The amounts of a side by price, both written without trailing zeros. */
type Side = ReadonlyMap<string, string>;

const written = (text: string) => decimal(text).toFixed();

const best = (side: Side, direction: 1 | -1): Side =>
  new Map([...side].toSorted(([one], [other]) => direction * decimal(one).minus(other).toNumber()).slice(0, limit));

function changed(side: Side, changes: readonly PriceLevel[], direction: 1 | -1): Side {
  const next = new Map(side);
  for (const [price, amount] of changes) {
    if (decimal(amount).isZero()) next.delete(written(price));
    else next.set(written(price), written(amount));
  }
  return best(next, direction);
}

const asMap = (levels: readonly PriceLevel[]): Side =>
  new Map(levels.map(([price, amount]) => [written(price), written(amount)]));

function isCrossed(bids: Side, asks: Side): boolean {
  const [[bid] = []] = bids;
  const [[ask] = []] = asks;
  return bid !== undefined && ask !== undefined && decimal(bid).gte(ask);
}

function hasTwice(levels: readonly PriceLevel[]): boolean {
  return asMap(levels).size < levels.length;
}

/** Prices that are written in several ways; the last two are one double. */
const priceOf = (tick: number) =>
  fc.constantFrom(`${tick}`, `${tick}.0`, `0${tick}.00`, `${tick}.0000000000000000001`, `${tick}.00000000000000000020`);
const level = (ticks: fc.Arbitrary<number>) =>
  fc.tuple(ticks.chain(priceOf), fc.constantFrom('0', '0.0', '1', '1.0', '2', '0.000000000000000000003'));
const bids = fc.array(level(fc.integer({ min: 60_010, max: 60_021 })), { maxLength: 6 });
const asks = fc.array(level(fc.integer({ min: 60_021, max: 60_032 })), { maxLength: 6 });
const update = fc.record({
  kind: fc.constantFrom('snapshot', 'stale', 'gap', ...Array.from({ length: 17 }, () => 'delta')),
  bids: fc.option(bids, { nil: undefined }),
  asks: fc.option(asks, { nil: undefined }),
});

const counted = { delta: 0, unreadable: 0, sequence: 0, snapshot: 0, kept: 0, keptOfCut: 0 };

function frozen(known: KnownBook): KnownBook {
  const { book } = known;
  for (const side of [book.bids, book.asks]) for (const one of Object.freeze(side)) Object.freeze(one);
  Object.freeze(book);
  return known;
}

const isSame = (side: readonly PriceLevel[], other: readonly PriceLevel[]) =>
  side.length === other.length && side.every((one, index) => one === other[index]);

/** A level with the price of an earlier one, and its amount as it was written, is that one, unless it was removed in between. */
function expectShared(after: readonly PriceLevel[], before: readonly PriceLevel[], isReplaced: boolean): void {
  const known = new Map(before.map((one) => [`${written(one[0])} ${one[1]}`, one]));
  const isShared = (one: PriceLevel) => (known.get(`${written(one[0])} ${one[1]}`) ?? one) === one;
  expect(isReplaced || after.every(isShared)).toBe(true);
  const isKept = isSame(after, before);
  if (isKept) counted.kept += 1;
  expect(after === before).toBe(isKept);
}

/** The best levels of each side, as the same side or book wherever they are the same. */
function expectCut(book: LiveOrderBook, before: LiveOrderBook): LiveOrderBook {
  const { bids, asks } = book;
  const cut = cutTo(book, narrowLimit, before);
  expect({ ...cut, bids, asks }).toEqual(book);
  for (const side of ['bids', 'asks'] as const) {
    expect(isSame(cut[side], book[side].slice(0, narrowLimit))).toBe(true);
    const isKept = isSame(cut[side], before[side]);
    if (isKept) counted.keptOfCut += 1;
    expect(cut[side] === before[side]).toBe(isKept);
  }
  // An empty side is that of no book before, so a book with one is a copy.
  if (bids.length > 0 && asks.length > 0) expect(cutTo(book, limit)).toBe(book);
  return cut;
}

it('random deltas and snapshots give the levels of the naive book, and change no earlier book', () => {
  fc.assert(
    fc.property(fc.array(update, { maxLength: 120, size: 'max' }), (updates) => {
      let id = 1;
      const sides = { bids: undefined, asks: undefined };
      const frame = { market: 'BTC_USDT', engineTime: undefined, eventTime: undefined };
      const first = bridgeSnapshot(undefined, { ...frame, ...sides, isSnapshot: true, updateId: id }, limit, id);
      if (typeof first === 'string') throw new Error(first);
      let known = frozen(first);
      let narrow = cutTo(known.book, narrowLimit);
      const earlier: (readonly [LiveOrderBook, string])[] = [];

      for (const { kind, ...given } of updates) {
        const { book } = known;
        if (kind === 'stale') {
          if (book.status === 'live') known = frozen(asStale(known, id));
          const since = book.status === 'live' ? id : book.since;
          expect(known.book).toEqual({ ...book, status: 'stale', since });
          expect(known.book.bids).toBe(book.bids);
          continue;
        }
        const isSnapshot = kind === 'snapshot';
        const pastUpdateId = kind === 'gap' ? id + 1 : id;
        const updateId = id + 2;
        const next: KnownBook | DepthRefusal = isSnapshot
          ? bridgeSnapshot(known, { ...frame, ...given, isSnapshot, updateId }, limit, updateId)
          : applyDelta(known, { ...frame, ...given, isSnapshot, updateId, pastUpdateId }, limit, updateId);

        const base = isSnapshot ? new Map<string, string>() : undefined;
        const expectedBids = changed(base ?? asMap(book.bids), given.bids ?? [], -1);
        const expectedAsks = changed(base ?? asMap(book.asks), given.asks ?? [], 1);
        const isAmbiguous = isSnapshot && (hasTwice(given.bids ?? []) || hasTwice(given.asks ?? []));
        if (kind === 'gap') {
          counted.sequence += 1;
          expect(next).toBe('sequence');
        } else if (isAmbiguous || isCrossed(expectedBids, expectedAsks)) {
          counted.unreadable += 1;
          expect(next).toBe('unreadable');
        } else {
          if (typeof next === 'string') throw new Error(next);
          const result = next.book;
          counted[isSnapshot ? 'snapshot' : 'delta'] += 1;
          expect([...asMap(result.bids)]).toEqual([...expectedBids]);
          expect([...asMap(result.asks)]).toEqual([...expectedAsks]);
          expectShared(result.bids, book.bids, hasTwice(given.bids ?? []));
          expectShared(result.asks, book.asks, hasTwice(given.asks ?? []));
          narrow = expectCut(result, narrow);
          expect(result).toMatchObject({ status: 'live', updateId, receivedAt: updateId });
          expect(result.since).toBe(book.status === 'live' ? book.since : updateId);
          earlier.push([book, JSON.stringify(book)]);
          known = frozen(next);
          id = updateId;
        }
      }
      for (const [value, text] of earlier) expect(JSON.stringify(value)).toBe(text);
    }),
    { numRuns: 15 },
  );
  for (const [what, count] of Object.entries(counted)) expect(count, what).toBeGreaterThan(0);
});
