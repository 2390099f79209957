// The latest results, by part: a run of one part keeps the results of the others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const file = new URL('results.json', import.meta.url);

export interface PartResult {
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly notCovered: number;
  /** The day of the run, such as `2026-11-22`. */
  readonly recorded: string;
}

export type Results = Readonly<Record<string, PartResult>>;

export function recorded(): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function record(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}
