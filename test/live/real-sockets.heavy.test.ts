// A live connection over a real socket, in a process that is really stopped: what suspension.test.ts does on fake time.
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { start } from '../support/children.js';

it('a book is stale within 2 s after its process was stopped for 15 s, and live again within 5 s', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const server = await sandbox.listen();
  const child = start(new URL('suspension-program.ts', import.meta.url), { port: server.port });
  onTestFinished(() => {
    child.process.kill('SIGKILL');
    return server.close();
  });
  const seen: string[] = [];
  child.process.on('message', ({ status }: { readonly status: string }) => seen.push(status));
  await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['live']);
  child.process.kill('SIGSTOP');
  await sleep(15_000);
  child.process.kill('SIGCONT');
  await expect.poll(() => seen.slice(0, 2), { timeout: 2000 }).toEqual(['live', 'stale']);
  await expect.poll(() => seen, { timeout: 5000 }).toEqual(['live', 'stale', 'live']);
  expect(sandbox.ledger.live.connectionCount).toBe(2);
});
