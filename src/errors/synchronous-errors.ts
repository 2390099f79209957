// `retry()` subscribes again inside the subscription that has just failed. With a source that fails at once this overflows
// the stack, and no timer can stop it.
import { Observable, type Subscriber } from 'rxjs';

/** Maximum errors in a row in one turn: each takes some dozens of frames of a stack with about ten thousand. */
const maxPerTurn = 20;

/** Counts the errors of many sources in one turn of the event loop. */
export class SynchronousErrors {
  #inThisTurn = 0;

  failing(error: unknown): Observable<never> {
    return new Observable((subscriber) => {
      this.fail(subscriber, error);
    });
  }

  /** Ends a subscriber with an error; after many errors in one turn, in a turn of its own. */
  fail(subscriber: Subscriber<unknown>, error: unknown): void {
    // The microtask runs when the stack is empty, so every nested subscription has returned.
    if (this.#inThisTurn === 0)
      queueMicrotask(() => {
        this.#inThisTurn = 0;
      });
    this.#inThisTurn += 1;
    if (this.#inThisTurn <= maxPerTurn) {
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
}
