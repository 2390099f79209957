// What the streams of events share: items that tell apart what happened, what may be missing, and a failed poll.
import { concatMap, defer, from, of, share, type Observable } from 'rxjs';
import type { AnyExchangeError } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import { polls, type PollsOptions } from './polls.js';

/** A poll failed. Nothing is lost yet: the polls go on, and a gap would be an item of its own. */
export interface StreamFailure {
  /** Discriminates the items. */
  readonly kind: 'error';
  /** The error of the poll. */
  readonly error: AnyExchangeError;
}

/** Turns responses into items. It remembers what it has listed already, so each subscription needs its own. */
export interface EventSource<Value, Item> {
  readonly read: (call: CallOptions) => Observable<Value>;
  /** The items of a response, oldest first. */
  readonly itemsOf: (value: Value, readAt: number) => readonly Item[];
}

/** Emits the items of every poll. Subscribers share them, and a late subscriber gets no earlier ones. */
export function polledEvents<Value, Item>(
  start: () => EventSource<Value, Item>,
  options: PollsOptions,
): Observable<Item | StreamFailure> {
  return defer(() => {
    const { read, itemsOf } = start();
    return polls(read, options).pipe(
      concatMap((poll): Observable<Item | StreamFailure> => {
        if ('error' in poll) return of({ kind: 'error', error: poll.error });
        return from(itemsOf(poll.value, poll.readAt));
      }),
    );
  }).pipe(share());
}
