// The links to the exchange, as the page's bar and banner show them.
import { combineLatest, map, of, scan, startWith, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { LiveState } from '../../../live/index.js';
import type { Health } from '../../../streams/index.js';
import type { Links, RequestsLink, StreamLink } from '../messages.js';
import { pageText } from '../page-text.js';
import { waitingWords } from './witness.js';

export const pingEveryMs = 1000;

export interface SeenHealth {
  readonly health: Health;
  readonly at: number;
}

export function links({ live }: Exchange, hasAccount: boolean, health$: Observable<SeenHealth>): Observable<Links> {
  return combineLatest([
    streamLink(live.state$),
    hasAccount ? streamLink(live.my.state$) : of(undefined),
    requestsLink(health$),
  ]).pipe(map(([stream, accountStream, requests]) => ({ stream, ...(accountStream && { accountStream }), requests })));
}

export function streamLink(state$: Observable<LiveState>): Observable<StreamLink> {
  const idle: StreamLink = { status: 'idle', since: Date.now(), attempt: 0, nextAttemptAt: null };
  return state$.pipe(scan(nextLink, idle), startWith(idle));
}

function nextLink(last: StreamLink, state: LiveState): StreamLink {
  const now = Date.now();
  const isLost = last.attempt > 0;
  const base = { nextAttemptAt: null, attempt: last.attempt };
  switch (state.status) {
    case 'idle':
      return { ...base, status: 'idle', since: now, attempt: 0 };
    case 'connecting':
    case 'authorizing': {
      const since = isLost || last.status === 'connecting' ? last.since : now;
      return { ...base, status: 'connecting', since, ...(last.reason === undefined ? {} : { reason: last.reason }) };
    }
    case 'open':
      return { ...base, status: 'live', since: state.since, attempt: 0 };
    case 'waiting':
      return {
        ...{ status: 'lost', since: isLost ? last.since : now, attempt: last.attempt + 1 },
        ...{ nextAttemptAt: state.until, reason: waitingWords(state.reason) },
      };
  }
}

function requestsLink(health$: Observable<SeenHealth>): Observable<RequestsLink> {
  const none = { at: null, latencyMs: null, p50Ms: null, p99Ms: null, nextAttemptAt: null };
  return health$.pipe(
    map(({ health, at }): RequestsLink => {
      const { state: status, since, reason } = health;
      const { lastMs: latencyMs = null, p50Ms = null, p99Ms = null } = health.latency;
      return {
        ...{ status, since, at, latencyMs, p50Ms, p99Ms, nextAttemptAt: at + pingEveryMs },
        ...(reason === undefined ? {} : { reason: causeOf(health, reason) }),
      };
    }),
    startWith<RequestsLink>({ ...none, status: 'waiting', since: Date.now() }),
  );
}

function causeOf({ error }: Health, reason: string): string {
  if (error === undefined) return reason;
  if ('status' in error) return `${reason}: HTTP ${error.status}`;
  const code = codeOf(error.cause);
  return code === undefined ? reason : pageText(`${reason}: ${code}`);
}

function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause ? String(cause.code) : codeOf(cause.cause);
}
