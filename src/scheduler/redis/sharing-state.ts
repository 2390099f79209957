// The state of sharing, as a function: what a process does and reports when Redis responds, is lost or is back.
import type { SharingEvent } from '../sharing.js';
import type { SharingFailure } from './failure.js';

const firstRetryMs = 250;
export const maxRetryMs = 2000;
/** A connection that was lost sooner did not work: the delay before the next attempt is not reset. */
const steadyMs = maxRetryMs;
/** Another tenant of the Redis could cause new reasons for ever. */
const maxReasons = 100;

export interface SharingState {
  /** The last reported state. */
  readonly reported: SharingEvent['state'] | undefined;
  /** Reasons of lasting failures that were reported after the last `joined`. */
  readonly reasons: readonly string[];
  /** Other processes share a rate limit with another window: until Redis responds, this one must not send beside them. */
  readonly isRefused: boolean;
  /** When the first permits could be taken over this connection. */
  readonly joinedAt: number | undefined;
  /** Since this time no permits were taken over Redis. */
  readonly downSince: number;
  /** The delay before the next attempt to connect. */
  readonly retryMs: number;
}

/** What has happened. */
export type SharingChange =
  /** Redis has divided the limits; this process may take permits of all of them, of some, or of none yet. */
  | { readonly type: 'divided'; readonly open: 'all' | 'some' | 'none' }
  /** This process uses its share of the limits from now on. */
  | { readonly type: 'alone'; readonly share: number }
  | { readonly type: 'failed'; readonly failure: SharingFailure };

/** What the process does. */
export type SharingEffect =
  | { readonly type: 'report'; readonly state: SharingEvent['state']; readonly reason: string }
  /** Takes no more permits. */
  | { readonly type: 'withdraw' }
  | { readonly type: 'connect'; readonly afterMs: number };

export function initialState(now: number): SharingState {
  return {
    reported: undefined,
    reasons: [],
    isRefused: false,
    joinedAt: undefined,
    downSince: now,
    retryMs: firstRetryMs,
  };
}

/** @param now by `performance.now()` */
export function after(
  state: SharingState,
  change: SharingChange,
  now: number,
): readonly [SharingState, readonly SharingEffect[]] {
  switch (change.type) {
    case 'divided': {
      const joinedAt = change.open === 'none' ? state.joinedAt : (state.joinedAt ?? now);
      const divided = { ...state, isRefused: false, joinedAt };
      return change.open === 'all'
        ? report({ ...divided, reasons: [] }, 'joined', 'limits are shared over Redis')
        : report(
            divided,
            'waiting',
            'Redis was started, flushed or promoted recently: permits that it does not know may still count',
          );
    }
    case 'alone':
      return report(state, 'alone', `Redis is unavailable: this process uses ${change.share} of each limit`);
    case 'failed':
      return afterFailure(state, change.failure, now);
  }
}

/** Attempts to connect may fail every two seconds: only changes, and new reasons of lasting failures, are reported. */
function afterFailure(
  state: SharingState,
  failure: SharingFailure,
  now: number,
): readonly [SharingState, readonly SharingEffect[]] {
  const { joinedAt, reasons } = state;
  const { message, isLasting } = failure;
  const isRefused = state.isRefused || failure.isRefused;
  const isAlone = state.reported === 'alone' && !isRefused;
  const wasSteady = joinedAt !== undefined && now - joinedAt >= steadyMs;
  const retryMs = wasSteady ? firstRetryMs : state.retryMs;
  const isNewReason = isLasting && !reasons.includes(message);
  const reported = isAlone ? 'alone' : 'lost';
  return [
    {
      reported,
      reasons: isNewReason ? [...reasons, message].slice(-maxReasons) : reasons,
      isRefused,
      joinedAt: undefined,
      downSince: joinedAt === undefined ? state.downSince : now,
      retryMs: Math.min(2 * retryMs, maxRetryMs),
    },
    [
      ...(state.reported !== reported || isNewReason
        ? [{ type: 'report', state: reported, reason: message } as const]
        : []),
      ...(isAlone ? [] : [{ type: 'withdraw' } as const]),
      { type: 'connect', afterMs: retryMs },
    ],
  ];
}

/** Reports a state when it is new. */
function report(
  state: SharingState,
  reported: SharingEvent['state'],
  reason: string,
): readonly [SharingState, readonly SharingEffect[]] {
  return [{ ...state, reported }, state.reported === reported ? [] : [{ type: 'report', state: reported, reason }]];
}
