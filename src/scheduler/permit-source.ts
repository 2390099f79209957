// Where the permits of a rate limit come from: two Bottleneck limiters, one for all requests and one for the reserve of
// urgent requests.
import Bottleneck from 'bottleneck';
import { Leases, type LeaseLimiter } from './leases.js';
import { WallClock } from './wall-clock.js';

/** The permits of one rate limit. */
export interface PermitSource {
  /** For all requests. */
  readonly main: Leases;
  /** For urgent requests only. A small limit has no reserve. */
  readonly reserve: Leases | undefined;
  /** Free permits, as far as this process knows. */
  free(): number;
  /** Called about once a second while a request waits. */
  check(): void;
  /** Announces a cool-down to the processes that share the permits. */
  announceCoolDown(ms: number): void;
}

/** How many permits a rate limit has, and how long they are held. */
export interface PermitTerms {
  /** Name of the rate limit. */
  readonly name: string;
  /** All permits. */
  readonly limit: number;
  readonly windowMs: number;
  /** How many of them are reserved for urgent requests. */
  readonly reserved: number;
  /** How late a request may still arrive after the client gave up on it, milliseconds. */
  readonly lateArrivalMs: number;
}

/**
 * With 32 permits per lease, Bottleneck's 400 leases per second exceed any limit. 16 permits in hand serve small bursts
 * in the same tick.
 */
export const leaseSizes = { size: 32, inHand: 16 };

/** Without other processes, larger leases are cheaper: 1000 permits per second take eight leases per second. */
const alone = { size: 128, inHandShare: 40, maxInHand: 1024 };

/**
 * Permits that are not shared with other processes.
 *
 * @param assumeLimitUsed whether every permit is out at the start; otherwise a few are in hand at once
 */
export function localSource(
  { limit, reserved }: PermitTerms,
  onGrant: () => void,
  assumeLimitUsed = false,
): PermitSource {
  const all = limit - reserved;
  const clock = new WallClock();
  let failed = false;
  const limiter = (permits: number) =>
    localLimiter(permits, () => {
      failed = true;
    });

  const open = (permits: number) => {
    const inHand = Math.min(
      permits,
      alone.maxInHand,
      Math.max(leaseSizes.inHand, Math.floor(permits / alone.inHandShare)),
    );
    const leases = new Leases(limiter(permits), { size: Math.min(alone.size, permits), inHand, permits }, onGrant);
    if (assumeLimitUsed) leases.takeFirst(permits, 'out');
    else leases.takeFirst(inHand, 'hand');
    return leases;
  };
  const main = open(all);
  const reserve = reserved === 0 ? undefined : open(reserved);

  return {
    main,
    reserve,
    free: () => limit - main.out - (reserve?.out ?? 0),
    check() {
      if (clock.step() >= 0 && !failed) return;
      failed = false;
      main.replaceLimiter(limiter(all));
      reserve?.replaceLimiter(limiter(reserved));
      onGrant();
    },
    announceCoolDown: () => undefined,
  };
}

/** Grants at most this many permits at once. */
export function localLimiter(permits: number, onFailure: () => void): LeaseLimiter {
  const limiter = new Bottleneck({ maxConcurrent: permits });
  limiter.on('error', onFailure);
  return {
    schedule({ weight, first }, job) {
      limiter.schedule({ weight, priority: first ? 0 : 5 }, () => job(weight)).catch(onFailure);
    },
  };
}
