// One connection: it reads requests, limits them, and ends when its client is silent for too long.
import { RateLimiter } from '../http/index.js';
import {
  errorMessage,
  LiveRejection,
  printed,
  pushMessage,
  readRequest,
  resultMessage,
  tooManyRequests,
  type LiveMessage,
  type LiveRequest,
  type Push,
} from './envelope.js';
import { tickMs, type Channel } from './channel.js';
import type { LiveExchange } from './live-exchange.js';
import type { LiveRecord } from './live-record.js';
import { LiveSession, type Outcome } from './live-session.js';
import type { Frame, LiveSocket } from './live-socket.js';

/** What a connection is made of. */
export interface LiveConnectionParts {
  /** Counts the connections of the sandbox, from 1. */
  readonly number: number;
  readonly exchange: LiveExchange;
  readonly channels: readonly Channel[];
  readonly record: LiveRecord;
  readonly socket: LiveSocket;
  readonly onEnd: (connection: LiveConnection) => void;
  /** Called after each response: the connection may be subscribed to another channel. */
  readonly onResponse: (connection: LiveConnection) => void;
}

export class LiveConnection {
  readonly session: LiveSession;
  readonly #requests: RateLimiter;
  #idleMs = 0;
  #isOpen = true;
  #framesUntilCut: { count: number; readonly isTorn: boolean } | undefined;

  constructor(private readonly parts: LiveConnectionParts) {
    const { exchange, channels } = parts;
    this.session = new LiveSession(exchange, channels);
    this.#requests = new RateLimiter({ requests: exchange.settings.requestLimit });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The client sent a text frame. Text that is not a proper request ends the connection. */
  receive(text: string): void {
    if (!this.#isOpen) return;
    this.#idleMs = 0;
    const request = readRequest(text);
    if (request === undefined) {
      this.end();
      return;
    }
    this.parts.exchange.refresh();
    this.#respond(request);
    this.parts.onResponse(this);
  }

  /** The client sent something that is not text: a ping of the protocol counts as a message. */
  touch(): void {
    this.#idleMs = 0;
  }

  /** Sends what is due `ms` after the clock of the connections started. */
  tick(ms: number): void {
    this.#idleMs += tickMs;
    if (this.#idleMs > this.parts.exchange.settings.idleMs) {
      this.end();
      return;
    }
    for (const push of this.session.due(ms)) this.#push(push);
  }

  /** Ends the connection without a close frame, now or after some more frames. */
  cut({ afterFrames = 0, isTorn = false }: { readonly afterFrames?: number; readonly isTorn?: boolean } = {}): void {
    if (afterFrames === 0 && !isTorn) this.end();
    else this.#framesUntilCut = { count: afterFrames, isTorn };
  }

  /** Ends the connection without a close frame. */
  end(torn?: string): void {
    if (!this.#isOpen) return;
    this.closed();
    this.parts.socket.end(torn);
  }

  /** The client has gone. */
  closed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.parts.onEnd(this);
  }

  #respond(request: LiveRequest): void {
    const { id } = request;
    const outcome = this.#outcomeOf(request);
    const isRejected = outcome instanceof LiveRejection;
    this.parts.record.request(this.parts.number, request, isRejected ? outcome.code : undefined);
    const response = isRejected ? errorMessage(id, outcome) : resultMessage(id, outcome.result);
    const pushes = isRejected ? [] : outcome.pushes;
    const isBefore = this.parts.exchange.settings.firstPush === 'before';
    if (!isBefore) this.#send(response);
    for (const push of pushes) this.#push(push);
    if (isBefore) this.#send(response);
  }

  #outcomeOf(request: LiveRequest): Outcome | LiveRejection {
    try {
      if (!this.#requests.admit(['requests'], this.parts.exchange.now())) throw tooManyRequests();
      return this.session.respond(request);
    } catch (error) {
      if (error instanceof LiveRejection) return error;
      throw error;
    }
  }

  #push(push: Push): void {
    this.parts.record.push(push.channel);
    this.#send(pushMessage(push));
  }

  #send(message: LiveMessage): void {
    this.#sendFrame({ text: printed(message) });
  }

  #sendFrame(frame: Frame): void {
    if (!this.#isOpen) return;
    if (this.#framesUntilCut === undefined) {
      this.parts.socket.send(frame);
      return;
    }
    const { count, isTorn } = this.#framesUntilCut;
    if (count > 0) this.parts.socket.send(frame);
    this.#framesUntilCut.count -= 1;
    if (isTorn ? count === 0 : count <= 1) this.end(isTorn ? frame.text : undefined);
  }
}
