// Recorded messages: which channel and markets a text is of, which is all that passing it on needs; and what the books and
// trades in it are, for matching.
import { readDecimal, type Decimal } from '../../model/decimal.js';
import { isRecord } from '../../model/map.js';
import type { MarketEvent, RecordedTrade } from '../engine/index.js';

/** The channel of a push by its text; `undefined` for a response, `unreadable` for anything else. */
export function channelOf(text: string): { readonly channel: string } | 'unreadable' | undefined {
  const end = text.indexOf('_update"');
  if (end >= 0 && end < maxMethodEnd) return { channel: text.slice(text.lastIndexOf('"', end) + 1, end) };
  const value = parsed(text);
  if (value === undefined) return 'unreadable';
  return isRecord(value) && typeof value['method'] === 'string'
    ? { channel: value['method'].replace(/_update$/, '') }
    : undefined;
}

/** The method of a push is among its first fields. */
const maxMethodEnd = 60;

/** Whether a push of a channel is a snapshot, as far as its text shows. */
export function isSnapshot(text: string): boolean {
  return snapshot.test(text.slice(0, maxParamsStart));
}

const snapshot = /"params": ?\[ ?true/;
const maxParamsStart = 100;

/** What a message of `depth` or `trades` says. */
export interface ReadFrame {
  readonly market: string;
  readonly events: readonly MarketEvent[];
  /** Of a book: the numbers of this state, and of the state that it changes. */
  readonly updateId?: number;
  readonly pastUpdateId?: number;
}

/** Reads a message for matching; `undefined` when a part that decides is missing or malformed. */
export function readFrame(channel: string, text: string): ReadFrame | undefined {
  return channel === 'depth' ? readDepth(text) : readTrades(paramsOf(text));
}

function paramsOf(text: string): readonly unknown[] {
  const message = parsed(text);
  const params = isRecord(message) ? message['params'] : undefined;
  return Array.isArray(params) ? params : [];
}

/** A message of `depth`, whose levels are not read yet. */
export interface DepthMessage {
  readonly market: string;
  readonly isSnapshot: boolean;
  /** The engine's time, Unix milliseconds. */
  readonly at: number;
  readonly updateId: number;
  readonly pastUpdateId: unknown;
  readonly asks: unknown;
  readonly bids: unknown;
}

/** Reads a message of `depth`; `undefined` for another text. */
export function depthOf(text: string): DepthMessage | undefined {
  const [isFull, data, market] = paramsOf(text);
  if (typeof isFull !== 'boolean' || !isRecord(data) || typeof market !== 'string') return undefined;
  const { timestamp, event_time, update_id: updateId, past_update_id: pastUpdateId, asks = [], bids = [] } = data;
  const seconds = timestamp ?? event_time;
  if (typeof seconds !== 'number' || typeof updateId !== 'number') return undefined;
  return { market, isSnapshot: isFull, at: seconds * 1000, updateId, pastUpdateId, asks, bids };
}

function readDepth(text: string): ReadFrame | undefined {
  const message = depthOf(text);
  if (message === undefined) return undefined;
  const { market, isSnapshot: isFull, at, updateId, pastUpdateId } = message;
  const [buy, sell] = [rowsOf(message.bids), rowsOf(message.asks)];
  if (buy === undefined || sell === undefined) return undefined;
  const event: MarketEvent = { kind: 'frame', at, isSnapshot: isFull, buy, sell };
  return { market, events: [event], updateId, ...(typeof pastUpdateId === 'number' ? { pastUpdateId } : {}) };
}

function rowsOf(rows: unknown): [Decimal, Decimal][] | undefined {
  if (!Array.isArray(rows)) return undefined;
  const read: [Decimal, Decimal][] = [];
  for (const row of rows as readonly unknown[]) {
    const [price, amount] = Array.isArray(row) ? [decimalOf(row[0]), decimalOf(row[1])] : [];
    if (price === undefined || amount === undefined) return undefined;
    read.push([price, amount]);
  }
  return read;
}

/** The newest trade is the first one of a message. */
function readTrades([market, trades]: readonly unknown[]): ReadFrame | undefined {
  if (typeof market !== 'string' || !Array.isArray(trades)) return undefined;
  const read = (trades as readonly unknown[]).map((trade) =>
    isRecord(trade) ? tradeOf({ ...trade, side: trade['type'], seconds: trade['time'] }) : undefined,
  );
  const events = read.filter((event) => event !== undefined);
  return events.length < read.length ? undefined : { market, events: events.sort((one, other) => one.id - other.id) };
}

/** The trades of a response of `public/trades`, oldest first; those that are malformed are left out. */
export function tradesOfBody(body: string): readonly RecordedTrade[] {
  const rows = parsed(body);
  if (!Array.isArray(rows)) return [];
  return (rows as readonly unknown[])
    .flatMap((row) => {
      if (!isRecord(row)) return [];
      const { tradeID: id, base_volume: amount, trade_timestamp: seconds, type: side, price } = row;
      return tradeOf({ id, amount, seconds, side, price }) ?? [];
    })
    .sort((one, other) => one.id - other.id);
}

function tradeOf(fields: Readonly<Record<string, unknown>>): RecordedTrade | undefined {
  const { id, seconds, side, rpi } = fields;
  const [price, amount] = [decimalOf(fields['price']), decimalOf(fields['amount'])];
  if (typeof id !== 'number' || typeof seconds !== 'number' || (side !== 'buy' && side !== 'sell')) return undefined;
  if (price === undefined || amount === undefined) return undefined;
  return { kind: 'trade', id, at: seconds * 1000, side, price, amount, rpi: rpi === true };
}

function decimalOf(value: unknown): Decimal | undefined {
  return typeof value === 'string' || typeof value === 'number' ? readDecimal(value) : undefined;
}

/** The value of a JSON text; `undefined` for another text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
