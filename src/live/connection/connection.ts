// One socket's life: it connects, sends requests and matches their responses, pings, and notices a dead peer.
import { from, Observable, type Subscriber } from 'rxjs';
import { readJson, type Redactor } from '../../http/index.js';
import { isRecord } from '../../model/map.js';
import type { OpenSocket, Socket, SocketEnd, SocketHandlers } from './socket.js';

export type RequestEnd =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** The connection ended, or the response did not come in time. */
  | { readonly type: 'lost' };

/** Why a connection ended. */
export interface ConnectionEnd extends SocketEnd {
  /**
   * - `refused`: it was never open.
   * - `lost`: the exchange, or something on the way, closed it.
   * - `dead`: the exchange did not respond to a ping, or to a request.
   * - `suspended`: this process was suspended or blocked for so long that what waits in the socket is old.
   * - `unreadable`: a frame was unreadable. It may have been of any channel, or a response.
   * - `unauthorized`: the exchange issued or accepted no token, for a reason that may pass, or took an authorized
   *   connection for an unauthorized one.
   */
  readonly reason: 'refused' | 'lost' | 'dead' | 'suspended' | 'unreadable' | 'unauthorized';
}

export interface ConnectionHandlers {
  onOpen(): void;
  onPush(method: string, params: unknown): void;
  onSecond(): void;
  onEnd(end: ConnectionEnd): void;
}

interface Pending {
  readonly subscriber: Subscriber<RequestEnd>;
  /** Whether the connection is dead without its response. */
  readonly isVital: boolean;
  sentAt: number;
}

export const responseTimeoutMs = 10_000;
/** For the TCP connection, TLS and the upgrade together. */
const connectTimeoutMs = 10_000;
/** The exchange closes a connection after 60 s of silence. */
const pingEveryMs = 15_000;
/** A peer that sends no frame for this time after a ping is dead. */
const pongTimeoutMs = 10_000;
/** The id 0 is no other request's. */
const pingText = JSON.stringify({ id: 0, method: 'ping', params: [] });
/** One timer for the pings, the deadlines and what the channels check. */
const tickMs = 1000;
/** A tick that is this late: the process was blocked, so silence proves nothing. */
const maxLateMs = 1000;
/** No value may be older without being stale: after a longer pause, nothing in the socket shows what is true now. */
const maxPauseMs = 10_000;
const maxRefusalLength = 1000;

export class Connection implements SocketHandlers {
  readonly #redactor: Redactor;
  readonly #handlers: ConnectionHandlers;
  readonly #socket: Socket;
  #state: 'opening' | 'open' | 'over' = 'opening';
  #timer: NodeJS.Timeout;
  #lastId = 0;
  /** By id, in the order of the requests. */
  readonly #pending = new Map<number, Pending>();
  #tickAt = 0;
  /** The same, Unix ms. */
  #tickDate = 0;
  /** Time of the last frame, or of the end of the last pause. */
  #heardAt = 0;
  /** Of the last ping, or when it was opened. */
  #pingAt = 0;

  constructor(open: OpenSocket, url: string, redactor: Redactor, handlers: ConnectionHandlers) {
    this.#redactor = redactor;
    this.#handlers = handlers;
    this.#timer = setTimeout(() => {
      this.end('refused');
    }, connectTimeoutMs);
    this.#socket = open(url, this);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Emits once, later; never after {@link close}. Unsubscribing cancels the request. */
  request(method: string, params: readonly unknown[], isVital = true): Observable<RequestEnd> {
    if (!this.isOpen) return from(Promise.resolve<RequestEnd>({ type: 'lost' }));
    return new Observable((subscriber) => {
      this.#lastId += 1;
      const id = this.#lastId;
      this.#pending.set(id, { subscriber, isVital, sentAt: performance.now() });
      const send = () => {
        if (this.isOpen && this.#pending.has(id)) this.#socket.send(JSON.stringify({ id, method, params }));
      };
      // The subscriptions of this turn come before a query.
      if (isVital) send();
      else queueMicrotask(send);
      return () => this.#pending.delete(id);
    });
  }

  /** Ends the connection, and reports it as ended for this reason. */
  end(reason: ConnectionEnd['reason'], end: SocketEnd = {}): void {
    if (this.#state === 'over') return;
    this.close();
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    this.#handlers.onEnd({ ...end, reason });
    for (const pending of lost) respond(pending, { type: 'lost' });
  }

  /** Ends the connection. Nothing is reported any more, and no request gets a response. */
  close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    clearTimeout(this.#timer);
    this.#socket.terminate();
  }

  onOpen(): void {
    if (this.#state !== 'opening') return;
    clearTimeout(this.#timer);
    this.#state = 'open';
    const now = performance.now();
    this.#tickAt = now;
    this.#tickDate = Date.now();
    this.#heardAt = now;
    this.#pingAt = now;
    this.#timer = setInterval(() => {
      this.#tick();
    }, tickMs);
    this.#handlers.onOpen();
  }

  onFrame(text: string | undefined): void {
    const now = performance.now();
    // First: frames that waited while this process was suspended are read before its timers fire.
    if (this.isOpen && this.#pauseMs(now) > maxLateMs) this.#tick();
    if (!this.isOpen) return;
    this.#heardAt = now;
    const message = text === undefined ? undefined : readMessage(text);
    // It may have been of any stream: whatever depends on the connection starts again, as after any loss.
    if (message === undefined) this.end('unreadable');
    else if (message.type === 'push') this.#handlers.onPush(message.method, message.params);
    else {
      const pending = this.#pending.get(message.id);
      if (pending === undefined) return;
      this.#pending.delete(message.id);
      const { refusal, result } = message;
      if (refusal === undefined) respond(pending, { type: 'result', result });
      else {
        const quoted = this.#redactor.quote(refusal.message, maxRefusalLength);
        respond(pending, { type: 'refused', refusal: { ...refusal, message: quoted } });
      }
    }
  }

  onEnd(end: SocketEnd): void {
    this.end(this.#state === 'opening' ? 'refused' : 'lost', end);
  }

  /** By how much the next tick is late, milliseconds. While a machine sleeps, the clock of its timers stands still. */
  #pauseMs(now: number): number {
    return Math.max(now - this.#tickAt, Date.now() - this.#tickDate) - tickMs;
  }

  #tick(): void {
    const now = performance.now();
    if (this.#pauseMs(now) >= maxPauseMs) {
      this.end('suspended');
      return;
    }
    const lateMs = now - this.#tickAt - tickMs;
    this.#tickAt = now;
    this.#tickDate = Date.now();
    if (lateMs > maxLateMs) {
      // Frames that came while this process was blocked have not been read yet: the deadlines start again.
      this.#heardAt = now;
      for (const pending of this.#pending.values()) pending.sentAt += lateMs;
    }
    const isDead = this.#heardAt < this.#pingAt && now - this.#pingAt >= pongTimeoutMs;
    const oldest = [...this.#pending.values()].find(({ isVital }) => isVital);
    if (isDead || (oldest !== undefined && now - oldest.sentAt >= responseTimeoutMs)) {
      this.end('dead');
      return;
    }
    if (now - this.#pingAt >= pingEveryMs) {
      // Any frame is its response.
      this.#pingAt = now;
      this.#socket.send(pingText);
    }
    this.#handlers.onSecond();
  }
}

function respond({ subscriber }: Pending, end: RequestEnd): void {
  subscriber.next(end);
  subscriber.complete();
}

/** How fast something may be done: some of it at once, and then so many a second. */
export class RequestRate {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
  }

  waitMs(): number {
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000);
  }

  take(): boolean {
    if (this.waitMs() > 0) return false;
    this.#tokens -= 1;
    return true;
  }
}

export interface Refusal {
  readonly code: number | undefined;
  readonly message: string;
}

/** The exchange's codes for a failure of its own, and for too many requests: the same request may succeed later. */
const transientCodes: readonly (number | undefined)[] = [2, 3, 5, 7];

export function isTransientRefusal({ code }: Pick<Refusal, 'code'>): boolean {
  return transientCodes.includes(code);
}

type Message =
  | { readonly type: 'push'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: number; readonly refusal?: Refusal; readonly result: unknown };

/** What a frame says; `undefined` when it is unreadable. A number that a double would round is the text of its digits. */
export function readMessage(text: string): Message | undefined {
  const json = readJson(text);
  if ('problem' in json || !isRecord(json.value)) return undefined;
  const { id, method, params, result, error } = json.value;
  if (typeof method === 'string') return { type: 'push', method, params };
  // It may have been of any request or channel.
  if (typeof id !== 'number') return undefined;
  if (error === undefined || error === null) return { type: 'response', id, result };
  return { type: 'response', id, refusal: refusalOf(error), result: undefined };
}

function refusalOf(error: unknown): Refusal {
  if (!isRecord(error)) return { code: undefined, message: typeof error === 'string' ? error : '' };
  const { code, message } = error;
  return {
    code: typeof code === 'number' ? code : undefined,
    message: typeof message === 'string' ? message : '',
  };
}
