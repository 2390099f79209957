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
    case 'movement':
    case 'wait':
    case 'end':
    case 'unreadable':
    case 'limit':
    case 'sharing':
    case 'live-connection':
    case 'live-gap':
    case 'live-stale':
      return statistics;
  }
}

export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
