// A port of the sandbox answers one request a turn of the event loop, so that connections find their place while
// hundreds ask.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurns } from '../../src/sandbox/turns.js';

it('runs one after another, each in a turn of its own', async () => {
  const run = inTurns();
  const ran: string[] = [];
  const after: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    run(() => {
      ran.push(name);
    });
  }
  for (let turns = 0; turns < 3; turns += 1) {
    await turn();
    after.push(ran.join(''));
  }
  expect(after).toEqual(['a', 'ab', 'abc']);
});

it('takes another when it has run out of them', async () => {
  const run = inTurns();
  const ran: string[] = [];
  for (const name of ['a', 'b']) {
    run(() => {
      ran.push(name);
    });
    await turn();
    expect(ran.at(-1)).toBe(name);
  }
});
