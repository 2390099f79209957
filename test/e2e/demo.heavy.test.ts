// The program of `npm start`, as a process.
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTerminal } from '../../src/cli/terminal/index.js';
import { demoFile, startCommand } from '../support/command.js';

describe('npm start', () => {
  it('trades on the sandbox, prints plain lines, reconciles with the ledger, and ends by itself', async () => {
    const { code, stdout, stderr } = await startCommand([], {}, demoFile).ended;
    const output = stdout + stderr;
    const count = (name: string) => Number(new RegExp(String.raw`^${name} +(\d+)`, 'm').exec(output)?.[1]);
    expect(output).toContain('Reconciled: the orders explain the ledger to the last decimal.');
    expect(count('found after a lost response')).toBeGreaterThan(0);
    expect(count('quotes placed and canceled')).toBe(Math.floor((count('placed') + count('failed')) / 8));
    expect(output).toMatch(/health up .* last price \d.* bid \d.* ask \d/);
    expect(output).not.toContain('\u001b');
    expect(code).toBe(0);
  });

  it('prints the summary after Ctrl-C, which npm forwards as a second signal', async () => {
    const demo = startCommand([], { DEMO_SECONDS: '60' }, demoFile);
    await demo.wrote('health up');
    demo.interrupt();
    // At once: a pause of a busy machine could be longer than that of one key press.
    demo.interrupt();
    const { code, stdout } = await demo.ended;
    expect(stdout).toContain('Reconciled: ');
    expect(code).toBe(0);
  });

  it('takes two signals for one Ctrl-C although it was blocked between them', async () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const host = Object.assign(new EventEmitter(), { stdin, stdout, stderr, env: {} });
    let interrupts = 0;
    createTerminal(host).interrupts$.subscribe(() => {
      interrupts += 1;
    });
    host.emit('SIGINT');
    // Another thread ends meanwhile. Like a signal, its result is read after the timers have run.
    randomBytes(1, () => host.emit('SIGINT'));
    for (const since = performance.now(); performance.now() < since + 600;);
    await sleep(100);
    expect(interrupts).toBe(1);
    host.emit('SIGINT');
    expect(interrupts).toBe(2);
  });
});
