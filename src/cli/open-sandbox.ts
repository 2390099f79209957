// The embedded exchange as the command opens it: for as long as the program runs, which may be days.
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.js';

/** A client looks for its orders for a minute or two; who asks for the history wants the last minutes of it. */
const retentionMs = 600_000;

export function openSandbox(options: Pick<SandboxOptions, 'seed' | 'dialect'> = {}): Sandbox {
  return createSandbox({ ...options, retentionMs });
}
