// The header in which a server asks to wait: seconds, or a date.
import { tryOr } from '../errors/index.js';
import { parseHttpDate } from './http-date.js';

/** What asks for longer is taken as a day: a group that a mistaken header closed opens again. */
const longestMs = 24 * 60 * 60 * 1000;

/** A header is rarely longer than this. A `fetch` of the user's own may give any text, and to read it takes time. */
const maxLength = 16_384;

/**
 * How long `Retry-After` asks to wait, milliseconds from `now` (Unix ms), a day at most; `undefined` when it does not,
 * or not readably.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = textOf(headers);
  if (value === '' || value.length > maxLength) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestMs);
  const ms = parseHttpDate(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestMs);
}

/** The headers of a `fetch` of the user's own may be anything. */
function textOf(headers: Headers): string {
  const value: unknown = tryOr(() => headers.get('retry-after'), undefined);
  return typeof value === 'string' ? value.trim() : '';
}
