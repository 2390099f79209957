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
    /** When the last item, confirmation or gap was; Unix seconds. Nothing is missing before the first of them. */
    let since: number | undefined;
    let reason: LiveGap['reason'] | undefined;
    const emitGap = (why: LiveGap['reason'], from: number) => {
      subscriber.next(gapSince(key, why, from));
      since = Date.now() / 1000;
    };
    return subscriptions.follow(key, {
      // At once, because the next item may never come.
      onSubscribed() {
        if (reason !== undefined && since !== undefined) emitGap(reason, since);
        reason = undefined;
        since ??= Date.now() / 1000;
      },
      onItem(item, itemKey) {
        // More may be missing until the confirmation, which reports another gap.
        if (reason !== undefined && since !== undefined) emitGap(reason, since);
        since = Date.now() / 1000;
        subscriber.next({ kind: 'item', key: itemKey, item });
      },
      onInterrupted(interruption) {
        // An unreadable push says nothing about the pushes after it.
        if (interruption === 'unreadable') emitGap(interruption, since ?? Date.now() / 1000);
        else if (since !== undefined) reason ??= interruption;
      },
      onRefused(refusal) {
        subscriber.error(refusedError(key, refusal));
      },
    });
  }).pipe(share());
}
