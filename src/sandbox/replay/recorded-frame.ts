// Recorded messages: their channel and markets by the text alone; books, trades and rules of markets for matching.
import { decimalPattern, readDecimal, type Decimal } from '../../model/decimal.js';
import { isRecord } from '../../model/map.js';
import type { Changes, MarketEvent, RecordedTrade, SandboxMarketOptions } from '../engine/index.js';
import { parsedJson } from '../json.js';

/** The channel of a push by its text; `undefined` for a response, `unreadable` for anything else. */
export function channelOf(text: string): { readonly channel: string } | 'unreadable' | undefined {
  const end = text.indexOf('_update"');
  if (end >= 0 && end < maxMethodEnd) return { channel: text.slice(text.lastIndexOf('"', end) + 1, end) };
  const value = parsedJson(text);
  if (value === undefined) return 'unreadable';
  return isRecord(value) && typeof value['method'] === 'string'
    ? { channel: value['method'].replace(/_update$/, '') }
    : undefined;
}

/** The method of a push is among its first fields. */
const maxMethodEnd = 60;

export function isSnapshot(text: string): boolean {
  return snapshot.test(text.slice(0, maxParamsStart));
}

const snapshot = /"params": ?\[ ?true/;
const maxParamsStart = 100;

export interface ReadFrame {
  readonly market: string;
  readonly events: readonly MarketEvent[];
  /** Of a book: the numbers of this state, and of the state that it changes. */
  readonly updateId?: number;
  readonly pastUpdateId?: number;
}

export function readFrame(channel: string, text: string): ReadFrame | undefined {
  const message = parsedJson(text);
  const params = isRecord(message) ? message['params'] : undefined;
  if (!Array.isArray(params)) return undefined;
  return channel === 'depth' ? readDepth(params) : readTrades(params);
}

function readDepth([isSnapshot, data, market]: readonly unknown[]): ReadFrame | undefined {
  if (typeof isSnapshot !== 'boolean' || !isRecord(data) || typeof market !== 'string') return undefined;
  const { timestamp, event_time, update_id: updateId, past_update_id: pastUpdateId, asks = [], bids = [] } = data;
  const seconds = timestamp ?? event_time;
  const [buy, sell] = [rowsOf(bids), rowsOf(asks)];
  if (typeof seconds !== 'number' || typeof updateId !== 'number') return undefined;
  if (buy === undefined || sell === undefined) return undefined;
  const event: MarketEvent = { kind: 'frame', at: seconds * 1000, isSnapshot, buy, sell };
  return { market, events: [event], updateId, ...(typeof pastUpdateId === 'number' ? { pastUpdateId } : {}) };
}

function rowsOf(rows: unknown): Changes | undefined {
  if (!Array.isArray(rows)) return undefined;
  const read: [string, string][] = [];
  for (const row of rows as readonly unknown[]) {
    const [price, amount] = Array.isArray(row) ? [digitsOf(row[0]), digitsOf(row[1])] : [];
    if (price === undefined || amount === undefined) return undefined;
    read.push([price, amount]);
  }
  return read;
}

function digitsOf(value: unknown): string | undefined {
  const digits = typeof value === 'number' ? String(value) : value;
  return typeof digits === 'string' && decimalPattern.test(digits) ? digits : undefined;
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

export function tradesOfBody(body: string): readonly RecordedTrade[] {
  const rows = parsedJson(body);
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

/** Consecutive changes of a book as one: while no order can meet it, only the last amount of each price counts. */
export class DepthChanges {
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();
  #last: ReadFrame | undefined;
  /** When the last one was received. */
  receivedAt = 0;

  constructor(private readonly updateId: number | undefined) {}

  add(frame: ReadFrame, receivedAt: number): boolean {
    const [event] = frame.events;
    const updateId = this.#last?.updateId ?? this.updateId;
    if (event?.kind !== 'frame' || event.isSnapshot || frame.pastUpdateId !== updateId) return false;
    put(this.#bids, event.buy);
    put(this.#asks, event.sell);
    this.#last = frame;
    this.receivedAt = receivedAt;
    return true;
  }

  frame(): ReadFrame | undefined {
    const [event] = this.#last?.events ?? [];
    if (this.#last === undefined || event?.kind !== 'frame') return undefined;
    return { ...this.#last, events: [{ ...event, buy: [...this.#bids], sell: [...this.#asks] }] };
  }
}

function put(amounts: Map<string, string>, changes: Changes): void {
  for (const [price, amount] of changes) {
    // The last one is applied last, however its price is written.
    amounts.delete(price);
    amounts.set(price, amount);
  }
}

/** The fees of a market, percent. */
export interface MarketFees {
  /** Percent, a decimal string. */
  readonly maker: string;
  /** Percent, a decimal string. */
  readonly taker: string;
}

export function listingsOf(body: string, fees: Readonly<Record<string, MarketFees>>): readonly SandboxMarketOptions[] {
  const value = parsedJson(body);
  return Array.isArray(value) ? value.filter(isRecord).flatMap((record) => listingOf(record, fees) ?? []) : [];
}

export function listingOf(
  record: Readonly<Record<string, unknown>>,
  fees: Readonly<Record<string, MarketFees>>,
): SandboxMarketOptions | undefined {
  const { name, isCollateral } = record;
  if (typeof name !== 'string') return undefined;
  const text = (...names: readonly (keyof SandboxMarketOptions)[]) =>
    Object.fromEntries(names.flatMap((one) => (typeof record[one] === 'string' ? [[one, record[one]]] : [])));
  const count = (...names: readonly (keyof SandboxMarketOptions)[]) =>
    Object.fromEntries(
      names.map((one) => [one, Number(record[one] ?? NaN)] as const).filter(([, value]) => Number.isInteger(value)),
    );
  const own = fees[name];
  return {
    // It offers no levels of the sandbox's own.
    ...{ name, depth: { levels: 0, step: 0, size: '0' } },
    ...count('stockPrec', 'moneyPrec', 'feePrec'),
    ...text('tickSize', 'stepSize', 'minAmount', 'minTotal', 'maxTotal', 'makerFee', 'takerFee'),
    ...(typeof isCollateral === 'boolean' ? { isCollateral } : {}),
    ...(own === undefined ? {} : { makerFee: own.maker, takerFee: own.taker }),
  };
}
