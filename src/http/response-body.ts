// An answer, read to its end, whoever made it: a `fetch` of the user's own may give anything, and a body that has no
// end.
import { isPromise, tryOr } from '../errors/index.js';
import { ReceivedBody, ResponseTooLarge } from './received-body.js';
import type { MemoryShare } from './response-room.js';
import { BufferedResponse } from './buffered-response.js';

/** What `fetch` resolved to could not be read to its end, for its `cause`. */
export class LostResponse extends Error {}

/** What a body may take. */
export interface BodyBounds {
  readonly maxBytes: number;
  readonly room: MemoryShare;
}

/** The status and headers of an answer; throws for what is no Response at all. */
export function readHead({ status, headers }: Response): Pick<Response, 'status' | 'headers'> {
  if (!Number.isInteger(status) || !hasGet(headers)) throw new TypeError('fetch did not resolve to a Response');
  return { status, headers };
}

/**
 * Reads the body of an answer to its end, its bounds, or the signal's abort, whichever comes first; one that is no
 * stream of the platform, to its end, and as text.
 */
export async function readBody(
  response: Response,
  signal: AbortSignal,
  { maxBytes, room }: BodyBounds,
): Promise<Uint8Array | string> {
  if (response instanceof BufferedResponse) return response.received;
  const stream: unknown = response.body;
  if (stream instanceof ReadableStream) return readStream(stream, signal, new ReceivedBody(maxBytes, room));
  const text: unknown = await response.text();
  if (typeof text !== 'string') throw new TypeError('the text of the answer is not a string');
  if (!(text.length <= maxBytes)) throw new ResponseTooLarge();
  room.hold(text.length);
  return text;
}

function hasGet(headers: unknown): boolean {
  return typeof headers === 'object' && headers !== null && 'get' in headers && typeof headers.get === 'function';
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  received: ReceivedBody,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  const leave = () => {
    // Whether the source heeds it is its own business: nobody waits for it any more. A reader of the user's own need
    // not return a promise.
    isPromise(tryOr(() => reader.cancel(signal.reason), undefined));
  };
  signal.addEventListener('abort', leave);
  try {
    signal.throwIfAborted();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) received.add(piece.value);
    signal.throwIfAborted();
    return received.bytes;
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
