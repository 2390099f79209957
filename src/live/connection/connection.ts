// One socket's life: it connects, sends requests and matches their responses, pings, and notices a dead peer.
import type { Redactor } from '../../http/index.js';
import { quotedRefusal, readMessage, type Refusal } from './messages.js';
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
  /** Removes the client's secrets from a text of the exchange. */
  readonly redactor: Redactor;
}

/** How a request ended. */
export type RequestEnd =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** The response to a query is over a bound: "the result …". */
  | { readonly type: 'oversized'; readonly problem: string }
  /** The connection ended, or the response did not come in time. `sent`: the exchange may have got the request. */
  | { readonly type: 'lost'; readonly sent: boolean };

/** Why a connection ended. */
export interface ConnectionEnd extends SocketEnd {
  /**
   * - `refused`: it was never open.
   * - `lost`: the exchange, or something on the way, closed it.
   * - `dead`: the exchange did not respond to a ping, or to a request.
   * - `unreadable`: a frame was unreadable. It may have been of any channel, or a response.
   * - `unauthorized`: the exchange issued or accepted no token, for a reason that may pass, or took an authorized
   *   connection for an unauthorized one.
   */
  readonly reason: 'refused' | 'lost' | 'dead' | 'unreadable' | 'unauthorized';
}

/** A time in which this process was suspended, or blocked by its own work. */
export interface Pause {
  /** Its part that `performance.now()` lacks, because the machine slept, milliseconds. */
  readonly sleptMs: number;
  /** The whole of it, milliseconds; 0 for none. */
  readonly pausedMs: number;
  /** Whether it was longer than a silent connection is kept. */
  readonly isLong: boolean;
}

export interface ConnectionHandlers {
  readonly onOpen: () => void;
  readonly onPush: (method: string, params: unknown) => void;
  /**
   * Each second while it is open.
   *
   * @param pause how this process was suspended since the last one
   */
  readonly onSecond: (pause: Pause) => void;
  /** Every frame that had waited in the socket during the last pause was read. */
  readonly onCaughtUp: () => void;
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
/** A ping that was sent before a pause of less than this still proves that older frames were read. */
const maxUncaughtMs = 5000;
/** One timer for the pings, the deadlines and what the channels check. */
const tickMs = 1000;
/** A tick that is this late: the process was blocked or suspended, so silence proves nothing. */
const maxLateMs = 1000;

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
  /** The same, Unix ms. */
  #tickDate = 0;
  /** Time of the last tick, less the time for which this process was blocked. */
  #heardAt = 0;
  #pingAt: number | undefined;
  #lastPingAt = 0;
  /** The ping that is in flight since the last pause. */
  #catchUp: Pending | undefined;

  constructor(open: OpenSocket, url: string, options: ConnectionOptions, handlers: ConnectionHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    this.#rate = new RequestRate(options.requestRate, performance.now());
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
    this.#tickDate = Date.now();
    this.#heardAt = now;
    this.#lastPingAt = now;
    this.#timer = setInterval(() => {
      this.#tick();
    }, tickMs);
    this.#handlers.onOpen();
  }

  #onFrame(text: string | undefined): void {
    if (this.#state !== 'open') return;
    // First: frames that waited while this process was suspended are read before its timers fire.
    if (this.#isLate()) this.#tick();
    if (!this.isOpen) return;
    this.#heardAt = performance.now();
    const message = text === undefined ? undefined : readMessage(text);
    if (message === undefined || (message.type === 'oversized' && !this.#isOfQuery(message.id))) {
      // It may have been of any stream: whatever depends on the connection starts again, as after any loss.
      this.end('unreadable');
      return;
    }
    if (message.type === 'push') {
      this.#handlers.onPush(message.method, message.params);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (pending?.sentAt === undefined) return;
    this.#pending.delete(message.id);
    if (message.type === 'oversized') pending.respond({ type: 'oversized', problem: message.problem });
    else if (message.refusal === undefined) pending.respond({ type: 'result', result: message.result });
    else pending.respond({ type: 'refused', refusal: quotedRefusal(message.refusal, this.#options.redactor) });
  }

  /** Also one whose subscriber has gone. Without its response, a vital request makes the connection dead. */
  #isOfQuery(id: number): boolean {
    return id > 0 && id <= this.#lastId && this.#pending.get(id)?.isVital !== true;
  }

  /** By how much the next tick is late, and how long the machine slept before it, milliseconds. */
  #pause(now: number, date: number): { readonly lateMs: number; readonly sleptMs: number } {
    const passedMs = now - this.#tickAt;
    const lateMs = passedMs - tickMs;
    const sleptMs = date - this.#tickDate - passedMs;
    return { lateMs: lateMs > maxLateMs ? lateMs : 0, sleptMs: sleptMs > maxLateMs ? sleptMs : 0 };
  }

  #isLate(): boolean {
    const { lateMs, sleptMs } = this.#pause(performance.now(), Date.now());
    return lateMs + sleptMs > 0;
  }

  #tick(): void {
    const now = performance.now();
    const date = Date.now();
    const { lateMs, sleptMs } = this.#pause(now, date);
    const pausedMs = lateMs + sleptMs;
    this.#tickAt = now;
    this.#tickDate = date;
    const { pingEveryMs, pongTimeoutMs, requestTimeoutMs } = this.#options;
    if (lateMs > 0) this.#forgive(now, lateMs);
    const isDead = this.#pingAt !== undefined && this.#heardAt < this.#pingAt && now - this.#pingAt >= pongTimeoutMs;
    const oldest = [...this.#pending.values()].find(({ isVital }) => isVital);
    if (isDead || (oldest?.sentAt !== undefined && now - oldest.sentAt >= requestTimeoutMs)) {
      this.end('dead');
      return;
    }
    if (pausedMs > 0) this.#startCatchUp(now, pausedMs);
    if (now - this.#lastPingAt >= pingEveryMs) this.#ping(now, pingText);
    this.#handlers.onSecond({ sleptMs, pausedMs, isLong: pausedMs >= pingEveryMs + pongTimeoutMs });
  }

  /** Frames come in order: the response to a ping that is sent now follows every frame that waited in the socket. */
  #startCatchUp(now: number, pausedMs: number): void {
    if (this.#catchUp !== undefined) {
      // A process that is blocked again and again must not miss each pong.
      if (pausedMs < maxUncaughtMs) return;
      this.#pending.delete(this.#catchUp.id);
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const respond = ({ type }: RequestEnd) => {
      this.#catchUp = undefined;
      if (type !== 'lost') this.#handlers.onCaughtUp();
    };
    const text = JSON.stringify({ id, method: 'ping', params: [] });
    this.#catchUp = { id, text, respond, isVital: true, sentAt: now };
    this.#pending.set(id, this.#catchUp);
    this.#ping(now, text);
  }

  /** Frames that came while this process was blocked have not been read yet: the deadlines start again. */
  #forgive(now: number, lateMs: number): void {
    this.#heardAt = now;
    for (const pending of this.#pending.values()) if (pending.sentAt !== undefined) pending.sentAt += lateMs;
  }

  /** Does not wait for its turn, and any frame is its response: a busy connection is no dead one. */
  #ping(now: number, text: string): void {
    this.#pingAt = now;
    this.#lastPingAt = now;
    this.#socket.send(text);
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
      this.#rate.take();
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
