// Reads the messages of the channel `depth`. A busy market sends ten a second, so the reader is written by hand.
import { decimal, decimalPattern, doubleOf, formatDecimal, writtenNumber } from '../../model/decimal.js';
import { isRecord } from '../../model/map.js';
import type { PriceLevel } from '../../model/order-book.js';

interface DepthFrame {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** Number of the last change of the whole book that the message includes. */
  readonly updateId: number;
  /** Time of the matching engine, Unix seconds with fractions. */
  readonly engineTime: number | undefined;
  /** Time of the gateway, Unix seconds with fractions. */
  readonly eventTime: number | undefined;
  /**
   * Buy orders; `undefined` where the message has none. They are in the order of the message, which need not be sorted:
   * each level names its price, so an unsorted message is as clear as a sorted one. The book sorts them.
   */
  readonly bids: readonly PriceLevel[] | undefined;
  /** Sell orders; `undefined` where the message has none. */
  readonly asks: readonly PriceLevel[] | undefined;
}

/** The whole book, up to the limit of the subscription. */
export interface DepthSnapshot extends DepthFrame {
  readonly isSnapshot: true;
}

/** What changed since another message. A side that is `undefined` did not change; amount 0 removes a level. */
export interface DepthDelta extends DepthFrame {
  readonly isSnapshot: false;
  /** `updateId` of the message before this one, of the same subscription. */
  readonly pastUpdateId: number;
}

export type DepthUpdate = DepthSnapshot | DepthDelta;

/**
 * Reads the params of a `depth_update`: `[full, data, market]`. Returns `undefined` when a book cannot be built of them:
 * a malformed or missing update id, a level that is not a price above 0 and an amount of at least 0, or too many levels.
 *
 * A number for a decimal string, and the reverse, is converted if nothing is lost. A null counts as absent, and a
 * malformed time is omitted, because nothing is decided by it. The levels of the parsed message become those of the
 * result: the caller must not change them.
 */
export function readDepthUpdate(params: unknown): DepthUpdate | undefined {
  if (!isList(params)) return undefined;
  const [isSnapshot, data, market] = params;
  if (typeof isSnapshot !== 'boolean' || typeof market !== 'string' || market === '' || !isRecord(data)) {
    return undefined;
  }
  const updateId = readUpdateId(data['update_id']);
  if (updateId === undefined) return undefined;

  const bids = readSide(data['bids']);
  const asks = readSide(data['asks']);
  if (bids === 'unreadable' || asks === 'unreadable') return undefined;
  const engineTime = readNumber(data['timestamp']);
  const eventTime = readNumber(data['event_time']);
  if (isSnapshot) return { isSnapshot, market, updateId, engineTime, eventTime, bids, asks };

  const pastUpdateId = readUpdateId(data['past_update_id']);
  if (pastUpdateId === undefined) return undefined;
  return { isSnapshot, market, updateId, pastUpdateId, engineTime, eventTime, bids, asks };
}

/**
 * Maximum levels of a side of a message: at most 100 are subscribed, and a change of all of them removes and adds twice as
 * many. More would cost time that grows with their digits.
 */
const maxLevels = 400;

/** `undefined` for an absent side. */
function readSide(side: unknown): readonly PriceLevel[] | 'unreadable' | undefined {
  if (side === undefined || side === null) return undefined;
  if (!isList(side) || side.length > maxLevels) return 'unreadable';
  if (side.every(isPlainLevel)) return side;
  const levels: PriceLevel[] = [];
  for (const item of side) {
    const level = readLevel(item);
    if (level === undefined) return 'unreadable';
    levels.push(level);
  }
  return levels;
}

/** A decimal string above 0, as the exchange writes prices. Bounded as every decimal of a response is. */
const plainPrice = /^(?=[0.]*[1-9])\d{1,100}(?:\.\d{1,100})?$/;
const plainAmount = /^\d{1,100}(?:\.\d{1,100})?$/;

/** Whether a level can be used unchanged. */
function isPlainLevel(level: unknown): level is PriceLevel {
  if (!isList(level) || level.length !== 2) return false;
  const [price, amount] = level;
  return typeof price === 'string' && typeof amount === 'string' && plainPrice.test(price) && plainAmount.test(amount);
}

/** The level with plain decimals: no sign, no exponent. Further elements of a level, which may be added, are omitted. */
function readLevel(level: unknown): PriceLevel | undefined {
  if (!isList(level)) return undefined;
  const price = plainDecimalOf(level[0]);
  const amount = plainDecimalOf(level[1]);
  if (price === undefined || amount === undefined || !plainPrice.test(price) || !plainAmount.test(amount)) {
    return undefined;
  }
  return [price, amount];
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function plainDecimalOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? writtenNumber(value) : value;
  if (typeof text !== 'string' || !decimalPattern.test(text)) return undefined;
  return plainAmount.test(text) ? text : formatDecimal(decimal(text));
}

function readUpdateId(value: unknown): number | undefined {
  const id = readNumber(value);
  return Number.isSafeInteger(id) ? id : undefined;
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' ? doubleOf(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
