// takeUntilAborted() and fromAbortable(): abort signals for observables, and observables of functions that take one.
import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * Unsubscribes from the source when the signal aborts, and fails with the signal's reason. A request that waits leaves
 * the queue, a request in flight is aborted. The outcome of an order in flight is unknown then: subscribe to the order
 * observable again to look it up.
 *
 * ```text
 * source:                     --a-----b--
 * signal:                     -----!
 * takeUntilAborted(signal):   --a--#         #: signal.reason
 * ```
 *
 * @example
 * ```ts
 * import { takeUntilAborted, type Exchange } from 'exchange-rx';
 * import { firstValueFrom } from 'rxjs';
 *
 * const marketsWithin = (exchange: Exchange, ms: number) =>
 *   firstValueFrom(exchange.public.markets().pipe(takeUntilAborted(AbortSignal.timeout(ms))));
 * ```
 */
export function takeUntilAborted<T>(signal: AbortSignal): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      const abort = () => {
        subscriber.error(signal.reason);
      };
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener('abort', abort);
      subscriber.add(() => {
        signal.removeEventListener('abort', abort);
      });
      source.subscribe(subscriber);
    });
}

/**
 * Makes an observable of a function that takes an AbortSignal and returns a promise. Calls the function at each
 * subscription, emits the result, and aborts the signal when the subscriber unsubscribes before.
 *
 * @example
 * ```ts
 * import { fromAbortable } from 'exchange-rx';
 *
 * const page$ = fromAbortable((signal) => fetch('https://status.exchange.example', { signal }));
 * ```
 */
export function fromAbortable<T>(run: (signal: AbortSignal) => PromiseLike<T>): Observable<T> {
  return new Observable((subscriber) => {
    const aborter = new AbortController();
    let settled = false;
    run(aborter.signal).then(
      (value) => {
        settled = true;
        subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => {
        settled = true;
        subscriber.error(error);
      },
    );
    return () => {
      if (!settled) aborter.abort();
    };
  });
}
