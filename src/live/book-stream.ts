// The order book of a market, maintained: live while no update is missing, else stale and subscribed again.
import { Observable, ReplaySubject, share } from 'rxjs';
import type { Interruption, KeySubscriptions } from './define-channel.js';
import { applyDelta, asStale, cutTo, fromSnapshot, type DepthUpdate, type LiveOrderBook } from './order-book/index.js';
import type { RefusedError } from './state-stream.js';

export interface BookSource {
  readonly subscriptions: KeySubscriptions<DepthUpdate>;
  readonly refusedError: RefusedError;
  /** Levels that are subscribed, by market: the most that a subscriber wants. Read with each request. */
  readonly limits: Map<string, number>;
  /** A live book became stale. */
  readonly reportGap: (market: string, reason: Interruption | 'sequence', from: number) => void;
}

/** A book, and how many levels of each side it has if the market has them. */
interface CoveredBook {
  readonly book: LiveOrderBook;
  readonly limit: number;
}

/** The second renewal within this time waits, and each further one twice as long. */
const renewalWindowMs = 60_000;
const baseRenewalMs = 250;
const maxRenewalMs = 10_000;

/** The book of a market and interval, for all of its subscribers. */
export class BookStream {
  readonly #market: string;
  readonly #source: BookSource;
  readonly #books$: Observable<CoveredBook>;
  #sequence: BookSequence | undefined;

  constructor(source: BookSource, market: string) {
    this.#source = source;
    this.#market = market;
    this.#books$ = new Observable<CoveredBook>((subscriber) => {
      const sequence = new BookSequence(source, market, (covered) => {
        subscriber.next(covered);
      });
      this.#sequence = sequence;
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
          subscriber.error(source.refusedError(market, refusal));
        },
      });
      return () => {
        end();
        sequence.stop();
        this.#sequence = undefined;
        source.limits.delete(market);
      };
    }).pipe(share({ connector: () => new ReplaySubject(1) }));
  }

  /** The best `limit` levels of each side, when they or their status change. */
  books$(limit: number): Observable<LiveOrderBook> {
    return new Observable((subscriber) => {
      const subscribed = this.#source.limits.get(this.#market) ?? 0;
      if (limit > subscribed) {
        this.#source.limits.set(this.#market, limit);
        this.#sequence?.widen(limit);
      }
      let last: LiveOrderBook | undefined;
      return this.#books$.subscribe({
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
    });
  }
}

/** Applies the updates of one subscription after the other. */
class BookSequence {
  #book: LiveOrderBook | undefined;
  /** Levels that the book covers, and that the next snapshot covers. */
  #limit: number;
  #nextLimit: number;
  /** Whether the exchange has confirmed a subscription with `#nextLimit`. */
  #isConfirmed = false;
  readonly #renewedAt: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: BookSource,
    private readonly market: string,
    private readonly emit: (covered: CoveredBook) => void,
  ) {
    this.#limit = source.limits.get(market) ?? 0;
    this.#nextLimit = this.#limit;
  }

  /** Subscribes to more levels. */
  widen(limit: number): void {
    this.#nextLimit = limit;
    this.#isConfirmed = false;
    this.source.subscriptions.renew(this.market);
  }

  onSubscribed(): void {
    this.#isConfirmed = true;
  }

  add(update: DepthUpdate): void {
    const now = Date.now();
    if (!update.isSnapshot) {
      // Without a live book, it belongs to a chain that has ended.
      if (this.#book?.status !== 'live') return;
      this.#accept(applyDelta(this.#book, update, this.#limit, now));
      return;
    }
    const levels = Math.max(update.bids?.length ?? 0, update.asks?.length ?? 0);
    if (this.#isConfirmed || levels > this.#limit) this.#limit = this.#nextLimit;
    this.#accept(fromSnapshot(update, this.#limit, now, this.#book));
  }

  interrupt(reason: Interruption): void {
    this.#becomeStale(reason);
    if (reason === 'reconnect') {
      // The new connection has no subscription to fewer levels.
      this.#isConfirmed = false;
      this.#limit = this.#nextLimit;
    } else if (reason === 'unreadable') this.#renew();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #accept(next: LiveOrderBook | 'sequence' | 'unreadable'): void {
    if (next === 'sequence' || next === 'unreadable') {
      this.#becomeStale(next);
      this.#renew();
      return;
    }
    this.#book = next;
    this.emit({ book: next, limit: this.#limit });
  }

  #becomeStale(reason: Interruption | 'sequence'): void {
    if (this.#book?.status !== 'live') return;
    this.source.reportGap(this.market, reason, this.#book.receivedAt);
    this.#book = asStale(this.#book, Date.now());
    this.emit({ book: this.#book, limit: this.#limit });
  }

  /** At once; but a server that breaks every chain is not asked ten times a second. */
  #renew(): void {
    if (this.#timer !== undefined) return;
    const now = performance.now();
    while ((this.#renewedAt[0] ?? now) < now - renewalWindowMs) this.#renewedAt.shift();
    const count = this.#renewedAt.length;
    const delayMs = count === 0 ? 0 : Math.min(maxRenewalMs, baseRenewalMs * 2 ** (count - 1));
    const renew = () => {
      this.#timer = undefined;
      this.#renewedAt.push(performance.now());
      this.source.subscriptions.renew(this.market);
    };
    if (delayMs === 0) renew();
    else this.#timer = setTimeout(renew, delayMs);
  }
}
