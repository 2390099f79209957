// The budget of retries that a client has.
import { describe, expect, it } from 'vitest';
import { RetryBudget } from '../../src/call/index.js';

function spent(budget: RetryBudget): number {
  let retries = 0;
  while (budget.spend()) retries += 1;
  return retries;
}

describe('a retry budget', () => {
  it('has 50 retries at the start, and a tenth of a retry for each request after that', () => {
    const budget = new RetryBudget();
    expect(spent(budget)).toBe(50);
    for (let request = 0; request < 101; request += 1) budget.earn();
    expect(spent(budget)).toBe(10);
  });

  it('is filled by requests up to its maximum', () => {
    const budget = new RetryBudget({ max: 2, perRequest: 0.5 });
    expect(spent(budget)).toBe(2);
    for (let request = 0; request < 10; request += 1) budget.earn();
    expect(spent(budget)).toBe(2);
  });
});
