// Where a group's permits come from: two Bottleneck limiters, one for all requests and one that is the reserve of urgent ones.
import Bottleneck from 'bottleneck';
import { Leases, type LeaseLimiter, type LeaseTerms } from './leases.js';
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
  announceClosed(ms: number): void;
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

const most = { size: 32, inHand: 16 };

/**
 * Leases of a fiftieth of the limit, and not above 32: one that waits for its last permit holds back few, and 400 leases a second are
 * more than any limit.
 */
export function mainLease(limit: number): LeaseTerms {
  return leaseOf(Math.floor(limit / 50));
}

/** The reserve is for bursts: it is in few leases. */
export function reserveLease(limit: number): LeaseTerms {
  return leaseOf(Math.floor(limit / 8));
}

function leaseOf(permits: number): LeaseTerms {
  const size = Math.min(Math.max(permits, 1), most.size);
  return { size, inHand: Math.min(size, most.inHand) };
}

/**
 * Permits of this process alone.
 *
 * @param startTaken every permit is out at the start; otherwise a few are in hand at once
 */
export function localSource({ limit, reserved }: PermitTerms, onGrant: () => void, startTaken = false): PermitSource {
  const all = limit - reserved;
  const clock = new WallClock();
  let failed = false;
  const limiter = (permits: number) =>
    localLimiter(permits, () => {
      failed = true;
    });

  const main = new Leases(limiter(all), mainLease(all), onGrant);
  const reserve = reserved === 0 ? undefined : new Leases(limiter(reserved), reserveLease(reserved), onGrant);
  if (startTaken) {
    main.takeFirst(all, 'out');
    reserve?.takeFirst(reserved, 'out');
  } else {
    main.takeFirst(mainLease(all).inHand, 'hand');
    reserve?.takeFirst(reserveLease(reserved).inHand, 'hand');
  }

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
    announceClosed: () => undefined,
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
