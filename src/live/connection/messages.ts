// The messages of a connection: requests as text, and what a received text is.
import { readJson } from '../../http/index.js';
import { isRecord } from '../../model/map.js';

/** The exchange's refusal of a request. */
export interface Refusal {
  /** The exchange's code; `undefined` when the response has none. */
  readonly code: number | undefined;
  /** The exchange's text; empty when the response has none. */
  readonly message: string;
}

/** A received message. */
export type Message =
  | { readonly type: 'push'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: number; readonly refusal?: Refusal; readonly result: unknown }
  | undefined;

/** A longer message is bounded in its number of parts, too. */
const maxPlainLength = 256 * 1024;

/** Numbers that a double may round, and keys that change what an object inherits: `readJson` handles both. */
const odd = /\d{16}|__proto__|prototype|constructor|\\u/;

/** What a frame says; `undefined` when it is unreadable. */
export function readMessage(text: string): Message {
  const value = parse(text);
  if (!isRecord(value)) return undefined;
  const { id, method, params, result, error } = value;
  if (typeof method === 'string') return { type: 'push', method, params };
  if (typeof id !== 'number') return undefined;
  if (!isRecord(error)) return { type: 'response', id, result };
  const { code, message } = error;
  const refusal = {
    code: typeof code === 'number' ? code : undefined,
    message: typeof message === 'string' ? message : '',
  };
  return { type: 'response', id, refusal, result: undefined };
}

function parse(text: string): unknown {
  if (text.length > maxPlainLength || odd.test(text)) {
    const json = readJson(text);
    return 'value' in json ? json.value : undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
