// AbortSignals in and out of observables.
import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * Unsubscribes from the source when the signal aborts, and fails with the signal's reason. Unsubscribing is cancelling:
 * a request that waits leaves the line, one on the wire is aborted. What became of an order is not known then;
 * subscribe to it again, and it is found out.
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
 * An observable of what a promise will give, for functions that take an AbortSignal: calls the function at each
 * subscription, and aborts its signal when the subscriber leaves before the end.
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
