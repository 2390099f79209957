// `for await` over a stream.
import type { Observable, Subscription } from 'rxjs';
import { checkByRules, oneOf, type OptionRules } from '../errors/index.js';

/** Options of {@link toAsyncIterable}. */
export interface ToAsyncIterableOptions {
  /**
   * What becomes of the values that come while the loop's body runs: `all` (default) are kept in order, however many
   * there will be; or the `latest` only, which is what one wants of a balance or a state.
   */
  readonly keep?: 'all' | 'latest';
}

const rules: OptionRules<ToAsyncIterableOptions> = { keep: oneOf('all', 'latest') };

/** The values of an observable, one after the other. */
export interface AsyncValues<T> extends AsyncIterableIterator<T, void, undefined> {
  /** Unsubscribes; whoever waits for a value is told that there is none. Leaving the loop does it. */
  return(): Promise<IteratorResult<T, void>>;
}

/**
 * Makes an observable a source for `for await`. It is subscribed to when the loop begins, and unsubscribed from when
 * the loop is left, by whatever way. An error of the source is thrown in the loop, after the values before it. Throws
 * {@link RequestError} for bad options.
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
    // A generator's own return() waits behind a next() that waits for a value: the source would be watched until then.
    return() {
      subscription?.unsubscribe();
      waiting = [];
      finish({});
      return iterator.return();
    },
  };
}
