// Pipelines that heed the exchange's health: what is to be sent waits, fails at once, or is left out while the exchange
// is down.
import { Observable, filter, take, tap, switchMap, throwIfEmpty, type MonoTypeOperatorFunction } from 'rxjs';
import { checkByRules, count, ExchangeDownError, oneOf, type OptionRules } from '../errors/index.js';
import { SynchronousErrors } from './synchronous-errors.js';

/** Whether the exchange can be used: what `watchHealth` emits, or your own. */
export interface Availability {
  /** Only `down` holds anything back; `degraded` is worth trying. */
  readonly state: 'up' | 'degraded' | 'down';
  /** Why it is not up. */
  readonly reason?: string;
}

/** Options of {@link whenUp}. */
export interface WhenUpOptions {
  /**
   * `wait` (default): subscribes to the source when the exchange is back. `fail`: fails at once with
   * {@link ExchangeDownError}.
   */
  readonly whileDown?: 'wait' | 'fail';
}

const whenUpRules: OptionRules<WhenUpOptions> = { whileDown: oneOf('wait', 'fail') };

/**
 * Subscribes to the source when the exchange is not down. For a call: an order that meets a dead exchange waits, or
 * fails with nothing sent. Until the health is known, it waits in either case. Keep the health watched elsewhere too,
 * so that there is a state at once. Throws {@link RequestError} for bad options.
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
 *   exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }).pipe(whenUp(watchHealth(exchange)));
 * ```
 */
export function whenUp<T>(health$: Observable<Availability>, options: WhenUpOptions = {}): MonoTypeOperatorFunction<T> {
  checkByRules('whenUp', options, whenUpRules);
  const { whileDown } = options;
  const ends = new SynchronousErrors();
  return (source) =>
    ends.spread(
      health$.pipe(
        tap(({ state, reason }) => {
          if (state === 'down' && whileDown === 'fail') throw new ExchangeDownError('whenUp', reason);
        }),
        filter(({ state }) => state !== 'down'),
        throwIfEmpty(() => new ExchangeDownError('whenUp', 'its health is not watched any more')),
        take(1),
        switchMap(() => source),
      ),
    );
}

/** Options of {@link pauseWhileDown}. */
export interface PauseWhileDownOptions {
  /**
   * What becomes of the values that come while the exchange is down: they wait in order, only the latest does, or none.
   * Default `all`.
   */
  readonly keep?: 'all' | 'latest' | 'none';
  /** How many may wait, 1 or more; one more fails with {@link ExchangeDownError}. Default 1000. */
  readonly most?: number;
}

const pauseRules: OptionRules<PauseWhileDownOptions> = { keep: oneOf('all', 'latest', 'none'), most: count() };

/**
 * Passes values on while the exchange is not down. The ones that come while it is down, or while its health is not
 * known yet, wait until it is back, or are left out. For the intents of a bot, before they become orders. Ends when the
 * source has ended and nothing waits; an error of the source or of the health passes on at once. Throws
 * {@link RequestError} for bad options.
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
 */
export function pauseWhileDown<T>(
  health$: Observable<Availability>,
  options: PauseWhileDownOptions = {},
): MonoTypeOperatorFunction<T> {
  checkByRules('pauseWhileDown', options, pauseRules);
  const { keep, most = 1000 } = options;
  return (source) =>
    new Observable((subscriber) => {
      const waiting: T[] = [];
      let isDown = true;
      let reason: string | undefined = 'its health is not known yet';
      let ended = false;

      const wait = (value: T) => {
        if (keep === 'none') return;
        if (keep === 'latest') waiting.splice(0, 1, value);
        else if (waiting.length < most) waiting.push(value);
        else
          subscriber.error(
            new ExchangeDownError('pauseWhileDown', `${reason ?? 'for now'}; ${most} values wait already`),
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
            if (isDown) fail(new ExchangeDownError('pauseWhileDown', 'its health is not watched any more'));
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
