// The program of `npm start`, as a process.
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { demoFile, environmentOf, startCommand, type Environment } from '../support/command.js';

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

  it('ends at once with 130 after a second Ctrl-C', async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    sandbox.fault({ kind: 'hang', path: '/api/v4/public/markets', executed: true });
    const demo = startCommand([], { ...environmentOf(server), DEMO_SECONDS: '60' }, demoFile);
    await demo.wrote('health up');
    demo.interrupt();
    await sleep(600);
    demo.interrupt();
    expect((await demo.ended).code).toBe(130);
    await server.close();
  }, 60_000);

  it('reports an invalid environment', async () => {
    const keys = { EXCHANGE_API_KEY: 'key', EXCHANGE_API_SECRET: 'secret' };
    const { code, output } = await runDemo({ EXCHANGE_BASE_URL: 'http://exchange.example', ...keys });
    expect(output).toContain('https');
    expect(code).toBe(1);
  });

  it('sends only reads to another exchange', async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    try {
      const { code, output } = await runDemo({ ...environmentOf(server), DEMO_SECONDS: '3' });
      expect(output).toContain('3 markets');
      expect(output).not.toContain(server.clientOptions().credentials.apiSecret);
      expect(code).toBe(0);
      expect(sandbox.ledger.orders).toEqual([]);
      expect(new Set(sandbox.ledger.requests.map(({ path }) => path.split('/')[3]))).toEqual(
        new Set(['public', 'main-account']),
      );
    } finally {
      await server.close();
    }
  }, 60_000);
});
