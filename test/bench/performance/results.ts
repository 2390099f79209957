// The results: the values of every figure, one for each round.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { digits, median } from '../../support/figures.js';

const file = new URL('results.json', import.meta.url);

export type Results = Readonly<Record<string, readonly number[]>>;

/** The recorded results; empty before the first run. */
export function recorded(): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function record(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** The differences of the medians to the recorded ones, a line each. */
export function comparison(now: Results, before: Results): string {
  const lines = Object.entries(now).map(([figure, values]) => {
    const [value, old] = [median(values), median(before[figure] ?? [])];
    const change = Number.isNaN(old) ? 'new' : `${value >= old ? '+' : ''}${((value / old - 1) * 100).toFixed(0)} %`;
    return `${change.padStart(7)}  ${figure}: ${digits(value)}${Number.isNaN(old) ? '' : ` (was ${digits(old)})`}`;
  });
  return lines.join('\n');
}
