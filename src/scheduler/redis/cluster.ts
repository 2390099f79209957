// The limits of several processes behind one address, shared over Redis: joins, notices when Redis is gone, and joins
// again.
import type { SharingEvent } from '../sharing.js';
import type { RateLimiter } from '../rate-limiter.js';
import { localSource, type PermitSource } from '../permit-source.js';
import type { LimitSharing } from '../sharing.js';
import { WallClock } from '../wall-clock.js';
import type { RedisAddress } from './address.js';
import type { Parts } from './agreement.js';
import { connectRedis, type FormerServer, type RedisConnection } from './connection.js';
import { failureOf, SharingFailure } from './failure.js';
import type { RedisOptions, WhenRedisIsDown } from './share-over-redis.js';
import { announcementOf, leaseTimes, sharedSource, type SharedSource } from './shared-source.js';

const firstRetryMs = 250;
const maxRetryMs = 2000;
/** A connection that was lost sooner did not work: the next attempts go on taking longer. */
const steadyMs = maxRetryMs;
/** Processes notice that Redis is back at different times; those that went on alone stop no later than this. */
const noticedMs = 2 * maxRetryMs;
/** A tenant of the Redis could make new reasons for ever. */
const maxReasons = 100;

interface Member {
  readonly group: RateLimiter;
  /** Tells its announcements from those of other processes. */
  readonly token: string;
  beat?: NodeJS.Timeout | undefined;
  /** What it has joined, or is about to. */
  source?: SharedSource | undefined;
  /** The smallest parts that a process named, when Redis was last there. */
  agreed?: Parts | undefined;
  /** Until it goes on alone. */
  aloneTimer?: NodeJS.Timeout;
  /** Whether the group takes its permits from {@link alone} now. */
  isAlone: boolean;
  /** What the group goes on with while Redis is down; kept until its permits are back. */
  alone?: PermitSource | undefined;
}

/** Where limits are shared, and among whom. */
export interface ClusterTerms extends Required<Omit<RedisOptions, 'url'>> {
  readonly address: RedisAddress;
}

export class Cluster implements LimitSharing {
  readonly #address: RedisAddress;
  readonly #name: string;
  readonly #whenDown: WhenRedisIsDown;
  readonly #report: (event: SharingEvent) => void;
  readonly #members: Member[] = [];
  readonly #clock = new WallClock();
  #connection: RedisConnection | undefined;
  #former: FormerServer | undefined;
  /** Since when no permits were taken over Redis. */
  #downSince = performance.now();
  #joinedAt: number | undefined;
  /**
   * Others share a group with a window that is not this process's: it must not send in addition to them. Until it
   * joins.
   */
  #isRefused = false;
  #emptiedAt = Number.NEGATIVE_INFINITY;
  #reported: SharingEvent['state'] | undefined;
  /** Reasons of lasting failures that were reported after it joined last. */
  readonly #reportedReasons = new Set<string>();
  #retryMs = firstRetryMs;

  constructor({ address, name, whenRedisIsDown }: ClusterTerms, report: (event: SharingEvent) => void) {
    this.#address = address;
    this.#name = name;
    this.#whenDown = whenRedisIsDown;
    this.#report = report;
    this.#connect();
  }

  /** Gives the group its permits, now and whenever Redis comes or goes. */
  add(group: RateLimiter): void {
    const member: Member = { group, token: crypto.randomUUID(), isAlone: false };
    this.#members.push(member);
    if (this.#connection === undefined) this.#goOnAlone(member);
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
        for (const member of this.#members) this.#joinLater(member, connection);
      },
      (error: unknown) => {
        this.#tellFailure(failureOf(error));
        this.#connectAgain();
      },
    );
  }

  #connectAgain(): void {
    unheldTimer(this.#retryMs, () => {
      this.#connect();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
  }

  /**
   * What Redis does not know of is waited for: permits that were granted before it was started, emptied or promoted may
   * still count. They, and those of processes that went on alone, are back when a lease's life has passed since. It is
   * asked again after the wait: a process that left another server later than this one has recorded it meanwhile.
   */
  #joinLater(member: Member, connection: RedisConnection): void {
    const { group } = member;
    const isUsable = connection.look(announcementOf(group.terms, this.#name, connection.runId, member.token));
    isUsable
      .then(() => {
        if (connection === this.#connection) this.#stopAlone(member);
        return connection.knowsAllSince();
      })
      .then(
        (since) => {
          if (connection !== this.#connection) return;
          const { alone } = member;
          const noticed = this.#whenDown === 'wait' ? 0 : noticedMs;
          const waitMs =
            Math.max(since, this.#emptiedAt) + leaseTimes(group.terms).lifeMs + noticed - performance.now();
          const out = alone === undefined ? 0 : alone.main.out + (alone.reserve?.out ?? 0);
          if (waitMs <= 0 && out === 0) {
            this.#join(member, connection);
            return;
          }
          this.#tell(
            'waiting',
            waitMs > 0
              ? 'Redis was started, emptied or promoted lately'
              : 'permits of the time without Redis are still out',
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

  #stopAlone(member: Member): void {
    if (!member.isAlone) return;
    member.isAlone = false;
    member.group.use(undefined);
  }

  #join(member: Member, connection: RedisConnection): void {
    const { group } = member;
    const isCurrent = () => connection === this.#connection;
    const onFailure = (failure: SharingFailure) => {
      if (isCurrent()) this.#lose(failure);
    };
    const source = sharedSource(connection, this.#name, member.token, group.terms, {
      onGrant: () => {
        if (isCurrent()) group.pump();
      },
      onCoolDown: (ms) => {
        if (isCurrent()) group.startCoolDown(ms);
      },
      onLimit: () => {
        if (isCurrent()) this.#tellLimit(group, source.limit);
      },
      onFailure,
    });
    member.source = source;
    source.ready().then(
      () => {
        if (!isCurrent()) return;
        member.alone = undefined;
        member.beat = setInterval(() => {
          this.#beat(source, group);
        }, leaseTimes(group.terms).beatMs).unref();
        this.#joinedAt ??= performance.now();
        this.#isRefused = false;
        this.#tell('joined', 'limits are shared over Redis');
        if (source.limit < group.terms.limit) this.#tellLimit(group, source.limit);
        group.use(source);
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
      this.#emptiedAt = now;
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
    this.#isRefused ||= failure.consequence === 'refused';
    this.#tellFailure(failure);
    for (const member of this.#members) {
      clearInterval(member.beat);
      member.beat = undefined;
      member.agreed = member.source?.agreed ?? member.agreed;
      member.source?.close();
      member.source = undefined;
      if (member.isAlone && !this.#isRefused) continue;
      member.isAlone = false;
      member.group.use(undefined);
      this.#goOnAlone(member);
    }
    this.#connectAgain();
  }

  #beat(source: SharedSource, group: RateLimiter): void {
    if (this.#clock.step() === 0) source.beat();
    else this.#lose(new SharingFailure('the clock was set'));
    group.pump();
  }

  /** Takes the group's own share, once all that was given out over Redis is back. */
  #goOnAlone(member: Member): void {
    clearTimeout(member.aloneTimer);
    if (this.#whenDown === 'wait' || this.#isRefused) return;
    const { share } = this.#whenDown;
    const { group, agreed } = member;
    const { terms } = group;
    // The others take their shares of the limit that applied to all.
    const reservedOfAll = agreed?.reserved ?? terms.reserved;
    const limit = Math.floor((agreed === undefined ? terms.limit : agreed.main + reservedOfAll) * share);
    const reserved = Math.floor(reservedOfAll * share);
    const downSince = this.#downSince;
    const waitMs = Math.max(0, downSince + leaseTimes(terms).lifeMs - performance.now());
    if (limit === 0) return;
    member.aloneTimer = unheldTimer(waitMs, () => {
      if (member.isAlone || this.#connection !== undefined || downSince !== this.#downSince) return;
      const pump = () => {
        group.pump();
      };
      member.alone ??= localSource({ ...terms, limit, reserved }, pump);
      member.isAlone = true;
      group.use(member.alone);
      this.#tell('alone', `Redis is down: this process goes on with ${share} of each limit`);
    });
  }

  /** A limit that another process names applies here, too, or does no longer. */
  #tellLimit({ terms: { name, limit } }: RateLimiter, applied: number): void {
    const reason =
      applied < limit
        ? `the limit of group "${name}" is ${applied} instead of ${limit} while a process that names a smaller one shares it`
        : `the limit of group "${name}" is ${limit}: no process names a smaller one any more`;
    this.#report({ type: 'sharing', state: 'joined', reason });
  }

  /**
   * While it goes on alone, or waits, every attempt to join may fail: only a lasting failure is reported then, once.
   */
  #tellFailure({ message, isLasting }: SharingFailure): void {
    const state = this.#reported === 'alone' && !this.#isRefused ? 'alone' : 'lost';
    const reasons = this.#reportedReasons;
    const isNew = isLasting && !reasons.has(message);
    if (this.#reported === state && !isNew) return;
    if (reasons.size >= maxReasons) reasons.clear();
    if (isLasting) reasons.add(message);
    this.#reported = state;
    this.#report({ type: 'sharing', state, reason: message });
  }

  /** Tells of changes only. */
  #tell(state: SharingEvent['state'], reason: string): void {
    if (this.#reported === state) return;
    this.#reported = state;
    if (state === 'joined') this.#reportedReasons.clear();
    this.#report({ type: 'sharing', state, reason });
  }
}

/** Waiting for Redis does not keep the process alive: those who wait for a permit do. */
function unheldTimer(ms: number, then: () => void): NodeJS.Timeout {
  return setTimeout(then, ms).unref();
}
