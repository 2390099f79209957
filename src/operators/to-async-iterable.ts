// `for await` over a stream.
import type { Observable, Subscription } from 'rxjs';

/** Options of {@link toAsyncIterable}. */
export interface ToAsyncIterableOptions {
  /**
   * What becomes of the values that come while the loop's body runs: `all` (default) are kept in order, however many there will be; or the `latest` only,
   * which is what one wants of a balance or a state.
   */
  readonly keep?: 'all' | 'latest';
}

/** The values of an observable, one after the other. */
export interface AsyncValues<T> extends AsyncIterableIterator<T, void, undefined> {
  /** Unsubscribes; whoever waits for a value is told that there is none. Leaving the loop does it. */
  return(): Promise<IteratorResult<T, void>>;
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
export function toAsyncIterable<T>(source: Observable<T>, { keep = 'all' }: ToAsyncIterableOptions = {}): AsyncValues<T> {
  let waiting: T[] = [];
  let asked: Asked<T>[] = [];
  let end: { readonly error?: unknown } | undefined;
  let subscription: Subscription | undefined;

  const settle = () => {
    while (asked.length > 0 && (waiting.length > 0 || end !== undefined)) {
      for (const { resolve, reject } of asked.splice(0, 1)) {
        const [value] = waiting.splice(0, 1).map((taken) => ({ taken }));
        if (value !== undefined) resolve({ done: false, value: value.taken });
        else if (end !== undefined && 'error' in end) reject(end.error);
        else resolve({ done: true, value: undefined });
        // An error is thrown once: whoever asks again is told that there is nothing more.
        if (value === undefined) end = {};
      }
    }
  };
  const ended = (how: { readonly error?: unknown }) => {
    end ??= how;
    settle();
  };
  const leave = () => {
    subscription?.unsubscribe();
    waiting = [];
    end = {};
    settle();
  };

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const answer = new Promise<IteratorResult<T, void>>((resolve, reject) => {
        asked = [...asked, { resolve, reject }];
      });
      if (end === undefined) {
        subscription ??= source.subscribe({
          next: (value) => {
            if (keep === 'latest') waiting = [value];
            else waiting.push(value);
            settle();
          },
          error: (error: unknown) => {
            ended({ error });
          },
          complete: () => {
            ended({});
          },
        });
      }
      settle();
      return answer;
    },
    return() {
      leave();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

interface Asked<T> {
  readonly resolve: (result: IteratorResult<T, void>) => void;
  readonly reject: (error: unknown) => void;
}
