export { abortOn, fromAbortable } from './abort.js';
export { changes, type Change } from './changes.js';
export { poll, type PollOptions } from './poll.js';
export { RetryBudget, type RetryBudgetOptions } from './retry-budget.js';
export { retryOn503, type RetryOn503, type RetryOn503Options } from './retry-on-503.js';
export { isTransient, isTransientAndNotExecuted, retryDelayMs, retryWith, type Retry, type RetryPolicy, type RetryWithOptions } from './retry-with.js';
export { throttleToLimit, type ThrottleToLimitOptions } from './throttle-to-limit.js';
export { toAsyncIterable, type AsyncValues, type ToAsyncIterableOptions } from './to-async-iterable.js';
export { pauseWhileDown, whenUp, type Availability, type PauseWhileDownOptions, type WhenUpOptions } from './while-down.js';
