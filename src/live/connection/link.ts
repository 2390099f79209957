// A connection that is replaced whenever it ends, for as long as somebody needs it.
import { BehaviorSubject, defer, finalize, map, NEVER, Subject, type Observable, type Subscription } from 'rxjs';
import { backoff } from '../../call/index.js';
import { isExchangeError, type AnyExchangeError } from '../../errors/index.js';
import type { Redactor } from '../../http/index.js';
import { isLasting, type Authorization } from './authorization.js';
import {
  Connection,
  type ConnectionEnd,
  type ConnectionHandlers,
  type RequestEnd,
  type RequestRate,
} from './connection.js';
import type { OpenSocket } from './socket.js';

/** The state of a connection. Switch on `status`. */
export type LiveState =
  /** No subscriber needs it. */
  | { readonly status: 'idle' }
  /** It is being made. */
  | { readonly status: 'connecting' }
  /** The connection of the account: a token is requested and sent. */
  | { readonly status: 'authorizing' }
  | {
      readonly status: 'open';
      /** 1 for the first connection; each replacement counts one more. */
      readonly generation: number;
      /** Since when, Unix ms. */
      readonly since: number;
    }
  | {
      readonly status: 'waiting';
      /** When the next attempt starts, Unix ms. */
      readonly until: number;
      /** Why it waits. */
      readonly reason: WaitingReason;
    };

/**
 * Why a new connection waits: why the last one ended, or `connection-rate`, because too many connections were made in
 * a short time.
 */
export type WaitingReason = ConnectionEnd['reason'] | 'connection-rate';

export interface LinkUser {
  /** The `method` of its pushes. */
  readonly update: string;
  readonly onPush: (params: unknown) => void;
  /** A new connection, authorized where it must be: nothing is subscribed on it, and nothing may be sent within it. */
  readonly onOpen?: () => void;
  readonly onDown?: () => void;
  readonly onSecond?: () => void;
}

export interface LinkOptions {
  readonly url: string;
  readonly open: OpenSocket;
  readonly redactor: Redactor;
  /** The bound on the connections of all links together. */
  readonly connects: RequestRate;
  readonly random: () => number;
  /** Authorizes each connection before its users send anything. Left out: they send at once. */
  readonly authorization?: Authorization;
  /** Reports each state, and why the last connection ended, where one did. */
  readonly report: (state: LiveState, end?: ConnectionEnd) => void;
}

/** A connection that was open this long, with a response, has worked: the next loss starts from the first delay. */
const steadyMs = 10_000;
const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** After a refused upgrade with one of these statuses, the exchange wants fewer attempts. */
const busyStatuses: readonly (number | undefined)[] = [403, 429, 503];
const busyDelayMs = 5000;

export class Link implements ConnectionHandlers {
  /** Keeps the connection while it is subscribed. Emits why it cannot be authorized: who needs it must give it up. */
  readonly needed$ = defer(() => {
    this.#demand += 1;
    this.#check();
    return this.#failures$;
  }).pipe(
    finalize(() => {
      this.#demand -= 1;
      this.#check();
    }),
  );
  readonly #options: LinkOptions;
  readonly #users = new Map<string, LinkUser>();
  readonly #state = new BehaviorSubject<LiveState>({ status: 'idle' });
  readonly state$ = this.#state.asObservable();
  readonly #failures$ = new Subject<AnyExchangeError>();
  #connection: Connection | undefined;
  #authorizing: Subscription | undefined;
  #demand = 0;
  #timer: NodeJS.Timeout | undefined;
  #generation = 0;
  #openedAt = 0;
  #hasResponse = false;
  /** Connections that were lost since one has worked. */
  #failures = 0;
  /** When the next attempt may start after a loss, by `performance.now()`. */
  #retryAt = 0;
  /** Before that, the exchange wants no attempt. */
  #refusedUntil = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Whether users may send requests: the connection is open, and authorized where it must be. */
  get isOpen(): boolean {
    return this.#state.value.status === 'open';
  }

  add(user: LinkUser): void {
    this.#users.set(user.update, user);
  }

  request(method: string, params: readonly unknown[], isVital = true): Observable<RequestEnd> {
    const connection = this.#connection;
    if (connection === undefined) return NEVER;
    return connection.request(method, params, isVital).pipe(
      map((end) => {
        if (end.type !== 'lost') this.#hasResponse = true;
        if (end.type !== 'refused' || this.#options.authorization?.isLostBy(end.refusal) !== true) return end;
        connection.end('unauthorized');
        return { type: 'lost' };
      }),
    );
  }

  /** Starts the next attempt at once. A delay that the exchange or the bound on connections imposes goes on. */
  tryNow(): void {
    const { value: state } = this.#state;
    const isBackoff = state.status === 'waiting' && state.reason !== 'connection-rate';
    if (!isBackoff || performance.now() < this.#refusedUntil) return;
    clearTimeout(this.#timer);
    this.#retryAt = 0;
    this.#connectLater('connection-rate');
  }

  replace(): void {
    this.#connection?.end('dead');
  }

  /** All changes of a turn are one change. */
  #check(): void {
    queueMicrotask(() => {
      const isIdle = this.#state.value.status === 'idle';
      if (this.#demand > 0 && isIdle) this.#connectLater('lost');
      else if (this.#demand === 0 && !isIdle) this.#close();
    });
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#noteSuccess();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#authorizing?.unsubscribe();
    connection?.close();
    for (const user of this.#users.values()) user.onDown?.();
    this.#become({ status: 'idle' });
  }

  #noteSuccess(): void {
    if (this.isOpen && this.#hasResponse && performance.now() - this.#openedAt >= steadyMs) this.#failures = 0;
  }

  /** Full jitter, so that the clients that one outage has cut off do not return together. */
  #countFailure({ status, retryAfterMs = 0 }: Pick<ConnectionEnd, 'status' | 'retryAfterMs'>): void {
    this.#failures += 1;
    const jitterMs = this.#options.random() * backoff(this.#failures, baseDelayMs, maxDelayMs);
    const busyMs = busyStatuses.includes(status) ? busyDelayMs + jitterMs : 0;
    const refusedMs = Math.max(busyMs, retryAfterMs);
    this.#refusedUntil = performance.now() + refusedMs;
    this.#retryAt = performance.now() + Math.max(jitterMs, refusedMs);
  }

  /** The delay after a loss holds also for a subscriber that comes after the others have left. */
  #connectLater(reason: WaitingReason, end?: ConnectionEnd): void {
    const { connects } = this.#options;
    const delayMs = this.#retryAt - performance.now();
    if (delayMs <= 0 && connects.take()) {
      this.#connect();
      return;
    }
    const rateMs = connects.waitMs();
    const waitMs = Math.max(delayMs, rateMs);
    this.#timer = setTimeout(() => {
      // It may fire a moment early.
      this.#retryAt = 0;
      this.#connectLater('connection-rate');
    }, waitMs);
    const until = Math.ceil(Date.now() + waitMs);
    this.#become({ status: 'waiting', until, reason: rateMs > delayMs ? 'connection-rate' : reason }, end);
  }

  #connect(): void {
    const { url, open, redactor } = this.#options;
    this.#hasResponse = false;
    this.#become({ status: 'connecting' });
    // A report of an older connection never arrives: it ends before the next one starts.
    this.#connection = new Connection(open, url, redactor, this);
  }

  onOpen(): void {
    const authorizing$ = this.#connection && this.#options.authorization?.authorize(this.#connection);
    if (authorizing$ === undefined) this.#onReady();
    else {
      this.#become({ status: 'authorizing' });
      // The token is read when it can be used: it is valid for a short time.
      this.#authorizing = authorizing$.subscribe({
        next: () => {
          this.#onReady();
        },
        error: (error: unknown) => {
          this.#onUnauthorized(error);
        },
      });
    }
  }

  onPush(method: string, params: unknown): void {
    // Before it is authorized, nothing on it is of the account.
    if (this.isOpen) this.#users.get(method)?.onPush(params);
  }

  onSecond(): void {
    for (const user of this.#users.values()) user.onSecond?.();
  }

  #onReady(): void {
    this.#generation += 1;
    this.#openedAt = performance.now();
    // First, so that every channel is subscribed again before a query that waits for the state is sent.
    for (const user of this.#users.values()) user.onOpen?.();
    this.#become({ status: 'open', generation: this.#generation, since: Date.now() });
  }

  #onUnauthorized(error: unknown): void {
    if (isLasting(error)) {
      this.#countFailure({});
      this.#close();
      this.#failures$.next(error);
      // A subscriber may have come back at once.
      this.#check();
    } else {
      const retryAfterMs = isExchangeError(error) && 'retryAfterMs' in error ? error.retryAfterMs : undefined;
      this.#connection?.end('unauthorized', { retryAfterMs });
    }
  }

  onEnd(end: ConnectionEnd): void {
    const wasOpen = this.isOpen;
    this.#noteSuccess();
    this.#connection = undefined;
    this.#authorizing?.unsubscribe();
    this.#countFailure(end);
    if (this.#demand > 0) this.#connectLater(end.reason, end);
    else this.#become({ status: 'idle' }, end);
    if (wasOpen) for (const user of this.#users.values()) user.onDown?.();
  }

  #become(state: LiveState, end?: ConnectionEnd): void {
    this.#options.report(state, end);
    this.#state.next(state);
  }
}
