// This process among those that share limits over Redis: it connects, claims permits, one call after another, and
// connects again when Redis is lost or does not know every granted permit.
import type { SharingEvent } from '../options.js';
import type { RateLimiter } from '../rate-limiter.js';
import { connectRedis, type RedisAddress, type RedisConnection } from './connection.js';
import type { Division } from './division.js';
import { failureOf, SharingFailure } from './failure.js';
import { SharedLimit } from './shared-limit.js';

const reconnectAfterMs = 1000;
/** Processes notice at different times that Redis is back: all have stopped using their shares after this time. */
const allNoticedMs = 4000;
/** While no permit is held, a call is due this often: it shows the others that this process is alive. */
const idleBeatMs = 2000;
/** While permits that Redis does not know may still count, a call is due this often. */
const waitBeatMs = 250;
/** The clocks of Redis and of this process may drift by this between two calls. */
const maxDriftMs = 1000;

/**
 * What to do while Redis is unavailable:
 * - `wait`: grant no permit until Redis is back.
 * - `{ share }`: wait until the permits that were granted over Redis have returned, then use this share of each limit.
 *   The shares of all processes must add up to 1 at most.
 */
export type WhenRedisIsDown =
  | 'wait'
  | {
      /** The share of each limit for this process, above 0 and at most 1. */
      readonly share: number;
    };

export interface ClusterTerms {
  readonly address: RedisAddress;
  /** The name that the processes share. */
  readonly name: string;
  readonly whenRedisIsDown: WhenRedisIsDown;
}

export class Cluster {
  readonly #terms: ClusterTerms;
  readonly #report: (event: SharingEvent) => void;
  /** The same for all connections: a process that connects again keeps its permits. */
  readonly #token = crypto.randomUUID();
  readonly #limits: SharedLimit[] = [];
  /** The last reported state. */
  #state: SharingEvent['state'] | undefined;
  #reason = '';
  /** Other processes share a rate limit with another window: until Redis responds, this one must not send beside them. */
  #isRefused = false;
  /** Since this time no permits were taken over Redis; `undefined` while they are. */
  #downSince: number | undefined = performance.now();
  #connection: RedisConnection | undefined;
  #former: { readonly identity: string; readonly leftAt: number } | undefined;
  #calls = 0;
  #isCalling = false;
  #calledAt = 0;
  #timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  /** What the clock of Redis is ahead of `performance.now()`. */
  #ahead: { readonly min: number; readonly max: number } | undefined;
  #identity: string | undefined;

  constructor(terms: ClusterTerms, report: (event: SharingEvent) => void) {
    this.#terms = terms;
    this.#report = report;
    this.#connect();
  }

  /** Provides the rate limiter with permits, now and whenever Redis is lost or back. */
  add(limiter: RateLimiter): void {
    const noticedMs = this.#terms.whenRedisIsDown === 'wait' ? 0 : allNoticedMs;
    const added = new SharedLimit(limiter, noticedMs, () => {
      this.#callIn(this.#calledAt + added.times.pollMs - performance.now());
    });
    this.#limits.push(added);
    if (this.#connection === undefined) this.#useShareLater(added);
    else this.#callIn(0);
  }

  #connect(): void {
    const connection = connectRedis(this.#terms.address, (failure) => {
      if (connection === this.#connection) this.#fail(failure);
    });
    this.#connection = connection;
    this.#isCalling = false;
    this.#callIn(0);
  }

  #callIn(ms: number): void {
    if (this.#isCalling || this.#connection === undefined) return;
    const at = performance.now() + Math.max(0, ms);
    if (this.#timer !== undefined) {
      if (this.#timer.at <= at) return;
      clearTimeout(this.#timer.handle);
    }
    const handle = setTimeout(() => {
      this.#timer = undefined;
      this.#call();
    }, ms).unref();
    this.#timer = { handle, at };
  }

  #call(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const limits = [...this.#limits];
    const sentAt = performance.now();
    const claims = limits.flatMap((limit) => limit.claims(sentAt));
    this.#calls += 1;
    this.#isCalling = true;
    this.#calledAt = sentAt;
    const former = this.#former && { identity: this.#former.identity, leftMs: sentAt - this.#former.leftAt };
    const claimant = { name: this.#terms.name, token: this.#token, call: this.#calls, former };
    connection.divide(claimant, claims).then(
      (division) => {
        if (connection !== this.#connection) return;
        this.#isCalling = false;
        const failure = this.#divide(limits, division, sentAt);
        if (failure !== undefined) this.#fail(failure);
        else this.#callIn(this.#nextCallMs(division));
      },
      (error: unknown) => {
        if (connection !== this.#connection) return;
        this.#fail(failureOf(error));
      },
    );
  }

  /** Takes the granted permits, or returns why they cannot be relied on. */
  #divide(limits: readonly SharedLimit[], division: Division, sentAt: number): SharingFailure | undefined {
    const { identity, knownForMs } = division;
    if (!this.#isClockSteady(division.now, sentAt)) {
      // Redis may have dropped permits that still count.
      this.#identity = 'clock';
      return new SharingFailure('the clock of Redis was set');
    }
    this.#identity = identity;
    this.#former = undefined;
    const isOpen = (limit: SharedLimit) => knownForMs >= limit.waitMs;
    if (limits.some((limit) => limit.isOpen && !isOpen(limit)))
      return new SharingFailure('Redis was flushed or promoted: it does not know every granted permit');

    for (const [index, limit] of limits.entries()) {
      if (!isOpen(limit)) limit.useNone();
      limit.divided(division.shares.slice(2 * index, 2 * index + 2), division, sentAt, isOpen(limit));
    }
    if (limits.length > 0) this.#respond(limits, isOpen);
    // A process that has used no limit yet waits for the permits of the others, too.
    else this.#downSince = undefined;
    for (const limit of limits) if (isOpen(limit)) limit.useShared();
    return undefined;
  }

  #isClockSteady(now: number, sentAt: number): boolean {
    const last = this.#ahead;
    this.#ahead = { min: now - performance.now(), max: now - sentAt };
    return last === undefined || (this.#ahead.max >= last.min - maxDriftMs && this.#ahead.min <= last.max + maxDriftMs);
  }

  #nextCallMs({ knownForMs }: Division): number {
    const sinceMs = performance.now() - this.#calledAt;
    const changed = this.#limits.filter((limit) => limit.hasChanged);
    const waits = this.#limits.map(({ waitMs }) => waitMs - knownForMs).filter((ms) => ms > 0);
    return Math.max(
      0,
      Math.min(
        this.#beatMs() - sinceMs,
        ...changed.map(({ times }) => times.pollMs - sinceMs),
        ...waits.map((ms) => Math.min(ms, waitBeatMs)),
      ),
    );
  }

  #beatMs(): number {
    const held = this.#limits.filter(({ isHeld }) => isHeld);
    return Math.min(idleBeatMs, ...held.map(({ times }) => times.beatMs));
  }

  #fail(failure: SharingFailure): void {
    this.#connection?.close();
    this.#connection = undefined;
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
    if (this.#identity !== undefined) this.#former = { identity: this.#identity, leftAt: performance.now() };
    this.#identity = undefined;
    this.#downSince ??= performance.now();
    this.#isRefused ||= failure.isRefused;
    const isAlone = this.#state === 'alone' && !this.#isRefused;
    this.#enter(isAlone ? 'alone' : 'lost', failure.message);
    for (const limit of this.#limits) {
      if (!isAlone) limit.useNone();
      this.#useShareLater(limit);
    }
    setTimeout(() => {
      this.#connect();
    }, reconnectAfterMs).unref();
  }

  /** Redis has divided the limits. */
  #respond(limits: readonly SharedLimit[], isOpen: (limit: SharedLimit) => boolean): void {
    this.#isRefused = false;
    if (limits.some(isOpen)) this.#downSince = undefined;
    const lowered = limits.flatMap(({ limit, limiter: { terms } }) =>
      limit < terms.limit ? [`rate limit "${terms.name}" is ${limit} instead of ${terms.limit}`] : [],
    );
    if (!limits.every(isOpen))
      this.#enter(
        'waiting',
        'Redis was started, flushed or promoted recently: permits that it does not know may still count',
      );
    else if (lowered.length === 0) this.#enter('joined', 'limits are shared over Redis');
    else this.#enter('joined', `${lowered.join(', ')}, because another process announces a lower limit`);
  }

  /** Attempts to connect may fail every second: only another state or another reason is reported. */
  #enter(state: SharingEvent['state'], reason: string): void {
    if (this.#state === state && this.#reason === reason) return;
    this.#state = state;
    this.#reason = reason;
    this.#report({ type: 'sharing', state, reason });
  }

  #useShareLater(limit: SharedLimit): void {
    const { whenRedisIsDown } = this.#terms;
    if (whenRedisIsDown === 'wait' || this.#isRefused) return;
    const { share } = whenRedisIsDown;
    limit.useShareLater(share, this.#downSince ?? performance.now(), () => {
      this.#enter('alone', `Redis is unavailable: this process uses ${share} of each limit`);
    });
  }
}
