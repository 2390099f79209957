// `retry()` and `repeat()` subscribe again inside the subscription that has just ended. A call that is refused synchronously would make them a loop
// that overflows the stack, and that no timer can stop.
import { catchError, mergeMap, Observable, throwError, timer } from 'rxjs';

/** How many errors may come at once in a row: each takes some dozen frames of a stack that holds some ten thousand. */
const maxAtOnce = 20;

/** Errors that come while their source is being subscribed to, counted over many sources. */
export class SynchronousEnds {
  #atOnce = 0;

  /** The source. Its error comes as it does there, but after many synchronous ones in a row: then it comes in a turn of its own of the event loop. */
  spread<T>(source: Observable<T>): Observable<T> {
    return new Observable((subscriber) => {
      let isSubscribing = true;
      const rethrow = (error: unknown) => {
        const error$ = throwError(() => error);
        return isSubscribing && this.#isTooMany() ? timer(0).pipe(mergeMap(() => error$)) : error$;
      };
      source.pipe(catchError(rethrow)).subscribe(subscriber);
      isSubscribing = false;
    });
  }

  #isTooMany(): boolean {
    if (this.#atOnce === 0) {
      // When the stack is empty, all that nested in it has returned.
      queueMicrotask(() => {
        this.#atOnce = 0;
      });
    }
    this.#atOnce += 1;
    return this.#atOnce > maxAtOnce;
  }
}
