// The order book of a market, maintained: live while no update is missing, else stale and subscribed again.
import { Observable, ReplaySubject, share } from 'rxjs';
import type { Interruption, KeySubscriptions } from './define-channel.js';
import { applyDelta, asStale, cutTo, fromSnapshot, type DepthUpdate, type LiveOrderBook } from './order-book/index.js';
import type { RefusedError } from './state-stream.js';

export interface BookSource {
  readonly subscriptions: KeySubscriptions<DepthUpdate>;
  readonly refusedError: RefusedError;
  /** The most levels that a subscriber wants, by market. Read with each request. */
  readonly limits: Map<string, number>;
  /** The levels of the last request, by market: what the exchange sends until a later request is confirmed. */
  readonly requested: Map<string, number>;
  /** A live book became stale. */
  readonly reportGap: (market: string, reason: Interruption | 'sequence', from: number) => void;
}

/** A book, and how many levels of each side it has if the market has them. */
interface CoveredBook {
  readonly book: LiveOrderBook;
  readonly limit: number;
}

/** A snapshot follows the confirmation at once. */
const maxWaitMs = 12_000;
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
        // A subscriber that retries at once has started another one.
        if (this.#sequence !== sequence) return;
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
  /** Levels that the book covers. */
  #limit: number;
  /** Levels that are wanted, and those of the subscription before. */
  #nextLimit: number;
  #formerLimit: number;
  /** Snapshots since the exchange has confirmed a subscription with `#nextLimit`; `undefined` before. */
  #snapshots: number | undefined;
  #waitingSince = performance.now();
  readonly #renewedAt: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: BookSource,
    private readonly market: string,
    private readonly emit: (covered: CoveredBook) => void,
  ) {
    this.#nextLimit = source.limits.get(market) ?? 0;
    this.#formerLimit = source.requested.get(market) ?? this.#nextLimit;
    this.#limit = Math.min(this.#formerLimit, this.#nextLimit);
  }

  /** Subscribes to more levels. */
  widen(limit: number): void {
    this.#formerLimit = this.source.requested.get(this.market) ?? limit;
    this.#nextLimit = limit;
    this.#snapshots = undefined;
    this.source.subscriptions.renew(this.market);
  }

  onSubscribed(): void {
    this.#snapshots = 0;
    this.#waitingSince = performance.now();
  }

  add(update: DepthUpdate): void {
    const now = Date.now();
    if (!update.isSnapshot) {
      // Without a live book, it belongs to a chain that has ended.
      if (this.#book?.status !== 'live') {
        this.#renewWhenLate();
        return;
      }
      this.#accept(applyDelta(this.#book, update, this.#limit, now));
      return;
    }
    if (this.#isOfNextLimit(update)) this.#limit = this.#nextLimit;
    // It was overtaken by changes that are in the book.
    if (this.#book?.status === 'live' && update.updateId < this.#book.updateId) return;
    this.#accept(fromSnapshot(update, this.#limit, now, this.#book));
  }

  /**
   * Whether a snapshot covers the levels that are wanted now. One of a former subscription to fewer levels may come late,
   * after the confirmation: it has exactly as many levels as that. With fewer, it is the whole book.
   */
  #isOfNextLimit({ bids = [], asks = [] }: DepthUpdate): boolean {
    if (this.#formerLimit >= this.#nextLimit) return true;
    if (this.#snapshots !== undefined) this.#snapshots += 1;
    const levels = Math.max(bids.length, asks.length);
    return levels !== this.#formerLimit || (this.#snapshots ?? 0) > 1;
  }

  /** Changes come, and the snapshot of a confirmed subscription does not. */
  #renewWhenLate(): void {
    const now = performance.now();
    if (now - this.#waitingSince < maxWaitMs) return;
    this.#waitingSince = now;
    this.#renew();
  }

  interrupt(reason: Interruption): void {
    this.#becomeStale(reason);
    if (reason === 'reconnect') {
      // The new connection has no subscription to fewer levels.
      this.#formerLimit = this.#nextLimit;
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
    this.#waitingSince = performance.now();
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
