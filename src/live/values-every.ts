// Slows down values that replace each other.
import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/** At most one live value in this time, the newest; a stale one at once. */
export function valuesEvery<Value extends { readonly status: 'live' | 'stale' }>(
  everyMs: number,
): MonoTypeOperatorFunction<Value> {
  return (source) =>
    new Observable((subscriber) => {
      let waiting: Value | undefined;
      let timer: NodeJS.Timeout | undefined;
      let emittedAt = Number.NEGATIVE_INFINITY;
      const emit = (value: Value) => {
        clearTimeout(timer);
        timer = undefined;
        waiting = undefined;
        emittedAt = performance.now();
        subscriber.next(value);
      };
      subscriber.add(() => {
        clearTimeout(timer);
      });
      subscriber.add(
        source.subscribe({
          next(value) {
            const waitMs = emittedAt + everyMs - performance.now();
            if (value.status === 'stale' || waitMs <= 0) {
              emit(value);
              return;
            }
            waiting = value;
            timer ??= setTimeout(() => {
              if (waiting !== undefined) emit(waiting);
            }, waitMs);
          },
          error: (error: unknown) => {
            subscriber.error(error);
          },
        }),
      );
    });
}
