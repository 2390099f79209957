// An order book from the messages of its subscription: live while no update is missing, else stale and subscribed again.
import type { Interruption, KeySubscriptions } from './define-channel.js';
import {
  applyDelta,
  asStale,
  BookPrices,
  fromSnapshot,
  type DepthDelta,
  type DepthRefusal,
  type DepthSnapshot,
  type DepthUpdate,
  type LiveOrderBook,
} from './order-book/index.js';

/** What a book takes from the channel. */
export interface BookSource {
  readonly subscriptions: Pick<KeySubscriptions<DepthUpdate>, 'renew'>;
  /** The levels to subscribe to, by market. Read with each request. */
  readonly limits: Map<string, number>;
  /** The levels of the last request, by market: what the exchange sends until a later request is confirmed. */
  readonly requested: Map<string, number>;
  /** A live book became stale. */
  readonly reportGap: (market: string, reason: Interruption | 'sequence', from: number) => void;
}

/** A book, and how many levels of each side it has if the market has them. */
export interface CoveredBook {
  readonly book: LiveOrderBook;
  readonly limit: number;
}

/** A snapshot follows the confirmation at once. */
const maxWaitMs = 12_000;
/** The second renewal within this time waits, and each further one twice as long. */
const renewalWindowMs = 60_000;
const baseRenewalMs = 250;
const maxRenewalMs = 10_000;

/** The wider subscription has messages that the narrower one has not, and no message says to which one it belongs. */
export class BookSequence {
  readonly #source: BookSource;
  readonly #market: string;
  /** The widest limit that a subscriber wants. */
  readonly #wanted: () => number;
  readonly #emit: (covered: CoveredBook) => void;
  #book: LiveOrderBook | undefined;
  readonly #prices = new BookPrices();
  /** Levels that the book covers. */
  #limit: number;
  /** Levels of the newest subscription, and of the one before: the same when no message can be of the one before. */
  #nextLimit: number;
  #formerLimit: number;
  /** Whether no snapshot of `#nextLimit` has come. */
  #isChanging: boolean;
  /** Snapshots since the exchange has confirmed a subscription with `#nextLimit`; `undefined` before. */
  #snapshots: number | undefined;
  #waitingSince = performance.now();
  readonly #renewedAt: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(source: BookSource, market: string, wanted: () => number, emit: (covered: CoveredBook) => void) {
    this.#source = source;
    this.#market = market;
    this.#wanted = wanted;
    this.#emit = emit;
    this.#nextLimit = wanted();
    source.limits.set(market, this.#nextLimit);
    this.#formerLimit = source.requested.get(market) ?? this.#nextLimit;
    this.#limit = Math.min(this.#formerLimit, this.#nextLimit);
    this.#isChanging = this.#formerLimit !== this.#nextLimit;
  }

  /**
   * Subscribes to the limit that is wanted now. One change after the other, so that a snapshot is of one of two
   * subscriptions; a change that has not been sent becomes another one.
   */
  resize(): void {
    const wanted = this.#wanted();
    const sent = this.#source.requested.get(this.#market) ?? wanted;
    if (wanted === this.#nextLimit || (this.#isChanging && sent === this.#nextLimit)) return;
    this.#nextLimit = wanted;
    this.#formerLimit = sent;
    this.#isChanging = sent !== wanted;
    this.#snapshots = undefined;
    this.#source.limits.set(this.#market, wanted);
    this.#source.subscriptions.renew(this.#market);
  }

  onSubscribed(): void {
    // Since an earlier confirmation, the exchange has had this limit.
    if (this.#snapshots !== undefined) this.#formerLimit = this.#nextLimit;
    this.#snapshots = 0;
    this.#waitingSince = performance.now();
  }

  add(update: DepthUpdate): void {
    const now = Date.now();
    if (update.isSnapshot) {
      // It was overtaken by changes that are in the book.
      if (this.#book?.status === 'live' && update.updateId < this.#book.updateId) return;
      this.#limit = this.#limitOf(update);
      this.#accept(fromSnapshot(update, this.#limit, now, this.#book));
      this.resize();
    } else if (this.#book?.status === 'live') this.#accept(this.#changed(this.#book, update, now));
    // Without a live book, it belongs to a chain that has ended.
    else this.#renewWhenLate();
  }

  interrupt(reason: Interruption): void {
    this.#becomeStale(reason);
    if (reason === 'unreadable') this.#renew();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The levels that a snapshot covers. */
  #limitOf(snapshot: DepthSnapshot): number {
    if (this.#snapshots !== undefined) this.#snapshots += 1;
    // The exchange repeats the snapshot after 10 s: a second one cannot be late.
    if ((this.#snapshots ?? 0) > 1) this.#formerLimit = this.#nextLimit;
    const levels = levelsOf(snapshot);
    if (this.#nextLimit < this.#formerLimit && levels > this.#nextLimit) {
      this.#isChanging = true;
      return this.#formerLimit;
    }
    if (this.#nextLimit > this.#formerLimit) {
      if (levels === this.#formerLimit) return this.#limit;
      // With fewer levels it is the whole book, of either subscription.
      if (levels > this.#formerLimit) this.#formerLimit = this.#nextLimit;
    }
    this.#isChanging = false;
    return this.#nextLimit;
  }

  #changed(book: LiveOrderBook, delta: DepthDelta, now: number): LiveOrderBook | DepthRefusal {
    // It may be of either subscription, and the snapshot that separates them is late or lost.
    if (this.#isChanging && this.#snapshots !== undefined) return 'sequence';
    const applied = (limit: number) => applyDelta(book, delta, limit, now, this.#prices);
    if (this.#isChanging || this.#formerLimit === this.#nextLimit) return applied(this.#limit);
    // The snapshot had too few levels to show its limit. Beyond the narrower limit, the two subscriptions differ.
    const whole = applied(Math.max(this.#formerLimit, this.#nextLimit));
    const maxLevels = Math.min(this.#formerLimit - 1, this.#nextLimit);
    return typeof whole === 'object' && levelsOf(whole) > maxLevels ? 'sequence' : whole;
  }

  /** Changes come, and the snapshot of a confirmed subscription does not. */
  #renewWhenLate(): void {
    const now = performance.now();
    if (now - this.#waitingSince < maxWaitMs) return;
    this.#waitingSince = now;
    this.#renew();
  }

  #accept(next: LiveOrderBook | DepthRefusal): void {
    if (typeof next === 'string') {
      this.#becomeStale(next);
      this.#renew();
      return;
    }
    this.#book = next;
    this.#emit({ book: next, limit: this.#limit });
  }

  #becomeStale(reason: Interruption | 'sequence'): void {
    if (this.#book?.status !== 'live') return;
    this.#source.reportGap(this.#market, reason, this.#book.receivedAt);
    this.#waitingSince = performance.now();
    this.#book = asStale(this.#book, Date.now());
    this.#emit({ book: this.#book, limit: this.#limit });
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
      this.#source.subscriptions.renew(this.#market);
    };
    if (delayMs === 0) renew();
    else this.#timer = setTimeout(renew, delayMs);
  }
}

/** The levels of the longer side. */
function levelsOf({ bids = [], asks = [] }: DepthUpdate | LiveOrderBook): number {
  return Math.max(bids.length, asks.length);
}
