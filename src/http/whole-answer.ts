// An answer, read to its end, whoever made it: a `fetch` of the user's own may give anything, and a body that has no end.
import { isPromise, resultOf } from '../foreign-value.js';
import { ReceivedBody, ResponseTooLarge } from './received-body.js';
import type { WireAnswer } from './send.js';
import { WholeResponse } from './whole-response.js';

/** What `fetch` resolved to could not be read to its end, for its `cause`. */
export class LostAnswer extends Error {}

/**
 * Reads an answer to its end, its bound, or the signal's abort, whichever comes first; a body that is no stream of the platform, to its end. Rejects
 * what is no Response at all.
 */
export async function wholeAnswer(response: Response, signal: AbortSignal, maxBytes: number): Promise<WireAnswer> {
  const { status, headers } = response;
  if (response instanceof WholeResponse) return { status, headers, body: await response.text() };
  if (!Number.isInteger(status) || !hasGet(headers)) throw new TypeError('fetch did not resolve to a Response');
  return { status, headers, body: await boundedText(response, signal, maxBytes) };
}

function hasGet(headers: unknown): boolean {
  return typeof headers === 'object' && headers !== null && 'get' in headers && typeof headers.get === 'function';
}

async function boundedText(response: Response, signal: AbortSignal, maxBytes: number): Promise<string> {
  const stream: unknown = response.body;
  const text: unknown = stream instanceof ReadableStream ? await readStream(stream, signal, maxBytes) : await response.text();
  if (typeof text !== 'string') throw new TypeError('the text of the answer is not a string');
  if (!(text.length <= maxBytes)) throw new ResponseTooLarge();
  return text;
}

async function readStream(stream: ReadableStream<Uint8Array>, signal: AbortSignal, maxBytes: number): Promise<string> {
  const reader = stream.getReader();
  const received = new ReceivedBody(maxBytes);
  const leave = () => {
    // Whether the source heeds it is its own business: nobody waits for it any more. A reader of the user's own need not return a promise.
    isPromise(resultOf(() => reader.cancel(signal.reason), undefined));
  };
  signal.addEventListener('abort', leave);
  try {
    signal.throwIfAborted();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) received.add(piece.value);
    signal.throwIfAborted();
    return new TextDecoder().decode(received.bytes);
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
