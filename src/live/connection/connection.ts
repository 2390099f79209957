// One socket's life: it connects, sends requests and matches their responses, pings, and notices a dead peer.
import { readMessage, type Refusal } from './messages.js';
import { RequestRate, type RequestRateOptions } from './request-rate.js';
import type { OpenSocket, Socket, SocketEnd } from './socket.js';

/** The times and bounds of a connection; milliseconds. */
export interface ConnectionOptions {
  /** For the TCP connection, TLS and the upgrade together. */
  readonly connectTimeoutMs: number;
  /** The pause between two pings. */
  readonly pingEveryMs: number;
  /** A peer that sends no frame for this time after a ping is dead. */
  readonly pongTimeoutMs: number;
  /** For the response to a request. */
  readonly requestTimeoutMs: number;
  readonly requestRate: RequestRateOptions;
}

/** How a request ended. */
export type RequestEnd =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** The connection ended, or the response did not come in time. `sent`: the exchange may have got the request. */
  | { readonly type: 'lost'; readonly sent: boolean };

/** Why a connection ended. */
export interface ConnectionEnd extends SocketEnd {
  /**
   * - `refused`: it was never open.
   * - `lost`: the exchange, or something on the way, closed it.
   * - `dead`: the exchange did not respond to a ping, or to a request.
   * - `unreadable`: too many frames were unreadable.
   * - `unauthorized`: the exchange issued or accepted no token, for a reason that may pass, or took an authorized
   *   connection for an unauthorized one.
   */
  readonly reason: 'refused' | 'lost' | 'dead' | 'unreadable' | 'unauthorized';
}

export interface ConnectionHandlers {
  readonly onOpen: () => void;
  readonly onPush: (method: string, params: unknown) => void;
  /**
   * Each second while it is open.
   *
   * @param lateMs for how much longer this process was blocked or suspended
   */
  readonly onSecond: (lateMs: number) => void;
  readonly onEnd: (end: ConnectionEnd) => void;
}

interface Pending {
  readonly text: string;
  readonly id: number;
  readonly respond: (end: RequestEnd) => void;
  /** Whether the connection is dead without its response. */
  readonly isVital: boolean;
  sentAt: number | undefined;
}

/** The id 0 is no other request's. */
const pingText = JSON.stringify({ id: 0, method: 'ping', params: [] });
/** One timer for the pings, the deadlines and what the channels check. */
const tickMs = 1000;
/** A tick that is this late: the process was blocked or suspended, so silence proves nothing. */
const maxLateMs = 1000;
/** Unreadable frames within a minute that end the connection. */
const maxUnreadable = 3;
const unreadableWindowMs = 60_000;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #handlers: ConnectionHandlers;
  readonly #socket: Socket;
  /** Of all requests but pings, which have their own part of it. */
  readonly #rate: RequestRate;
  #state: 'opening' | 'open' | 'over' = 'opening';
  #timer: NodeJS.Timeout;
  #turnTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  /** By id, in the order of the requests. */
  readonly #pending = new Map<number, Pending>();
  /** They wait for their turn: first the vital requests, which are subscriptions, then the queries. */
  readonly #waiting: Pending[] = [];
  readonly #waitingQueries: Pending[] = [];
  #tickAt = 0;
  /** Time of the last tick, less the time for which this process was blocked. */
  #heardAt = 0;
  #pingAt: number | undefined;
  #lastPingAt = 0;
  #unreadableAt: number[] = [];

  constructor(open: OpenSocket, url: string, options: ConnectionOptions, handlers: ConnectionHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    const { requestRate, pingEveryMs } = options;
    const perMinute = Math.max(1, requestRate.perMinute - Math.ceil(60_000 / pingEveryMs));
    this.#rate = new RequestRate({ ...requestRate, perMinute }, performance.now());
    this.#timer = setTimeout(() => {
      this.#end({ reason: 'refused', cause: new Error(`no connection within ${options.connectTimeoutMs} ms`) });
    }, options.connectTimeoutMs);
    this.#socket = open(url, {
      onOpen: () => {
        this.#onOpen();
      },
      onFrame: (text) => {
        this.#onFrame(text);
      },
      onEnd: (end) => {
        this.#end({ ...end, reason: this.#state === 'opening' ? 'refused' : 'lost' });
      },
    });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /**
   * Sends a request. `respond` is called once, later; never after {@link close}. Returns the function that cancels it.
   *
   * @param isVital whether the connection is dead without its response
   */
  request(method: string, params: readonly unknown[], respond: (end: RequestEnd) => void, isVital = true): () => void {
    if (this.#state !== 'open') {
      queueMicrotask(() => {
        respond({ type: 'lost', sent: false });
      });
      return () => undefined;
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const pending: Pending = { id, text: JSON.stringify({ id, method, params }), respond, isVital, sentAt: undefined };
    this.#pending.set(id, pending);
    const waiting = isVital ? this.#waiting : this.#waitingQueries;
    const send = () => {
      // It was cancelled, or the connection has ended.
      if (this.#state !== 'open' || !this.#pending.has(id)) return;
      waiting.push(pending);
      this.#sendWaiting();
    };
    // The subscriptions of this turn come before a query.
    if (isVital) send();
    else queueMicrotask(send);
    return () => {
      this.#pending.delete(id);
      const at = waiting.indexOf(pending);
      if (at >= 0) waiting.splice(at, 1);
    };
  }

  #countUnreadable(): void {
    const now = performance.now();
    this.#unreadableAt = [...this.#unreadableAt.filter((at) => at > now - unreadableWindowMs), now];
    if (this.#unreadableAt.length >= maxUnreadable) this.end('unreadable');
  }

  /** Ends the connection, and reports it as ended for this reason. */
  end(reason: ConnectionEnd['reason'], { retryAfterMs }: Pick<ConnectionEnd, 'retryAfterMs'> = {}): void {
    this.#end({ reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  }

  /** Ends the connection. Nothing is reported any more, and no request gets a response. */
  close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    clearTimeout(this.#timer);
    clearTimeout(this.#turnTimer);
    this.#socket.terminate();
  }

  #onOpen(): void {
    if (this.#state !== 'opening') return;
    clearTimeout(this.#timer);
    this.#state = 'open';
    const now = performance.now();
    this.#tickAt = now;
    this.#heardAt = now;
    this.#lastPingAt = now;
    this.#timer = setInterval(() => {
      this.#tick();
    }, tickMs);
    this.#handlers.onOpen();
  }

  #onFrame(text: string | undefined): void {
    if (this.#state !== 'open') return;
    this.#heardAt = performance.now();
    const message = text === undefined ? undefined : readMessage(text);
    if (message === undefined) {
      this.#countUnreadable();
      return;
    }
    if (message.type === 'other') return;
    if (message.type === 'push') {
      this.#handlers.onPush(message.method, message.params);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (pending?.sentAt === undefined) return;
    this.#pending.delete(message.id);
    if (message.refusal === undefined) pending.respond({ type: 'result', result: message.result });
    else pending.respond({ type: 'refused', refusal: message.refusal });
  }

  #tick(): void {
    const now = performance.now();
    const passedMs = now - this.#tickAt;
    const lateMs = passedMs - tickMs > maxLateMs ? passedMs - tickMs : 0;
    this.#tickAt = now;
    if (lateMs > 0) this.#forgive(now, lateMs);
    const { pingEveryMs, pongTimeoutMs, requestTimeoutMs } = this.#options;
    const isDead = this.#pingAt !== undefined && this.#heardAt < this.#pingAt && now - this.#pingAt >= pongTimeoutMs;
    const oldest = [...this.#pending.values()].find(({ isVital }) => isVital);
    if (isDead || (oldest?.sentAt !== undefined && now - oldest.sentAt >= requestTimeoutMs)) {
      this.end('dead');
      return;
    }
    if (now - this.#lastPingAt >= pingEveryMs) this.#ping(now);
    this.#handlers.onSecond(lateMs);
  }

  /** Frames that came while this process was blocked have not been read yet: the deadlines start again. */
  #forgive(now: number, lateMs: number): void {
    this.#heardAt = now;
    for (const pending of this.#pending.values()) if (pending.sentAt !== undefined) pending.sentAt += lateMs;
  }

  /** Does not wait for its turn, and any frame is its response: a busy connection is no dead one. */
  #ping(now: number): void {
    this.#pingAt = now;
    this.#lastPingAt = now;
    this.#socket.send(pingText);
  }

  #sendWaiting(): void {
    clearTimeout(this.#turnTimer);
    while (this.#waiting.length + this.#waitingQueries.length > 0) {
      const now = performance.now();
      const waitMs = this.#rate.waitMs(now);
      if (waitMs > 0) {
        this.#turnTimer = setTimeout(() => {
          this.#sendWaiting();
        }, waitMs);
        return;
      }
      const next = this.#waiting.shift() ?? this.#waitingQueries.shift();
      if (next === undefined) return;
      this.#rate.take(now);
      next.sentAt = now;
      this.#socket.send(next.text);
    }
  }

  #end(end: ConnectionEnd): void {
    if (this.#state === 'over') return;
    this.close();
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    this.#handlers.onEnd(end);
    for (const { respond, sentAt } of lost) respond({ type: 'lost', sent: sentAt !== undefined });
  }
}
