// The tape of a market, put together from pages of its newest trades: each trade once, and a gap where some are missing.
import type { Trade } from '../model/trade.js';
import { unreadableIn } from '../model/unreadable.js';
import type { StreamGap } from './polled-events.js';

/** An item of the tape of a market. Switch on `kind`. */
export type TapeItem = { readonly kind: 'trade'; readonly trade: Trade } | StreamGap;

/** The exchange lists this many trades. */
const pageSize = 100;

/** Trades by which repetitions are recognized: an older page, such as one from a cache, lists none that is older. */
const maxKnown = 10_000;

/**
 * Knows the trades that were listed. Numbers of trades are names only: a later trade may have a lower one, and a trade
 * may be listed late.
 */
export class TradeTape {
  readonly #known = new Set<number>();
  #isStarted = false;
  /** Time of the newest trade so far, Unix seconds; 0 before the first one. */
  #newestAt = 0;
  #lastUnreadable = 0;

  /** @param history whether the trades of the first page are items */
  constructor(private readonly history: boolean) {}

  /** The items of a page that lists the newest trade first; oldest first. */
  add(page: readonly Trade[]): TapeItem[] {
    const unreadable = unreadableIn(page)?.count ?? 0;
    const isJoined = page.some(({ tradeID }) => this.#known.has(tradeID));
    const added: Trade[] = [];
    for (const trade of [...page].reverse()) {
      if (!this.#known.has(trade.tradeID)) added.push(trade);
      this.#known.add(trade.tradeID);
    }
    const isEmitted = this.#isStarted || this.history;
    const gap = isEmitted ? this.#gapBefore(page, added, unreadable, isJoined) : undefined;
    this.#isStarted = true;
    this.#lastUnreadable = unreadable;
    for (const { trade_timestamp } of page) this.#newestAt = Math.max(this.#newestAt, trade_timestamp);
    this.#forget();
    const trades = isEmitted ? added.map((trade): TapeItem => ({ kind: 'trade', trade })) : [];
    return gap === undefined ? trades : [gap, ...trades];
  }

  #gapBefore(
    page: readonly Trade[],
    added: readonly Trade[],
    unreadable: number,
    isJoined: boolean,
  ): StreamGap | undefined {
    const times = page.map(({ trade_timestamp }) => trade_timestamp);
    const isFull = page.length + unreadable >= pageSize;
    if (this.#isStarted && isFull && !isJoined) return this.#gap('overflow', Math.min(...times));
    // An unreadable trade has no number: it may be the same as before only where nothing else is new.
    const isNew = unreadable > this.#lastUnreadable || (unreadable > 0 && added.length > 0);
    return isNew ? this.#gap('unreadable', Math.max(...times)) : undefined;
  }

  #gap(reason: 'overflow' | 'unreadable', to: number): StreamGap {
    return { kind: 'gap', reason, from: Math.min(this.#newestAt, to), to };
  }

  #forget(): void {
    for (const id of this.#known) {
      if (this.#known.size <= maxKnown) return;
      this.#known.delete(id);
    }
  }
}
