// changes(): pairs each value with the one before it.
import { concatMap, defer, of, EMPTY, type OperatorFunction } from 'rxjs';
import { aFunction, parse } from '../errors/index.js';

/** A value that differs from the one before it. */
export interface Change<T> {
  /** The value before; `undefined` for the first value. */
  readonly before: T | undefined;
  /** The value now. */
  readonly after: T;
}

/**
 * Emits the first value, and then each value that differs from the previous one, together with that one.
 *
 * ```text
 * source:      -a--a--b--b--a-|
 * changes():   -A-----B-----C-|   A: undefined → a, B: a → b, C: b → a
 * ```
 *
 * @example
 * ```ts
 * import { changes, watchHealth, type Exchange } from 'exchange-rx';
 * import { map } from 'rxjs';
 *
 * const transitions = (exchange: Exchange) => watchHealth(exchange).pipe(map(({ state }) => state), changes());
 * ```
 *
 * @param same - Returns whether two values are equal. Default `Object.is`.
 * @throws {@link RequestError} when `same` is not a function.
 */
export function changes<T>(same: (before: T, after: T) => boolean = Object.is): OperatorFunction<T, Change<T>> {
  parse('changes', aFunction(), same, 'same');
  return (source) =>
    defer(() => {
      let last: { readonly value: T } | undefined;
      return source.pipe(
        concatMap((after) => {
          if (last !== undefined && same(last.value, after)) return EMPTY;
          const before = last?.value;
          last = { value: after };
          return of({ before, after });
        }),
      );
    });
}
