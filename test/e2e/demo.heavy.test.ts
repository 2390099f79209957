// The program of `npm start`, as a process.
import { describe, expect, it } from 'vitest';
import { demoFile, startCommand, type Environment } from '../support/command.js';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the built demo to its end. */
async function runDemo(environment: Environment): Promise<Ended> {
  const { code, stdout, stderr } = await startCommand([], environment, demoFile).ended;
  return { code, output: stdout + stderr };
}

describe('npm start', () => {
  it('trades on the sandbox, prints plain lines, reconciles with the ledger, and ends by itself', async () => {
    const { code, output } = await runDemo({ DEMO_SECONDS: '6' });
    expect(output).toContain('Reconciled: the orders explain the ledger to the last decimal.');
    expect(output).toMatch(/found after a lost response\D+[1-9]/);
    expect(output).toMatch(/health up .* last price \d.* bid \d.* ask \d/);
    expect(output).not.toContain('\u001b');
    expect(code).toBe(0);
  }, 60_000);

  it('prints the summary after Ctrl-C, which npm forwards as a second signal', async () => {
    const demo = startCommand([], { DEMO_SECONDS: '60' }, demoFile);
    await demo.wrote('health up');
    demo.interrupt();
    // At once: a pause of a busy machine could be longer than that of one key press.
    demo.interrupt();
    const { code, stdout } = await demo.ended;
    expect(stdout).toContain('Reconciled: ');
    expect(code).toBe(0);
  }, 60_000);
});
