// A connection that is replaced whenever it ends, for as long as somebody needs it.
import { BehaviorSubject, Subject, type Observable, type Subscription } from 'rxjs';
import type { Authorization, AuthorizationEnd } from './authorization.js';
import { Connection, type ConnectionEnd, type ConnectionOptions, type Pause, type RequestEnd } from './connection.js';
import { maxTimerMs, type AnyExchangeError } from '../../errors/index.js';
import { Attempts } from './attempts.js';
import type { LiveState, WaitingReason } from './live-state.js';
import type { RequestRate } from './request-rate.js';
import type { OpenSocket } from './socket.js';

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
   * @param pause how this process was suspended since the last one
   */
  readonly onSecond: (pause: Pause) => void;
  /** Every message that had waited during the last pause was read. */
  readonly onCaughtUp: () => void;
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

/** A connection that was open this long, with a response, has worked: the next loss starts from the first delay. */
const steadyMs = 10_000;
/** Far longer than a turn takes. */
const maxEarlyMs = 1000;

export class Link {
  readonly #options: LinkOptions;
  readonly #users = new Map<string, LinkUser>();
  readonly #state = new BehaviorSubject<LiveState>({ status: 'idle' });
  readonly #failures$ = new Subject<AnyExchangeError>();
  #connection: Connection | undefined;
  #authorizing: Subscription | undefined;
  /** Whether the connection is open, and authorized where it must be. */
  #isReady = false;
  #demand = 0;
  #isCheckQueued = false;
  /** For the next attempt. */
  #timer: NodeJS.Timeout | undefined;
  /** For the end of a connection without subscribers. */
  #lingerTimer: NodeJS.Timeout | undefined;
  #generation = 0;
  #openedAt = 0;
  #hasResponse = false;
  #pushedAt = 0;
  readonly #attempts: Attempts;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.random);
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
    return this.#isReady && this.#connection?.isOpen === true;
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
    const connection = this.#connection;
    if (connection === undefined || !this.isOpen) {
      queueMicrotask(() => {
        respond({ type: 'lost', sent: false });
      });
      return () => undefined;
    }
    const { authorization } = this.#options;
    const onEnd = (end: RequestEnd) => {
      if (end.type !== 'lost') this.#hasResponse = true;
      if (end.type !== 'refused' || authorization === undefined) respond(end);
      else if (authorization.isLostBy(end.refusal)) {
        connection.end('unauthorized');
        respond({ type: 'lost', sent: true });
      } else respond(end);
    };
    return connection.request(method, params, onEnd, isVital);
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
    if (this.isOpen && this.#hasWorked()) this.#attempts.forget();
    this.#isReady = false;
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
    const { waitMs, isRate } = this.#attempts.wait(now);
    if (waitMs > 0) {
      this.#wait(waitMs, isRate ? 'connection-rate' : reason, end, () => {
        this.#connectWhenAllowed(reason);
      });
      return;
    }
    this.#attempts.take();
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
    const until = Math.ceil(Date.now() + boundedMs);
    const before = this.#state.value;
    // A timer fires early by what the turn that made it had taken before: the rest of a wait is no new state.
    const isRest = before.status === 'waiting' && before.reason === reason && until - before.until < maxEarlyMs;
    if (!isRest) this.#become({ status: 'waiting', until, reason }, end);
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
        // Before it is authorized, nothing on it is of the account.
        if (!this.#isReady) return;
        this.#pushedAt = performance.now();
        this.#users.get(method)?.onPush(params);
      },
      onSecond: (pause) => {
        for (const user of this.#users.values()) user.onSecond(pause);
      },
      onCaughtUp: () => {
        for (const user of this.#users.values()) user.onCaughtUp();
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
    this.#isReady = true;
    // First, so that every channel is subscribed again before a query that waits for the state is sent.
    for (const user of this.#users.values()) {
      user.onOpen();
      // What a channel sends may end the connection.
      if (!this.isOpen) return;
    }
    this.#become({ status: 'open', generation: this.#generation, since: Date.now() });
  }

  #onAuthorization(end: AuthorizationEnd): void {
    if (end.type === 'authorized') this.#onReady();
    else if (end.type === 'later') this.#connection?.end('unauthorized', end);
    else {
      this.#attempts.fail({});
      this.#close();
      this.#failures$.next(end.error);
      // A subscriber may have come back at once.
      this.#check();
    }
  }

  #onEnd(end: ConnectionEnd): void {
    const wasReady = this.#isReady;
    this.#isReady = false;
    this.#connection = undefined;
    this.#authorizing?.unsubscribe();
    if (wasReady && this.#hasWorked()) this.#attempts.forget();
    this.#attempts.fail(end);
    if (this.#demand > 0) this.#connectWhenAllowed(end.reason, end);
    else this.#become({ status: 'idle' }, end);
    if (wasReady) for (const user of this.#users.values()) user.onDown();
  }

  #become(state: LiveState, end?: ConnectionEnd): void {
    this.#options.report({ state, ...(end === undefined ? {} : { end }) });
    this.#state.next(state);
  }
}
