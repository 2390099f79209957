// This process among those that share limits over Redis: it connects, claims permits, one call after another, and
// connects again when Redis is lost or does not know every granted permit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharingEvent } from '../options.js';
import type { PermitTerms, RateLimiter } from '../rate-limiter.js';
import { connectRedis, SharingFailure, type RedisAddress, type RedisConnection } from './connection.js';
import { divide, type Division } from './division.js';
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

export interface ClusterTerms {
  readonly address: RedisAddress;
  /** The name that the processes share. */
  readonly name: string;
  /** The share of each limit that this process uses while Redis is unavailable. */
  readonly shareWhenDown: number;
}

export class Cluster {
  readonly #terms: ClusterTerms;
  readonly #report: (event: SharingEvent) => void;
  /** The same for all connections: a process that connects again keeps its permits. */
  readonly #token = crypto.randomUUID();
  readonly #limits: SharedLimit[] = [];
  #reported = '';
  /** Other processes share a rate limit with another window: until Redis responds, this one must not send beside them. */
  #isRefused = false;
  /** Since this time no permits were taken over Redis; `undefined` while they are. */
  #downSince: number | undefined = performance.now();
  #former: { readonly identity: string; readonly leftAt: number } | undefined;
  #calls = 0;
  #calledAt = 0;
  /** Starts the next call; absent while one is under way. */
  #callNow: (() => void) | undefined;
  #timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  /** What the clock of Redis is ahead of `performance.now()`. */
  #ahead: { readonly min: number; readonly max: number } | undefined;
  #identity: string | undefined;

  constructor(terms: ClusterTerms, report: (event: SharingEvent) => void) {
    this.#terms = terms;
    this.#report = report;
    this.#run().catch(() => undefined);
  }

  limiter(terms: PermitTerms, onAvailable: (limiter: RateLimiter) => void): RateLimiter {
    const onChange = (limit: SharedLimit) => {
      this.#callIn(this.#calledAt + limit.pollMs - performance.now());
    };
    const limit = new SharedLimit(terms, onAvailable, onChange, this.#terms.shareWhenDown === 0 ? 0 : allNoticedMs);
    this.#limits.push(limit);
    this.#callIn(0);
    return limit;
  }

  /** Timers and the socket do not keep the process alive: requests that wait for a permit do. */
  async #run(): Promise<never> {
    for (;;) {
      const connection = connectRedis(this.#terms.address);
      const lose = (error: unknown) => {
        connection.close();
        this.#lose(error instanceof SharingFailure ? error : new SharingFailure('a subscriber of a permit has failed'));
      };
      // Subscribers of permits run within.
      await this.#use(connection)
        .catch(lose)
        .catch(() => undefined);
      await sleep(reconnectAfterMs, undefined, { ref: false });
    }
  }

  async #use(connection: RedisConnection): Promise<never> {
    for (;;) await this.#callAndWait(connection);
  }

  async #callAndWait(connection: RedisConnection): Promise<void> {
    const { name } = this.#terms;
    const limits = [...this.#limits];
    const sentAt = (this.#calledAt = performance.now());
    this.#calls += 1;
    const former = this.#former && { identity: this.#former.identity, leftMs: sentAt - this.#former.leftAt };
    const claims = limits.map((limit) => limit.claim(sentAt));
    const division = await divide(connection, { name, token: this.#token, call: this.#calls, former }, claims);
    this.#divide(limits, division, sentAt);
    await new Promise<void>((resolve) => {
      this.#callNow = resolve;
      this.#callIn(this.#nextCallMs(division));
    });
  }

  /** Starts the next call after this time, if it is not due before. */
  #callIn(ms: number): void {
    if (this.#callNow === undefined) return;
    const at = performance.now() + Math.max(0, ms);
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    clearTimeout(this.#timer?.handle);
    const handle = setTimeout(() => {
      const callNow = this.#callNow;
      this.#timer = this.#callNow = undefined;
      callNow?.();
    }, ms).unref();
    this.#timer = { handle, at };
  }

  /** Takes the granted permits, unless they cannot be relied on. */
  #divide(limits: readonly SharedLimit[], division: Division, sentAt: number): void {
    const { identity, knownForMs, shares } = division;
    if (!this.#isClockSteady(division.now, sentAt)) {
      // Redis may have dropped permits that still count.
      this.#identity = 'clock';
      throw new SharingFailure('the clock of Redis was set');
    }
    this.#identity = identity;
    this.#former = undefined;
    const isKnown = ({ waitMs }: SharedLimit) => knownForMs >= waitMs;
    if (limits.some((limit) => limit.isShared && !isKnown(limit)))
      throw new SharingFailure('Redis was flushed or promoted: it does not know every granted permit');
    this.#isRefused = false;
    // A process that has used no limit yet waits for the permits of the others, too.
    if (limits.length === 0 || limits.some(isKnown)) this.#downSince = undefined;
    for (const [index, limit] of limits.entries()) {
      const share = shares[index];
      if (share !== undefined) limit.divided(share, division, sentAt);
    }
    if (limits.length > 0) this.#reportDivision(limits, limits.every(isKnown));
  }

  #isClockSteady(now: number, sentAt: number): boolean {
    const last = this.#ahead;
    this.#ahead = { min: now - performance.now(), max: now - sentAt };
    return last === undefined || (this.#ahead.max >= last.min - maxDriftMs && this.#ahead.min <= last.max + maxDriftMs);
  }

  #nextCallMs({ knownForMs }: Division): number {
    const sinceMs = performance.now() - this.#calledAt;
    const dueMs = this.#limits.flatMap((limit) => {
      const waitMs = limit.waitMs - knownForMs;
      return [
        (limit.hasChanged ? limit.pollMs : limit.held > 0 ? limit.beatMs : idleBeatMs) - sinceMs,
        waitMs > 0 ? Math.min(waitMs, waitBeatMs) : idleBeatMs,
      ];
    });
    return Math.max(0, Math.min(idleBeatMs - sinceMs, ...dueMs));
  }

  #lose({ message, isRefused }: SharingFailure): void {
    const now = performance.now();
    if (this.#identity !== undefined) this.#former = { identity: this.#identity, leftAt: now };
    this.#identity = undefined;
    const downSince = (this.#downSince ??= now);
    this.#isRefused ||= isRefused;
    const isAlone = ({ lifeMs }: SharedLimit) =>
      this.#terms.shareWhenDown > 0 && !this.#isRefused && now >= downSince + lifeMs;
    // Permits of Redis must have returned. The other processes take their shares of the limit that applied to all, too.
    for (const limit of this.#limits) limit.lose(isAlone(limit) ? this.#terms.shareWhenDown : 0);
    this.#enter(this.#limits.some(isAlone) ? 'alone' : 'lost', message);
  }

  #reportDivision(limits: readonly SharedLimit[], isKnown: boolean): void {
    const lowered = limits.flatMap(({ permits, terms: { limit, name } }) =>
      permits < limit ? [`rate limit "${name}" is ${permits} instead of ${limit}`] : [],
    );
    if (!isKnown)
      this.#enter(
        'waiting',
        'Redis was started, flushed or promoted recently: permits that it does not know may still count',
      );
    else if (lowered.length === 0) this.#enter('joined', 'limits are shared over Redis');
    else this.#enter('joined', `${lowered.join(', ')}, because another process announces a lower limit`);
  }

  /** Attempts to connect may fail every second: only another state or another reason is reported. */
  #enter(state: SharingEvent['state'], reason: string): void {
    const report = `${state}: ${reason}`;
    if (this.#reported === report) return;
    this.#reported = report;
    this.#report({ type: 'sharing', state, reason });
  }
}
