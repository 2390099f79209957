// The tape of a market, put together from pages of its newest trades and from pushed ones: each trade once, and a gap where some are missing.
import type { Trade } from '../model/trade.js';
import { unreadableIn } from '../model/unreadable.js';
import type { StreamGap } from '../model/stream-gap.js';

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
  /** Trades before this time are from before the subscription, Unix seconds: the first page had no room for them. */
  #beginsAt = Number.NEGATIVE_INFINITY;
  /** Time of the newest trade so far, Unix seconds; 0 before the first one. */
  #newestAt = 0;
  #lastUnreadable = 0;
  /** The last page, to see whether one with unreadable trades differs from it. */
  #lastContent = '';

  /** @param history whether the trades of the first page are items */
  constructor(private readonly history: boolean) {}

  /** Whether a page was added. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  knows({ tradeID }: Trade): boolean {
    return this.#known.has(tradeID);
  }

  /** The items of trades that follow the known ones, oldest first. */
  addNext(trades: readonly Trade[]): TapeItem[] {
    const added = this.#added(trades);
    this.#newestAt = Math.max(this.#newestAt, ...added.map(({ trade_timestamp }) => trade_timestamp));
    this.#forget();
    return added.map((trade): TapeItem => ({ kind: 'trade', trade }));
  }

  /** The gap between the known trades and later ones. */
  gapBefore(trades: readonly Trade[]): StreamGap {
    const to = Math.min(...trades.map(({ trade_timestamp }) => trade_timestamp));
    return this.#gap('reconnect', this.#newestAt, to);
  }

  /** The items of a page that lists the newest trade first; oldest first. `receivedAt` is Unix ms. */
  add(page: readonly Trade[], receivedAt: number): TapeItem[] {
    const isFull = page.length + (unreadableIn(page)?.count ?? 0) >= pageSize;
    const isJoined = page.some(({ tradeID }) => this.#known.has(tradeID));
    const added = this.#added([...page].reverse());
    const times = page.map(({ trade_timestamp }) => trade_timestamp);
    const isNew = this.#hasNewUnreadable(page, added, isFull);
    const isEmitted = this.#isStarted || this.history;
    const gaps: StreamGap[] = [];
    if (this.#isStarted && isFull && !isJoined && added.length > 0)
      gaps.push(this.#gap('overflow', this.#newestAt, Math.min(...times)));
    // An unreadable trade has no time: it may be the newest one, or one that is listed late.
    if (isEmitted && isNew)
      gaps.push(this.#gap('unreadable', Math.min(this.#newestAt, ...times), Math.max(receivedAt / 1000, ...times)));
    if (!this.#isStarted && isFull) this.#beginsAt = Math.min(...times);
    this.#isStarted = true;
    this.#newestAt = Math.max(this.#newestAt, ...times);
    this.#forget();
    return isEmitted ? [...gaps, ...added.map((trade): TapeItem => ({ kind: 'trade', trade }))] : [];
  }

  /**
   * An unreadable trade has no number. It may be the same as before only where nothing else is new, and in a full page,
   * from which another one may have fallen off, only where the whole page is as before.
   */
  #hasNewUnreadable(page: readonly Trade[], added: readonly Trade[], isFull: boolean): boolean {
    const { count, sample } = unreadableIn(page) ?? { count: 0, sample: '' };
    const content = `${count} ${sample} ${page.map(({ tradeID }) => tradeID).join()}`;
    const isNew = count > this.#lastUnreadable || added.length > 0 || (isFull && content !== this.#lastContent);
    this.#lastUnreadable = count;
    this.#lastContent = content;
    return count > 0 && isNew;
  }

  /** Those that are new, and not from before the subscription. */
  #added(trades: readonly Trade[]): Trade[] {
    const added: Trade[] = [];
    for (const trade of trades) {
      if (this.#known.has(trade.tradeID) || trade.trade_timestamp < this.#beginsAt) continue;
      added.push(trade);
      this.#known.add(trade.tradeID);
    }
    return added;
  }

  #gap(reason: 'overflow' | 'unreadable' | 'reconnect', from: number, to: number): StreamGap {
    return { kind: 'gap', reason, from: Math.min(from, to), to };
  }

  #forget(): void {
    for (const id of this.#known) {
      if (this.#known.size <= maxKnown) return;
      this.#known.delete(id);
    }
  }
}
