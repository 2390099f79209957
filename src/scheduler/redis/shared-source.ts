// The permits of one group, shared over Redis.
import { forgetMsOf } from '../forget.js';
import { Leases, type LeaseTerms } from '../leases.js';
import { leaseSizes, type PermitSource, type PermitTerms } from '../permit-source.js';
import type { RedisConnection } from './connection.js';
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
 * A lease lasts long enough for a late answer and a window after it, and, where the window is not shorter than a request can be late, less
 * than two windows: so long are the permits of a process that died gone.
 */
export function leaseTimes({ windowMs, lateArrivalMs }: Pick<PermitTerms, 'windowMs' | 'lateArrivalMs'>): LeaseTimes {
  const lifeMs = windowMs + 0.95 * Math.max(windowMs, lateArrivalMs);
  const slackMs = lifeMs - forgetMsOf(windowMs);
  const usableMs = 0.3 * slackMs;
  return { lifeMs, usableMs, coverMs: 0.5 * slackMs, beatMs: Math.min(1000, usableMs / 3) };
}

/** Leases are small, and few permits are kept in hand: what one process has, the others have not. */
function sharedLease(permits: number, share: number, { lifeMs, usableMs, beatMs }: LeaseTimes): LeaseTerms {
  const size = Math.min(Math.max(Math.floor(permits * share), 1), leaseSizes.size);
  const inHand = Math.min(size, leaseSizes.inHand, Math.floor(permits / 125));
  return { size, inHand, lifeMs, usableMs, renewMs: 2 * beatMs };
}

export interface SharedSource extends PermitSource {
  ready(): Promise<void>;
  /** To be called every {@link LeaseTimes.beatMs}: tells Redis that this process lives, and asks how many permits are used. */
  beat(): void;
}

export interface SharedSourceHooks {
  readonly onGrant: () => void;
  /** Another process was answered 429. */
  readonly onClosed: (ms: number) => void;
  /** The permits can no longer be relied on. */
  readonly onFailure: (reason: string) => void;
}

/** Beats in a row that were not answered. */
const mostMissed = 3;
/** What was agreed on is asked for again after so many beats, so that it is kept while anyone shares it: half a minute, with windows of ten seconds. */
const agreeEveryBeats = 30;

export function sharedSource({ connection, runId, agree }: RedisConnection, cluster: string, terms: PermitTerms, hooks: SharedSourceHooks): SharedSource {
  const { name, limit, windowMs, reserved } = terms;
  const times = leaseTimes(terms);
  // A server that was started anew may know nothing, or what was true long ago: nobody goes by what it knew before.
  const id = `${cluster}:${runId}:${name}`;
  const open = (part: string, permits: number, share: number) => {
    const limiter = sharedLimiter({
      connection,
      id: `${id}:${part}`,
      permits,
      lifeMs: times.lifeMs,
      onFailure: hooks.onFailure,
      onMessage: (message) => {
        hooks.onClosed(Number(message));
      },
    });
    return { limiter, leases: new Leases(limiter, sharedLease(permits, share, times), hooks.onGrant), running: 0, missed: 0 };
  };
  const main = open('all', limit - reserved, 1 / 100);
  const reserve = reserved === 0 ? undefined : open('urgent', reserved, 1 / 16);
  const parts = reserve === undefined ? [main] : [main, reserve];

  const agreeOnLimit = async () => {
    const own = `${limit} / ${windowMs} ms, ${reserved} urgent`;
    const agreed = await agree(`${id}:limit`, own);
    if (agreed !== own) throw new Error(`the limit of group "${name}" is ${own} here and ${String(agreed)} for those it is shared with`);
  };
  const fail = (error: unknown) => {
    hooks.onFailure(error instanceof Error ? error.message : String(error));
  };
  let beats = 0;

  const askRunning = async (part: { readonly limiter: SharedLimiter; running: number; missed: number }) => {
    part.missed += 1;
    part.running = await part.limiter.running();
    part.missed = 0;
  };

  return {
    main: main.leases,
    reserve: reserve?.leases,
    free: () => parts.reduce((free, { running, leases }) => free - running + leases.available, limit),
    check: () => undefined,
    announceClosed(ms) {
      main.limiter.publish(String(ms));
    },
    ready: async () => {
      await agreeOnLimit();
      await Promise.all(parts.map(({ limiter }) => limiter.ready()));
    },
    beat() {
      for (const part of parts) {
        if (part.missed >= mostMissed) hooks.onFailure('Redis does not answer');
        if (!part.leases.cover(performance.now(), times.coverMs)) hooks.onFailure(`a lease of group "${name}" could not be extended`);
        askRunning(part).catch(fail);
      }
      beats += 1;
      if (beats % agreeEveryBeats === 0) agreeOnLimit().catch(fail);
    },
  };
}
