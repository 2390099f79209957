// Durations and counts that callers give, against what can be waited for and counted.
import { RequestError } from './errors.js';
import { longestTimerMs } from './longest-timer.js';

/** Throws {@link RequestError} for a duration that is none; `where` is the endpoint or function it was given to. A bad one would end at once. */
export function checkDuration(where: string, field: string, ms: number): void {
  if (ms > 0 && ms <= longestTimerMs) return;
  throw new RequestError(where, [{ field, message: `${ms} must be above 0 and at most ${longestTimerMs}` }]);
}

/** Throws {@link RequestError} for what is not an integer from 1 to `most`. */
export function checkCount(where: string, field: string, count: number, most = Infinity): void {
  if (Number.isInteger(count) && count >= 1 && count <= most) return;
  throw new RequestError(where, [{ field, message: `${count} must be an integer ${most === Infinity ? 'of 1 or more' : `from 1 to ${most}`}` }]);
}
