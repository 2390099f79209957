// Dates as HTTP writes them, in the headers `Date` and `Retry-After`.

/** All forms begin with the weekday. `Date.parse` would read a date in almost anything that holds a number. */
const form = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Unix ms; NaN for what is no date. */
export function parseHttpDate(text: string): number {
  return form.test(text) ? Date.parse(text) : Number.NaN;
}
