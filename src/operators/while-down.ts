// whenUp() and pauseWhileDown(): hold back a call, or the values of a pipeline, while the exchange is down.
import { Observable, filter, take, tap, switchMap, throwIfEmpty, type MonoTypeOperatorFunction } from 'rxjs';
import { count, ExchangeDownError, oneOf, optionsOf, parse } from '../errors/index.js';

/** Whether the exchange can be used: what `watchHealth` emits, or your own judgment. */
export interface Availability {
  /** Only `down` holds back calls and values. */
  readonly state: 'up' | 'degraded' | 'down';
  /** Why the exchange is not up. */
  readonly reason?: string;
}

/** Options of {@link whenUp}. */
export interface WhenUpOptions {
  /**
   * `wait` subscribes to the source when the exchange is back. `fail` fails at once with {@link ExchangeDownError}.
   *
   * @default 'wait'
   */
  readonly whileDown?: 'wait' | 'fail';
}

const whenUpOptions = optionsOf<WhenUpOptions>({ whileDown: oneOf('wait', 'fail') });

/**
 * Subscribes to the source when the exchange is not down: an order waits while the exchange is down, or fails without
 * being sent. It waits in any case until the first health is known. Keep another subscription to the health stream, so
 * that the state is known at once.
 *
 * ```text
 * health:            d-----u
 * source:                  --a|
 * whenUp(health$):   --------a|
 * ```
 *
 * @example
 * ```ts
 * import { watchHealth, whenUp, type Exchange } from 'exchange-rx';
 *
 * const buyWhenUp = (exchange: Exchange) =>
 *   exchange.spot
 *     .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
 *     .pipe(whenUp(watchHealth(exchange)));
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function whenUp<T>(health$: Observable<Availability>, options: WhenUpOptions = {}): MonoTypeOperatorFunction<T> {
  const { whileDown } = parse('whenUp', whenUpOptions, options);
  return (source) =>
    health$.pipe(
      tap(({ state, reason }) => {
        if (state === 'down' && whileDown === 'fail') throw new ExchangeDownError('whenUp', reason);
      }),
      filter(({ state }) => state !== 'down'),
      throwIfEmpty(() => new ExchangeDownError('whenUp', 'the health stream has completed')),
      take(1),
      switchMap(() => source),
    );
}

/** Options of {@link pauseWhileDown}. */
export interface PauseWhileDownOptions {
  /**
   * Which values wait while the exchange is down: `all` in order, only the `latest`, or `none`. The others are dropped.
   *
   * @default 'all'
   */
  readonly keep?: 'all' | 'latest' | 'none';
  /**
   * How many values may wait with `keep: 'all'`, 1 or more. One more fails with {@link ExchangeDownError}.
   *
   * @default 1000
   */
  readonly maxWaiting?: number;
}

const pauseOptions = optionsOf<PauseWhileDownOptions>({ keep: oneOf('all', 'latest', 'none'), maxWaiting: count() });

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
  const { keep, maxWaiting = 1000 } = parse('pauseWhileDown', pauseOptions, options);
  return (source) =>
    new Observable((subscriber) => {
      const waiting: T[] = [];
      let isDown = true;
      let reason: string | undefined = 'its health is not known yet';
      let ended = false;

      const wait = (value: T) => {
        if (keep === 'none') return;
        if (keep === 'latest') waiting.splice(0, 1, value);
        else if (waiting.length < maxWaiting) waiting.push(value);
        else
          subscriber.error(
            new ExchangeDownError(
              'pauseWhileDown',
              `${reason ?? 'reason unknown'}; maxWaiting: ${maxWaiting} values are held back`,
            ),
          );
      };
      const passOn = () => {
        while (!isDown && !subscriber.closed && waiting.length > 0)
          for (const value of waiting.splice(0, 1)) subscriber.next(value);
        if (ended && waiting.length === 0) subscriber.complete();
      };
      const fail = (error: unknown) => {
        subscriber.error(error);
      };

      subscriber.add(
        health$.subscribe({
          next: (health) => {
            isDown = health.state === 'down';
            ({ reason } = health);
            passOn();
          },
          error: fail,
          complete: () => {
            if (isDown) fail(new ExchangeDownError('pauseWhileDown', 'the health stream has completed'));
          },
        }),
      );
      if (subscriber.closed) return;
      subscriber.add(
        source.subscribe({
          next: (value) => {
            if (isDown || waiting.length > 0) wait(value);
            else subscriber.next(value);
          },
          error: fail,
          complete: () => {
            ended = true;
            passOn();
          },
        }),
      );
    });
}
