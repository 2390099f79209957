// What the streams of events share: items that tell apart what happened, what may be missing, and a failed poll.
import { concatMap, defer, from, of, share, type Observable } from 'rxjs';
import type { AnyExchangeError } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import type { LiteralUnion } from '../model/literal-union.js';
import { polls, type PollsOptions } from './polls.js';

/** Items may be missing here. */
export interface StreamGap {
  /** Discriminates the items. */
  readonly kind: 'gap';
  /**
   * `overflow`: more happened between two polls than one response lists. `unreadable`: a response had records that could
   * not be read. `late`: a candle was listed after a newer one, which was emitted already. Other reasons may be added.
   */
  readonly reason: LiteralUnion<'overflow' | 'unreadable' | 'late'>;
  /** Missing items are not before this time of the exchange, Unix seconds. */
  readonly from: number;
  /** Missing items are not after this time of the exchange, Unix seconds. */
  readonly to: number;
}

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
