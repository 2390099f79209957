// How old figures are, and whether they may be believed: one rule for every panel.
import type { Freshness } from '../../messages.js';
import { age, lasting } from './format.js';
import type { State } from './state.js';

export interface AgeView {
  readonly text: string;
  /** `late`: older than three times its usual pace. */
  readonly tone: 'usual' | 'late' | 'stale';
  /** Why, in words; empty when there is nothing to say. */
  readonly reason: string;
}

const latePaces = 3;

export function ageOf(state: Freshness | undefined, { now, link }: Pick<State, 'now' | 'link'>): AgeView {
  const usual = (text: string): AgeView => ({ text, tone: 'usual', reason: '' });
  const isLost = link.status === 'lost' || link.status === 'rejected';
  const isOld = state !== undefined && state.at !== null;
  // Nothing that the server said before is known to be true.
  if (isLost && isOld && state.status !== 'none') {
    const since = state.status === 'stale' ? Math.min(state.since, link.since) : link.since;
    return { text: `stale ${lasting(now - since)}`, tone: 'stale', reason: 'the page has no connection' };
  }
  if (state === undefined) return usual(`waiting ${lasting(now - link.since)}`);
  switch (state.status) {
    case 'waiting':
      return usual(`waiting ${lasting(now - state.since)}`);
    case 'none':
      return usual('');
    case 'refused':
      return { text: 'refused', tone: 'stale', reason: state.reason ?? '' };
    case 'stale':
      return { text: `stale ${lasting(now - state.since)}`, tone: 'stale', reason: state.reason ?? '' };
    case 'read':
    case 'live': {
      const past = now - (state.at ?? now);
      const isLate = state.paceMs !== null && past > latePaces * state.paceMs;
      return {
        text: state.status === 'read' ? `read ${lasting(past)} ago` : age(past),
        tone: isLate ? 'late' : 'usual',
        reason: '',
      };
    }
  }
}

export function isStale(state: Freshness | undefined, page: Pick<State, 'now' | 'link'>): boolean {
  return ageOf(state, page).tone === 'stale';
}
