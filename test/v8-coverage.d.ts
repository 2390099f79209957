// The package has no types of its own.
declare module '@bcoe/v8-coverage' {
  import type { Profiler } from 'node:inspector';

  export interface ProcessCov {
    result: Profiler.ScriptCoverage[];
  }

  /** Adds up the counts of several processes. */
  export function mergeProcessCovs(reports: readonly { result: Profiler.ScriptCoverage[] }[]): ProcessCov;
}
