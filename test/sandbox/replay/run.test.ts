// The time of a run: everything that a program waits for follows the recording, or is listed.
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { interval, mergeMap, NEVER, Observable, tap, throwError, timer } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { portOf } from '../../support/raw-server.js';
import { recordingOf, start, stop } from '../../support/recording.js';
import { logOf, runOf, second } from './random-program.js';

describe('a run', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('of random programs gives the same ledger and the same times in two time zones, and others for another seed', async () => {
    const hashes = new Set<string>();
    const randomValues = new Set<string>();
    for (const seed of [1, 2, 3]) {
      vi.stubEnv('TZ', 'UTC');
      const one = await logOf(seed);
      vi.stubEnv('TZ', 'Asia/Kathmandu');
      expect(new Date().getTimezoneOffset()).toBe(-345);
      expect(await logOf(seed)).toEqual(one);
      expect(one.result).toMatchObject({ escapes: [], timersLeft: 0, from: start });
      expect(one.fills.length).toBeGreaterThan(0);
      expect(one.log.filter((line) => line.includes('execution')).length).toBe(one.fills.length);
      hashes.add(one.result.ledgerHash);
      randomValues.add(one.log.find((line) => line.includes('slept')) ?? '');
    }
    expect([hashes.size, randomValues.size]).toEqual([3, 3]);
  });

  it('has the time of the recording, and restores the real one', async () => {
    const globals = () => {
      const timeout: unknown = Reflect.get(AbortSignal, 'timeout');
      return { setTimeout, now: Date.now, random: Math.random, timeout };
    };
    const before = globals();
    const times: number[] = [];
    await runOf(() => timer(250).pipe(tap(() => times.push(Date.now() - start))));
    expect(times).toEqual([250]);
    expect(globals()).toEqual(before);
    expect(Date.now()).toBeGreaterThan(0);
    const slept = performance.now();
    await sleep(5);
    expect(performance.now() - slept).toBeGreaterThan(3);
  });

  it('has the time of lines that are months apart', async () => {
    const monthsMs = 60 * 86_400_000;
    const replay = await recordingOf([...second, stop(monthsMs)]);
    const times: number[] = [];
    const program = () =>
      timer(3_000_000).pipe(
        tap(() => times.push(Date.now() - start)),
        mergeMap(() => NEVER),
      );
    const { to } = await createSandbox({ replay }).run(program, { drainMs: 100 });
    expect([times, to]).toEqual([[3_000_000], start + monthsMs + 100]);
  });

  it('ends with the program, and fails with it', async () => {
    const { result } = await runOf(() => timer(300));
    expect(result.to).toBe(start + 300);
    expect(result.lines).toBeLessThan(second.length);
    const failing = runOf(() => timer(300).pipe(mergeMap(() => throwError(() => new Error('the program failed')))));
    await expect(failing).rejects.toThrow('the program failed');
    const throwing = runOf(() => {
      throw new Error('no program');
    });
    await expect(throwing).rejects.toThrow('no program');
    await runOf(() => NEVER);
  });

  it('lists what does not follow its time, and fails of it when it is strict', async () => {
    const port = await portOf(createServer());
    const connecting = () =>
      new Observable(() => {
        const socket = connect(port, '127.0.0.1');
        return () => socket.destroy();
      });
    const { result } = await runOf(connecting);
    expect(result.escapes).toContain('TCPSocketWrap');
    await expect(runOf(connecting, { strict: true })).rejects.toThrow('did not follow the time of the run');
  });

  it('does not list the files of the recording', async () => {
    const replay = await recordingOf(second);
    const once = () => createSandbox({ replay }).run(() => interval(7), { drainMs: 100, strict: true });
    expect([(await once()).escapes, (await once()).escapes]).toEqual([[], []]);
  });

  it('counts the timers that a program leaves', async () => {
    const { result } = await runOf(() => {
      setTimeout(() => undefined, 60_000);
      return NEVER;
    });
    expect(result.timersLeft).toBe(1);
  });
});
