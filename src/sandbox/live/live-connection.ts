// One connection: it reads requests, limits them, and ends when its client is silent for too long. Faults meet it here.
import type { AccountEvent } from '../engine/index.js';
import { type ExchangeState, RateLimiter } from '../http/index.js';
import { type Channel, tickMs } from './channel.js';
import {
  errorMessage,
  type LiveMessage,
  LiveRejection,
  type LiveRequest,
  type LiveSocket,
  printed,
  type Push,
  readRequest,
  resultMessage,
  tooManyRequests,
} from './envelope.js';
import { type LiveFault, struckBy } from './live-fault.js';
import { type LiveFaults, requestTarget } from './live-faults.js';
import type { LiveExchange } from './live-exchange.js';
import type { LiveRecord } from './live-record.js';
import { type ChannelSource, LiveSession, type Outcome } from './live-session.js';
import { Outbox } from './outbox.js';

/** What all connections share. */
export interface LiveState {
  readonly state: ExchangeState;
  readonly exchange: LiveExchange;
  readonly record: LiveRecord;
  readonly faults: LiveFaults;
  /** Of a recorded exchange: its channels pass recorded messages on. */
  readonly recordedChannel?: (channel: Channel) => Channel;
}

export interface ConnectionOwner extends ChannelSource {
  /** Called before each request. */
  flush(): void;
  /** Called after each response: the connection may be subscribed to another channel. */
  meetFault(connection: LiveConnection): void;
  /** Called at its end. */
  forget(connection: LiveConnection): void;
}

/** Bytes of a message of a client: the longest list of markets is far smaller. */
export const maxMessageBytes = 65_536;
const awayCode = 1001;
const internalError = 2;
/** How long a client may send nothing before its connection ends. */
const maxIdleMs = 60_000;
/** Of one connection. */
const requestLimit = { limit: 12_000, windowMs: 10_000 };

export class LiveConnection {
  readonly session: LiveSession;
  readonly #requests: RateLimiter;
  readonly #outbox: Outbox;
  #idleMs = 0;
  isOpen = true;
  /** Nothing passes in either direction any more. */
  isFrozen = false;

  /** @param number counts the connections of the sandbox, from 1 */
  constructor(
    private readonly number: number,
    private readonly socket: LiveSocket,
    private readonly shared: LiveState,
    private readonly owner: ConnectionOwner,
  ) {
    const { exchange, faults, state } = shared;
    this.session = new LiveSession(exchange, state.liveTokens, owner);
    this.#requests = new RateLimiter(() => requestLimit);
    this.#outbox = new Outbox(this, faults, state.clock);
  }

  /** The client sent a text frame. Text that is too long or not a proper request ends the connection. */
  receive(text: string): void {
    if (!this.isOpen || this.isFrozen) return;
    this.#idleMs = 0;
    const request = Buffer.byteLength(text) > maxMessageBytes ? undefined : readRequest(text);
    if (request === undefined) {
      this.end();
      return;
    }
    this.#guard(() => {
      this.shared.exchange.refresh();
      this.owner.flush();
      this.#process(request);
      this.owner.meetFault(this);
    });
  }

  /** The client sent a ping of the protocol, which counts as a message. */
  touch(): void {
    this.#idleMs = 0;
  }

  /** Sends what is due `ms` after the clock of the connections started. */
  tick(ms: number): void {
    this.#idleMs += tickMs;
    if (this.#idleMs > maxIdleMs) {
      this.end();
      return;
    }
    this.#guard(() => {
      this.send(this.session.due(ms));
    });
  }

  pushesOf(event: AccountEvent): readonly Push[] {
    return this.#guard(() => this.session.pushesOf(event)) ?? [];
  }

  send(pushes: readonly Push[]): void {
    for (const push of pushes) {
      if (!this.isOpen) return;
      this.shared.record.push(push.channel);
      this.#outbox.push(push);
    }
  }

  sendText(text: string): void {
    if (this.isOpen && !this.isFrozen) this.socket.send(text);
  }

  suffer({ kind, code = awayCode, channel, market }: LiveFault): void {
    if (kind === 'cut') this.end();
    else if (kind === 'close') {
      this.closed();
      this.socket.close(code, '');
    } else if (kind === 'half-open') {
      this.isFrozen = true;
      this.socket.freeze();
    } else {
      this.#outbox.mute({ ...(channel === undefined ? {} : { channel }), ...(market === undefined ? {} : { market }) });
    }
  }

  /** Ends the connection without a close frame. The client of a frozen connection does not notice. */
  end(): void {
    if (!this.isOpen) return;
    this.closed();
    if (!this.isFrozen) this.socket.end();
  }

  closed(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.owner.forget(this);
  }

  /** An exception of a channel ends the connection: what a client sends must not end the process. */
  #guard<Result>(task: () => Result): Result | undefined {
    try {
      return task();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
      this.end();
      return undefined;
    }
  }

  #process(request: LiveRequest): void {
    const fault = this.shared.faults.take(requestTarget(request));
    if (fault !== undefined && this.#refuses(fault, request)) return;
    const outcome = this.#outcomeOf(request);
    const isRejected = outcome instanceof LiveRejection;
    this.#log(request, isRejected ? outcome.code : undefined, fault);
    const response = isRejected ? errorMessage(request.id, outcome) : resultMessage(request.id, outcome.result);
    const pushes = isRejected ? [] : outcome.pushes;
    const isBefore = this.shared.exchange.behavior.pushesFirst;
    if (!isBefore) this.#respond(response, fault);
    this.send(pushes);
    if (isBefore) this.#respond(response, fault);
  }

  /** Whether a fault keeps the request from being executed. */
  #refuses(fault: LiveFault, request: LiveRequest): boolean {
    const { kind, code = internalError, executed = true } = fault;
    if (kind === 'refuse-request') {
      this.#log(request, code, fault);
      this.#sendMessage(errorMessage(request.id, new LiveRejection(code, 'refused by an injected fault')));
      return true;
    }
    if (kind !== 'no-response' || executed) return false;
    this.#log(request, undefined, fault);
    return true;
  }

  #outcomeOf(request: LiveRequest): Outcome | LiveRejection {
    try {
      if (!this.#requests.admit(['requests'], this.shared.exchange.now())) throw tooManyRequests();
      return this.session.respond(request);
    } catch (error) {
      if (error instanceof LiveRejection) return error;
      throw error;
    }
  }

  #log(request: LiveRequest, code: number | undefined, fault: LiveFault | undefined): void {
    this.shared.record.request(this.number, request, { account: this.session.account, code, fault: fault?.kind });
  }

  #respond(response: LiveMessage, fault: LiveFault | undefined): void {
    const { kind, delayMs = 1000 } = fault ?? {};
    if (kind === 'no-response') return;
    if (kind === 'late-response')
      this.shared.state.clock.after(delayMs, () => {
        this.#sendMessage(response);
      });
    else this.#sendMessage(response);
    // A random fault of the connection.
    if (fault !== undefined && struckBy(fault.kind) === 'connection') this.suffer(fault);
  }

  #sendMessage(message: LiveMessage): void {
    this.sendText(printed(message));
  }
}
