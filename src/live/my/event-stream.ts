// Events of the account that the exchange does not repeat, as they come, with a gap wherever some may be missing.
import { Observable, share } from 'rxjs';
import type { LiveGap } from '../../model/stream-gap.js';
import { everyKey, type KeySubscriptions } from '../channel.js';
import { gapOf } from '../recovery/index.js';
import { refusedBy } from '../values.js';

/**
 * The events of a channel of the account. Subscribers share one subscription.
 *
 * @param channel name in gaps
 * @param name name in errors
 */
export function eventStream<Event>(
  subscriptions: KeySubscriptions<Event>,
  channel: string,
  name: string,
  reportGap: (gap: LiveGap) => void,
): Observable<Event | LiveGap> {
  return new Observable<Event | LiveGap>((subscriber) => {
    /** When the last event, confirmation or gap was; Unix seconds. Nothing is missing before the first of them. */
    let since: number | undefined;
    let reason: LiveGap['reason'] | undefined;
    const emitGap = (why: LiveGap['reason'], from: number) => {
      const gap = gapOf(channel, undefined, { reason: why, from, filled: false }, Date.now() / 1000);
      reportGap(gap);
      subscriber.next(gap);
      since = Date.now() / 1000;
    };
    return subscriptions.follow(everyKey, {
      // At once, because the next event may never come.
      onSubscribed() {
        if (reason !== undefined && since !== undefined) emitGap(reason, since);
        reason = undefined;
        since ??= Date.now() / 1000;
      },
      onItem(event) {
        // More may be missing until the confirmation, which reports another gap.
        if (reason !== undefined && since !== undefined) emitGap(reason, since);
        since = Date.now() / 1000;
        subscriber.next(event);
      },
      onInterrupted(interruption) {
        // The pushes after an unreadable one are not affected.
        if (interruption === 'unreadable') emitGap(interruption, since ?? Date.now() / 1000);
        else if (since !== undefined) reason ??= interruption;
      },
      onRefused(refusal) {
        subscriber.error(refusedBy(name)(undefined, refusal));
      },
    });
  }).pipe(share());
}
