// The header in which a server asks to wait: seconds, or a date.

/** How long `Retry-After` asks to wait, milliseconds from `now` (Unix ms); `undefined` when it does not, or not readably. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
