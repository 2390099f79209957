// A line of a recording: what was received or done, and when. Its form on disk is one JSON object without line breaks.
import * as v from 'valibot';
import { isRecord } from '../model/map.js';

/** A line of a recording. Switch on `k`. */
export type RecordedLine =
  | RecordedRun
  | RecordedOpen
  | RecordedEnd
  | RecordedText
  | RecordedFrame
  | RecordedRest
  | RecordedPing
  | RecordedClock
  | RecordedGap
  | RecordedStop;

/** What every line has. */
export interface RecordedAt {
  /**
   * Unix ms with one decimal, by a clock that only moves forward. No line of a recording is earlier than the one before
   * it.
   */
  readonly t: number;
}

/** The first line of each file: what is recorded. */
export interface RecordedRun extends RecordedAt {
  readonly k: 'run';
  /** Version of the format: 1. */
  readonly format: number;
  /** The address of the live connection, without its query. */
  readonly host: string;
  /** The markets. */
  readonly markets: readonly string[];
  /** The channels: members of `exchange.live`. */
  readonly channels: readonly string[];
}

/** A connection is open. */
export interface RecordedOpen extends RecordedAt {
  readonly k: 'open';
  /** The connection: 1 for the first one of a recorder's run. */
  readonly c: number;
  /** Its address. */
  readonly url: string;
}

/** A connection has ended, or was refused: then it was never open. */
export interface RecordedEnd extends RecordedAt {
  readonly k: 'end';
  /** The connection. */
  readonly c: number;
  /** The close code; absent when the recorder itself ended the connection. */
  readonly code?: number;
  /**
   * - `refused`: it was never open.
   * - `lost`: the exchange, or something on the way, closed it.
   * - `left`: the recorder ended it: it was silent or unreadable, or the recording stopped.
   */
  readonly reason: 'refused' | 'lost' | 'left';
}

/** A text that was sent. */
export interface RecordedText extends RecordedAt {
  readonly k: 'sent';
  /** The connection. */
  readonly c: number;
  /** The text. */
  readonly d: string;
}

/** A frame that was received. */
export interface RecordedFrame extends RecordedAt {
  readonly k: 'frame';
  /** The connection. */
  readonly c: number;
  /** Its exact text, readable or not; `null` for a frame that is no text, or larger than the client accepts. */
  readonly d: string | null;
}

/** A request over REST, and its response. */
export interface RecordedRest extends RecordedAt {
  readonly k: 'rest';
  /** Path and query, such as `/api/v4/public/markets`. */
  readonly path: string;
  /** When it was sent, as `t`. */
  readonly sentAt: number;
  /** The HTTP status. */
  readonly status: number;
  /** JSON of the response. */
  readonly body: string;
}

/** The round trip of a request. */
export interface RecordedPing extends RecordedAt {
  readonly k: 'ping';
  /** Milliseconds. */
  readonly ms: number;
}

/** Both clocks of the machine. */
export interface RecordedClock extends RecordedAt {
  readonly k: 'clock';
  /** Unix ms by the wall clock, which can be set. */
  readonly wall: number;
}

/** Lines may be missing here. */
export interface RecordedGap extends RecordedAt {
  readonly k: 'gap';
  /** The market; absent for every market. */
  readonly market?: string;
  /** The channel, such as `orderBook`; absent for every channel. */
  readonly channel?: string;
  /**
   * That of the live channel, such as `reconnect` or `sequence`; `restart`: nothing was recorded since the line before;
   * `damage`: a part of a file is unreadable.
   */
  readonly reason: string;
}

/** The recorder has stopped properly. */
export interface RecordedStop extends RecordedAt {
  readonly k: 'stop';
}

const number = v.pipe(v.number(), v.finite(), v.minValue(0));
const integer = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** The lines that are rare: {@link parseLine} reads frames faster. */
const rareLine: v.GenericSchema<unknown, Exclude<RecordedLine, RecordedFrame | RecordedText>> = v.variant('k', [
  v.object({
    ...{ t: number, k: v.literal('run'), format: integer, host: v.string() },
    ...{ markets: v.array(v.string()), channels: v.array(v.string()) },
  }),
  v.object({ t: number, k: v.literal('open'), c: integer, url: v.string() }),
  v.object({
    ...{ t: number, k: v.literal('end'), c: integer, code: v.exactOptional(integer) },
    reason: v.picklist(['refused', 'lost', 'left']),
  }),
  v.object({ t: number, k: v.literal('rest'), path: v.string(), sentAt: number, status: integer, body: v.string() }),
  v.object({ t: number, k: v.literal('ping'), ms: number }),
  v.object({ t: number, k: v.literal('clock'), wall: number }),
  v.object({
    ...{ t: number, k: v.literal('gap'), market: v.exactOptional(v.string()) },
    ...{ channel: v.exactOptional(v.string()), reason: v.string() },
  }),
  v.object({ t: number, k: v.literal('stop') }),
]);

/** Reads a line, without fields that it does not know; `undefined` for a text that is no line. */
export function parseLine(text: string): RecordedLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { t, k, c, d } = value;
  if (k !== 'frame' && k !== 'sent') {
    const read = v.safeParse(rareLine, value);
    return read.success ? read.output : undefined;
  }
  if (!isNumber(t) || !isNumber(c) || !Number.isSafeInteger(c)) return undefined;
  if (typeof d === 'string') return { t, k, c, d };
  return k === 'frame' && d === null ? { t, k, c, d } : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The line as it is written, without its line break. */
export function renderLine(line: RecordedLine): string {
  if (line.k !== 'frame') return JSON.stringify(line);
  // Faster than the whole object: at thousands of frames a second, this is what a recording costs.
  return `{"t":${line.t},"k":"frame","c":${line.c},"d":${JSON.stringify(line.d)}}`;
}
