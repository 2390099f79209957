// The order book of a market as an immutable value, and how messages of the channel `depth` change it.
import type { PriceLevel } from '../../model/order-book.js';
import { compareDecimals, compareExactly, nearestDouble } from './compare-decimals.js';
import type { DepthDelta, DepthSnapshot } from './depth-frame.js';

/**
 * The order book of a market at one moment. It never changes: an update is another book, which shares with this one the
 * sides and the levels that did not change. A side can be empty.
 */
export interface LiveOrderBook {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** `live`: every update up to `updateId` is included. `stale`: updates may be missing, so decide nothing by this book. */
  readonly status: 'live' | 'stale';
  /** When the book got this `status`, Unix milliseconds by this machine's clock. */
  readonly since: number;
  /** Buy orders by price, highest first: `[price, amount]`. */
  readonly bids: readonly PriceLevel[];
  /** Sell orders by price, lowest first: `[price, amount]`. The lowest is above the highest price of `bids`. */
  readonly asks: readonly PriceLevel[];
  /** Number of the last change of the exchange's whole book. It grows by more than 1. */
  readonly updateId: number;
  /** When the matching engine made this book, Unix seconds with fractions; `undefined` where the exchange sent none. */
  readonly engineTime: number | undefined;
  /** When the exchange sent this book, Unix seconds with fractions. It trails `engineTime` by seconds at times. */
  readonly eventTime: number | undefined;
  /** When the last update arrived, Unix milliseconds by this machine's clock. */
  readonly receivedAt: number;
}

/**
 * Why a message cannot become part of a book, which is stale from then on:
 * - `sequence`: an update between the book and the message is missing.
 * - `unreadable`: the best bid would not be below the best ask, or a snapshot has two amounts for one price.
 */
export type DepthRefusal = 'sequence' | 'unreadable';

/**
 * The book of a snapshot, cut to the best `limit` levels of each side. It shares what did not change with the book
 * `before`, and keeps its `since` if that was live: the exchange repeats the snapshot of a quiet market.
 */
export function fromSnapshot(
  frame: DepthSnapshot,
  limit: number,
  receivedAt: number,
  before?: LiveOrderBook,
): LiveOrderBook | DepthRefusal {
  const bids = sideOf(frame.bids ?? [], descending, limit, before?.bids ?? []);
  const asks = sideOf(frame.asks ?? [], ascending, limit, before?.asks ?? []);
  if (bids === undefined || asks === undefined) return 'unreadable';
  return liveBook(frame, bids, asks, receivedAt, before);
}

/**
 * The book after a delta, cut to the best `limit` levels of each side. A delta that continues a stale book makes it live
 * again, because then no update was missed.
 *
 * @param prices those of the last delta of the same book save time; they change no result
 */
export function applyDelta(
  book: LiveOrderBook,
  frame: DepthDelta,
  limit: number,
  receivedAt: number,
  prices = new BookPrices(),
): LiveOrderBook | DepthRefusal {
  if (frame.pastUpdateId !== book.updateId) return 'sequence';
  const bids = changedSide(book.bids, frame.bids ?? [], descending, limit, prices.bids);
  const asks = changedSide(book.asks, frame.asks ?? [], ascending, limit, prices.asks);
  return liveBook(frame, bids, asks, receivedAt, book);
}

/** The same book, stale since `at`, Unix milliseconds. A stale book is returned as it is. */
export function asStale(book: LiveOrderBook, at: number): LiveOrderBook {
  return book.status === 'stale' ? book : { ...book, status: 'stale', since: at };
}

/**
 * The best `limit` levels of each side. Sides whose best levels are those of `before`, the result for an earlier book,
 * are the sides of `before`.
 */
export function cutTo(book: LiveOrderBook, limit: number, before?: LiveOrderBook): LiveOrderBook {
  const bids = cutSide(book.bids, limit, before?.bids ?? []);
  const asks = cutSide(book.asks, limit, before?.asks ?? []);
  return bids === book.bids && asks === book.asks ? book : { ...book, bids, asks };
}

/**
 * The prices of the newest levels of a side, as doubles. They lie side by side: the texts of a hundred levels do not,
 * and a program of many books would wait for the memory of each level that a search visits.
 */
class SidePrices {
  #levels: readonly PriceLevel[] | undefined;
  #prices: number[] = [];

  /** The prices of these levels, to be changed together with a copy of the levels. */
  take(levels: readonly PriceLevel[]): number[] {
    if (levels !== this.#levels) this.#prices = pricesOf(levels);
    this.#levels = undefined;
    return this.#prices;
  }

  /** The prices that were taken are now, up to a limit, those of these levels. */
  keep(levels: readonly PriceLevel[]): void {
    while (this.#prices.length > levels.length) this.#prices.pop();
    this.#levels = levels;
  }
}

/** The prices of a book from one delta to the next. */
export class BookPrices {
  readonly bids = new SidePrices();
  readonly asks = new SidePrices();
}

/** The order of the prices of a side, as the sign of a difference. */
type Direction = 1 | -1;
const ascending: Direction = 1;
const descending: Direction = -1;

function liveBook(
  frame: DepthSnapshot | DepthDelta,
  bids: readonly PriceLevel[],
  asks: readonly PriceLevel[],
  receivedAt: number,
  before: LiveOrderBook | undefined,
): LiveOrderBook | 'unreadable' {
  const [bestBid] = bids;
  const [bestAsk] = asks;
  if (bestBid !== undefined && bestAsk !== undefined && compareDecimals(bestBid[0], bestAsk[0]) >= 0) {
    return 'unreadable';
  }
  const { market, updateId, engineTime, eventTime } = frame;
  const since = before?.status === 'live' ? before.since : receivedAt;
  return { market, status: 'live', since, bids, asks, updateId, engineTime, eventTime, receivedAt };
}

/** The sorted side of a snapshot; `undefined` when two levels have one price. */
function sideOf(
  levels: readonly PriceLevel[],
  direction: Direction,
  limit: number,
  before: readonly PriceLevel[],
): readonly PriceLevel[] | undefined {
  let sorted = levels;
  if (!isSorted(sorted, direction)) {
    sorted = levels.toSorted(([price], [other]) => direction * compareDecimals(price, other));
    if (!isSorted(sorted, direction)) return undefined;
  }
  const standing = sorted.filter(([, amount]) => !isZero(amount)).slice(0, limit);
  const prices = pricesOf(before);
  const shared = standing.map((level) => {
    const known = before[indexOf(before, prices, level[0], direction)];
    return known !== undefined && compareDecimals(known[1], level[1]) === 0 ? known : level;
  });
  return sameLevels(shared, before) ? before : shared;
}

/**
 * The side after its changes, which need not be sorted; the same array when its levels are the same. Of two changes of
 * one price, the last one holds.
 */
function changedSide(
  levels: readonly PriceLevel[],
  changes: readonly PriceLevel[],
  direction: Direction,
  limit: number,
  known: SidePrices,
): readonly PriceLevel[] {
  if (changes.length === 0) return levels;
  const side = [...levels];
  const prices = known.take(levels);
  for (const change of changes) {
    const [price, amount] = change;
    const index = indexOf(side, prices, price, direction);
    const level = side[index];
    if (level === undefined) {
      if (isZero(amount)) continue;
      side.splice(~index, 0, change);
      prices.splice(~index, 0, nearestDouble(price));
    } else if (isZero(amount)) {
      side.splice(index, 1);
      prices.splice(index, 1);
    } else if (compareDecimals(level[1], amount) !== 0) side[index] = change;
  }
  // Only now: a level beyond the limit moves up when a later change removes one before it.
  const cut = cutSide(side, limit, levels);
  known.keep(cut);
  return cut;
}

function cutSide(levels: readonly PriceLevel[], limit: number, before: readonly PriceLevel[]): readonly PriceLevel[] {
  const side = levels.length > limit ? levels.slice(0, limit) : levels;
  return sameLevels(side, before) ? before : side;
}

function sameLevels(one: readonly PriceLevel[], other: readonly PriceLevel[]): boolean {
  return one.length === other.length && one.every((level, index) => level === other[index]);
}

/** Whether each price is strictly after the one before it. */
function isSorted(levels: readonly PriceLevel[], direction: Direction): boolean {
  return levels.every(([price], index) => {
    const before = levels[index - 1];
    return before === undefined || direction * compareDecimals(before[0], price) < 0;
  });
}

function pricesOf(levels: readonly PriceLevel[]): number[] {
  return levels.map(([price]) => nearestDouble(price));
}

/** The index of the level of a price; if there is none, the bitwise complement of the index where it belongs. */
function indexOf(
  levels: readonly PriceLevel[],
  prices: readonly number[],
  price: string,
  direction: Direction,
): number {
  const key = nearestDouble(price);
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = direction * ((prices[middle] ?? 0) - key || compareExactly(levels[middle]?.[0] ?? '', price));
    if (difference === 0) return middle;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

function isZero(amount: string): boolean {
  return nearestDouble(amount) === 0;
}
