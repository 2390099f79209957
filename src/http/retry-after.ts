// The header in which a server asks to wait: seconds, or a date.

/** What asks for longer is taken as a day: a group that a mistaken header closed opens again. */
const longestMs = 24 * 60 * 60 * 1000;
/** HTTP's forms of a date begin with the weekday. `Date.parse` would read a date in almost anything that holds a number. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** How long `Retry-After` asks to wait, milliseconds from `now` (Unix ms), a day at most; `undefined` when it does not, or not readably. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestMs);
  const date = httpDate.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), longestMs);
}
