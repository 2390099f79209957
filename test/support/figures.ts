// How the soak and the benchmarks write their figures.

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** As many digits as a noisy machine is good for. */
export function digits(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en');
  return value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function megabytes(bytes: number | undefined): string {
  return `${((bytes ?? 0) / 2 ** 20).toFixed(0)} MB`;
}

export type Row = readonly string[];

export function table(columns: Row, rows: readonly Row[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
