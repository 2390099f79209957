// The limits of several processes behind one address, shared over Redis: joins, notices when Redis is gone, and joins again.
import type { SharingEvent } from '../events.js';
import type { LimitedGroup } from '../limited-group.js';
import { localSource, type PermitSource } from '../permit-source.js';
import type { SharedGroups } from '../limit-sharing.js';
import { WallClock } from '../wall-clock.js';
import { connectRedis, type FormerServer, type RedisConnection } from './connection.js';
import type { RedisOptions, WhenRedisIsDown } from './share-over-redis.js';
import { leaseTimes, sharedSource, type SharedSource } from './shared-source.js';

/** What Bottleneck's scripts answer when its keys are gone. */
const emptied = 'SETTINGS_KEY_NOT_FOUND';
const firstRetryMs = 250;
const longestRetryMs = 2000;
/** Processes notice that Redis is back at different times; those that went on alone stop no later than this. */
const noticedMs = 2 * longestRetryMs;

interface Member {
  readonly group: LimitedGroup;
  beat?: NodeJS.Timeout;
  /** What the group goes on with while Redis is down; kept until its permits are back. */
  alone?: PermitSource | undefined;
}

export class Cluster implements SharedGroups {
  readonly #url: string;
  readonly #name: string;
  readonly #whenDown: WhenRedisIsDown;
  readonly #report: (event: SharingEvent) => void;
  readonly #members: Member[] = [];
  readonly #clock = new WallClock();
  #connection: RedisConnection | undefined;
  #former: FormerServer | undefined;
  #downSince = performance.now();
  #emptiedAt = Number.NEGATIVE_INFINITY;
  #reported: SharingEvent['state'] | undefined;
  #retryMs = firstRetryMs;

  constructor({ url, name, whenRedisIsDown }: Required<RedisOptions>, report: (event: SharingEvent) => void) {
    this.#url = url;
    this.#name = name;
    this.#whenDown = whenRedisIsDown;
    this.#report = report;
    this.#connect();
  }

  /** Gives the group its permits, now and whenever Redis comes or goes. */
  add(group: LimitedGroup): void {
    const member: Member = { group };
    this.#members.push(member);
    if (this.#connection === undefined) this.#goOnAlone(member);
    else this.#joinLater(member, this.#connection);
  }

  #connect(): void {
    const onLost = (reason: string) => {
      this.#lose(reason);
    };
    connectRedis(this.#url, this.#name, this.#former, onLost).then(
      (connection) => {
        this.#connection = connection;
        this.#clock.step();
        for (const member of this.#members) this.#joinLater(member, connection);
      },
      (error: unknown) => {
        if (this.#reported !== 'alone') this.#tell('lost', messageOf(error));
        this.#connectAgain();
      },
    );
  }

  #connectAgain(): void {
    unheldTimer(this.#retryMs, () => {
      this.#connect();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, longestRetryMs);
  }

  /**
   * What Redis does not know of is waited for: permits that were granted before it was started, emptied or promoted may still count. They, and those
   * of processes that went on alone, are back when a lease's life has passed since. It is asked again after the wait: a process that left another
   * server later than this one has recorded it meanwhile.
   */
  #joinLater(member: Member, connection: RedisConnection): void {
    const { alone, group } = member;
    if (alone !== undefined) group.use(undefined);
    connection.knowsAllSince().then(
      (since) => {
        if (connection !== this.#connection) return;
        const noticed = this.#whenDown === 'wait' ? 0 : noticedMs;
        const waitMs = Math.max(since, this.#emptiedAt) + leaseTimes(group.terms).lifeMs + noticed - performance.now();
        const out = alone === undefined ? 0 : alone.main.out + (alone.reserve?.out ?? 0);
        if (waitMs <= 0 && out === 0) {
          this.#join(member, connection);
          return;
        }
        this.#tell('waiting', waitMs > 0 ? 'Redis was started, emptied or promoted lately' : 'permits of the time without Redis are still out');
        unheldTimer(Math.max(waitMs, firstRetryMs), () => {
          if (connection === this.#connection) this.#joinLater(member, connection);
        });
      },
      (error: unknown) => {
        if (connection === this.#connection) this.#lose(messageOf(error));
      },
    );
  }

  #join(member: Member, connection: RedisConnection): void {
    const { group } = member;
    const isCurrent = () => connection === this.#connection;
    const onFailure = (reason: string) => {
      if (isCurrent()) this.#lose(reason);
    };
    const source = sharedSource(connection, this.#name, group.terms, {
      onGrant: () => {
        if (isCurrent()) group.pump();
      },
      onClosed: (ms) => {
        group.close(ms);
      },
      onFailure,
    });
    source.ready().then(
      () => {
        if (!isCurrent()) return;
        member.alone = undefined;
        member.beat = setInterval(() => {
          this.#beat(source, group);
        }, leaseTimes(group.terms).beatMs).unref();
        this.#retryMs = firstRetryMs;
        this.#tell('joined', 'limits are shared over Redis');
        group.use(source);
      },
      (error: unknown) => {
        onFailure(messageOf(error));
      },
    );
  }

  #lose(reason: string): void {
    if (this.#connection === undefined) return;
    this.#former = { identity: this.#connection.identity(), until: performance.now() };
    if (reason.includes(emptied)) {
      this.#emptiedAt = performance.now();
      this.#connection.closeEmptied();
    } else {
      this.#connection.close();
    }
    this.#connection = undefined;
    this.#downSince = performance.now();
    this.#tell('lost', reason);
    for (const member of this.#members) {
      clearInterval(member.beat);
      member.group.use(undefined);
      this.#goOnAlone(member);
    }
    this.#connectAgain();
  }

  #beat(source: SharedSource, group: LimitedGroup): void {
    if (this.#clock.step() === 0) source.beat();
    else this.#lose('the clock was set');
    group.pump();
  }

  /** Takes the group's own share, once all that was given out over Redis is back. */
  #goOnAlone(member: Member): void {
    if (this.#whenDown === 'wait') return;
    const { share } = this.#whenDown;
    const { group } = member;
    const { terms } = group;
    const limit = Math.floor(terms.limit * share);
    const downSince = this.#downSince;
    const waitMs = Math.max(0, downSince + leaseTimes(terms).lifeMs - performance.now());
    if (limit === 0) return;
    unheldTimer(waitMs, () => {
      if (this.#connection !== undefined || downSince !== this.#downSince) return;
      const pump = () => {
        group.pump();
      };
      member.alone ??= localSource({ ...terms, limit, reserved: Math.floor(terms.reserved * share) }, pump);
      group.use(member.alone);
      this.#tell('alone', `Redis is down: this process goes on with ${share} of each limit`);
    });
  }

  /** Tells of changes only: while Redis is down, every attempt to reach it fails. */
  #tell(state: SharingEvent['state'], reason: string): void {
    if (this.#reported === state) return;
    this.#reported = state;
    this.#report({ type: 'sharing', state, reason });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waiting for Redis does not keep the process alive: those who wait for a permit do. */
function unheldTimer(ms: number, then: () => void): void {
  setTimeout(then, ms).unref();
}
