// `for await` over a stream.
import type { Observable } from 'rxjs';

/** Options of {@link toAsyncIterable}. */
export interface ToAsyncIterableOptions {
  /**
   * What becomes of the values that come while the loop's body runs: `all` (default) are kept in order, however many there will be; or the `latest` only,
   * which is what one wants of a balance or a state.
   */
  readonly keep?: 'all' | 'latest';
}

/**
 * Makes an observable a source for `for await`. It is subscribed to when the loop begins, and unsubscribed from when the loop is left, by whatever way.
 * An error of the source is thrown in the loop, after the values before it.
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
export async function* toAsyncIterable<T>(source: Observable<T>, { keep = 'all' }: ToAsyncIterableOptions = {}): AsyncGenerator<T, void, undefined> {
  let waiting: T[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => undefined;
  const subscription = source.subscribe({
    next: (value) => {
      if (keep === 'latest') waiting = [value];
      else waiting.push(value);
      wake();
    },
    error: (error: unknown) => {
      end = { error };
      wake();
    },
    complete: () => {
      end = {};
      wake();
    },
  });
  try {
    for (;;) {
      const values = waiting;
      waiting = [];
      yield* values;
      if (waiting.length > 0) continue;
      if (end !== undefined && 'error' in end) throw end.error;
      if (end !== undefined) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    subscription.unsubscribe();
  }
}
