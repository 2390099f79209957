// What a client and its transport have between them: the request, how it is sent, and how it ends.

/** A request that is ready to send. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The whole address: https, or http to a loopback address. */
  readonly url: string;
  /** API key and signature are among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; absent without one, as for GET. A private request is signed over exactly these bytes. */
  readonly body?: string;
}

/** A complete response, of any status: a redirect is a response, too. */
export interface TransportResponse {
  readonly status: number;
  /** By lower-case names. A client reads `retry-after` and `content-type`; other headers may be left out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The decompressed body: its bytes, or its text. */
  readonly body: Uint8Array | string;
}

/** What a {@link Transport} reports while it sends, and its bounds. */
export interface SendOptions {
  /**
   * Call it once, immediately before the first byte of the request is written. It throws when the request must not be
   * sent any more: then write nothing, and reject.
   */
  readonly onSent: () => void;
  /** Maximum size of the response, bytes, both compressed and decompressed. A larger one is a rejection. */
  readonly maxResponseBytes: number;
}

/** The request may have been sent, and has no complete response. `cause` says why, a message what was lost. */
export class LostResponse extends Error {}

export class Aborted extends Error {
  constructor() {
    super('the request was aborted');
  }
}

/** A request that a {@link Transport} sends. */
export interface Sending {
  /** Rejects when there is no complete response. */
  readonly response: Promise<TransportResponse>;
  /** Ends the request. What was not written before is never written. Does nothing after the response. */
  abort(): void;
}

/**
 * Sends requests: each once, without retries, and without following redirects. A client uses {@link undiciTransport} on
 * Node, and {@link kyTransport} on other platforms or with the option `fetch`.
 *
 * A rejection becomes a {@link TransportError}. Its outcome is `not-executed` when `onSent` was not called, or when the
 * `code` of the error, or of its cause, shows that no connection was made: `ECONNREFUSED`, `ENOTFOUND`, `EAI_AGAIN` or a
 * certificate that is not trusted. `UND_ERR_CONNECT_TIMEOUT` becomes a {@link TimeoutError} with outcome `not-executed`.
 * Any other outcome is `unknown`.
 *
 * @example
 * ```ts
 * import { createExchange, undiciTransport, type Transport } from 'exchange-rx';
 *
 * const undici = undiciTransport();
 * let requests = 0;
 * const counting: Transport = {
 *   reportsSent: true,
 *   send: (request, options) => {
 *     requests += 1;
 *     return undici.send(request, options);
 *   },
 * };
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', transport: counting });
 * ```
 */
export interface Transport {
  /** Sends a request, at once or when a connection is free. */
  send(request: TransportRequest, options: SendOptions): Sending;
  /**
   * Whether `send` calls `onSent` before it writes. Default false: every request counts as sent from the call of `send`
   * on, so that an order is never placed twice.
   */
  readonly reportsSent?: boolean;
  /** Closes the connections, after the requests in flight. Idle connections keep no process alive without it, too. */
  close?(): Promise<void>;
}

/** The second argument of a {@link Fetch}. */
export interface FetchInit extends Omit<TransportRequest, 'url'> {
  /** Return a redirect as a response; do not follow it. */
  readonly redirect: 'manual';
  /** Aborts when the call times out or is unsubscribed. */
  readonly signal: AbortSignal;
}

/**
 * The `fetch` that sends requests: the platform's, the sandbox's, or your own. It sends each request once, without
 * retries and redirects.
 *
 * A rejection becomes the error that it becomes for a {@link Transport} that has called `onSent`. A request that times
 * out or is unsubscribed after the call of this `fetch` has outcome `unknown`: only {@link undiciTransport} reports when
 * it writes. Node's own `fetch` sends a request a second time after status 421; the exchange refuses the copy of a
 * signed request for its nonce.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/**
 * Whether an address is of this machine: nothing that is sent there can be read on the way. Of a host as URLs write it:
 * `127.1`, `0x7f.1` and `2130706433` are `127.0.0.1` by then.
 */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
