// The faults that `exchange-rx sandbox --faults` reads from a file.
import { readFileSync } from 'node:fs';
import { parseFaultPlan, type Sandbox } from '../sandbox/index.js';
import { UsageError } from './exit-codes.js';

/** Injects the faults of a file; throws {@link UsageError} with the problem. */
export function applyFaultPlan(sandbox: Sandbox, path: string): void {
  const text = readText(path);
  try {
    const { faults = [], randomFaults } = parseFaultPlan(parseJson(text));
    for (const fault of faults) sandbox.fault(fault);
    sandbox.randomFaults(randomFaults);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path}: cannot be read`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
}
