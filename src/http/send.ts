// Sends the requests of one client over its transport. The transport may be a user's own: whatever it returns, a
// request ends once, in a response or in an error, and nothing is written after an abort.
import { tryOr } from '../errors/index.js';
import { ResponseTooLarge } from './received-body.js';
import { LostResponse } from './response-body.js';
import { ResponseMemory, type MemoryShare } from './response-memory.js';
import { ResponseTurns } from './response-turns.js';
import type { Sending, SendOptions, Transport, TransportRequest, TransportResponse } from './transport.js';

/** A complete response, as its endpoint reads it. */
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

/** The bounds of a response, and its place among others. */
export interface ResponseBounds {
  /** Bytes, both compressed and decompressed. */
  readonly maxResponseBytes: number;
  /** Whether the response is parsed before other waiting responses. */
  readonly isUrgent: boolean;
}

/** A request of a client. It is not sent before `start`. */
export interface WireSending {
  start(): void;
  /** What was not written before is never written. */
  abort(): void;
}

export type Send = (request: TransportRequest, bounds: ResponseBounds, receiver: Receiver) => WireSending;

/** Creates the sender of one client. All its responses share one response memory. */
export function createSend(transport: Transport, responseMemory = new ResponseMemory()): Send {
  const turns = new ResponseTurns();
  return (request, bounds, receiver) =>
    new OneSending(transport, turns, responseMemory.open(bounds.maxResponseBytes), request, bounds, receiver);
}

class Aborted extends Error {
  constructor() {
    super('the request was aborted');
  }
}

class OneSending implements WireSending, SendOptions {
  readonly maxResponseBytes: number;
  readonly hold: (bytes: number) => void;
  readonly #transport: Transport;
  readonly #turns: ResponseTurns;
  readonly #memory: MemoryShare;
  readonly #request: TransportRequest;
  readonly #isUrgent: boolean;
  readonly #receiver: Receiver;
  #sending: Sending | undefined;
  #isSent = false;
  #isOver = false;

  constructor(
    transport: Transport,
    turns: ResponseTurns,
    memory: MemoryShare,
    request: TransportRequest,
    { maxResponseBytes, isUrgent }: ResponseBounds,
    receiver: Receiver,
  ) {
    this.#transport = transport;
    this.#turns = turns;
    this.#memory = memory;
    this.#request = request;
    this.#isUrgent = isUrgent;
    this.#receiver = receiver;
    this.maxResponseBytes = maxResponseBytes;
    this.hold = memory.hold;
  }

  start(): void {
    try {
      // Unless the transport reports it, the request counts as sent from here on.
      if (this.#transport.reportsSent !== true) this.#receiver.onSent();
      this.#throwIfOver();
      this.#sending = this.#transport.send(this.#request, this);
      Promise.resolve(this.#sending.response).then(this.#receive, this.#lose);
      // Aborted in `onSent`: the transport had returned nothing to abort by then.
      this.#throwIfOver();
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
    this.#throwIfOver();
  };

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Released immediately, even if the transport ignores the abort.
    this.#memory.close();
    this.#abortSending();
  }

  #throwIfOver(): void {
    if (this.#isOver) throw new Aborted();
  }

  #abortSending(): void {
    tryOr(() => {
      this.#sending?.abort();
    }, undefined);
  }

  readonly #receive = (response: TransportResponse): void => {
    if (this.#isOver) return;
    try {
      const checked = this.#check(response);
      const deliver = () => {
        this.#deliver(checked);
      };
      const turn = this.#turns.take(checked.body.length, this.#isUrgent);
      if (turn === undefined) deliver();
      else void turn.then(deliver, this.#lose);
    } catch (error) {
      this.#lose(new LostResponse('', { cause: error }));
    }
  };

  /** A user's transport may resolve to anything. */
  #check({ status, headers, body }: TransportResponse): TransportResponse {
    const isBody = typeof body === 'string' || body instanceof Uint8Array;
    if (!Number.isInteger(status) || !isBody) throw new TypeError('the transport did not resolve to a response');
    if (!(body.length <= this.maxResponseBytes)) throw new ResponseTooLarge();
    return { status, headers, body };
  }

  #deliver({ status, headers, body }: TransportResponse): void {
    if (this.#isOver) return;
    let text: string;
    try {
      // Decoded in the turn that parses it: a waiting response is held once, as its bytes.
      text = typeof body === 'string' ? body : decodeUtf8(body);
    } catch (error) {
      this.#lose(new LostResponse('', { cause: error }));
      return;
    }
    this.#isOver = true;
    this.#memory.close();
    this.#receiver.onResponse({ status, headers, body: text });
  }

  readonly #lose = (error: unknown): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#memory.close();
    this.#receiver.onLost(error);
  };
}

const utf8 = new TextDecoder();

/** Decodes a body. Removes a byte order mark, and replaces invalid UTF-8 by U+FFFD. */
function decodeUtf8(body: Uint8Array): string {
  return utf8.decode(body);
}
