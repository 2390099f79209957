// The messages of a connection: what a received text is.
import type { AnyExchangeError } from '../../errors/index.js';
import { readJson, type Redactor } from '../../http/index.js';
import { isRecord } from '../../model/map.js';

/** The exchange's refusal of a request. */
export interface Refusal {
  /** The exchange's code; `undefined` when the response has none. */
  readonly code: number | undefined;
  /** The exchange's text; empty when the response has none. */
  readonly message: string;
  /** The same before redaction, cut: to decide by, never to report. */
  readonly original?: string;
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
  | { readonly type: 'response'; readonly id: number; readonly refusal?: Refusal; readonly result: unknown }
  /** A response that is over a bound: "the result …". */
  | { readonly type: 'oversized'; readonly id: number; readonly problem: string };

/** What a frame says; `undefined` when it is unreadable. A number that a double would round is the text of its digits. */
export function readMessage(text: string): Message | undefined {
  const json = readJson(text);
  if ('problem' in json) {
    const of = json.isOverBound === true ? idOf(text) : undefined;
    return of === undefined ? undefined : { type: 'oversized', id: of, problem: json.problem };
  }
  const { value } = json;
  if (!isRecord(value)) return undefined;
  const { id, method, params, result, error } = value;
  if (typeof method === 'string') return { type: 'push', method, params };
  // It may have been of any request or channel.
  if (typeof id !== 'number') return undefined;
  if (error === undefined || error === null) return { type: 'response', id, result };
  return { type: 'response', id, refusal: refusalOf(error), result: undefined };
}

/** Longer than the fields around the result of a response. */
const maxEndLength = 100;

/** The id of a response that was not parsed: its first field, or its last one after the result. A push has no such number. */
function idOf(text: string): number | undefined {
  const start = text.slice(0, maxEndLength);
  const first = /^\s*\{\s*"id"\s*:\s*(\d{1,15})\s*,/.exec(start);
  const last = /^\s*\{\s*"(?:error|result)"\s*:/.test(start)
    ? /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/.exec(text.slice(-maxEndLength))
    : undefined;
  const digits = text.trimEnd().endsWith('}') ? (first ?? last)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** Maximum characters of a refusal's message. */
export const maxRefusalLength = 1000;

/** The refusal as errors may quote it. */
export function quotedRefusal({ code, message }: Refusal, redactor: Redactor): Refusal {
  const original = message.slice(0, maxRefusalLength);
  return { code, message: redactor.quote(message, maxRefusalLength), original };
}

function refusalOf(error: unknown): Refusal {
  if (!isRecord(error)) return { code: undefined, message: typeof error === 'string' ? error : '' };
  const { code, message } = error;
  return {
    code: typeof code === 'number' ? code : undefined,
    message: typeof message === 'string' ? message : '',
  };
}
