// The exchange as the witness of everything else: limits, counts and events; and the latency of its pings.
import { auditTime, combineLatest, map, scan, startWith, type Observable } from 'rxjs';
import type { RateLimitUsage, Scheduler } from '../../../scheduler/index.js';
import type { ExchangePart, LatencyPoint, LimitUsage } from '../messages.js';
import { pageName } from '../page-text.js';
import type { SeenHealth } from './links.js';
import type { Witness } from './witness.js';

const maxLimits = 12;
const maxPoints = 600;
const everyMs = 250;

export function exchangePart({ usage$ }: Scheduler, witness: Witness): Observable<ExchangePart> {
  return combineLatest([
    usage$.pipe(startWith<readonly RateLimitUsage[]>([])),
    witness.changed$.pipe(startWith(undefined)),
  ]).pipe(
    auditTime(everyMs),
    map(([usage]) => ({
      counts: witness.counts,
      countedSince: witness.countedSince,
      limits: usage
        .map(limitUsage)
        .toSorted((one, other) => other.used / other.limit - one.used / one.limit)
        .slice(0, maxLimits),
      events: witness.events,
    })),
  );
}

function limitUsage({ rateLimit, queued, coolDownUntil, limit, windowMs, used }: RateLimitUsage): LimitUsage {
  const allQueued = Object.values(queued).reduce((total, count) => total + count, 0);
  return {
    rateLimit: pageName(rateLimit),
    ...{ limit, windowMs, used, queued: allQueued, coolDownUntil: coolDownUntil ?? null },
  };
}

export function latencyPoints(health$: Observable<SeenHealth>): Observable<readonly LatencyPoint[]> {
  return health$.pipe(
    scan((points: readonly LatencyPoint[], { health, at }) => {
      const point = { at, ms: health.latency.lastMs ?? null };
      return [...points, point].slice(-maxPoints);
    }, []),
    startWith([]),
  );
}
