// The order book of a market for all of its subscribers: one subscription, which is cut for each of them.
import { Observable, ReplaySubject, share } from 'rxjs';
import { BookSequence, type BookSource as SequenceSource } from './book-sequence.js';
import { depthOf, noInterval } from './channels/depth.js';
import type { Connections } from './connections.js';
import type { KeySubscriptions } from './channel.js';
import { cutTo, type DepthUpdate, type LiveOrderBook } from './order-book/index.js';
import type { LiveGap } from '../model/stream-gap.js';
import { refusedBy, type RefusedError } from './state-stream.js';

export interface BookSource extends SequenceSource {
  readonly subscriptions: KeySubscriptions<DepthUpdate>;
  readonly refusedError: RefusedError;
}

/**
 * What the books of an interval share. Each interval but `noInterval` takes a connection of its own. No message says of
 * which subscription it is, so every subscription has the same number of levels.
 */
export function bookSource(
  connections: Connections,
  interval: string,
  limit: number,
  reportGap: (gap: LiveGap) => void,
): BookSource {
  const channel = depthOf(interval, limit);
  const own = interval === noInterval ? undefined : { name: `orderBook ${interval}`, isPrivate: false };
  return {
    limit,
    subscriptions: connections.subscriptionsOf(channel, own),
    refusedError: refusedBy('live.orderBook'),
    reportGap: (market, reason, fromMs) => {
      reportGap({
        ...{ kind: 'gap', channel: channel.name, market, reason, filled: false },
        ...{ from: fromMs / 1000, to: Date.now() / 1000 },
      });
    },
  };
}

/** The book of a market and interval, for all of its subscribers. */
export class BookStream {
  readonly #books$: Observable<LiveOrderBook>;
  readonly #limit: number;

  constructor(source: BookSource, market: string) {
    this.#limit = source.limit;
    this.#books$ = new Observable<LiveOrderBook>((subscriber) => {
      const sequence = new BookSequence(source, market, (book) => {
        subscriber.next(book);
      });
      const end = source.subscriptions.follow(market, {
        isState: true,
        onSubscribed: () => {
          sequence.onSubscribed();
        },
        onItem: (update) => {
          sequence.add(update);
        },
        onInterrupted: (reason) => {
          sequence.interrupt(reason);
        },
        onRefused: (refusal) => {
          subscriber.error(source.refusedError(market, refusal));
        },
      });
      return () => {
        end();
        sequence.stop();
      };
    }).pipe(share({ connector: () => new ReplaySubject(1) }));
  }

  /** The best `limit` levels of each side, when they or their status change. */
  books$(limit: number): Observable<LiveOrderBook> {
    if (limit >= this.#limit) return this.#books$;
    return new Observable((subscriber) => {
      let last: LiveOrderBook | undefined;
      return this.#books$.subscribe({
        next: (book) => {
          const cut = cutTo(book, limit, last);
          if (last?.status === cut.status && last.bids === cut.bids && last.asks === cut.asks) return;
          last = cut;
          subscriber.next(cut);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      });
    });
  }
}
