// The permits of one rate limit, shared over Redis.
import { forgetMsOf } from '../returns.js';
import { Leases, type LeaseTerms } from '../leases.js';
import { leaseSizes, type PermitSource, type PermitTerms } from '../permit-source.js';
import {
  checkCount,
  forgottenMs,
  limitChanged,
  partIds,
  type AnnounceMode,
  type Announcement,
  type Parts,
} from './agreement.js';
import type { RedisConnection } from './connection.js';
import { maxSkewMs } from './server.js';
import { failureOf, SharingFailure } from './failure.js';
import { sharedLimiter, type SharedLimiter } from './shared-limiter.js';

/** The times of a shared lease, milliseconds. */
export interface LeaseTimes {
  /** After this time the lease expires in Redis. */
  readonly lifeMs: number;
  /** For this time its permits may be used. */
  readonly usableMs: number;
  /** A lease whose permits have not returned is extended this long before it expires. */
  readonly extendMs: number;
  /** {@link SharedSource.beat} is called this often. */
  readonly beatMs: number;
  /** A rate limit without a request or a permit in use for this time rests. */
  readonly restAfterMs: number;
}

/** Requests that come more often than this, and a window apart, find permits in hand. */
const maxRestAfterMs = 30_000;

/**
 * A lease lasts long enough for a late response and one window after it. It lasts less than two windows where the
 * window is not shorter than `lateArrivalMs`: the permits of a process that died are missing for that long.
 */
export function leaseTimes({ windowMs, lateArrivalMs }: Pick<PermitTerms, 'windowMs' | 'lateArrivalMs'>): LeaseTimes {
  const lifeMs = windowMs + 0.95 * Math.max(windowMs, lateArrivalMs);
  const slackMs = lifeMs - forgetMsOf(windowMs);
  const usableMs = 0.3 * slackMs;
  const restAfterMs = Math.min(2 * lifeMs, maxRestAfterMs);
  return { lifeMs, usableMs, extendMs: 0.5 * slackMs, beatMs: Math.min(1000, usableMs / 3), restAfterMs };
}

/**
 * Leases are small and few permits are kept in hand, because the other processes cannot use them.
 *
 * @param permits the permits of all processes now
 * @param own the permits that this process would have alone: it never uses more, whatever Redis grants
 */
function sharedLease(
  permits: () => number,
  own: number,
  share: number,
  { lifeMs, usableMs, beatMs }: LeaseTimes,
  mayRequest: (waiting: number) => boolean,
): LeaseTerms {
  const size = () => Math.min(Math.max(Math.floor(permits() * share), 1), leaseSizes.size);
  return {
    get size() {
      return size();
    },
    get inHand() {
      return Math.min(size(), leaseSizes.inHand, Math.floor(permits() / 125));
    },
    maxOut: own,
    lifeMs,
    usableMs,
    renewMs: 0.5 * beatMs,
    mayRequest,
  };
}

export interface SharedSource extends PermitSource {
  /** The limit that applies to all processes now: the lowest that one of them announces. */
  readonly limit: number;
  /** The lowest announced parts, as last agreed; `undefined` before {@link SharedSource.ready}. */
  readonly agreed: Parts | undefined;
  ready(): Promise<void>;
  /**
   * Announces the limit, and reads how many permits are in use. Call it every `beatMs`, except between
   * {@link SharedSourceHooks.onRest} and {@link SharedSourceHooks.onWake}.
   */
  beat(): void;
  /** Keeps Redis from deleting a rate limit that rests for days. Call it now and then. */
  keep(): void;
  /** Call it when the connection was lost. */
  close(): void;
}

export interface SharedSourceHooks {
  readonly onGrant: () => void;
  /** Another process was responded to with 429. */
  readonly onCoolDown: (ms: number) => void;
  /** The limit that applies to all has changed: a process with a lower limit joined or left. */
  readonly onLimit: () => void;
  /** The rate limit was not used for a while: it holds no permit, and sends nothing to Redis until it wakes. */
  readonly onRest: () => void;
  /** A request has woken the rate limit: permits can be requested. */
  readonly onWake: () => void;
  /** The permits cannot be relied on any more. */
  readonly onFailure: (failure: SharingFailure) => void;
}

/** Beats without a response. */
const maxMissed = 3;
/** A rate limit for which no request has waited for this many beats is only kept: that costs fewer commands. */
const beatsUntilKept = 3;
/** Every 30 beats the permits in use are counted one by one: every half minute with windows of ten seconds. */
const countEveryBeats = 30;
/** A rate limit at rest is announced this often, so that Redis does not delete it. */
const keepEveryMs = forgottenMs / 4;
/** A process that has not announced its limit for this many beats, and for this time, takes no more permits. */
const beatsToGiveUp = maxMissed + 2;
const minToGiveUpMs = 2000;

/** How long a process may not have shown that it is alive, milliseconds. */
export function giveUpMs(beatMs: number): number {
  return Math.max(beatsToGiveUp * beatMs, minToGiveUpMs);
}

/**
 * What this process announces of a rate limit. The announcement outlives every permit of a process that died, by the
 * clock of any process that may join.
 */
export function announcementOf(
  { name, limit, windowMs, reserved, lateArrivalMs }: PermitTerms,
  cluster: string,
  runId: string,
  token: string,
): Announcement {
  const { lifeMs, beatMs } = leaseTimes({ windowMs, lateArrivalMs });
  const holdsMs = lifeMs + giveUpMs(beatMs) + 2 * maxSkewMs;
  // A restarted server may know nothing, or outdated permits: its run id keeps the old keys from being used.
  return { name, id: `${cluster}:${runId}:${name}`, token, main: limit - reserved, reserved, windowMs, holdsMs };
}

/** The cool-down that another process publishes, milliseconds; `undefined` for an invalid message. */
function coolDownMsOf(message: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(message) ? Number(message) : undefined;
}

interface Part {
  readonly limiter: SharedLimiter;
  readonly leases: Leases;
  running: number;
  missed: number;
}

/** @param token identifies the announcements of this process */
export function sharedSource(
  redis: RedisConnection,
  cluster: string,
  token: string,
  terms: PermitTerms,
  hooks: SharedSourceHooks,
): SharedSource {
  const { name, limit, reserved } = terms;
  const times = leaseTimes(terms);
  const announcement = announcementOf(terms, cluster, redis.runId, token);
  const own = { main: limit - reserved, reserved };
  let state: 'used' | 'resting' | 'waking' = 'used';
  let usedAt = performance.now();
  /** When a request last waited. */
  let wantedAt = usedAt;
  let agreed: Parts | undefined;
  const partsNow = () => agreed ?? own;
  let announcedAt = performance.now();
  const [mainId, reserveId] = partIds(announcement.id);

  const mayRequest = (waiting: number) => {
    if (waiting > 0) {
      usedAt = performance.now();
      wantedAt = usedAt;
      if (state === 'resting') wake();
    }
    return state === 'used';
  };
  const open = (part: 'main' | 'reserved', id: string, share: number): Part => {
    const limiter = sharedLimiter({
      redis,
      id,
      permits: own[part],
      lifeMs: times.lifeMs,
      onFailure: (failure) => {
        // At rest no permit depends on Bottleneck. Its keys are validated when the rate limit wakes.
        if (state === 'used') hooks.onFailure(failure);
      },
      onMessage: (message) => {
        // When Redis is lost, this process takes its share of the limit that applied to all then.
        if (message === limitChanged && state !== 'waking')
          agree(state === 'resting' ? 'rest' : 'announce').catch(fail);
        const ms = coolDownMsOf(message);
        if (ms !== undefined) hooks.onCoolDown(ms);
      },
    });
    const lease = sharedLease(() => partsNow()[part], own[part], share, times, mayRequest);
    return { limiter, leases: new Leases(limiter, lease, hooks.onGrant), running: 0, missed: 0 };
  };
  const main = open('main', mainId, 1 / 100);
  const reserve = reserved === 0 ? undefined : open('reserved', reserveId, 1 / 16);
  const parts = reserve === undefined ? [main] : [main, reserve];

  const fail = (error: unknown) => {
    hooks.onFailure(failureOf(error));
  };

  const limitNow = () => partsNow().main + partsNow().reserved;

  const agree = async (mode: AnnounceMode) => {
    const before = limitNow();
    const clients = parts.map(({ limiter }) => limiter.client);
    const isFirst = agreed === undefined;
    // The response may be read late: by a process that was suspended.
    const requestedAt = performance.now();
    agreed = await redis.announce(announcement, mode, clients);
    announcedAt = requestedAt;
    if (!isFirst && limitNow() !== before) hooks.onLimit();
  };
  const agreeAgain = async (mode: AnnounceMode) => {
    const sizes = parts.map(({ leases }) => leases.size);
    await agree(mode);
    const { main: mainNow, reserved: reservedNow } = partsNow();
    // For a lease that is larger than the limit, Bottleneck would wait for ever and grant no other.
    const isTooLarge = [mainNow, reservedNow].some((permits, index) => permits > 0 && permits < (sizes[index] ?? 0));
    if (isTooLarge) throw new SharingFailure(`another process lowered rate limit "${name}"`);
  };
  /** Whether what this process announced may have expired: then its permits cannot be relied on any more. */
  const isSilent = () => {
    if (performance.now() - announcedAt <= giveUpMs(times.beatMs)) return false;
    hooks.onFailure(new SharingFailure('this process was suspended, or Redis did not respond, for too long'));
    return true;
  };
  const rest = () => {
    state = 'resting';
    for (const { leases } of parts) leases.putHandBack();
    agree('rest').catch(fail);
    hooks.onRest();
  };
  // No permit is requested before the limit is announced again: another process may use a higher one meanwhile.
  const wake = () => {
    state = 'waking';
    agree('wake').then(() => {
      if (isSilent()) return;
      state = 'used';
      for (const part of parts) Object.assign(part, { running: 0, missed: 0 });
      hooks.onWake();
    }, fail);
  };
  const readRunning = async (part: Part) => {
    part.missed += 1;
    part.running = checkCount(await part.limiter.running(), name, cluster);
    part.missed = 0;
  };
  /** @param areSeen whether Bottleneck, which forgets limiters after ten seconds, sees those of this process */
  const keep = async (areSeen: boolean) => {
    const requestedAt = performance.now();
    const clients = parts.map(({ limiter }) => (areSeen ? limiter.client : ''));
    const running = await redis.keep(announcement, clients);
    announcedAt = requestedAt;
    for (const [index, part] of parts.entries()) part.running = running[index] ?? 0;
  };
  let beats = 0;

  return {
    get limit() {
      return limitNow();
    },
    get agreed() {
      return agreed;
    },
    main: main.leases,
    get reserve() {
      return partsNow().reserved === 0 ? undefined : reserve?.leases;
    },
    free: () => {
      // Nothing is read at rest. A process that waits for a free permit before its next request must not wait for ever.
      if (state !== 'used') return limitNow();
      const free = parts.reduce((sum, { running, leases }) => sum - running + leases.available, limitNow());
      return Math.min(free, limit);
    },
    check: () => undefined,
    close() {
      for (const { limiter } of parts) limiter.close();
    },
    announceCoolDown(ms) {
      if (ms > 0) main.limiter.publish(String(Math.ceil(ms)));
    },
    ready: async () => {
      await Promise.all(parts.map(({ limiter }) => limiter.ready()));
      await agree('count');
    },
    keep() {
      if (state === 'resting' && performance.now() - announcedAt > keepEveryMs) agree('rest').catch(fail);
    },
    beat() {
      const now = performance.now();
      if (parts.some(({ leases }) => leases.out > 0)) usedAt = now;
      if (now - usedAt > times.restAfterMs && parts.every(({ leases }) => leases.requested === 0)) {
        rest();
        return;
      }
      if (isSilent()) return;
      for (const part of parts) {
        if (part.missed >= maxMissed) hooks.onFailure(new SharingFailure('Redis does not respond'));
        if (!part.leases.extend(now, times.extendMs, 1.5 * times.beatMs)) {
          hooks.onFailure(new SharingFailure(`a lease of rate limit "${name}" could not be extended in time`));
        }
        if (part.limiter.isDelayed())
          hooks.onFailure(
            new SharingFailure(`permits of rate limit "${name}" were delayed: the clock of a process was set`),
          );
      }
      beats += 1;
      if (now - wantedAt > beatsUntilKept * times.beatMs && parts.every(({ leases }) => leases.requested === 0)) {
        if (beats % beatsUntilKept === 0) keep(beats % (2 * beatsUntilKept) === 0).catch(fail);
        return;
      }
      for (const part of parts) readRunning(part).catch(fail);
      agreeAgain(beats % countEveryBeats === 0 ? 'count' : 'announce').catch(fail);
    },
  };
}
