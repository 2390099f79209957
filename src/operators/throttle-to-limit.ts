// throttleToLimit(): passes the latest value on when a request can be sent, so that no outdated value is queued.
import type { Priority, RateLimit } from '../endpoint/index.js';
import { audit, map, type MonoTypeOperatorFunction } from 'rxjs';
import { oneOf, optionsOf, parse } from '../errors/index.js';
import { priorities, type Scheduler } from '../scheduler/index.js';

/** Options of {@link throttleToLimit}. */
export interface ThrottleToLimitOptions {
  /**
   * Which requests go first when the limit is reached.
   *
   * @default 'normal'
   */
  readonly priority?: Priority;
}

const throttleOptions = optionsOf<ThrottleToLimitOptions>({ priority: oneOf(...priorities) });

/**
 * Passes a value on at once when a request of the rate limit can be sent: a permit is free and, with
 * `exchange.scheduler`, one more request may be in flight and a nonce is free. Otherwise keeps the latest value and
 * passes it on when its turn comes, so that a quote is never outdated.
 *
 * The operator does not use up the permit: a request that is made from the value in the same tick gets it, and keeps
 * the turn. Pass `exchange.scheduler`: a scheduler of {@link createScheduler} does not know the client's requests in
 * flight.
 *
 * ```text
 * permits:               1            1     1
 * source:                a--b--c------d-|
 * throttleToLimit(...):  a------------c-----(d|)
 * ```
 *
 * Completes with the source, after the waiting value. Fails with {@link QueueFullError} when `maxQueued` requests wait.
 *
 * @example
 * ```ts
 * import { placeEach, throttleToLimit, type Exchange } from 'exchange-rx';
 * import { collateral } from 'exchange-rx/endpoints';
 * import type { Observable } from 'rxjs';
 *
 * const quote = (exchange: Exchange, prices$: Observable<string>) =>
 *   prices$.pipe(
 *     throttleToLimit(exchange.scheduler, collateral.placeLimitOrder.rateLimits),
 *     placeEach((price) =>
 *       exchange.collateral.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price, postOnly: true }),
 *     ),
 *   );
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function throttleToLimit<T>(
  scheduler: Scheduler,
  rateLimit: RateLimit | readonly RateLimit[],
  options: ThrottleToLimitOptions = {},
): MonoTypeOperatorFunction<T> {
  const { priority = 'normal' } = parse('throttleToLimit', throttleOptions, options);
  const turn = () =>
    scheduler.acquire(rateLimit, { endpoint: 'throttleToLimit', priority }).pipe(
      map((permit) => {
        permit.release('unsent');
      }),
    );
  return audit(turn);
}
