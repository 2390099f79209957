// The transport of Node, on undici's connection pools: without the objects of fetch() a request costs a fraction.
// Connections are kept and bounded, responses are bounded in size, and nothing is followed, cached or sent twice.
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { createConnections, type UndiciTransportOptions } from './connections.js';
import { ReceivedBody, type LargeBuffers } from './received-body.js';
import {
  Aborted,
  LostResponse,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/**
 * Creates the transport that a client uses on Node by default, for options that a client does not have. Throws
 * {@link RequestError} for invalid options. Idle connections do not keep the process alive.
 *
 * A request that fails, times out or is unsubscribed before it was written is `not-executed`, and is never written
 * later. Certificates are always checked.
 *
 * @example
 * ```ts
 * import { createExchange, undiciTransport } from 'exchange-rx';
 *
 * const exchange = createExchange({
 *   baseUrl: 'https://exchange.example',
 *   transport: undiciTransport({ connectTimeoutMs: 2000 }),
 * });
 * ```
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const dispatcher = createConnections(options);
  const large = { bytes: 0 };
  return {
    reportsSent: true,
    send: (request, sendOptions) => sendByUndici(dispatcher, request, sendOptions, large),
    close: () => dispatcher.close(),
  };
}

/** For GET, whose responses are long lists. Compressing the response to an order would not pay. */
const acceptCompressed = { 'accept-encoding': 'gzip, br' };

type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>;

function sendByUndici(
  dispatcher: Dispatcher,
  { url, method, headers, body }: TransportRequest,
  { onSent, maxResponseBytes }: SendOptions,
  large: LargeBuffers,
): Sending {
  const received = new ReceivedBody(maxResponseBytes, large);
  let fail: (error: Error) => void = () => undefined;
  /** Of the request that was, or is being, written. */
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  const response = new Promise<TransportResponse>((resolve, reject) => {
    let isSent = false;
    let status = 0;
    let responseHeaders: UndiciHeaders = {};
    fail = (error) => {
      if (isOver) return;
      isOver = true;
      received.release();
      // The code of a connection that was lost may be one of connecting.
      reject(isSent ? new LostResponse('', { cause: error }) : error);
    };
    const handler: Dispatcher.DispatchHandler = {
      /** Called with an open connection, in the tick that writes the request. What it throws keeps it from being written. */
      onRequestStart(started) {
        // Throwing removes the request and keeps the connection; controller.abort() would close it.
        if (isOver) throw new Aborted();
        controller = started;
        onSent();
        isSent = true;
      },
      onResponseStart(_controller, statusCode, given) {
        status = statusCode;
        responseHeaders = given;
      },
      /** An error thrown here aborts the request. */
      onResponseData(_controller, chunk) {
        if (!isOver) received.add(chunk);
      },
      onResponseEnd() {
        if (isOver) return;
        isOver = true;
        const decompressor = received.bytes.byteLength === 0 ? undefined : decompressorOf(responseHeaders);
        const respond = ({ bytes }: ReceivedBody) => ({ status, headers: readHeaders(responseHeaders), body: bytes });
        if (decompressor !== undefined) {
          const output = new ReceivedBody(maxResponseBytes, large);
          resolve(decompress(decompressor, received, output).then(respond));
          return;
        }
        received.release();
        resolve(respond(received));
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    };
    try {
      const { origin, pathname, search } = new URL(url);
      const sentHeaders = method === 'GET' ? { ...headers, ...acceptCompressed } : headers;
      dispatcher.dispatch(
        { origin, path: pathname + search, method, headers: sentHeaders, body: body ?? null },
        handler,
      );
    } catch (error) {
      fail(new Error('the request cannot be dispatched', { cause: error }));
    }
  });
  return {
    response,
    abort: () => {
      if (isOver) return;
      const aborted = new Aborted();
      fail(aborted);
      // A request that waits for a connection has no controller yet. It ends in onRequestStart, before it is written.
      controller?.abort(aborted);
    },
  };
}

async function decompress(decompressor: Transform, input: ReceivedBody, output: ReceivedBody): Promise<ReceivedBody> {
  try {
    const chunks: AsyncIterable<Uint8Array> = decompressor.end(input.bytes);
    // An error thrown in the loop destroys the decompressor.
    for await (const chunk of chunks) output.add(chunk);
    return output;
  } finally {
    input.release();
    output.release();
  }
}

function readHeaders({ 'retry-after': retryAfter, 'content-type': type }: UndiciHeaders): TransportResponse['headers'] {
  return {
    'content-type': type === undefined ? undefined : String(type),
    'retry-after': retryAfter === undefined ? undefined : String(retryAfter),
  };
}

const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

function decompressorOf({ 'content-encoding': encoding }: UndiciHeaders): Transform | undefined {
  return encoding === undefined ? undefined : decompressors.get(String(encoding).trim().toLowerCase())?.();
}
