// toAsyncIterable(): `for await` over an observable.
import { tap, type Observable, type Subscription } from 'rxjs';
import * as v from 'valibot';
import { count, oneOf, optionsOf, parse, SlowConsumerError } from '../errors/index.js';

/** Options of {@link toAsyncIterable}. */
export interface ToAsyncIterableOptions {
  /**
   * Which values wait while the body of the loop runs:
   * - a number N, 1 or more: all in order, at most N. One more ends the loop with {@link SlowConsumerError}, after the
   *   values that wait.
   * - `latest`: only the latest, such as of a balance or a state.
   * - `all`: all in order, without a bound, such as of a finite list.
   *
   * @default 10000
   */
  readonly keep?: number | 'latest' | 'all';
}

const iterableOptions = optionsOf<ToAsyncIterableOptions>({
  keep: v.lazy((value) => (typeof value === 'number' ? count() : oneOf('all', 'latest'))),
});

/** The values of an observable in order. */
export interface AsyncValues<T> extends AsyncIterableIterator<T, void, undefined> {
  /** Unsubscribes, and ends a pending `next()`. Leaving the loop calls it. */
  return(): Promise<IteratorResult<T, void>>;
}

/**
 * Makes an async iterable of an observable. Subscribes when the loop starts, and unsubscribes when the loop is left in
 * any way. An error of the source is thrown in the loop, after the values before it. So is {@link SlowConsumerError},
 * when the loop is slower than the source: see `keep`.
 *
 * @example
 * ```ts
 * import { createExchange, toAsyncIterable, watchBalance } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * for await (const { balance } of toAsyncIterable(watchBalance(exchange), { keep: 'latest' })) {
 *   console.log(balance);
 *   break;
 * }
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function toAsyncIterable<T>(source: Observable<T>, options: ToAsyncIterableOptions = {}): AsyncValues<T> {
  const { keep = 10_000 } = parse('toAsyncIterable', iterableOptions, options);
  const maxWaiting = typeof keep === 'number' ? keep : Number.POSITIVE_INFINITY;
  let waiting: T[] = [];
  /** How many values came that the loop has not taken. */
  let untaken = 0;
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => undefined;
  let subscription: Subscription | undefined;
  const finish = (how: { readonly error?: unknown }) => {
    end = how;
    wake();
  };

  async function* values(): AsyncGenerator<T, void, undefined> {
    const bounded$ = source.pipe(
      tap(() => {
        if (untaken === maxWaiting) throw new SlowConsumerError('toAsyncIterable', maxWaiting);
      }),
    );
    subscription = bounded$.subscribe({
      next: (value) => {
        if (keep === 'latest') waiting = [value];
        else waiting.push(value);
        untaken += 1;
        wake();
      },
      error: (error: unknown) => {
        finish({ error });
      },
      complete: () => {
        finish({});
      },
    });
    for (;;) {
      const taken = waiting;
      waiting = [];
      for (const value of taken) {
        untaken -= 1;
        yield value;
      }
      if (waiting.length > 0) continue;
      if (end !== undefined && 'error' in end) throw end.error;
      if (end !== undefined) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  const iterator = values();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => iterator.next(),
    // The return() of a generator waits for a pending next(): the source would stay subscribed until its next value.
    return() {
      subscription?.unsubscribe();
      waiting = [];
      finish({});
      return iterator.return();
    },
  };
}
