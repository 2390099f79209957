// Recordings written by hand: lines on a disk, as a recorder writes them, of the market BTC_USDT.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberOf } from '../../src/recording/member.js';
import { openRecording, type RecordedLine, type Recording } from '../../src/recording/index.js';
import { renderLine } from '../../src/recording/line.js';

type Rows = readonly (readonly [price: string, amount: string])[];

/** The begin of the recordings, Unix milliseconds. */
export const start = Date.UTC(2026, 10, 28, 12);
const market = 'BTC_USDT';
/** How long after the engine's time a message is received, milliseconds. */
const delayMs = 20;

/** Levels of a book from a text: `99 10, 98 1`. */
export function levels(text: string): Rows {
  return text.split(', ').map((level) => {
    const [price = '', amount = ''] = level.split(' ');
    return [price, amount];
  });
}

const frame = (t: number, message: object) => text(t, JSON.stringify(message));

/** A message of the order book, received `t` ms after the begin; a snapshot has no `past`. */
export function book(t: number, id: number, bids: Rows, asks: Rows, past?: number): RecordedLine {
  const seconds = (start + t - delayMs) / 1000;
  const ids = { update_id: id, ...(past === undefined ? {} : { past_update_id: past }) };
  const params = [past === undefined, { timestamp: seconds, ...ids, asks, bids, event_time: seconds }, market];
  return frame(t, { method: 'depth_update', params, id: null });
}

export interface Print {
  readonly id: number;
  /** Of the engine, after the begin, milliseconds. Default: shortly before it is received. */
  readonly at?: number;
  readonly side?: 'buy' | 'sell';
  readonly price: string;
  readonly amount: string;
  readonly rpi?: boolean;
}

/** A message of trades, the newest first. */
export function trades(t: number, ...prints: readonly Print[]): RecordedLine {
  const list = prints.map(({ id, at = t - delayMs, side = 'sell', price, amount, rpi = false }) => {
    return { id, time: (start + at) / 1000, price, amount, type: side, rpi };
  });
  return frame(t, { method: 'trades_update', params: [market, list], id: null });
}

export function text(t: number, d: string | null): RecordedLine {
  return { t: start + t, k: 'frame', c: 1, d };
}

export function open(t: number, c = 1): RecordedLine {
  return { t: start + t, k: 'open', c, url: 'wss://exchange.example/ws' };
}

export function lost(t: number, c = 1): RecordedLine {
  return { t: start + t, k: 'end', c, code: 1006, reason: 'lost' };
}

export function gap(t: number, reason: string): RecordedLine {
  return { t: start + t, k: 'gap', market, channel: 'orderBook', reason };
}

export function stop(t: number): RecordedLine {
  return { t: start + t, k: 'stop' };
}

export const rules = {
  ...{ name: market, stock: 'BTC', money: 'USDT', stockPrec: '3', moneyPrec: '1', tickSize: '', stepSize: '' },
  ...{ makerFee: '0.1', takerFee: '0.2', minAmount: '0.001', minTotal: '5', maxTotal: '0', tradesEnabled: true },
  ...{ isCollateral: true, type: 'spot', feePrec: '6' },
};

/** The lines on a disk, after the first ones of every recording. */
export async function recordingOf(lines: readonly RecordedLine[]): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  const first: readonly RecordedLine[] = [
    {
      ...{ t: start, k: 'run', format: 1, host: 'wss://exchange.example/ws', markets: [market] },
      channels: ['orderBook', 'trades', 'bookTicker', 'ticker', 'premiumIndex'],
    },
    { t: start, k: 'rest', path: '/api/v4/public/markets', sentAt: start, status: 200, body: JSON.stringify([rules]) },
  ];
  const written = [...first, ...lines].map((line) => `${renderLine(line)}\n`).join('');
  writeFileSync(join(folder, '000001-20261128T12Z.ndjson.gz'), memberOf(written));
  return openRecording(folder);
}
