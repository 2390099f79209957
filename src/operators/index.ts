export { poll, type PollOptions } from './poll.js';
export { retryOn503, type RetryOn503, type RetryOn503Options } from './retry-on-503.js';
