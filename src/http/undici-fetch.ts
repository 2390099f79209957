// What of fetch() a client needs, on a pool of undici's: connections are kept, bounded in number and in the time they
// take to be made, an answer is bounded in size, and nothing is followed, cached or sent twice. What fetch() costs
// beside the request, its streams above all, is left out.
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
// By its file: Bun answers to `undici` with a module of its own, whose Agent cannot dispatch.
import { Agent, type Dispatcher } from 'undici/index.js';
import { defaultMaxResponseBytes, ReceivedBody } from './received-body.js';
import type { FetchInit, ReportingFetch, ReportingOptions } from './send.js';
import { BufferedResponse, type ReceivedHeaders } from './buffered-response.js';

export interface UndiciFetchOptions {
  /** How many connections to one address. */
  readonly connections: number;
  /** The longest that making one may take, milliseconds. */
  readonly connectTimeoutMs: number;
}

/** Without options, like the platform's `fetch`. */
const asAnyFetch: ReportingOptions = {
  onWrite: () => undefined,
  maxResponseBytes: defaultMaxResponseBytes,
  isUrgent: false,
};

/** For lists, which are long. An order's answer is not worth it. */
const compressed = { 'accept-encoding': 'gzip, br' };

/**
 * How long a connection without requests is kept. The server must not close it while a request is on its way to it:
 * what became of that request would be unknown. Servers that say nothing close after 60 s (AWS), 75 s (nginx) and more;
 * the ones that close earlier mostly say when.
 */
const idle = {
  keepAliveTimeout: 50_000,
  /** A server that says when it closes is left so much earlier: more than a round trip takes. */
  keepAliveTimeoutThreshold: 1000,
  /** However long the server allows: address translators of networks forget a silent connection after some 350 s. */
  keepAliveMaxTimeout: 300_000,
};
/**
 * From then on TCP asks each second whether the other side is there: a connection that the network has lost ends before
 * a request is sent on it.
 */
const probeAfterMs = 15_000;

/** Makes a `fetch`. Connections that nobody uses do not keep the process alive. */
export function undiciFetch({ connections, connectTimeoutMs }: UndiciFetchOptions): ReportingFetch {
  // By default Node lets a variable of the environment turn the check of certificates off. Keys and orders pass here.
  const connect = { timeout: connectTimeoutMs, rejectUnauthorized: true, keepAliveInitialDelay: probeAfterMs };
  // How long an answer may take is the attempt's business.
  const agent = new Agent({ ...idle, connections, connect, headersTimeout: 0, bodyTimeout: 0 });
  const fetch = async (url: string, init: FetchInit, options = asAnyFetch) => {
    const { status, headers, body } = await exchangeOn(agent, url, init, options);
    return new BufferedResponse(await decompressed(body, headers['content-encoding'], options), status, headers);
  };
  return Object.assign(fetch, { reportsWrite: true } as const);
}

interface Received {
  readonly status: number;
  readonly headers: ReceivedHeaders;
  readonly body: Uint8Array;
}

function exchangeOn(
  agent: Agent,
  url: string,
  { method, headers, body, signal }: FetchInit,
  options: ReportingOptions,
): Promise<Received> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const receivedBody = new ReceivedBody(options.maxResponseBytes, options.room);
    let status = 0;
    let received: ReceivedHeaders = {};
    let controller: Dispatcher.DispatchController | undefined;
    const end = () => {
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      // One that waits for a connection has no controller yet: it ends in onRequestStart, before anything is sent.
      controller?.abort(reasonOf(signal));
      reject(reasonOf(signal));
    };
    signal.addEventListener('abort', abort);
    agent.dispatch(
      {
        origin,
        path: pathname + search,
        method,
        headers: method === 'GET' ? { ...headers, ...compressed } : headers,
        body: body ?? null,
      },
      {
        // Called with a connection that is made, in the tick in which the request is written to it.
        onRequestStart(started) {
          // To throw takes the request off the connection; to abort it would close the connection, too, which the next
          // one can use.
          if (signal.aborted) throw reasonOf(signal);
          controller = started;
          options.onWrite();
        },
        onResponseStart(_controller, statusCode, responseHeaders) {
          status = statusCode;
          received = responseHeaders;
        },
        // What it throws aborts the request.
        onResponseData(_controller, chunk) {
          receivedBody.add(chunk);
        },
        onResponseEnd() {
          end();
          resolve({ status, headers: received, body: receivedBody.bytes });
        },
        onResponseError(_controller, error) {
          end();
          reject(error);
        },
      },
    );
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}

const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

/** Decompresses a piece at a time, and no further than the response may be. */
async function decompressed(
  body: Uint8Array,
  encoding: ReceivedHeaders[string],
  { maxResponseBytes, room }: ReportingOptions,
): Promise<Uint8Array> {
  const decompress = body.byteLength === 0 ? undefined : decompressors.get(String(encoding).trim().toLowerCase())?.();
  if (decompress === undefined) return body;
  const output = new ReceivedBody(maxResponseBytes, room);
  decompress.end(body);
  const pieces: AsyncIterable<Uint8Array> = decompress;
  // What is thrown here ends the decompressor.
  for await (const piece of pieces) output.add(piece);
  return output.bytes;
}
