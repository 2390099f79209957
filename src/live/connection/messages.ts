// The messages of a connection: what a received text is.
import type { AnyExchangeError } from '../../errors/index.js';
import { readJson } from '../../http/index.js';
import { isRecord } from '../../model/map.js';

/** The exchange's refusal of a request. */
export interface Refusal {
  /** The exchange's code; `undefined` when the response has none. */
  readonly code: number | undefined;
  /** The exchange's text; empty when the response has none. */
  readonly message: string;
  /** Why nothing was requested: the connection could not be authorized. */
  readonly error?: AnyExchangeError;
}

/** The exchange's codes for a failure of its own, and for too many requests: the same request may succeed later. */
const transientCodes: readonly (number | undefined)[] = [2, 3, 5, 7];

export function isTransientRefusal({ code }: Pick<Refusal, 'code'>): boolean {
  return transientCodes.includes(code);
}

/** A received message. */
export type Message =
  | { readonly type: 'push'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: number; readonly refusal?: Refusal; readonly result: unknown };

/** What a frame says; `undefined` when it is unreadable. A number that a double would round is the text of its digits. */
export function readMessage(text: string): Message | undefined {
  const json = readJson(text);
  if ('problem' in json || !isRecord(json.value)) return undefined;
  const { id, method, params, result, error } = json.value;
  if (typeof method === 'string') return { type: 'push', method, params };
  // It may have been of any request or channel.
  if (typeof id !== 'number') return undefined;
  if (error === undefined || error === null) return { type: 'response', id, result };
  return { type: 'response', id, refusal: refusalOf(error), result: undefined };
}

function refusalOf(error: unknown): Refusal {
  if (!isRecord(error)) return { code: undefined, message: typeof error === 'string' ? error : '' };
  const { code, message } = error;
  return {
    code: typeof code === 'number' ? code : undefined,
    message: typeof message === 'string' ? message : '',
  };
}
