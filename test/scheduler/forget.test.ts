import { expect, it } from 'vitest';
import { forgetMsOf } from '../../src/scheduler/forget.js';

it('the exchange has forgotten a request a window after its answer, and a thousandth of it, but 5 ms at least', () => {
  expect([1000, 5000, 10_000, 60_000].map(forgetMsOf)).toEqual([1005, 5005, 10_010, 60_060]);
});
