// Whether what is shown is true now, in words: the status of a value, and the state of the connection behind it.
import type { LiveConnectionEvent } from '../../live/index.js';
import { text, type Colors, type SafeText } from '../terminal/index.js';

export function statusText(status: 'live' | 'stale', { green, yellow }: Colors): SafeText {
  return status === 'live' ? green('live') : yellow('stale');
}

export function connectionText({ state, code, status }: LiveConnectionEvent): SafeText {
  if (state.status === 'idle') return text`not connected`;
  if (state.status !== 'waiting') return text`${state.status === 'open' ? 'connected' : state.status}`;
  const detail = status === undefined ? (code === undefined ? '' : text` (code ${code})`) : text` (HTTP ${status})`;
  const waitSeconds = Math.max(0, state.until - Date.now()) / 1000;
  return text`connection ${state.reason}${detail}, next attempt in ${waitSeconds.toFixed(1)} s`;
}
