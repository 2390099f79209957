// The header in which a server asks to wait: seconds, or a date.
import { parseHttpDate } from './http-date.js';

/** What asks for longer is taken as a day: a group that a mistaken header closed opens again. */
const longestMs = 24 * 60 * 60 * 1000;

/** How long `Retry-After` asks to wait, milliseconds from `now` (Unix ms), a day at most; `undefined` when it does not, or not readably. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestMs);
  const date = parseHttpDate(value);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), longestMs);
}
