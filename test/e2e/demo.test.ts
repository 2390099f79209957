// What `npm start` runs, as a process.
import { createSandbox } from 'exchange-rx/sandbox';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const demo = resolve(import.meta.dirname, '../../dist/cli/demo.js');

/** Runs the built demo to its end; `interruptedAfter` sends what Ctrl-C sends, once, when this has been written. */
function runDemo(environment: Record<string, string>, interruptedAfter?: string): Promise<Ended> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [demo], { env: { ...process.env, ...environment } });
    let output = '';
    child.stdout.on('data', (chunk) => {
      const wasWritten = interruptedAfter === undefined || output.includes(interruptedAfter);
      output += String(chunk);
      if (!wasWritten && output.includes(interruptedAfter)) child.kill('SIGINT');
    });
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('error', failed);
    child.on('close', (code) => {
      done({ code, output });
    });
  });
}

describe('npm start', () => {
  it('trades on the sandbox, says so in plain lines, reconciles with the ledger, and ends by itself', async () => {
    const { code, output } = await runDemo({ DEMO_SECONDS: '6' });
    expect(output).toContain('reconciled with the ledger to the last decimal');
    expect(output).toMatch(/found again after a lost answer\D+[1-9]/);
    expect(output).toMatch(/health up .* last price/);
    expect(output).not.toContain('\u001b');
    expect(code).toBe(0);
  }, 60_000);

  it('ends on Ctrl-C with the summary', async () => {
    const { code, output } = await runDemo({ DEMO_SECONDS: '60' }, 'health up');
    expect(output).toContain('reconciled with the ledger');
    expect(code).toBe(0);
  }, 60_000);

  it('only reads on an exchange of your own', async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    try {
      const { baseUrl, credentials } = server.clientOptions();
      const environment = { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: credentials.apiKey, EXCHANGE_API_SECRET: credentials.apiSecret };
      const { code, output } = await runDemo({ ...environment, DEMO_SECONDS: '3' });
      expect(output).toContain('3 markets');
      expect(output).not.toContain(credentials.apiSecret);
      expect(code).toBe(0);
      expect(sandbox.ledger.orders).toEqual([]);
      expect(new Set(sandbox.ledger.requests.map(({ path }) => path.split('/')[3]))).toEqual(new Set(['public', 'main-account']));
    } finally {
      await server.close();
    }
  }, 60_000);
});
