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
    send(request, sendOptions) {
      const sending = new UndiciSending(sendOptions, large);
      sending.dispatch(dispatcher, request);
      return sending;
    },
    close: () => dispatcher.close(),
  };
}

/** For GET, whose responses are long lists. Compressing the response to an order would not pay. */
const acceptCompressed = { 'accept-encoding': 'gzip, br' };

type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One request. A class, not a literal of closures, as all that an order in flight is made of: V8 allocates literals among
 * the old objects once a burst of them was alive together, and a dead one there keeps what it refers to for long.
 */
class UndiciSending implements Sending, Dispatcher.DispatchHandler {
  readonly response: Promise<TransportResponse>;
  readonly #options: SendOptions;
  readonly #large: LargeBuffers;
  readonly #received: ReceivedBody;
  #resolve: (response: TransportResponse | Promise<TransportResponse>) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  /** Of the request that was, or is being, written. */
  #controller: Dispatcher.DispatchController | undefined;
  #isSent = false;
  #isOver = false;
  #status = 0;
  #headers: UndiciHeaders = {};

  constructor(options: SendOptions, large: LargeBuffers) {
    this.#options = options;
    this.#large = large;
    this.#received = new ReceivedBody(options.maxResponseBytes, large);
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** A property: a transport around this one may spread it. */
  readonly abort = (): void => {
    if (this.#isOver) return;
    const aborted = new Aborted();
    this.#fail(aborted);
    // A request that waits for a connection has no controller yet. It ends in onRequestStart, before it is written.
    this.#controller?.abort(aborted);
  };

  dispatch(dispatcher: Dispatcher, { url, method, headers, body }: TransportRequest): void {
    try {
      const { origin, pathname, search } = new URL(url);
      const sentHeaders = method === 'GET' ? { ...headers, ...acceptCompressed } : headers;
      dispatcher.dispatch({ origin, path: pathname + search, method, headers: sentHeaders, body: body ?? null }, this);
    } catch (error) {
      this.#fail(new Error('the request cannot be dispatched', { cause: error }));
    }
  }

  /** Called with an open connection, in the tick that writes the request. What it throws keeps it from being written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing removes the request and keeps the connection; controller.abort() would close it.
    if (this.#isOver) throw new Aborted();
    this.#controller = controller;
    this.#options.onSent();
    this.#isSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: UndiciHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  /** An error thrown here aborts the request. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (!this.#isOver) this.#received.add(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const received = this.#received;
    const decompressor = received.bytes.byteLength === 0 ? undefined : decompressorOf(this.#headers);
    if (decompressor !== undefined) {
      const output = new ReceivedBody(this.#options.maxResponseBytes, this.#large);
      this.#resolve(decompress(decompressor, received, output).then((whole) => this.#responseOf(whole)));
      return;
    }
    received.release();
    this.#resolve(this.#responseOf(received));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #responseOf({ bytes }: ReceivedBody): TransportResponse {
    return { status: this.#status, headers: readHeaders(this.#headers), body: bytes };
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#received.release();
    // The code of a connection that was lost may be one of connecting.
    this.#reject(this.#isSent ? new LostResponse('', { cause: error }) : error);
  }
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
