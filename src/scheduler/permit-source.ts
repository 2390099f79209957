// Where a group's permits come from: two Bottleneck limiters, one for all requests and one that is the reserve of
// urgent ones.
import Bottleneck from 'bottleneck';
import { Leases, type LeaseLimiter } from './leases.js';
import { WallClock } from './wall-clock.js';

/** The permits of a group. */
export interface PermitSource {
  /** For all requests. */
  readonly main: Leases;
  /** For urgent requests alone; a small limit has no reserve. */
  readonly reserve: Leases | undefined;
  /** Permits that nobody uses, as far as is known. */
  free(): number;
  /** Called about once a second while anyone waits. */
  check(): void;
  /** Tells those who share the permits that the group is closed. */
  announceCoolDown(ms: number): void;
}

/** How many permits a group has, and of what they are. */
export interface PermitTerms {
  readonly name: string;
  /** Permits in all. */
  readonly limit: number;
  readonly windowMs: number;
  /** How many of them only urgent requests may use. */
  readonly reserved: number;
  /** How late a request may arrive after its sender gave up on it, milliseconds. */
  readonly lateArrivalMs: number;
}

/**
 * At 32 permits a lease, Bottleneck's 400 leases a second are more than any limit; 16 in hand see to small bursts in
 * the same tick.
 */
export const leaseSizes = { size: 32, inHand: 16 };

/**
 * A process alone takes permits from nobody: more of them at once cost less. At 1000 a second, that is eight leases a
 * second.
 */
const alone = { size: 128, inHandShare: 40, maxInHand: 1024 };

/**
 * Permits of this process alone.
 *
 * @param assumeLimitUsed every permit is out at the start; otherwise a few are in hand at once
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

function localLimiter(permits: number, onFailure: () => void): LeaseLimiter {
  const limiter = new Bottleneck({ maxConcurrent: permits });
  limiter.on('error', onFailure);
  return {
    schedule({ weight, first }, job) {
      limiter.schedule({ weight, priority: first ? 0 : 5 }, () => job(performance.now())).catch(onFailure);
    },
  };
}
