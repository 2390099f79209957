// `retry()` and `repeat()` subscribe again inside the subscription that has just ended. A call that is refused
// synchronously would make them a loop that overflows the stack, and that no timer can stop.
import { catchError, mergeMap, throwError, timer, type Observable } from 'rxjs';

/** How many errors may come at once in a row: each takes some dozen frames of a stack that holds some ten thousand. */
const maxAtOnce = 20;

/**
 * Errors that come in one turn of the event loop, counted over many sources. Those that come after their source was
 * subscribed to count, too: who subscribes again while another request is granted its permit is refused when that is
 * done, and subscribes again there.
 */
export class SynchronousEnds {
  #atOnce = 0;

  /**
   * The source. Its error comes as it does there, but after many at once in a row: then it comes in a turn of its own
   * of the event loop.
   */
  spread<T>(source: Observable<T>): Observable<T> {
    const rethrow = (error: unknown) => {
      const error$ = throwError(() => error);
      return this.isTooMany() ? timer(0).pipe(mergeMap(() => error$)) : error$;
    };
    return source.pipe(catchError(rethrow));
  }

  /** Counts one more; true when it is to come in a turn of its own. */
  isTooMany(): boolean {
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
