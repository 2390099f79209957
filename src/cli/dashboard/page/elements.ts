// Texts and elements that several parts of the page use.

export function cell(text = ''): HTMLTableCellElement {
  const element = document.createElement('td');
  element.textContent = text;
  return element;
}

export function timeElement(at: number | null): HTMLTimeElement {
  const time = document.createElement('time');
  const date = dateOf(at);
  if (date !== undefined) time.dateTime = date.toISOString();
  time.textContent = timeOfDay(at);
  return time;
}

/** The time of day, with its date unless it is today. */
export function timeOfDay(at: number | null): string {
  const date = dateOf(at);
  if (date === undefined) return '–';
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString(undefined, { hour12: false })
    : date
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z');
}

/** `undefined` for a time that a Date cannot hold: dates end 275,000 years from now. */
function dateOf(at: number | null): Date | undefined {
  const date = new Date(at ?? NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export function formatMs(ms: number | null): string {
  const value = finite(ms);
  return value === null ? '–' : `${value.toFixed(1)} ms`;
}

export function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
