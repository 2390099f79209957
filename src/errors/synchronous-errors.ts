// `retry()` and `repeat()` subscribe again inside the subscription that has just ended. With a call that fails
// synchronously they form a loop that overflows the stack and that no timer can stop.
import { catchError, Observable, type Subscriber } from 'rxjs';

/** Maximum errors in a row in one turn: each takes some dozens of frames of a stack with about ten thousand. */
const maxPerTurn = 20;

/**
 * Counts the errors of many sources in one turn of the event loop. Errors after subscription count, too: a caller that
 * subscribes again while another request gets its permit can fail inside that call, and subscribe again there.
 */
export class SynchronousErrors {
  #inThisTurn = 0;

  /** Passes a source on. After many errors in one turn, the next error is delayed to a turn of its own. */
  spread<T>(source: Observable<T>): Observable<T> {
    return source.pipe(
      catchError(
        (error: unknown) =>
          new Observable<never>((subscriber) => {
            this.fail(subscriber, error);
          }),
      ),
    );
  }

  /** Ends a subscriber with an error; after many errors in one turn, in a turn of its own. */
  fail(subscriber: Subscriber<unknown>, error: unknown): void {
    if (!this.#isOneTooMany()) {
      subscriber.error(error);
      return;
    }
    const delayed = setTimeout(() => {
      subscriber.error(error);
    }, 0);
    subscriber.add(() => {
      clearTimeout(delayed);
    });
  }

  /** Counts an error; true when it must be delayed to another turn. */
  #isOneTooMany(): boolean {
    if (this.#inThisTurn === 0) {
      // The microtask runs when the stack is empty, so every nested subscription has returned.
      queueMicrotask(() => {
        this.#inThisTurn = 0;
      });
    }
    this.#inThisTurn += 1;
    return this.#inThisTurn > maxPerTurn;
  }
}
