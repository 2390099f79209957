// An order book from the messages of its subscription: live while no update is missing, else stale and subscribed again.
import { backoff } from '../call/index.js';
import type { Interruption, KeySubscriptions } from './channel.js';
import {
  applyDelta,
  asStale,
  BookPrices,
  fromSnapshot,
  type DepthRefusal,
  type DepthUpdate,
  type LiveOrderBook,
} from './order-book/index.js';

/** What a book takes from the channel. */
export interface BookSource {
  readonly subscriptions: Pick<KeySubscriptions<DepthUpdate>, 'renew'>;
  /** The levels of each side that are subscribed. */
  readonly limit: number;
  /** A live book became stale. */
  readonly reportGap: (market: string, reason: Interruption | 'sequence', from: number) => void;
}

/** A snapshot follows the confirmation at once. */
const maxWaitMs = 12_000;
/** The second renewal within this time waits, and each further one twice as long. */
const renewalWindowMs = 60_000;
const baseRenewalMs = 250;
const maxRenewalMs = 10_000;

export class BookSequence {
  readonly #source: BookSource;
  readonly #market: string;
  readonly #emit: (book: LiveOrderBook) => void;
  #book: LiveOrderBook | undefined;
  readonly #prices = new BookPrices();
  #waitingSince = performance.now();
  readonly #renewedAt: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(source: BookSource, market: string, emit: (book: LiveOrderBook) => void) {
    this.#source = source;
    this.#market = market;
    this.#emit = emit;
  }

  onSubscribed(): void {
    this.#waitingSince = performance.now();
  }

  add(update: DepthUpdate): void {
    const now = Date.now();
    const book = this.#book;
    const { limit } = this.#source;
    if (update.isSnapshot) {
      if (book?.status === 'live' && update.updateId < book.updateId) {
        // It was overtaken by changes that are in the book, unless the exchange counts from the beginning again.
        if ((update.engineTime ?? 0) <= (book.engineTime ?? Number.POSITIVE_INFINITY)) return;
        this.#becomeStale('sequence');
      }
      this.#accept(fromSnapshot(update, limit, now, this.#book));
    } else if (book?.status === 'live') this.#accept(applyDelta(book, update, limit, now, this.#prices));
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
    this.#emit(next);
  }

  #becomeStale(reason: Interruption | 'sequence'): void {
    if (this.#book?.status !== 'live') return;
    this.#source.reportGap(this.#market, reason, this.#book.receivedAt);
    this.#waitingSince = performance.now();
    this.#book = asStale(this.#book, Date.now());
    this.#emit(this.#book);
  }

  /** At once; but a server that breaks every chain does not get ten requests a second. */
  #renew(): void {
    if (this.#timer !== undefined) return;
    const now = performance.now();
    while ((this.#renewedAt[0] ?? now) < now - renewalWindowMs) this.#renewedAt.shift();
    const count = this.#renewedAt.length;
    const delayMs = count === 0 ? 0 : backoff(count, baseRenewalMs, maxRenewalMs);
    const renew = () => {
      this.#timer = undefined;
      this.#renewedAt.push(performance.now());
      this.#source.subscriptions.renew(this.#market);
    };
    if (delayMs === 0) renew();
    else this.#timer = setTimeout(renew, delayMs);
  }
}
