// What the streams of events share: items that tell apart what happened, what may be missing, and a failed poll.
import { concatMap, defer, from, map, share, type Observable } from 'rxjs';
import type { AnyExchangeError } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import { liveOrPolls, type Input, type Interruption, type LiveFeed } from './live-or-polls.js';
import { polls, type PollsOptions } from './polls.js';

/** A poll failed. Nothing is lost yet: the polls go on, and a gap would be an item of its own. */
export interface StreamFailure {
  /** Discriminates the items. */
  readonly kind: 'error';
  /** The error of the poll. */
  readonly error: AnyExchangeError;
}

/** What turns the messages of the live connection into items. */
export interface LiveEvents<Push, Item> extends LiveFeed<Push> {
  readonly itemsOf: (push: Push | Interruption) => readonly Item[];
  /** The items of a failed poll, besides the failure. */
  readonly itemsAfterFailure: () => readonly Item[];
}

/** Turns responses into items. It remembers what it has listed already, so each subscription needs its own. */
export interface EventSource<Value, Item, Push> {
  readonly read: (call: CallOptions) => Observable<Value>;
  /** The items of a response, oldest first. */
  readonly itemsOf: (value: Value, readAt: number) => readonly Item[];
  /** Default: it polls only. */
  readonly live?: LiveEvents<Push, Item> | undefined;
}

/** Emits the items of every poll and push. Subscribers share them, and a late subscriber gets no earlier ones. */
export function polledEvents<Value, Item, Push = never>(
  start: () => EventSource<Value, Item, Push>,
  options: PollsOptions,
): Observable<Item | StreamFailure> {
  return defer(() => {
    const { read, itemsOf, live } = start();
    const itemsOfInput = (input: Input<Value, Push>): readonly (Item | StreamFailure)[] => {
      if (input.from === 'live') return live?.itemsOf(input.push) ?? [];
      const { poll } = input;
      if ('error' in poll) return [{ kind: 'error', error: poll.error }, ...(live?.itemsAfterFailure() ?? [])];
      return itemsOf(poll.value, poll.readAt);
    };
    const inputs$ =
      live === undefined
        ? polls(read, options).pipe(map((poll): Input<Value, Push> => ({ from: 'polls', poll })))
        : liveOrPolls(read, live, options);
    return inputs$.pipe(concatMap((input) => from(itemsOfInput(input))));
  }).pipe(share());
}
