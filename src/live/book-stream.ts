// The order book of a market for all of its subscribers: one subscription, to the widest limit that is wanted.
import { Observable, ReplaySubject, share } from 'rxjs';
import { BookSequence, type BookSource as SequenceSource, type CoveredBook } from './book-sequence.js';
import { depthOf, noInterval } from './channels/depth.js';
import type { Connections } from './connections.js';
import type { KeySubscriptions } from './define-channel.js';
import { cutTo, type DepthUpdate, type LiveOrderBook } from './order-book/index.js';
import type { LiveGap } from '../model/stream-gap.js';
import { refusedBy, type RefusedError } from './state-stream.js';

export interface BookSource extends SequenceSource {
  readonly subscriptions: KeySubscriptions<DepthUpdate>;
  readonly refusedError: RefusedError;
}

/** What the books of an interval share. Each interval but `noInterval` takes a connection of its own. */
export function bookSource(connections: Connections, interval: string, reportGap: (gap: LiveGap) => void): BookSource {
  const limits = new Map<string, number>();
  const requested = new Map<string, number>();
  const channel = depthOf(interval, (market) => {
    const limit = limits.get(market) ?? 0;
    requested.set(market, limit);
    return limit;
  });
  const own = interval === noInterval ? undefined : { name: `orderBook ${interval}`, isPrivate: false };
  return {
    ...{ limits, requested },
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
  readonly #books$: Observable<CoveredBook>;
  /** The limit of each subscriber. */
  readonly #wanted: number[] = [];
  #sequence: BookSequence | undefined;

  constructor(source: BookSource, market: string) {
    this.#books$ = new Observable<CoveredBook>((subscriber) => {
      const wanted = () => Math.max(...this.#wanted);
      const sequence = new BookSequence(source, market, wanted, (covered) => {
        subscriber.next(covered);
      });
      this.#sequence = sequence;
      const stop = () => {
        sequence.stop();
        // A subscriber that retries at once has started another one.
        if (this.#sequence !== sequence) return;
        this.#sequence = undefined;
        source.limits.delete(market);
      };
      const end = source.subscriptions.follow(market, {
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
          stop();
          subscriber.error(source.refusedError(market, refusal));
        },
      });
      return () => {
        end();
        stop();
      };
    }).pipe(share({ connector: () => new ReplaySubject(1) }));
  }

  /** The best `limit` levels of each side, when they or their status change. */
  books$(limit: number): Observable<LiveOrderBook> {
    return new Observable((subscriber) => {
      this.#wanted.push(limit);
      this.#sequence?.resize();
      let last: LiveOrderBook | undefined;
      const books = this.#books$.subscribe({
        next: ({ book, limit: covered }) => {
          // A book with fewer levels than wanted would look like a thin market.
          if (covered < limit) return;
          const cut = cutTo(book, limit, last);
          const isSame = last?.status === cut.status && last.bids === cut.bids && last.asks === cut.asks;
          if (isSame && covered > limit) return;
          last = cut;
          subscriber.next(cut);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      });
      return () => {
        books.unsubscribe();
        this.#wanted.splice(this.#wanted.indexOf(limit), 1);
        this.#sequence?.resize();
      };
    });
  }
}
