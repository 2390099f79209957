// The permits of one group, shared over Redis.
import { forgetMsOf } from '../returns.js';
import { Leases, type LeaseTerms } from '../leases.js';
import { leaseSizes, type PermitSource, type PermitTerms } from '../permit-source.js';
import { checkCount, partIds, type Announcement, type Parts } from './agreement.js';
import { maxSkewMs, type RedisConnection } from './connection.js';
import { failureOf, SharingFailure } from './failure.js';
import { sharedLimiter, type SharedLimiter } from './shared-limiter.js';

/** The times of a lease that is shared. */
export interface LeaseTimes {
  /** When it ends by itself. */
  readonly lifeMs: number;
  /** How long its permits may be used. */
  readonly usableMs: number;
  /** How long before its end it is replaced, when its permits have not come back. */
  readonly coverMs: number;
  /** How often the source is to be looked after. */
  readonly beatMs: number;
}

/**
 * A lease lasts long enough for a late answer and a window after it, and, where the window is not shorter than a
 * request can be late, less than two windows: so long are the permits of a process that died gone.
 */
export function leaseTimes({ windowMs, lateArrivalMs }: Pick<PermitTerms, 'windowMs' | 'lateArrivalMs'>): LeaseTimes {
  const lifeMs = windowMs + 0.95 * Math.max(windowMs, lateArrivalMs);
  const slackMs = lifeMs - forgetMsOf(windowMs);
  const usableMs = 0.3 * slackMs;
  return { lifeMs, usableMs, coverMs: 0.5 * slackMs, beatMs: Math.min(1000, usableMs / 3) };
}

/**
 * Leases are small, and few permits are kept in hand: what one process has, the others have not.
 *
 * @param permits that all processes have now
 * @param own permits that this process would have alone: it uses no more at once, whatever Redis grants
 */
function sharedLease(
  permits: () => number,
  own: number,
  share: number,
  { lifeMs, usableMs, beatMs }: LeaseTimes,
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
    renewMs: 2 * beatMs,
  };
}

export interface SharedSource extends PermitSource {
  /** The limit that applies to all processes now: the smallest that one of them names. */
  readonly limit: number;
  /** The smallest parts that one of them names, as was last agreed; none before {@link SharedSource.ready}. */
  readonly agreed: Parts | undefined;
  ready(): Promise<void>;
  /**
   * To be called every {@link LeaseTimes.beatMs}: tells Redis that this process lives, and asks how many permits are
   * used.
   */
  beat(): void;
  /** To be called when the connection was lost. */
  close(): void;
}

export interface SharedSourceHooks {
  readonly onGrant: () => void;
  /** Another process was answered 429. */
  readonly onCoolDown: (ms: number) => void;
  /**
   * Another limit applies to all, since {@link SharedSource.ready}: a process that names a smaller one came or went.
   */
  readonly onLimit: () => void;
  /** The permits can no longer be relied on. */
  readonly onFailure: (failure: SharingFailure) => void;
}

/** Beats in a row that were not answered. */
const maxMissed = 3;
/** The permits that are out are counted one by one after so many beats: half a minute, with windows of ten seconds. */
const countEveryBeats = 30;
/** A process that has not announced its limit for so many beats, and for so long, takes no more permits. */
const beatsToGiveUp = maxMissed + 2;
const minToGiveUpMs = 2000;

function giveUpMs(beatMs: number): number {
  return Math.max(beatsToGiveUp * beatMs, minToGiveUpMs);
}

/**
 * A group as its process announces it. An announcement outlives each permit of a process that died, by any clock that
 * is let in.
 */
export function announcementOf(
  { name, limit, windowMs, reserved, lateArrivalMs }: PermitTerms,
  cluster: string,
  runId: string,
  token: string,
): Announcement {
  const { lifeMs, beatMs } = leaseTimes({ windowMs, lateArrivalMs });
  const holdsMs = lifeMs + giveUpMs(beatMs) + 2 * maxSkewMs;
  // A server that was started anew may know nothing, or what was true long ago: nobody goes by what it knew before.
  return { group: name, id: `${cluster}:${runId}:${name}`, token, main: limit - reserved, reserved, windowMs, holdsMs };
}

/** A closure as another process publishes it, milliseconds; nothing when no process would publish it. */
function coolDownMsOf(message: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(message) ? Number(message) : undefined;
}

interface Part {
  readonly limiter: SharedLimiter;
  readonly leases: Leases;
  running: number;
  missed: number;
}

/** @param token of this process, by which it announces its limit */
export function sharedSource(
  { connection, runId, announce }: RedisConnection,
  cluster: string,
  token: string,
  terms: PermitTerms,
  hooks: SharedSourceHooks,
): SharedSource {
  const { name, limit, reserved } = terms;
  const times = leaseTimes(terms);
  const announcement = announcementOf(terms, cluster, runId, token);
  const own = { main: limit - reserved, reserved };
  let agreed: Parts | undefined;
  const partsNow = () => agreed ?? own;
  let announcedAt = performance.now();
  const [mainId, reserveId] = partIds(announcement.id);

  const open = (part: 'main' | 'reserved', id: string, share: number): Part => {
    const limiter = sharedLimiter({
      connection,
      id,
      permits: own[part],
      lifeMs: times.lifeMs,
      onFailure: hooks.onFailure,
      onMessage: (message) => {
        const ms = coolDownMsOf(message);
        if (ms !== undefined) hooks.onCoolDown(ms);
      },
    });
    const lease = sharedLease(() => partsNow()[part], own[part], share, times);
    return { limiter, leases: new Leases(limiter, lease, hooks.onGrant), running: 0, missed: 0 };
  };
  const main = open('main', mainId, 1 / 100);
  const reserve = reserved === 0 ? undefined : open('reserved', reserveId, 1 / 16);
  const parts = reserve === undefined ? [main] : [main, reserve];

  const fail = (error: unknown) => {
    hooks.onFailure(failureOf(error));
  };

  const limitNow = () => partsNow().main + partsNow().reserved;

  const agree = async (isThorough: boolean) => {
    agreed = await announce(announcement, isThorough);
    announcedAt = performance.now();
  };
  const agreeAgain = async (isThorough: boolean) => {
    const before = limitNow();
    const sizes = parts.map(({ leases }) => leases.size);
    await agree(isThorough);
    if (limitNow() !== before) hooks.onLimit();
    const { main: mainNow, reserved: reservedNow } = partsNow();
    // Bottleneck would wait for ever for a lease that is larger than the limit, and grant no other.
    const isTooLarge = [mainNow, reservedNow].some((permits, index) => permits > 0 && permits < (sizes[index] ?? 0));
    if (isTooLarge) throw new SharingFailure(`another process lowered the limit of group "${name}"`);
  };
  const askRunning = async (part: Part) => {
    part.missed += 1;
    part.running = checkCount(await part.limiter.running(), name, cluster);
    part.missed = 0;
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
      await agree(true);
    },
    beat() {
      if (performance.now() - announcedAt > giveUpMs(times.beatMs)) {
        hooks.onFailure(new SharingFailure('this process stood still, or Redis did not respond, for too long'));
        return;
      }
      for (const part of parts) {
        if (part.missed >= maxMissed) hooks.onFailure(new SharingFailure('Redis does not respond'));
        if (!part.leases.cover(performance.now(), times.coverMs)) {
          hooks.onFailure(new SharingFailure(`a lease of group "${name}" could not be extended`));
        }
        if (part.limiter.isHeldUp())
          hooks.onFailure(new SharingFailure(`permits of group "${name}" were held up: a process set its clock`));
        askRunning(part).catch(fail);
      }
      beats += 1;
      agreeAgain(beats % countEveryBeats === 0).catch(fail);
    },
  };
}
