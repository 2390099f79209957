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

/** Levels and their prices as doubles, which lie side by side: the texts of a hundred levels do not. */
interface Levels {
  readonly levels: readonly PriceLevel[];
  readonly prices: ArrayLike<number>;
}

/** The next side writes its prices into `spare`: prices that each change allocated would outlive it in hundreds of books. */
interface Side extends Levels {
  readonly prices: Float64Array;
  readonly spare: Float64Array;
}

/** A book, and its sides as they are compared with the next message: each has one next book. */
export interface KnownBook {
  readonly book: LiveOrderBook;
  readonly bids: Side;
  readonly asks: Side;
}

/**
 * Joins a snapshot with what is known: the book of the snapshot, cut to the best `limit` levels of each side. It shares
 * what did not change with the known book, and keeps its `since` if that was live: the exchange repeats the snapshot of a
 * quiet market.
 */
export function bridgeSnapshot(
  known: KnownBook | undefined,
  frame: DepthSnapshot,
  limit: number,
  receivedAt: number,
): KnownBook | DepthRefusal {
  const { bids = [], asks = [] } = frame;
  const newBids = sorted(bids, descending);
  const newAsks = sorted(asks, ascending);
  // Two amounts for one price.
  if (newBids.levels.length < bids.length || newAsks.levels.length < asks.length) return 'unreadable';
  const sides = {
    bids: bridged(known?.bids ?? sideOf([], limit), newBids, descending, limit),
    asks: bridged(known?.asks ?? sideOf([], limit), newAsks, ascending, limit),
  };
  return liveBook(frame, sides, receivedAt, known?.book);
}

/** The book after a delta, cut to the best `limit` levels of each side. Of two changes of one price, the last one holds. */
export function applyDelta(
  known: KnownBook,
  frame: DepthDelta,
  limit: number,
  receivedAt: number,
): KnownBook | DepthRefusal {
  if (frame.pastUpdateId !== known.book.updateId) return 'sequence';
  const { bids = [], asks = [] } = frame;
  const sides = {
    bids: bids.length === 0 ? known.bids : changed(known.bids, sorted(bids, descending), descending, limit),
    asks: asks.length === 0 ? known.asks : changed(known.asks, sorted(asks, ascending), ascending, limit),
  };
  return liveBook(frame, sides, receivedAt, known.book);
}

/** The same book, stale since `at`, Unix milliseconds. */
export function asStale({ book, ...sides }: KnownBook, at: number): KnownBook {
  return { book: { ...book, status: 'stale', since: at }, ...sides };
}

/** Sides whose best levels are those of `before`, the result for an earlier book, are the sides of `before`. */
export function cutTo(book: LiveOrderBook, limit: number, before?: LiveOrderBook): LiveOrderBook {
  const bids = cutSide(book.bids, limit, before?.bids ?? []);
  const asks = cutSide(book.asks, limit, before?.asks ?? []);
  return bids === book.bids && asks === book.asks ? book : { ...book, bids, asks };
}

/** The order of the prices of a side, as the sign of a difference. */
type Direction = 1 | -1;
const ascending: Direction = 1;
const descending: Direction = -1;

function sideOf(levels: readonly PriceLevel[], limit: number): Side {
  const prices = new Float64Array(limit);
  prices.set(levels.map(([price]) => nearestDouble(price)));
  return { levels, prices, spare: new Float64Array(limit) };
}

function liveBook(
  { market, updateId, engineTime, eventTime }: DepthSnapshot | DepthDelta,
  sides: { readonly bids: Side; readonly asks: Side },
  receivedAt: number,
  before: LiveOrderBook | undefined,
): KnownBook | 'unreadable' {
  const { levels: bids, prices: bidPrices } = sides.bids;
  const { levels: asks, prices: askPrices } = sides.asks;
  const [bid] = bids;
  const [ask] = asks;
  if (bid !== undefined && ask !== undefined) {
    const difference = (bidPrices[0] ?? 0) - (askPrices[0] ?? 0);
    if (difference > 0 || (difference === 0 && compareExactly(bid[0], ask[0]) >= 0)) return 'unreadable';
  }
  const since = before?.status === 'live' ? before.since : receivedAt;
  const book = { market, status: 'live' as const, since, bids, asks, updateId, engineTime, eventTime, receivedAt };
  return { book, bids: sides.bids, asks: sides.asks };
}

/** The levels of a message in the order of their prices; of several with one price, the last one. */
function sorted(levels: readonly PriceLevel[], direction: Direction): Levels {
  const prices: number[] = [];
  // The exchange sorts them. Prices that are the same double are compared exactly.
  let isSorted = true;
  let last = -direction * Number.POSITIVE_INFINITY;
  for (const level of levels) {
    const price = nearestDouble(level[0]);
    isSorted &&= direction * (last - price) < 0;
    prices.push(price);
    last = price;
  }
  if (isSorted) return { levels, prices };
  const compare = (one: PriceLevel, other: PriceLevel) => direction * compareDecimals(one[0], other[0]);
  const inOrder = levels
    .toSorted(compare)
    .filter((level, index, all) => compare(level, all[index + 1] ?? level) !== 0 || index === all.length - 1);
  return { levels: inOrder, prices: inOrder.map(([price]) => nearestDouble(price)) };
}

/** The side of a snapshot, in one pass over both; the known side when its levels are the same. */
function bridged(known: Side, { levels: given, prices }: Levels, direction: Direction, limit: number): Side {
  let at = 0;
  const shared = given.map((level, index) => {
    const found = seek(known, at, prices[index] ?? 0, level[0], direction);
    at = found < 0 ? ~found : found;
    const same = known.levels[found];
    return same !== undefined && same[1] === level[1] ? same : level;
  });
  const levels = cutSide(
    shared.filter(([, amount]) => !isZero(amount)),
    limit,
    known.levels,
  );
  return levels === known.levels ? known : sideOf(levels, limit);
}

/**
 * The side after its changes, in one pass over both; the same side when its levels are the same. Each level moves once,
 * within a copy of the known side: a `splice` for each change takes longer, and makes the copy grow.
 */
function changed(side: Side, changes: Levels, direction: Direction, limit: number): Side {
  const levels = side.levels.slice();
  const prices = side.spare;
  prices.set(side.prices);
  const next = { levels, prices, spare: side.prices };
  let index = 0;
  let isSame = true;
  /** The known levels before `from` have become the first `to` of the next side. */
  let from = 0;
  let to = 0;
  for (const change of changes.levels) {
    const price = changes.prices[index] ?? 0;
    index += 1;
    const found = seek(side, from, price, change[0], direction);
    const known = side.levels[found];
    const at = known === undefined ? ~found : found;
    to = move(side, from, at, next, to, limit);
    from = known === undefined ? at : at + 1;
    if (isZero(change[1])) isSame &&= known === undefined;
    else if (to < limit) {
      const isKept = known !== undefined && known[1] === change[1];
      isSame &&= isKept;
      levels[to] = isKept ? known : change;
      prices[to] = price;
      to += 1;
    }
  }
  if (isSame) return side;
  to = move(side, from, side.levels.length, next, to, limit);
  levels.length = to;
  return next;
}

/** Moves the levels of a side from one index up to another, as far as `limit`; returns the index after them. */
function move(
  side: Side,
  from: number,
  until: number,
  next: Side & { levels: PriceLevel[] },
  to: number,
  limit: number,
): number {
  const count = Math.min(until - from, limit - to);
  // Without a shift, they are in their place: the next side is a copy.
  for (let step = 0; step < count && from !== to; step += 1) {
    const level = side.levels[from + step];
    if (level !== undefined) next.levels[to + step] = level;
    next.prices[to + step] = side.prices[from + step] ?? 0;
  }
  return to + count;
}

/** The index of the level of a price, from an index on; if there is none, the bitwise complement of the index where it belongs. */
function seek({ levels, prices }: Levels, from: number, price: number, text: string, direction: Direction): number {
  let low = from;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (direction * ((prices[middle] ?? 0) - price) < 0) low = middle + 1;
    else high = middle;
  }
  for (; low < levels.length && prices[low] === price; low += 1) {
    const difference = direction * compareExactly(levels[low]?.[0] ?? '', text);
    if (difference === 0) return low;
    if (difference > 0) break;
  }
  return ~low;
}

function cutSide(levels: readonly PriceLevel[], limit: number, before: readonly PriceLevel[]): readonly PriceLevel[] {
  const side = levels.length > limit ? levels.slice(0, limit) : levels;
  const isSame = side.length === before.length && side.every((level, index) => level === before[index]);
  return isSame ? before : side;
}

function isZero(amount: string): boolean {
  return nearestDouble(amount) === 0;
}
