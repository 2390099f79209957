// The map that remembers the newest orders of a client.
import { expect, it } from 'vitest';
import { NewestEntries } from '../../src/orders/newest-entries.js';

it('remembers the newest entries, and at most twice as many, however often each is set', () => {
  const entries = new NewestEntries<true>(1000);
  for (let number = 0; number < 2001; number += 1)
    for (let time = 0; time < 2; time += 1) entries.set(`M${number % 3}`, String(number), true);
  const remembered = [998, 999, 2000].map((number) => entries.get(`M${number % 3}`, String(number)));
  expect(remembered).toEqual([undefined, true, true]);
});
