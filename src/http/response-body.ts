// Reads the complete body of any Response. A user's `fetch` may return any object, and a body without an end.
import { isPromise, tryOr } from '../errors/index.js';
import { ReceivedBody, ResponseTooLarge } from './received-body.js';
import type { TransportResponse } from './transport.js';

/**
 * The request was sent, or may have been, and there is no complete response. `cause` says why, and the message, unless
 * it is empty, what was lost.
 */
export class LostResponse extends Error {}

/** The bounds of a body. */
export interface BodyBounds {
  readonly maxBytes: number;
  readonly hold: (bytes: number) => void;
}

/** Status and headers of a response; throws a TypeError for a value that is not a Response. */
export function readHead({ status, headers }: Response): Pick<TransportResponse, 'status' | 'headers'> {
  if (!Number.isInteger(status) || !hasGet(headers)) throw new TypeError('fetch did not resolve to a Response');
  const read: readonly unknown[] = tryOr(() => [headers.get('content-type'), headers.get('retry-after')], []);
  const [type, retryAfter] = read.map((value) => (typeof value === 'string' ? value : undefined));
  return { status, headers: { 'content-type': type, 'retry-after': retryAfter } };
}

/**
 * Reads a body to its end. A stream of the platform ends early at its bounds or when the signal aborts; any other body
 * is read whole, as text.
 */
export async function readBody(
  response: Response,
  signal: AbortSignal,
  { maxBytes, hold }: BodyBounds,
): Promise<Uint8Array | string> {
  const stream: unknown = response.body;
  if (stream instanceof ReadableStream) return readStream(stream, signal, new ReceivedBody(maxBytes, hold));
  const text: unknown = await response.text();
  if (typeof text !== 'string') throw new TypeError('text() of the response did not resolve to a string');
  if (!(text.length <= maxBytes)) throw new ResponseTooLarge();
  hold(text.length);
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
  const cancel = () => {
    // The result is not awaited: a source may ignore the cancel, and a user's reader need not return a promise.
    isPromise(tryOr(() => reader.cancel(signal.reason), undefined));
  };
  signal.addEventListener('abort', cancel);
  try {
    signal.throwIfAborted();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) received.add(chunk.value);
    signal.throwIfAborted();
    return received.bytes;
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
