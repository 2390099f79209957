// One request over HTTP, by ky. Everything that could send it a second time is off: ky's retries, and redirects.
import ky from 'ky';
import { ResponseMemory, ResponseTurns, type MemoryShare } from './response-room.js';
import { readHead, LostResponse, readBody } from './response-body.js';
import { decodeUtf8 } from './buffered-response.js';

/** What a `fetch` is called with, beside the address. */
export interface FetchInit {
  /** HTTP method. */
  readonly method: 'GET' | 'POST';
  /** What is sent as headers, key and signature among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, whole; a GET has none. Its bytes are the ones that are signed. */
  readonly body?: string;
  /** An answer that redirects is an answer: it is not followed. */
  readonly redirect: 'manual';
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * The `fetch` that requests are sent with: the platform's, the sandbox's, or your own. It sends once: no repeats, no
 * redirects. What it rejects with becomes a {@link TransportError}: `not-executed` when its `code`, or its cause's, says
 * that no connection was made, such as `ECONNREFUSED` (or, with `syscall: 'connect'`, `EHOSTUNREACH`); `unknown`
 * otherwise. `UND_ERR_CONNECT_TIMEOUT` becomes a {@link TimeoutError} that is `not-executed`. A request that runs out of
 * time, or is left, after this `fetch` was called is `unknown`: only the connections that are used by default say when
 * they write.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** How a request is sent. */
export interface SendOptions {
  /**
   * Called once, before anything of the request can leave: as long as it was not called, nothing was sent, and once the
   * signal has aborted nothing will be. With a `fetch` of the user's own, that is when it is called. If it throws,
   * nothing is sent, and sending rejects with what it threw.
   */
  readonly onWrite: () => void;
  /** How many bytes the response may have, before and after it is decompressed. */
  readonly maxResponseBytes: number;
  /** Whether the response is read before those that wait for their turn. */
  readonly isUrgent: boolean;
}

/** How a {@link ReportingFetch} sends and receives. */
export interface ReportingOptions extends SendOptions {
  /** What the response may hold beside the others of the client. Default: what it may have. */
  readonly room?: MemoryShare;
}

/** A `fetch` that says when it writes, and reads a response no further than it may be. */
export interface ReportingFetch {
  (url: string, init: FetchInit, options?: ReportingOptions): Promise<Response>;
  readonly reportsWrite: true;
}

/** A request, ready for the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, whole. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a request and reads its answer to the end. Rejects as `fetch` does. */
export type Send = (request: WireRequest, signal: AbortSignal, options: SendOptions) => Promise<WireResponse>;

/** Prepares sending with a `fetch`; once for each client, whose responses have one room together. */
export function createSend(fetch: Fetch | ReportingFetch, responses = new ResponseMemory()): Send {
  const client = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
  const turns = new ResponseTurns();

  async function sendIn(
    room: MemoryShare,
    { url, ...request }: WireRequest,
    signal: AbortSignal,
    options: SendOptions,
  ): Promise<WireResponse> {
    const init: FetchInit = { ...request, redirect: 'manual', signal };
    // ky makes a Request of what it is given, and a copy for the repeats that are off: with body, headers and signal
    // they would cost more than all else together. So ky is given the address, and what is sent goes to `fetch` beside
    // it: in a hook, whose answer needs no copy. A Response of another library is none to ky, which then asks its
    // `fetch`: it is given the same answer, so that nothing is sent twice.
    let answer: Promise<Response> | undefined;
    // From then on whatever fails is of the response, which ky and others look at: its request was sent, whatever the
    // error says.
    const sending = { isAnswered: false };
    const start = () => {
      if ('reportsWrite' in fetch) return fetch(url, init, { ...options, room });
      options.onWrite();
      return fetch(url, init);
    };
    const begin = async () => {
      const response = await start();
      sending.isAnswered = true;
      return response;
    };
    const sendOnce = () => {
      signal.throwIfAborted();
      return (answer ??= begin());
    };
    try {
      const response = await client(url, { fetch: sendOnce, hooks: { beforeRequest: [sendOnce] } });
      const head = readHead(response);
      const body = await readBody(response, signal, { maxBytes: options.maxResponseBytes, room });
      const turn = turns.take(body.length, options.isUrgent);
      if (turn !== undefined) await turn;
      signal.throwIfAborted();
      // Decoded in the turn in which it is read: what waits for its turn is held once, as its bytes.
      return { ...head, body: typeof body === 'string' ? body : decodeUtf8(body) };
    } catch (error) {
      if (sending.isAnswered) throw new LostResponse('', { cause: error });
      throw error;
    }
  }

  return async (request, signal, options) => {
    const room = responses.open(options.maxResponseBytes);
    // An aborted request gives back what it holds at once, whatever its `fetch` makes of the signal.
    signal.addEventListener('abort', room.close);
    try {
      return await sendIn(room, request, signal, options);
    } finally {
      signal.removeEventListener('abort', room.close);
      room.close();
    }
  };
}
