// pauseWhileDown(): holds back the values of a pipeline while the exchange is down.
import {
  audit,
  BehaviorSubject,
  concatMap,
  filter,
  map,
  Observable,
  pipe,
  take,
  tap,
  type MonoTypeOperatorFunction,
} from 'rxjs';
import { ExchangeDownError, oneOf, optionsOf, parse } from '../errors/index.js';

/** Whether the exchange can be used: what `watchHealth` emits, or your own judgment. */
export interface Availability {
  /** Only `down` holds back values. */
  readonly state: 'up' | 'degraded' | 'down';
  /** Why the exchange is not up. */
  readonly reason?: string;
}

/** Options of {@link pauseWhileDown}. */
export interface PauseWhileDownOptions {
  /**
   * Which values wait while the exchange is down: `all` in order, only the `latest`, or `none`. The others are dropped.
   * Of `all`, one more than 1000 fails with {@link ExchangeDownError}.
   *
   * @default 'all'
   */
  readonly keep?: 'all' | 'latest' | 'none';
}

const pauseOptions = optionsOf<PauseWhileDownOptions>({ keep: oneOf('all', 'latest', 'none') });
const maxWaiting = 1000;

/**
 * Passes values on while the exchange is not down. Values that come while it is down, or before its health is known,
 * wait until it is back, or are dropped. Put it on the intents of a bot, before they become orders.
 *
 * Completes when the source has completed and no value waits. An error of the source or of the health stream passes on
 * at once.
 *
 * ```text
 * health:                    u---d-------u---
 * source:                    --a---b--c----d|
 * pauseWhileDown(health$):   --a---------(bc)d|
 * ```
 *
 * @example
 * ```ts
 * import { pauseWhileDown, placeEach, watchHealth, type Exchange } from 'exchange-rx';
 * import type { Observable } from 'rxjs';
 *
 * const trade = (exchange: Exchange, amounts$: Observable<string>) =>
 *   amounts$.pipe(
 *     pauseWhileDown(watchHealth(exchange), { keep: 'latest' }),
 *     placeEach((amount) => exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount })),
 *   );
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function pauseWhileDown<T>(
  health$: Observable<Availability>,
  options: PauseWhileDownOptions = {},
): MonoTypeOperatorFunction<T> {
  const { keep } = parse('pauseWhileDown', pauseOptions, options);
  return (source) =>
    new Observable((subscriber) => {
      const health = new BehaviorSubject<Availability>({ state: 'down', reason: 'its health is not known yet' });
      let waiting = 0;
      const error = (failure: unknown) => {
        subscriber.error(failure);
      };
      subscriber.add(
        health$.subscribe({
          next: (availability) => {
            health.next(availability);
          },
          error,
          complete: () => {
            if (health.value.state === 'down')
              error(new ExchangeDownError('pauseWhileDown', 'the health stream has completed'));
          },
        }),
      );
      if (subscriber.closed) return;
      const up$ = health.pipe(
        filter(({ state }) => state !== 'down'),
        take(1),
      );
      const count = tap<T>(() => {
        const { reason = 'reason unknown' } = health.value;
        if (waiting === maxWaiting)
          throw new ExchangeDownError('pauseWhileDown', `${reason}; ${maxWaiting} values are held back`);
        waiting += 1;
      });
      const whenUp$ = (value: T) =>
        up$.pipe(
          map(() => {
            waiting -= 1;
            return value;
          }),
        );
      const kept$ =
        keep === 'none'
          ? source.pipe(filter(() => health.value.state !== 'down'))
          : source.pipe(keep === 'latest' ? audit(() => up$) : pipe(count, concatMap(whenUp$)));
      subscriber.add(kept$.subscribe(subscriber));
    });
}
