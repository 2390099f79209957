// Sends one request by ky. Everything that could send it twice is off: ky's retries, and redirects.
import ky from 'ky';
import { decodeUtf8 } from './buffered-response.js';
import { LostResponse, readBody, readHead } from './response-body.js';
import { ResponseMemory, type MemoryShare } from './response-memory.js';
import { ResponseTurns } from './response-turns.js';
import type { Fetch, FetchInit, ReportingFetch, Send, SendOptions, WireRequest, WireResponse } from './transport.js';

/** Creates the sender of one client. All its responses share one response memory. */
export function createSend(fetch: Fetch | ReportingFetch, responseMemory = new ResponseMemory()): Send {
  const client = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
  const turns = new ResponseTurns();

  async function sendWith(
    memory: MemoryShare,
    { url, ...request }: WireRequest,
    signal: AbortSignal,
    options: SendOptions,
  ): Promise<WireResponse> {
    const init: FetchInit = { ...request, redirect: 'manual', signal };
    // ky builds a Request, and a copy for its retries. With body, headers and signal these cost more than everything
    // else together, so ky gets the address only, and a hook passes the rest to `fetch`. ky ignores a hook's Response
    // of another library and calls its own `fetch`: it gets the same response, so nothing is sent twice.
    let sent: Promise<Response> | undefined;
    // Once `fetch` has resolved, the request was sent: every later failure is one of the response, whatever it says.
    const sending = { hasResponse: false };
    const callFetch = () => {
      if ('reportsWrite' in fetch) return fetch(url, init, { ...options, memory });
      options.onWrite();
      return fetch(url, init);
    };
    const start = async () => {
      const response = await callFetch();
      sending.hasResponse = true;
      return response;
    };
    const sendOnce = () => {
      signal.throwIfAborted();
      return (sent ??= start());
    };
    try {
      const response = await client(url, { fetch: sendOnce, hooks: { beforeRequest: [sendOnce] } });
      const head = readHead(response);
      const body = await readBody(response, signal, { maxBytes: options.maxResponseBytes, memory });
      const turn = turns.take(body.length, options.isUrgent);
      if (turn !== undefined) await turn;
      signal.throwIfAborted();
      // Decoded in the turn that parses it: a waiting response is held once, as its bytes.
      return { ...head, body: typeof body === 'string' ? body : decodeUtf8(body) };
    } catch (error) {
      if (sending.hasResponse) throw new LostResponse('', { cause: error });
      throw error;
    }
  }

  return async (request, signal, options) => {
    const memory = responseMemory.open(options.maxResponseBytes);
    // An aborted request releases its memory immediately, even if its `fetch` ignores the signal.
    signal.addEventListener('abort', memory.close);
    try {
      return await sendWith(memory, request, signal, options);
    } finally {
      signal.removeEventListener('abort', memory.close);
      memory.close();
    }
  };
}
