// Statistics over a client's events: requests by rate limit, retries, latencies.
import { scan, startWith, type Observable } from 'rxjs';
import type { ClientEvent } from '../../client/index.js';

export interface RequestStatistics {
  readonly requests: Readonly<Record<string, number>>;
  readonly retried: number;
  readonly found: number;
  readonly latencies: readonly number[];
}

const empty: RequestStatistics = { requests: {}, retried: 0, found: 0, latencies: [] };

export function requestStatistics(events$: Observable<ClientEvent>): Observable<RequestStatistics> {
  return events$.pipe(scan(addEvent, empty), startWith(empty));
}

function addEvent(statistics: RequestStatistics, event: ClientEvent): RequestStatistics {
  const { requests, latencies, retried, found } = statistics;
  if (event.type === 'request')
    return { ...statistics, requests: { ...requests, [event.rateLimit]: (requests[event.rateLimit] ?? 0) + 1 } };
  if (event.type === 'response') return { ...statistics, latencies: [...latencies, event.durationMs] };
  if (event.type === 'retry') return { ...statistics, retried: retried + 1 };
  return event.type === 'order' && event.progress === 'found' ? { ...statistics, found: found + 1 } : statistics;
}

export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
