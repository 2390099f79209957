// What was found last, by part: a run of one part leaves what is known of the others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const file = new URL('results.json', import.meta.url);

export interface PartResult {
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly notCovered: number;
  /** Those that no test noticed. */
  readonly left: readonly Mutant[];
}

export interface Mutant {
  readonly file: string;
  /** The line that it changes, or begins in. */
  readonly code: string;
  /** What stood in it instead. */
  readonly replacement: string;
}

export type Results = Readonly<Record<string, PartResult>>;

export function recorded(): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function record(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}
