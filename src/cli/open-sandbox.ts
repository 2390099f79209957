// The embedded exchange as the command opens it: for as long as the program runs, which may be days.
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.js';

/** An order that is forgotten counts as never placed, for a program that was restarted and resumes it, too. */
const maxResumeMs = 3_600_000;

export function openSandbox(options: Pick<SandboxOptions, 'seed' | 'dialect' | 'retentionMs'> = {}): Sandbox {
  return createSandbox({ retentionMs: maxResumeMs, ...options });
}
