// throttleToLimit(): passes the latest value on when a request can be sent, so that no outdated value is queued.
import type { RateLimit } from '../endpoint/index.js';
import { audit, map, type MonoTypeOperatorFunction } from 'rxjs';
import type { Scheduler } from '../scheduler/index.js';

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
 */
export function throttleToLimit<T>(
  scheduler: Scheduler,
  rateLimit: RateLimit | readonly RateLimit[],
): MonoTypeOperatorFunction<T> {
  const turn = () =>
    scheduler.acquire(rateLimit, { endpoint: 'throttleToLimit', priority: 'normal' }).pipe(
      map((permit) => {
        permit.release('unsent');
      }),
    );
  return audit(turn);
}
