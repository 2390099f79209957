// The door of the operators: what users pipe themselves.
export { isTransient, type RetryPolicy } from '../call/index.js';
export { filled, followOrder, type OrderFill } from './follow-order.js';
export { placeEach, type IntentResult } from './place-each.js';
export { poll, type PollOptions } from './poll.js';
export { retryOn503, type RetryOn503Options } from './retry-on-503.js';
export { throttleToLimit } from './throttle-to-limit.js';
export { toAsyncIterable, type AsyncValues } from './to-async-iterable.js';
export { pauseWhileDown, type Availability } from './pause-while-down.js';
