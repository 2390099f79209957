// The order book of a market for all of its subscribers: one subscription, which is cut for each of them.
import { distinctUntilChanged, Observable, ReplaySubject, scan, share } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { Interruption, KeySubscriptions } from './channel.js';
import { applyDelta, asStale, bridgeSnapshot, cutTo } from './order-book/index.js';
import type { DepthRefusal, DepthUpdate, KnownBook, LiveOrderBook } from './order-book/index.js';
import { gapOf, Recovery } from './recovery/index.js';

/** A snapshot follows the confirmation at once. Longer than a silence, after which the channel itself subscribes again. */
const maxWaitMs = 13_500;

/** Late subscribers get the last book at once. `limit` levels of each side are subscribed. */
export function bookStream(
  subscriptions: KeySubscriptions<DepthUpdate>,
  limit: number,
  random: () => number,
  reportGap: (gap: LiveGap) => void,
  market: string,
): Observable<LiveOrderBook> {
  return new Observable<LiveOrderBook>((subscriber) => {
    let known: KnownBook | undefined;
    const become = (next: KnownBook) => {
      known = next;
      subscriber.next(next.book);
    };
    const data = {
      interrupt(reason: Interruption) {
        if (known?.book.status !== 'live') return;
        const fact = { reason, from: known.book.receivedAt / 1000, filled: false };
        reportGap(gapOf('orderBook', market, fact, Date.now() / 1000));
        become(asStale(known, Date.now()));
      },
      /** The connection brings a snapshot, which settles it. */
      read() {
        if (known?.book.status !== 'live') subscriptions.renew(market);
        return [];
      },
      bridge: () => true,
      fail: () => undefined,
    };
    const never = () => Number.POSITIVE_INFINITY;
    const options = { random, firstAfterMs: maxWaitMs, auditAfterMs: never, brokenMs: 0 };
    const recovery = new Recovery<never>(subscriber, data, options);
    const next = (update: DepthUpdate): KnownBook | DepthRefusal | undefined => {
      const live = known?.book.status === 'live' ? known : undefined;
      // Without a live book, a change belongs to a chain that has ended.
      if (!update.isSnapshot) return live && applyDelta(live, update, limit, Date.now());
      const { updateId = 0, engineTime = Number.POSITIVE_INFINITY } = live?.book ?? {};
      if (update.updateId < updateId) {
        // It was overtaken by changes that are in the book, unless the exchange counts from the beginning again.
        if ((update.engineTime ?? 0) <= engineTime) return undefined;
        data.interrupt('sequence');
      }
      return bridgeSnapshot(known, update, limit, Date.now());
    };
    recovery.follow(subscriptions, market, (update) => {
      const result = next(update);
      if (result === undefined) return;
      if (typeof result === 'string') recovery.interrupt(result);
      else {
        if (known?.book.status !== 'live') recovery.settle();
        become(result);
      }
    });
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}

/** The best `limit` levels of each side, when they or their status change. */
export function cutBooks(book$: Observable<LiveOrderBook>, limit: number): Observable<LiveOrderBook> {
  return book$.pipe(
    scan<LiveOrderBook, LiveOrderBook, undefined>((last, book) => cutTo(book, limit, last), undefined),
    distinctUntilChanged(
      (one, other) => one.status === other.status && one.bids === other.bids && one.asks === other.asks,
    ),
  );
}
