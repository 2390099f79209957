// A connection that is replaced whenever it ends, for as long as somebody needs it.
import { BehaviorSubject, Subject, type Observable, type Subscription } from 'rxjs';
import type { Authorization, AuthorizationEnd } from './authorization.js';
import { Connection, type ConnectionEnd, type ConnectionOptions, type RequestEnd } from './connection.js';
import { maxTimerMs, type AnyExchangeError } from '../../errors/index.js';
import { RequestRate } from './request-rate.js';
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

/** A channel on the connection. */
export interface LinkUser {
  /** The `method` of its pushes. */
  readonly update: string;
  readonly onPush: (params: unknown) => void;
  /** A new connection, authorized where it must be: nothing is subscribed on it. */
  readonly onOpen: () => void;
  /** The connection has ended. */
  readonly onDown: () => void;
  /**
   * Each second while the connection is open.
   *
   * @param lateMs for how much longer this process was blocked or suspended: silence in this time proves nothing
   */
  readonly onSecond: (lateMs: number) => void;
}

/** What a link reports. */
export interface LinkReport {
  readonly state: LiveState;
  /** Why the last connection ended, where one did. */
  readonly end?: ConnectionEnd;
}

export interface LinkOptions extends ConnectionOptions {
  readonly url: string;
  readonly open: OpenSocket;
  /** How long a connection without subscribers stays open, milliseconds. */
  readonly lingerMs: number;
  /** The bound on the connections of all links together. */
  readonly connects: RequestRate;
  /** Random numbers from 0 to 1. */
  readonly random: () => number;
  /** Authorizes each connection before its users send anything. Left out: they send at once. */
  readonly authorization?: Authorization;
  readonly report: (report: LinkReport) => void;
}

const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** After a refused upgrade with one of these statuses, the exchange wants fewer attempts. */
const busyStatuses: readonly (number | undefined)[] = [403, 429, 503];
const busyDelayMs = 5000;
/** Connections of one link: subscribers that come and go must not use up the exchange's 1,000 connections a minute. */
const connectRate = { burst: 10, perSecond: 0.5, perMinute: Number.POSITIVE_INFINITY };
/** A connection that was open this long, with a response, has worked: the next loss starts from the first delay. */
const steadyMs = 10_000;

export class Link {
  readonly #options: LinkOptions;
  readonly #users = new Map<string, LinkUser>();
  readonly #state = new BehaviorSubject<LiveState>({ status: 'idle' });
  readonly #failures$ = new Subject<AnyExchangeError>();
  #connection: Connection | undefined;
  #authorizing: Subscription | undefined;
  #demand = 0;
  #isCheckQueued = false;
  /** For the next attempt. */
  #timer: NodeJS.Timeout | undefined;
  /** For the end of a connection without subscribers. */
  #lingerTimer: NodeJS.Timeout | undefined;
  #generation = 0;
  /** Attempts since a connection has worked. */
  #failures = 0;
  #openedAt = 0;
  #hasResponse = false;
  #pushedAt = 0;
  /** When the next attempt may start after a loss, by `performance.now()`. */
  #retryAt = 0;
  readonly #connects = new RequestRate(connectRate, performance.now());

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Emits the state now, and each later one. */
  get state$(): Observable<LiveState> {
    return this.#state.asObservable();
  }

  /** Emits why the connection cannot be authorized: those who need it must give it up. */
  get failures$(): Observable<AnyExchangeError> {
    return this.#failures$.asObservable();
  }

  get generation(): number {
    return this.#generation;
  }

  /** Whether users may send requests. */
  get isOpen(): boolean {
    return this.#connection?.isOpen === true && this.#state.value.status === 'open';
  }

  /** Whether no channel had a push for this time, milliseconds. */
  isSilentFor(ms: number): boolean {
    return performance.now() - this.#pushedAt >= ms;
  }

  /** Routes the pushes of a channel. */
  add(user: LinkUser): void {
    this.#users.set(user.update, user);
  }

  /** Keeps the connection while it is needed; returns the function that ends the need. */
  retain(): () => void {
    this.#demand += 1;
    this.#check();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#demand -= 1;
      this.#check();
    };
  }

  /** Sends a request on the open connection, see {@link Connection.request}. */
  request(method: string, params: readonly unknown[], respond: (end: RequestEnd) => void, isVital = true): () => void {
    if (this.#connection === undefined || !this.isOpen) {
      queueMicrotask(() => {
        respond({ type: 'lost', sent: false });
      });
      return () => undefined;
    }
    const onEnd = (end: RequestEnd) => {
      if (end.type !== 'lost') this.#hasResponse = true;
      respond(end);
    };
    return this.#connection.request(method, params, onEnd, isVital);
  }

  /** Replaces the connection, because its state is not known any more. */
  replace(): void {
    this.#connection?.end('dead');
  }

  /** All changes of a turn are one change. */
  #check(): void {
    if (this.#isCheckQueued) return;
    this.#isCheckQueued = true;
    queueMicrotask(() => {
      this.#isCheckQueued = false;
      if (this.#demand > 0) this.#need();
      else this.#leave();
    });
  }

  #need(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#state.value.status === 'idle') this.#connectWhenAllowed('lost');
  }

  #leave(): void {
    const { lingerMs } = this.#options;
    clearTimeout(this.#lingerTimer);
    if (this.isOpen && lingerMs > 0) {
      this.#lingerTimer = setTimeout(() => {
        this.#close();
      }, lingerMs);
    } else this.#close();
  }

  #close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lingerTimer);
    if (this.isOpen && this.#hasWorked()) this.#failures = 0;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#authorizing?.unsubscribe();
    connection?.close();
    for (const user of this.#users.values()) user.onDown();
    if (this.#state.value.status !== 'idle') this.#become({ status: 'idle' });
  }

  #hasWorked(): boolean {
    return this.#hasResponse && performance.now() - this.#openedAt >= steadyMs;
  }

  /** The delay after a loss holds also for a subscriber that comes after the others have left. */
  #connectWhenAllowed(reason: WaitingReason, end?: ConnectionEnd): void {
    const now = performance.now();
    // A timer may fire up to 1 ms early.
    const delayMs = Math.floor(this.#retryAt - now);
    const rateMs = this.#connects.waitMs(now);
    if (Math.max(delayMs, rateMs) > 0) {
      this.#wait(Math.max(delayMs, rateMs), delayMs >= rateMs ? reason : 'connection-rate', end, () => {
        this.#connectWhenAllowed(reason);
      });
      return;
    }
    this.#connects.take(now);
    const turnMs = this.#options.connects.reserve(now);
    const connect = () => {
      this.#connect();
    };
    if (turnMs > 0) this.#wait(turnMs, 'connection-rate', end, connect);
    else connect();
  }

  #wait(waitMs: number, reason: WaitingReason, end: ConnectionEnd | undefined, next: () => void): void {
    const boundedMs = Math.min(waitMs, maxTimerMs);
    this.#timer = setTimeout(next, boundedMs);
    this.#become({ status: 'waiting', until: Math.ceil(Date.now() + boundedMs), reason }, end);
  }

  #connect(): void {
    const { url, open, authorization } = this.#options;
    this.#hasResponse = false;
    this.#become({ status: 'connecting' });
    // A report of an older connection never arrives: it ends before the next one starts.
    const connection = new Connection(open, url, this.#options, {
      onOpen: () => {
        if (authorization === undefined) {
          this.#onReady();
          return;
        }
        this.#become({ status: 'authorizing' });
        // The token is read when it can be used: it is valid for a short time.
        this.#authorizing = authorization.authorize(connection).subscribe((end) => {
          this.#onAuthorization(end);
        });
      },
      onPush: (method, params) => {
        this.#pushedAt = performance.now();
        this.#users.get(method)?.onPush(params);
      },
      onSecond: (lateMs) => {
        for (const user of this.#users.values()) user.onSecond(lateMs);
      },
      onEnd: (end) => {
        this.#onEnd(end);
      },
    });
    this.#connection = connection;
  }

  #onReady(): void {
    this.#generation += 1;
    this.#openedAt = performance.now();
    this.#become({ status: 'open', generation: this.#generation, since: Date.now() });
    for (const user of this.#users.values()) user.onOpen();
  }

  #onAuthorization(end: AuthorizationEnd): void {
    if (end.type === 'authorized') this.#onReady();
    else if (end.type === 'later') this.#connection?.end('unauthorized', end);
    else {
      this.#delay({ reason: 'unauthorized' });
      this.#close();
      this.#failures$.next(end.error);
      // A subscriber may have come back at once.
      this.#check();
    }
  }

  #onEnd(end: ConnectionEnd): void {
    const wasOpen = this.#state.value.status === 'open';
    this.#connection = undefined;
    this.#authorizing?.unsubscribe();
    if (wasOpen && this.#hasWorked()) this.#failures = 0;
    this.#delay(end);
    if (this.#demand > 0) this.#connectWhenAllowed(end.reason, end);
    else this.#become({ status: 'idle' }, end);
    if (wasOpen) for (const user of this.#users.values()) user.onDown();
  }

  #delay(end: ConnectionEnd): void {
    this.#retryAt = performance.now() + this.#delayMs(end);
    this.#failures += 1;
  }

  /** Full jitter, so that the clients that one outage has cut off do not return together. */
  #delayMs({ status, retryAfterMs = 0 }: ConnectionEnd): number {
    const maxMs = Math.min(maxDelayMs, baseDelayMs * 2 ** this.#failures);
    const jitterMs = this.#options.random() * maxMs;
    return Math.max(jitterMs, busyStatuses.includes(status) ? busyDelayMs + jitterMs : 0, retryAfterMs);
  }

  #become(state: LiveState, end?: ConnectionEnd): void {
    this.#options.report({ state, ...(end === undefined ? {} : { end }) });
    this.#state.next(state);
  }
}
