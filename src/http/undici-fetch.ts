// The default transport: the part of fetch() that a client needs, on a connection pool of undici. Connections are kept
// and bounded, responses are bounded in size, and nothing is followed, cached or sent twice. Without fetch()'s streams
// a request costs a fraction.
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
// By its file: Bun replaces `undici` by a module of its own, whose Agent cannot dispatch.
import { Agent, type Dispatcher } from 'undici/index.js';
import { BufferedResponse, type ReceivedHeaders } from './buffered-response.js';
import { defaultMaxResponseBytes, ReceivedBody } from './received-body.js';
import type { FetchInit, ReportingFetch, ReportingOptions } from './transport.js';

export interface UndiciFetchOptions {
  /** Maximum connections to one address. */
  readonly connections: number;
  /** Maximum time to make a connection, milliseconds. */
  readonly connectTimeoutMs: number;
}

const defaultOptions: ReportingOptions = {
  onWrite: () => undefined,
  maxResponseBytes: defaultMaxResponseBytes,
  isUrgent: false,
};

/** For GET, whose responses are long lists. Compressing the response to an order would not pay. */
const acceptCompressed = { 'accept-encoding': 'gzip, br' };

/**
 * How long an idle connection is kept, milliseconds. The server must not close it while a request is in flight, because
 * the outcome would be unknown. Servers that announce no timeout close after 60 s (AWS), 75 s (nginx) or more.
 */
const idleTimeouts = {
  keepAliveTimeout: 50_000,
  /** Subtracted from a timeout that the server announces; exceeds a round trip. */
  keepAliveTimeoutThreshold: 1000,
  /**
   * Caps a timeout that the server announces: network address translators drop silent connections after about 350 s.
   */
  keepAliveMaxTimeout: 300_000,
};
/**
 * Idle time before TCP probes the connection every second, milliseconds: a connection that the network has lost ends
 * before a request is sent on it.
 */
const probeAfterMs = 15_000;

/** Creates the default `fetch`. Idle connections do not keep the process alive. */
export function undiciFetch({ connections, connectTimeoutMs }: UndiciFetchOptions): ReportingFetch {
  // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED could turn off the certificate check.
  const connect = { timeout: connectTimeoutMs, rejectUnauthorized: true, keepAliveInitialDelay: probeAfterMs };
  // The attempt bounds the time of the response.
  const agent = new Agent({ ...idleTimeouts, connections, connect, headersTimeout: 0, bodyTimeout: 0 });
  const fetch = async (url: string, init: FetchInit, options = defaultOptions) => {
    const { status, headers, body } = await dispatch(agent, url, init, options);
    return new BufferedResponse(await decompress(body, headers['content-encoding'], options), status, headers);
  };
  return Object.assign(fetch, { reportsWrite: true } as const);
}

interface Received {
  readonly status: number;
  readonly headers: ReceivedHeaders;
  readonly body: Uint8Array;
}

function dispatch(
  agent: Agent,
  url: string,
  { method, headers, body, signal }: FetchInit,
  options: ReportingOptions,
): Promise<Received> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const receivedBody = new ReceivedBody(options.maxResponseBytes, options.memory);
    let status = 0;
    let receivedHeaders: ReceivedHeaders = {};
    let controller: Dispatcher.DispatchController | undefined;
    const end = () => {
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      // A request that waits for a connection has no controller yet. It ends in onRequestStart, before it is written.
      controller?.abort(reasonOf(signal));
      reject(reasonOf(signal));
    };
    signal.addEventListener('abort', abort);
    agent.dispatch(
      {
        origin,
        path: pathname + search,
        method,
        headers: method === 'GET' ? { ...headers, ...acceptCompressed } : headers,
        body: body ?? null,
      },
      {
        // Called with an open connection, in the tick that writes the request.
        onRequestStart(started) {
          // Throwing removes the request and keeps the connection; controller.abort() would close it.
          if (signal.aborted) throw reasonOf(signal);
          controller = started;
          options.onWrite();
        },
        onResponseStart(_controller, statusCode, responseHeaders) {
          status = statusCode;
          receivedHeaders = responseHeaders;
        },
        // An error thrown here aborts the request.
        onResponseData(_controller, chunk) {
          receivedBody.add(chunk);
        },
        onResponseEnd() {
          end();
          resolve({ status, headers: receivedHeaders, body: receivedBody.bytes });
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

/** Decompresses chunk by chunk, at most to the maximum size. */
async function decompress(
  body: Uint8Array,
  encoding: ReceivedHeaders[string],
  { maxResponseBytes, memory }: ReportingOptions,
): Promise<Uint8Array> {
  const decompressor = body.byteLength === 0 ? undefined : decompressors.get(String(encoding).trim().toLowerCase())?.();
  if (decompressor === undefined) return body;
  const output = new ReceivedBody(maxResponseBytes, memory);
  decompressor.end(body);
  const chunks: AsyncIterable<Uint8Array> = decompressor;
  // An error thrown in the loop destroys the decompressor.
  for await (const chunk of chunks) output.add(chunk);
  return output.bytes;
}
