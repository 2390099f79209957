// One connection: it reads requests, limits them, and ends when its client is silent for too long. Faults meet it here.
import type { AccountEvent } from '../engine/index.js';
import { type ExchangeState, RateLimiter } from '../http/index.js';
import { type Channel, tickMs } from './channel.js';
import { LiveRejection, readRequest, responseText, tooManyRequests } from './envelope.js';
import type { ChannelPush, LiveRequest, LiveSocket } from './envelope.js';
import type { LiveFault } from './live-fault.js';
import type { LiveFaults, Restriction } from './live-faults.js';
import type { LiveExchange } from './live-exchange.js';
import type { LiveRecord } from './live-record.js';
import { LiveSession, type Outcome } from './live-session.js';
import { Outbox } from './outbox.js';

export interface LiveState {
  readonly state: ExchangeState;
  readonly exchange: LiveExchange;
  readonly record: LiveRecord;
  readonly faults: LiveFaults;
  /** Of a recorded exchange: its channels pass recorded messages on. */
  readonly recordedChannel: (channel: Channel) => Channel;
}

interface ConnectionOwner {
  readonly channels: readonly Channel[];
  flush(): void;
  forget(connection: LiveConnection): void;
}

/** Bytes of a message of a client: the longest list of markets is far smaller. */
export const maxMessageBytes = 65_536;
const awayCode = 1001;
const internalError = 2;
/** How long a client may send nothing before its connection ends. */
const maxIdleMs = 60_000;
const requestLimit = { limit: 12_000, windowMs: 10_000 };

export class LiveConnection {
  readonly session: LiveSession;
  readonly #requests = new RateLimiter(() => requestLimit);
  readonly #outbox: Outbox;
  #idleMs = 0;
  isOpen = true;
  isFrozen = false;

  constructor(
    private readonly number: number,
    private readonly socket: LiveSocket,
    private readonly shared: LiveState,
    private readonly owner: ConnectionOwner,
  ) {
    const { exchange, faults, state } = shared;
    this.session = new LiveSession(exchange, state, owner.channels);
    this.#outbox = new Outbox(this, faults, state.clock);
  }

  receive(text: string): void {
    if (!this.isOpen || this.isFrozen) return;
    this.touch();
    const request = Buffer.byteLength(text) > maxMessageBytes ? undefined : readRequest(text);
    if (request === undefined) {
      this.end();
      return;
    }
    this.#guard(() => {
      this.owner.flush();
      this.#process(request);
      // The connection may be subscribed to another channel.
      this.meetFault();
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

  pushesOf(event: AccountEvent): readonly ChannelPush[] {
    return this.#guard(() => this.session.pushesOf(event)) ?? [];
  }

  send(pushes: readonly ChannelPush[]): void {
    for (const push of pushes) {
      if (!this.isOpen) return;
      this.shared.record.push(push.channel);
      this.#outbox.push(push);
    }
  }

  sendText(text: string): void {
    if (this.isOpen && !this.isFrozen) this.socket.sendText(text);
  }

  meetFault(): void {
    if (!this.isOpen) return;
    const fault = this.shared.faults.take('connection', { concerns: (restriction) => this.#isSubscribed(restriction) });
    if (fault !== undefined) this.suffer(fault);
  }

  suffer(fault: LiveFault): void {
    const { kind, code = awayCode } = fault;
    if (kind === 'cut') this.end();
    else if (kind === 'close') {
      this.closed();
      this.socket.closeWith(code);
    } else if (kind === 'half-open') {
      this.isFrozen = true;
      this.socket.freeze();
    } else this.#outbox.mute(fault);
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

  #isSubscribed({ channel, market }: Restriction): boolean {
    if (channel === undefined && market === undefined) return true;
    const markets = this.session.marketsOf(channel);
    return market === undefined ? markets.length > 0 : markets.includes(market);
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
    const { faults, record, exchange } = this.shared;
    const fault = faults.take('request', { concerns: (restriction) => concerns(request, restriction) });
    const outcome = this.#outcomeOf(request, fault);
    const { account } = this.session;
    record.request(request, {
      connection: this.number,
      ...(account === undefined ? {} : { account }),
      ...(outcome instanceof LiveRejection ? { code: outcome.code } : {}),
      ...(fault === undefined ? {} : { fault: fault.kind }),
    });
    const pushes = outcome instanceof LiveRejection ? [] : outcome.pushes;
    const isBefore = exchange.behavior.pushesFirst;
    if (isBefore) this.send(pushes);
    this.#outbox.respond(responseText(request.id, outcome), fault);
    if (!isBefore) this.send(pushes);
  }

  #outcomeOf(
    request: LiveRequest,
    { kind, code = internalError, executed = true }: Partial<LiveFault> = {},
  ): Outcome | LiveRejection {
    if (kind === 'refuse-request') return new LiveRejection(code, 'refused by an injected fault');
    if (kind === 'no-response' && !executed) return { result: undefined, pushes: [] };
    if (!this.#requests.admit(['requests'], this.shared.exchange.now())) return tooManyRequests();
    try {
      return this.session.respond(request);
    } catch (error) {
      if (error instanceof LiveRejection) return error;
      throw error;
    }
  }
}

/** Whether a fault of requests with this restriction meets the request. A fault that names no channel meets no ping. */
function concerns({ method, params }: LiveRequest, { channel, market }: Restriction): boolean {
  return (
    (channel === undefined ? method !== 'ping' : method === channel || method.startsWith(`${channel}_`)) &&
    (market === undefined || params.flat().includes(market))
  );
}
