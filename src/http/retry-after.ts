// The header `Retry-After`: seconds, or a date.
import type { TransportResponse } from './transport.js';

/** A longer wait counts as one day, so that a wrong header cannot stop a rate limit for good. */
const maxWaitMs = 24 * 60 * 60 * 1000;

/** Characters. A user's transport may give a text of any length, and parsing takes time. */
const maxLength = 16_384;

/** Every HTTP date starts with the weekday. `Date.parse` alone accepts almost any text that has a number. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * The wait that `Retry-After` requests, milliseconds from `now` (Unix ms), at most one day; `undefined` when the header
 * is absent or invalid.
 */
export function retryAfterMs(headers: TransportResponse['headers'], now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (value === '' || value.length > maxLength) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxWaitMs);
  const waitMs = httpDate.test(value) ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), maxWaitMs);
}
