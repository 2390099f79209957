// One request over the transport of its client, which may be the user's own: it ends once, in a response or in an error,
// and nothing is written after an abort.
import { ResponseTooLarge } from './received-body.js';
import {
  Aborted,
  LostResponse,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

export interface WireResponse {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly body: string;
}

/** Receives how a request ends. `onResponse` and `onLost` are called in a later tick, and never after an abort. */
export interface Receiver {
  /** Called immediately before the request is written. If it throws, nothing is sent. */
  onSent(): void;
  onResponse(response: WireResponse): void;
  onLost(error: unknown): void;
}

export class WireSending implements SendOptions {
  readonly maxResponseBytes: number;
  readonly #transport: Transport;
  readonly #request: TransportRequest;
  readonly #receiver: Receiver;
  #sending: Sending | undefined;
  #isSent = false;
  #isOver = false;

  /** @param maxResponseBytes both compressed and decompressed */
  constructor(transport: Transport, request: TransportRequest, maxResponseBytes: number, receiver: Receiver) {
    this.#transport = transport;
    this.#request = request;
    this.maxResponseBytes = maxResponseBytes;
    this.#receiver = receiver;
  }

  start(): void {
    try {
      // Unless the transport reports it, the request counts as sent from here on.
      if (this.#transport.reportsSent !== true) this.#receiver.onSent();
      this.#throwIfOver();
      this.#sending = this.#transport.send(this.#request, this);
      Promise.resolve(this.#sending.response).then(this.#receive, this.#lose);
      // Aborted in `onSent`: the transport had returned nothing to abort by then.
      if (this.#isOver) throw new Aborted();
    } catch (error) {
      this.#abortSending();
      // Failures reach the receiver in a later tick, whether the transport threw or rejected.
      queueMicrotask(() => {
        this.#lose(error);
      });
    }
  }

  /** Called by the transport, perhaps too late or twice. What it throws keeps the request from leaving. */
  readonly onSent = (): void => {
    this.#throwIfOver();
    if (this.#isSent) throw new Error('the transport tried to send the request a second time');
    this.#isSent = true;
    if (this.#transport.reportsSent === true) this.#receiver.onSent();
    if (this.#isOver) throw new Aborted();
  };

  /** What was not written before is never written. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#abortSending();
  }

  #throwIfOver(): void {
    if (this.#isOver) throw new Aborted();
  }

  #abortSending(): void {
    try {
      this.#sending?.abort();
    } catch {
      // The request is over for its call, whatever a transport of the user's own does with it.
    }
  }

  readonly #receive = (response: TransportResponse): void => {
    if (this.#isOver) return;
    let read: WireResponse;
    try {
      read = readWhole(response, this.maxResponseBytes);
    } catch (error) {
      this.#lose(new LostResponse('', { cause: error }));
      return;
    }
    this.#isOver = true;
    this.#receiver.onResponse(read);
  };

  readonly #lose = (error: unknown): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.onLost(error);
  };
}

/** Removes a byte order mark, and replaces invalid UTF-8 by U+FFFD. */
const utf8 = new TextDecoder();

/** A transport, or a `fetch`, of the user's own may resolve to any value. */
function readWhole({ status, headers, body }: TransportResponse, maxResponseBytes: number): WireResponse {
  const isBody = typeof body === 'string' || body instanceof Uint8Array;
  if (!Number.isInteger(status) || !isBody) throw new TypeError('the transport did not resolve to a response');
  if (body.length > maxResponseBytes) throw new ResponseTooLarge();
  return { status, headers, body: typeof body === 'string' ? body : utf8.decode(body) };
}
