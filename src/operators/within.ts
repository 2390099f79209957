// A bound on the time until a source's first value: for calls, which have one.
import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/** Fails when the source has not ended after so many milliseconds. RxJS's `timeout` with a plain timer: every call has one. */
export function within<T>(ms: number, late: () => unknown): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      const timer = setTimeout(() => {
        subscriber.error(late());
      }, ms);
      subscriber.add(() => {
        clearTimeout(timer);
      });
      source.subscribe(subscriber);
    });
}
