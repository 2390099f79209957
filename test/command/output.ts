// How commands end: by Ctrl-C, or with the code of a problem. And the lines that they print.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Ended, RunningCommand } from '../support/command.js';

/** Presses Ctrl-C, which ends a command with 130 and no other message than this. Resolves to what it has printed. */
export async function interrupted(command: RunningCommand, message = /^$/): Promise<string> {
  command.interrupt();
  const { code, stdout, stderr } = await command.ended;
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringMatching(message) as string });
  return stdout;
}

/** Presses Ctrl-C again once that no longer counts as the same key press: one turn of the event loop after its time. */
export async function interruptAgain(command: RunningCommand): Promise<void> {
  await sleep(600);
  await turn();
  command.interrupt();
}

/** A command that ends with this code and names the problem prints nothing. Resolves to its message. */
export async function failed(ended: Promise<Ended>, code: number, problem: RegExp | string): Promise<string> {
  const { stderr, ...printed } = await ended;
  expect(printed).toEqual({ code, stdout: '' });
  expect(stderr).toMatch(problem);
  return stderr;
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Each line of an output, which is JSON. */
export function objectsOf(text: string): unknown[] {
  return linesOf(text).map((line) => JSON.parse(line) as unknown);
}
