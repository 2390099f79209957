// Paces a pipeline by a rate limit, instead of letting old values queue for it.
import { audit, map, type MonoTypeOperatorFunction } from 'rxjs';
import { checkByRules, oneOf, type OptionRules } from '../errors/index.js';
import { priorities, type RateLimit, type Priority, type Scheduler } from '../scheduler/index.js';

/** Options of {@link throttleToLimit}. */
export interface ThrottleToLimitOptions {
  /** Who comes first when the limit is reached. Default `normal`. */
  readonly priority?: Priority;
}

const rules: OptionRules<ThrottleToLimitOptions> = { priority: oneOf(...priorities) };

/**
 * Passes a value on at once while a request of the group could be sent: there is a permit free and, with
 * `exchange.scheduler`, room in flight and a nonce. While there is not, keeps the latest value only, and passes that on
 * when its turn has come: a quote that is sent is never an old one. The permit is not used up: a request that is made
 * of the value at once takes it, and its turn. A scheduler of {@link createScheduler} knows no client's requests in
 * flight, so pass the client's own.
 *
 * ```text
 * permits:               1            1     1
 * source:                a--b--c------d-|
 * throttleToLimit(...):  a------------c-----(d|)
 * ```
 *
 * Ends with the source, after the value that waits; with {@link QueueFullError} when the group's line is full. Throws
 * {@link RequestError} for bad options.
 *
 * @example
 * ```ts
 * import { rateLimits, placeEach, throttleToLimit, type Exchange } from 'exchange-rx';
 * import type { Observable } from 'rxjs';
 *
 * const quote = (exchange: Exchange, prices$: Observable<string>) =>
 *   prices$.pipe(
 *     throttleToLimit(exchange.scheduler, rateLimits.collateralLimit),
 *     placeEach((price) => exchange.collateral.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price, postOnly: true })),
 *   );
 * ```
 */
export function throttleToLimit<T>(
  scheduler: Scheduler,
  group: RateLimit,
  options: ThrottleToLimitOptions = {},
): MonoTypeOperatorFunction<T> {
  checkByRules('throttleToLimit', options, rules);
  const { priority = 'normal' } = options;
  const turn = () =>
    scheduler.acquire(group, { endpoint: 'throttleToLimit', priority }).pipe(
      map((permit) => {
        permit.release('unsent');
      }),
    );
  return audit(turn);
}
