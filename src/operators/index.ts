/**
 * Operators for retries, polling, pauses while the exchange is down, rate limits, gaps and bursts of a stream, orders
 * to their ends, and conversions from and to promises, abort signals and async iterators. They work on any observable.
 *
 * @example
 * ```ts
 * import { poll, retryOn503 } from 'exchange-rx/operators';
 * import { defer } from 'rxjs';
 *
 * const portfolio$ = defer(async () => 'read from your own service').pipe(retryOn503(), poll({ everyMs: 5000 }));
 * portfolio$.subscribe((portfolio) => console.log(portfolio));
 * ```
 *
 * @packageDocumentation
 */
export {
  isTransient,
  isTransientAndNotExecuted,
  RetryBudget,
  type RetryBudgetOptions,
  type RetryPolicy,
} from '../call/index.js';
export { takeUntilAborted, fromAbortable } from './take-until-aborted.js';
export { changes, type Change } from './changes.js';
export { conflate } from './conflate.js';
export { filled, followOrder, type OrderFill, type OrderFollower } from './follow-order.js';
export { failOnGap, withoutGaps, type WithoutGaps } from './gaps.js';
export {
  placeEach,
  type FailedIntent,
  type IntentResult,
  type PlacedIntent,
  type PlaceEachOptions,
} from './place-each.js';
export { poll, type PollOptions } from './poll.js';
export { retryOn503, type RetryOn503, type RetryOn503Options } from './retry-on-503.js';
export { retryWith, type Retry, type RetryWithOptions } from './retry-with.js';
export { throttleToLimit, type ThrottleToLimitOptions } from './throttle-to-limit.js';
export { toAsyncIterable, type AsyncValues, type ToAsyncIterableOptions } from './to-async-iterable.js';
export {
  pauseWhileDown,
  whenUp,
  type Availability,
  type PauseWhileDownOptions,
  type WhenUpOptions,
} from './while-down.js';
