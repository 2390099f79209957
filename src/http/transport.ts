// The types between a client and its transport: the request that is sent, how it is sent, and the response.
import type { MemoryShare } from './response-memory.js';

/** A request as it is sent. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A complete response. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The second argument of a {@link Fetch}. */
export interface FetchInit {
  /** HTTP method. */
  readonly method: 'GET' | 'POST';
  /** The headers, API key and signature among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; absent for GET. A private request is signed over exactly these bytes. */
  readonly body?: string;
  /** Return a redirect as a response; do not follow it. */
  readonly redirect: 'manual';
  /** Aborts when the call times out or is unsubscribed. */
  readonly signal: AbortSignal;
}

/**
 * The `fetch` that sends requests: the platform's, the sandbox's, or your own. It sends each request once, without
 * retries and redirects.
 *
 * A rejection becomes a {@link TransportError} with outcome `unknown`. The outcome is `not-executed` when the `code` of
 * the error, or of its cause, shows that no connection was made, such as `ECONNREFUSED` or, with `syscall: 'connect'`,
 * `EHOSTUNREACH`. `UND_ERR_CONNECT_TIMEOUT` becomes a {@link TimeoutError} with outcome `not-executed`.
 *
 * A request that times out or is unsubscribed after the call of this `fetch` has outcome `unknown`: only the default
 * transport reports when it writes.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** How a request is sent. */
export interface SendOptions {
  /**
   * Called once, immediately before the request is written. Before this call nothing was sent, and after the signal
   * has aborted nothing will be. With a `fetch` of the user's own, it is called before that `fetch`. If it throws,
   * nothing is sent, and sending rejects with the thrown error.
   */
  readonly onWrite: () => void;
  /** Maximum size of the response, bytes, both compressed and decompressed. */
  readonly maxResponseBytes: number;
  /** Whether the response is parsed before other waiting responses. */
  readonly isUrgent: boolean;
}

/** Sends a request and reads the complete response. Rejects as `fetch` does. */
export type Send = (request: WireRequest, signal: AbortSignal, options: SendOptions) => Promise<WireResponse>;

/** How a {@link ReportingFetch} sends and receives. */
export interface ReportingOptions extends SendOptions {
  /** The share of the client's response memory. Default: not counted. */
  readonly memory?: MemoryShare;
}

/** A `fetch` that calls `onWrite` when it writes, and bounds the response while it arrives. */
export interface ReportingFetch {
  (url: string, init: FetchInit, options?: ReportingOptions): Promise<Response>;
  readonly reportsWrite: true;
}
