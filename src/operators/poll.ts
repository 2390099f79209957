// Subscribes to a source again and again.
import { repeat, timer, type MonoTypeOperatorFunction } from 'rxjs';

export interface PollOptions {
  /** The pause between the end of one round and the start of the next, milliseconds. */
  readonly everyMs: number;
}

/**
 * Subscribes at once, and again `everyMs` after each completion. There is never more than one round under way, so a slow exchange is
 * polled more slowly. An error ends the polling: put a `retry` or a `catchError` before it to go on.
 *
 * ```text
 * source:                 --a|
 * poll({ everyMs: 3 }):   --a-----a-----a--
 * ```
 *
 * @example
 * ```ts
 * import { poll, type Exchange } from 'exchange-rx';
 *
 * const pings = (exchange: Exchange) => exchange.public.ping().pipe(poll({ everyMs: 1000 }));
 * ```
 */
export function poll<T>({ everyMs }: PollOptions): MonoTypeOperatorFunction<T> {
  return repeat({ delay: () => timer(everyMs) });
}
