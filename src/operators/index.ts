export { poll, type PollOptions } from './poll.js';
export { RetryBudget, type RetryBudgetOptions } from './retry-budget.js';
export { retryOn503, type RetryOn503, type RetryOn503Options } from './retry-on-503.js';
export { isTransient, isTransientAndNotExecuted, retryDelayMs, retryWith, type Retry, type RetryPolicy, type RetryWithOptions } from './retry-with.js';
