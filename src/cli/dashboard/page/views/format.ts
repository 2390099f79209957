// Figures and times as the page shows them. A figure is never rounded: missing decimals of its market are added.

export const none = '–';
const minus = '−';
const decimalPattern = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** With comma groups, U+2212 for minus, and at least so many decimals. What is no decimal number stays as it is. */
export function figure(text: string | null | undefined, decimals = 0): string {
  if (text === null || text === undefined || text === '') return none;
  const [, sign, whole = '', fraction = ''] = decimalPattern.exec(text) ?? [];
  if (sign === undefined) return text;
  const padded = fraction.padEnd(decimals, '0');
  return `${sign === '-' ? minus : sign}${grouped(whole)}${padded === '' ? '' : `.${padded}`}`;
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** The figure, and the zeros at its end, which say nothing; all of a zero with decimals. */
export function splitZeros(text: string): readonly [figure: string, zeros: string] {
  if (!/^[+−]?[\d,]+\.\d+$/.test(text)) return [text, ''];
  if (!/[1-9]/.test(text)) return ['', text];
  const [zeros = ''] = /\.?0*$/.exec(text) ?? [];
  return [text.slice(0, text.length - zeros.length), zeros];
}

export function directionOf(text: string | null | undefined): 'up' | 'down' | 'same' {
  if (text === null || text === undefined || !/[1-9]/.test(text)) return 'same';
  return text.startsWith('-') ? 'down' : 'up';
}

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

const two = (value: number) => String(value).padStart(2, '0');

/** How long ago: `0.4 s`, `12 s`, `1:12`, `2 h 01`, `3 d`. */
export function age(ms: number): string {
  const past = Math.max(0, ms);
  return past < 10 * secondMs ? `${(Math.floor(past / 100) / 10).toFixed(1)} s` : lasting(past);
}

export function lasting(ms: number): string {
  if (!Number.isFinite(ms)) return none;
  const past = Math.max(0, ms);
  if (past < minuteMs) return `${Math.floor(past / secondMs)} s`;
  if (past < hourMs) return `${Math.floor(past / minuteMs)}:${two(Math.floor((past % minuteMs) / secondMs))}`;
  if (past < dayMs) return `${Math.floor(past / hourMs)} h ${two(Math.floor((past % hourMs) / minuteMs))}`;
  return `${Math.floor(past / dayMs)} d`;
}

/** A time that is to come: `3:27:44`, `4 s`. */
export function until(ms: number): string {
  const left = Math.max(0, ms);
  if (left < minuteMs) return `${(left / secondMs).toFixed(left < 10 * secondMs ? 1 : 0)} s`;
  const minutes = Math.floor(left / minuteMs);
  const seconds = two(Math.floor((left % minuteMs) / secondMs));
  return left < hourMs ? `${minutes}:${seconds}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${seconds}`;
}

/** Time of day in UTC; a dash for a time that a Date cannot hold. */
export function clock(at: number | null | undefined): string {
  const date = new Date(at ?? NaN);
  return Number.isNaN(date.getTime()) ? none : date.toISOString().replace(/^.*T(\d\d:\d\d:\d\d).*$/, '$1');
}

export function moment(at: number | null | undefined, now: number): string {
  const date = new Date(at ?? NaN);
  if (Number.isNaN(date.getTime())) return none;
  const [day = '', time = ''] = date.toISOString().split(/T|\./);
  return Math.floor(date.getTime() / dayMs) === Math.floor(now / dayMs) ? time : `${day} ${time}`;
}

/**
 * Hours and minutes below a chart: each once, and none that its right edge would cut off and so make another time of it.
 *
 * @param roomOf px from a time to the edge
 */
export function timeLabels(times: readonly number[], roomOf: (at: number) => number): string[] {
  const labels = times.map((at) => clock(at).slice(0, 5));
  return labels.map((label, index) =>
    label === labels[index - 1] || roomOf(times[index] ?? 0) < halfLabel ? '' : label,
  );
}

/** Half the width of a time in the largest type of labels. */
const halfLabel = 18;

export function orderName(clientOrderId: string, orderId: number): string {
  return clientOrderId === '' ? `#${orderId}` : clientOrderId;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)}b`;
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)}m`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)}k`;
  return size >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

export function shortMs(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

export function latency(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return none;
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}

export function filledShare(filled: string, amount: string): number {
  const share = Number(filled) / Number(amount);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}

export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((times) => times * unit >= value) ?? 10) * unit;
}
