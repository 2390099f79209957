// The items of a channel as they come, with a gap item wherever some may be missing.
import { Observable, share } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { KeySubscriptions, LiveItem } from './define-channel.js';
import type { RefusedError } from './state-stream.js';

export interface KeySource<Item> {
  readonly subscriptions: KeySubscriptions<Item>;
  readonly refusedError: RefusedError;
  /** Makes the gap since this time, Unix seconds, and reports it. */
  readonly gapSince: (key: string, reason: LiveGap['reason'], from: number) => LiveGap;
}

/** The items of a key. Subscribers share one subscription. */
export function keyStream<Item>(
  { subscriptions, refusedError, gapSince }: KeySource<Item>,
  key: string,
): Observable<LiveItem<Item>> {
  return new Observable<LiveItem<Item>>((subscriber) => {
    /** When the last item came or, after an interruption, since when items may be missing; Unix seconds. */
    let since: number | undefined;
    let reason: LiveGap['reason'] | undefined;
    return subscriptions.follow(key, {
      onSubscribed: () => undefined,
      onItem(item, itemKey) {
        if (reason !== undefined && since !== undefined) subscriber.next(gapSince(key, reason, since));
        reason = undefined;
        since = Date.now() / 1000;
        subscriber.next({ kind: 'item', key: itemKey, item });
      },
      onInterrupted(interruption) {
        if (since !== undefined) reason ??= interruption;
      },
      onRefused(refusal) {
        subscriber.error(refusedError(key, refusal));
      },
    });
  }).pipe(share());
}
