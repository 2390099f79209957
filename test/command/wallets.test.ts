// The words of deposits and withdrawals, as the exchange publishes their numbers.
import { expect, it } from 'vitest';
import { statusOf } from '../../src/cli/commands/wallets.js';

it.each([
  [1, 3, 'credited'],
  [1, 9, 'canceled'],
  [1, 22, 'not credited'],
  [1, 27, 'travel rule'],
  [2, 7, 'done'],
  [2, 13, 'pending'],
  [2, 18, 'partly done'],
  [2, 99, '99'],
  [3, 7, '7'],
  [undefined, 7, '7'],
])('a transaction of method %s and status %s is %s', (method, status, words) => {
  expect(statusOf({ method, status })).toBe(words);
});

it('a transaction without a status has no word', () => {
  expect(statusOf({ method: 1, status: undefined })).toBeUndefined();
});
