// conflate(): of a burst of values, passes on the latest of each key.
import { audit, concatMap, defer, Observable, tap, type MonoTypeOperatorFunction } from 'rxjs';
import { aFunction, parse } from '../errors/index.js';

/**
 * Passes on the latest value of each key once in a turn of the event loop, at its end, in the order in which the latest
 * values came. When messages arrive faster than they are handled, several are read in one turn: a consumer of states,
 * such as order books, handles the last one and catches up. Not for events: it drops values.
 *
 * ```text
 * turns:       |         |         |       |
 * source:      -a1-b1-a2--a3--------b2|
 * conflate():  ----------a2--------a3-------(b2|)
 * conflate(k): ----------(b1a2)----a3-------(b2|)   k: the letter
 * ```
 *
 * Completes at the end of the turn, after the waiting values. An error passes on at once, without them.
 *
 * @example
 * ```ts
 * import { conflate, watchTicker, type Exchange } from 'exchange-rx';
 * import { map, merge } from 'rxjs';
 *
 * const latestPrices = (exchange: Exchange, markets: readonly string[]) =>
 *   merge(
 *     ...markets.map((market) => watchTicker(exchange, market).pipe(map(({ ticker }) => ({ market, ticker })))),
 *   ).pipe(conflate(({ market }) => market));
 * ```
 *
 * @param key - Returns the key of a value. Default: all values have one key.
 * @throws {@link RequestError} when `key` is not a function.
 */
export function conflate<T>(key: (value: T) => unknown = () => undefined): MonoTypeOperatorFunction<T> {
  parse('conflate', aFunction(), key, 'key');
  return (source) =>
    defer(() => {
      let latest = new Map<unknown, T>();
      return source.pipe(
        tap((value) => {
          const own = key(value);
          // A map keeps the place of a key, and the order is that of the latest values.
          latest.delete(own);
          latest.set(own, value);
        }),
        audit(() => endOfTurn$),
        concatMap(() => {
          const values = latest.values();
          latest = new Map();
          return values;
        }),
      );
    });
}

const endOfTurn$ = new Observable<void>((subscriber) => {
  const immediate = setImmediate(() => {
    subscriber.next();
  });
  return () => {
    clearImmediate(immediate);
  };
});
