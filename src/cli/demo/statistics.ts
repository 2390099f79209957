// What a client's events add up to: requests by group, repeats, latency.
import { scan, startWith, type Observable } from 'rxjs';
import type { ClientEvent } from '../../client/index.js';

export interface WireStatistics {
  /** Requests sent, by rate-limit group. */
  readonly requests: Readonly<Record<string, number>>;
  /** Attempts that were repeated. */
  readonly retried: number;
  /** Orders that were found again after their answer was lost. */
  readonly found: number;
  /** How long each answer took, milliseconds. */
  readonly latencies: readonly number[];
}

const nothing: WireStatistics = { requests: {}, retried: 0, found: 0, latencies: [] };

export function wireStatistics(events$: Observable<ClientEvent>): Observable<WireStatistics> {
  return events$.pipe(scan(count, nothing), startWith(nothing));
}

function count(statistics: WireStatistics, event: ClientEvent): WireStatistics {
  switch (event.type) {
    case 'request': {
      const { requests } = statistics;
      return { ...statistics, requests: { ...requests, [event.rateLimit]: (requests[event.rateLimit] ?? 0) + 1 } };
    }
    case 'response':
      return { ...statistics, latencies: [...statistics.latencies, event.durationMs] };
    case 'retry':
      return { ...statistics, retried: statistics.retried + 1 };
    case 'order':
      return event.progress === 'found' ? { ...statistics, found: statistics.found + 1 } : statistics;
    case 'wait':
    case 'unreadable':
    case 'limit':
    case 'sharing':
      return statistics;
  }
}

/** The value that this share of the values is at or below; `undefined` when there are none. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
