// This process among those that share limits over Redis: it joins, notices when Redis is lost, and joins again.
import type { SharingEvent } from '../sharing.js';
import type { RateLimiter } from '../rate-limiter.js';
import { localSource, type PermitSource } from '../permit-source.js';
import type { LimitSharing } from '../sharing.js';
import { WallClock } from '../wall-clock.js';
import type { RedisAddress } from './address.js';
import type { Parts } from './agreement.js';
import { connectRedis, type FormerServer, type RedisConnection } from './connection.js';
import { failureOf, SharingFailure } from './failure.js';
import { SharingReports } from './sharing-reports.js';
import { announcementOf, giveUpMs, leaseTimes, sharedSource, type SharedSource } from './shared-source.js';

const firstRetryMs = 250;
const maxRetryMs = 2000;
/** A connection that was lost sooner did not work: the delay before the next attempt is not reset. */
const steadyMs = maxRetryMs;
/** Processes notice at different times that Redis is back: all have stopped using their shares after this time. */
const noticedMs = 2 * maxRetryMs;
/** One sign of life for all rate limits, this often. Rate limits that are used send their own as well. */
const aliveEveryMs = 1000;
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

/** A rate limit that is shared. */
interface Member {
  readonly limiter: RateLimiter;
  /** Identifies the announcements of this process. */
  readonly token: string;
  beat?: NodeJS.Timeout | undefined;
  /** Its permits over Redis, joined or about to be. */
  source?: SharedSource | undefined;
  /** The lowest parts that a process announced when Redis was last available. */
  agreed?: Parts | undefined;
  /** Fires when this process starts to use its share. */
  aloneTimer?: NodeJS.Timeout;
  /** Whether the rate limiter takes its permits from {@link alone} now. */
  isAlone: boolean;
  /** The permits of the share while Redis is unavailable; kept until they have returned. */
  alone?: PermitSource | undefined;
}

export interface ClusterTerms {
  readonly address: RedisAddress;
  /** The name that the processes share. */
  readonly name: string;
  readonly whenRedisIsDown: WhenRedisIsDown;
}

export class Cluster implements LimitSharing {
  readonly #address: RedisAddress;
  readonly #name: string;
  readonly #whenDown: WhenRedisIsDown;
  readonly #reports: SharingReports;
  readonly #members: Member[] = [];
  readonly #clock = new WallClock();
  #connection: RedisConnection | undefined;
  #former: FormerServer | undefined;
  #aliveTimer: NodeJS.Timeout | undefined;
  /** When Redis last knew that this process is alive. */
  #aliveAt = 0;
  /** Since this time no permits were taken over Redis. */
  #downSince = performance.now();
  #joinedAt: number | undefined;
  /** Other processes share a rate limit with another window: until this process joins, it must not send beside them. */
  #isRefused = false;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #retryMs = firstRetryMs;

  constructor({ address, name, whenRedisIsDown }: ClusterTerms, report: (event: SharingEvent) => void) {
    this.#address = address;
    this.#name = name;
    this.#whenDown = whenRedisIsDown;
    this.#reports = new SharingReports(report);
    this.#connect();
  }

  /** Provides the rate limiter with permits, now and whenever Redis is lost or back. */
  add(limiter: RateLimiter): void {
    const member: Member = { limiter, token: crypto.randomUUID(), isAlone: false };
    this.#members.push(member);
    if (this.#connection === undefined) this.#useShare(member);
    else this.#joinLater(member, this.#connection);
  }

  #connect(): void {
    const onLost = (failure: SharingFailure) => {
      this.#lose(failure);
    };
    connectRedis(this.#address, this.#name, this.#former, onLost).then(
      (connection) => {
        this.#connection = connection;
        this.#clock.step();
        this.#aliveAt = performance.now();
        this.#aliveTimer = setInterval(() => {
          this.#showAlive(connection);
        }, aliveEveryMs).unref();
        for (const member of this.#members) this.#joinLater(member, connection);
      },
      (error: unknown) => {
        this.#reports.failure(failureOf(error), !this.#isRefused);
        this.#reconnectLater();
      },
    );
  }

  #reconnectLater(): void {
    unheldTimer(this.#retryMs, () => {
      this.#connect();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
  }

  /**
   * Waits for the permits that Redis does not know: those granted before it was started, flushed or promoted, and those
   * of processes that used their shares. They have returned when one lease life has passed. Redis is read again after
   * the wait, because a process that left another server later has recorded that meanwhile.
   */
  #joinLater(member: Member, connection: RedisConnection): void {
    const { limiter } = member;
    const isUsable = connection.check(announcementOf(limiter.terms, this.#name, connection.runId, member.token));
    isUsable
      .then(() => {
        if (connection === this.#connection) this.#stopShare(member);
        return connection.knowsAllSince();
      })
      .then(
        (since) => {
          if (connection !== this.#connection) return;
          const { alone } = member;
          const noticed = this.#whenDown === 'wait' ? 0 : noticedMs;
          const waitMs =
            Math.max(since, this.#flushedAt) + leaseTimes(limiter.terms).lifeMs + noticed - performance.now();
          const out = alone === undefined ? 0 : alone.main.out + (alone.reserve?.out ?? 0);
          if (waitMs <= 0 && out === 0) {
            this.#join(member, connection);
            return;
          }
          this.#reports.state(
            'waiting',
            waitMs > 0
              ? 'Redis was started, flushed or promoted recently: permits that it does not know may still count'
              : 'permits that were used without Redis still count',
          );
          unheldTimer(Math.max(waitMs, firstRetryMs), () => {
            if (connection === this.#connection) this.#joinLater(member, connection);
          });
        },
        (error: unknown) => {
          if (connection === this.#connection) this.#lose(failureOf(error));
        },
      );
  }

  #stopShare(member: Member): void {
    if (!member.isAlone) return;
    member.isAlone = false;
    member.limiter.use(undefined);
  }

  #join(member: Member, connection: RedisConnection): void {
    const { limiter } = member;
    const isCurrent = () => connection === this.#connection;
    const onFailure = (failure: SharingFailure) => {
      if (isCurrent()) this.#lose(failure);
    };
    const source = sharedSource(connection, this.#name, member.token, limiter.terms, {
      onGrant: () => {
        if (isCurrent()) limiter.pump();
      },
      onCoolDown: (ms) => {
        if (isCurrent()) limiter.startCoolDown(ms);
      },
      onLimit: () => {
        if (isCurrent()) this.#reportLimit(limiter, source.limit);
      },
      onRest: () => {
        clearInterval(member.beat);
      },
      onWake: () => {
        if (!isCurrent() || !this.#isClockSteady()) return;
        startBeats();
        limiter.pump();
      },
      onFailure,
    });
    const startBeats = () => {
      const { beatMs } = leaseTimes(limiter.terms);
      member.beat = setInterval(() => {
        this.#beat(source, limiter);
      }, beatMs).unref();
    };
    member.source = source;
    source.ready().then(
      () => {
        if (!isCurrent()) return;
        member.alone = undefined;
        startBeats();
        this.#joinedAt ??= performance.now();
        this.#isRefused = false;
        this.#reports.state('joined', 'limits are shared over Redis');
        if (source.limit < limiter.terms.limit) this.#reportLimit(limiter, source.limit);
        limiter.use(source);
      },
      (error: unknown) => {
        onFailure(failureOf(error));
      },
    );
  }

  #lose(failure: SharingFailure): void {
    if (this.#connection === undefined) return;
    const now = performance.now();
    this.#former = { identity: this.#connection.identity(), until: now };
    if (failure.consequence === 'forgotten') {
      this.#flushedAt = now;
      this.#connection.closeForgotten();
    } else {
      this.#connection.close();
    }
    this.#connection = undefined;
    if (this.#joinedAt !== undefined) {
      if (now - this.#joinedAt >= steadyMs) this.#retryMs = firstRetryMs;
      this.#joinedAt = undefined;
      this.#downSince = now;
    }
    clearInterval(this.#aliveTimer);
    this.#isRefused ||= failure.consequence === 'refused';
    this.#reports.failure(failure, !this.#isRefused);
    for (const member of this.#members) {
      clearInterval(member.beat);
      member.beat = undefined;
      member.agreed = member.source?.agreed ?? member.agreed;
      member.source?.close();
      member.source = undefined;
      if (member.isAlone && !this.#isRefused) continue;
      member.isAlone = false;
      member.limiter.use(undefined);
      this.#useShare(member);
    }
    this.#reconnectLater();
  }

  #beat(source: SharedSource, limiter: RateLimiter): void {
    if (this.#isClockSteady()) source.beat();
    limiter.pump();
  }

  /** A rate limit at rest notices nothing by itself: not that Redis is lost, and not that it was flushed. */
  #showAlive(connection: RedisConnection): void {
    if (!this.#isClockSteady()) return;
    if (performance.now() - this.#aliveAt > giveUpMs(aliveEveryMs)) {
      this.#lose(new SharingFailure('this process was suspended, or Redis did not respond, for too long'));
      return;
    }
    const shownAt = performance.now();
    connection.showAlive().then(
      () => {
        this.#aliveAt = shownAt;
      },
      (error: unknown) => {
        if (connection === this.#connection) this.#lose(failureOf(error));
      },
    );
    for (const { source } of this.#members) source?.keep();
  }

  #isClockSteady(): boolean {
    if (this.#clock.step() === 0) return true;
    this.#lose(new SharingFailure('the clock of this process was set'));
    return false;
  }

  /** Starts to use this process's share when all permits that were granted over Redis have returned. */
  #useShare(member: Member): void {
    clearTimeout(member.aloneTimer);
    if (this.#whenDown === 'wait' || this.#isRefused) return;
    const { share } = this.#whenDown;
    const { limiter, agreed } = member;
    const { terms } = limiter;
    // The other processes take their shares of the limit that applied to all, too.
    const reservedOfAll = agreed?.reserved ?? terms.reserved;
    const limit = Math.floor((agreed === undefined ? terms.limit : agreed.main + reservedOfAll) * share);
    const reserved = Math.floor(reservedOfAll * share);
    const downSince = this.#downSince;
    const waitMs = Math.max(0, downSince + leaseTimes(terms).lifeMs - performance.now());
    if (limit === 0) return;
    member.aloneTimer = unheldTimer(waitMs, () => {
      if (member.isAlone || this.#connection !== undefined || downSince !== this.#downSince) return;
      const pump = () => {
        limiter.pump();
      };
      member.alone ??= localSource({ ...terms, limit, reserved }, pump);
      member.isAlone = true;
      limiter.use(member.alone);
      this.#reports.state('alone', `Redis is unavailable: this process uses ${share} of each limit`);
    });
  }

  #reportLimit({ terms: { name, limit } }: RateLimiter, applied: number): void {
    this.#reports.limit(name, limit, applied);
  }
}

/** A timer that does not keep the process alive: requests that wait for a permit do. */
function unheldTimer(ms: number, then: () => void): NodeJS.Timeout {
  return setTimeout(then, ms).unref();
}
