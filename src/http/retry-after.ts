// The header `Retry-After`: seconds, or a date.
import { tryOr } from '../errors/index.js';

/** A longer wait counts as one day, so that a wrong header cannot stop a rate limit for good. */
const maxWaitMs = 24 * 60 * 60 * 1000;

/** Characters. A user's `fetch` may give a text of any length, and parsing takes time. */
const maxLength = 16_384;

/** Every HTTP date starts with the weekday. `Date.parse` alone accepts almost any text that has a number. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * The wait that `Retry-After` requests, milliseconds from `now` (Unix ms), at most one day; `undefined` when the header
 * is absent or invalid.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = readRetryAfter(headers);
  if (value === '' || value.length > maxLength) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxWaitMs);
  const waitMs = httpDate.test(value) ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), maxWaitMs);
}

/** The headers of a user's `fetch` may be any object. */
function readRetryAfter(headers: Headers): string {
  const value: unknown = tryOr(() => headers.get('retry-after'), undefined);
  return typeof value === 'string' ? value.trim() : '';
}
