// toAsyncIterable(): `for await` over an observable.
import type { Observable, Subscription } from 'rxjs';
import { checkByRules, oneOf, type OptionRules } from '../errors/index.js';

/** Options of {@link toAsyncIterable}. */
export interface ToAsyncIterableOptions {
  /**
   * Which values are kept while the body of the loop runs: `all` in order, without a bound, or only the `latest`, such
   * as of a balance or a state.
   *
   * @default 'all'
   */
  readonly keep?: 'all' | 'latest';
}

const rules: OptionRules<ToAsyncIterableOptions> = { keep: oneOf('all', 'latest') };

/** The values of an observable in order. */
export interface AsyncValues<T> extends AsyncIterableIterator<T, void, undefined> {
  /** Unsubscribes, and ends a pending `next()`. Leaving the loop calls it. */
  return(): Promise<IteratorResult<T, void>>;
}

/**
 * Makes an async iterable of an observable. Subscribes when the loop starts, and unsubscribes when the loop is left in
 * any way. An error of the source is thrown in the loop, after the values before it.
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
  checkByRules('toAsyncIterable', options, rules);
  const { keep } = options;
  let waiting: T[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => undefined;
  let subscription: Subscription | undefined;
  const finish = (how: { readonly error?: unknown }) => {
    end = how;
    wake();
  };

  async function* values(): AsyncGenerator<T, void, undefined> {
    subscription = source.subscribe({
      next: (value) => {
        if (keep === 'latest') waiting = [value];
        else waiting.push(value);
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
      yield* taken;
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
