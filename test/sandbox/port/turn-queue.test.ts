// The sandbox's port processes one request per turn of the event loop, so that Node accepts connections in between.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurnQueue } from '../../../src/sandbox/port/turn-queue.js';

it('runs tasks in order, each in its own turn', async () => {
  const run = createTurnQueue();
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

it('accepts a task after all others have run', async () => {
  const run = createTurnQueue();
  const ran: string[] = [];
  for (const name of ['a', 'b']) {
    run(() => {
      ran.push(name);
    });
    await turn();
    expect(ran.at(-1)).toBe(name);
  }
});
