// The trades of a market: each once, and a gap item wherever some may be missing.
import { concat, defer, from, Observable, share, type Subscription } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { Interruption, KeySubscriptions } from './define-channel.js';
import type { LiveTrade } from '../model/live-trade.js';
import type { TradeBatch } from './channels/trades.js';
import type { RefusedError } from './state-stream.js';

/** An item of {@link Live.trades}. Switch on `kind`. */
export type LiveTradeItem = { readonly kind: 'trade'; readonly market: string; readonly trade: LiveTrade } | LiveGap;

export interface TradeSource {
  readonly subscriptions: KeySubscriptions<TradeBatch>;
  readonly refusedError: RefusedError;
  /** The newest trades over REST, in any order. */
  readonly readRecent: (market: string) => Observable<readonly LiveTrade[]>;
  readonly reportGap: (gap: LiveGap) => void;
}

/** Numbers of trades by which duplicates are recognized. */
const maxKnown = 10_000;
/** The exchange replays, and lists over REST, this many trades. */
const pageSize = 100;
/** The replay follows the confirmation at once; without one after this time, the trades are read over REST. */
const replayMs = 2000;

interface Batch {
  readonly items: readonly LiveTradeItem[];
  /** Trades from before the subscription. */
  readonly isHistory: boolean;
}

/** The trades of a market, for all of its subscribers. */
export class TradeStream {
  readonly #market: string;
  /** The newest trades, for late subscribers that want the history. */
  #recent: readonly LiveTrade[] = [];
  readonly #batches$: Observable<Batch>;

  constructor(source: TradeSource, market: string) {
    this.#market = market;
    this.#batches$ = new Observable<Batch>((subscriber) => {
      const sequence = new TradeSequence(source, market, (batch) => {
        this.#keep(batch);
        subscriber.next(batch);
      });
      const end = source.subscriptions.follow(market, {
        onSubscribed: () => {
          sequence.onSubscribed();
        },
        onItem: (item, key) => {
          sequence.add(item, key);
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
        this.#recent = [];
      };
    }).pipe(share());
  }

  /** @param history whether the trades before the subscription, at most 100, are emitted, too */
  items$(history: boolean): Observable<LiveTradeItem> {
    const live$ = new Observable<LiveTradeItem>((subscriber) =>
      this.#batches$.subscribe({
        next: ({ items, isHistory }) => {
          if (isHistory && !history) return;
          for (const item of items) subscriber.next(item);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      }),
    );
    if (!history) return live$;
    const market = this.#market;
    return defer(() =>
      concat(from(this.#recent.map((trade): LiveTradeItem => ({ kind: 'trade', market, trade }))), live$),
    );
  }

  /** A late subscriber gets no earlier gap, so no trade may be missing among these. */
  #keep({ items }: Batch): void {
    const gapAt = items.findLastIndex((item) => item.kind === 'gap' && !item.filled);
    const gap = items[gapAt];
    // An unreadable trade may be anywhere in its message.
    const after = gap?.kind === 'gap' && gap.reason === 'unreadable' ? [] : items.slice(gapAt + 1);
    const trades = after.flatMap((item) => (item.kind === 'trade' ? [item.trade] : []));
    this.#recent = [...(gap === undefined ? this.#recent : []), ...trades].slice(-pageSize);
  }
}

/** Puts pushes, replays and pages of REST together. */
class TradeSequence {
  readonly #known = new Set<number>();
  /** Time of the newest trade, Unix seconds. */
  #newestAt: number | undefined;
  /** Trades since the interruption, until it is known what is missing. */
  #collected: LiveTrade[] | undefined = [];
  #unreadable = 0;
  #reason: Interruption | undefined;
  #isConfirmed = false;
  #timer: NodeJS.Timeout | undefined;
  #reading: Subscription | undefined;

  constructor(
    private readonly source: TradeSource,
    private readonly market: string,
    private readonly emit: (batch: Batch) => void,
  ) {}

  onSubscribed(): void {
    this.#isConfirmed = true;
    if (this.#collected === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#settle(true);
    }, replayMs);
  }

  add({ trades, unreadable }: TradeBatch, market: string): void {
    if (this.#collected !== undefined) {
      this.#collected.push(...trades);
      this.#unreadable += unreadable;
      // The first message after the confirmation is the replay.
      if (this.#isConfirmed && this.#reading === undefined) this.#settle(false);
      return;
    }
    const gaps = unreadable === 0 ? [] : [this.#gap('unreadable', trades[0]?.time, false)];
    const added = this.#new(trades).map((trade): LiveTradeItem => ({ kind: 'trade', market, trade }));
    if (gaps.length + added.length > 0) this.emit({ items: [...gaps, ...added], isHistory: false });
  }

  interrupt(reason: Interruption): void {
    // An unreadable push says nothing about the pushes after it.
    if (reason === 'unreadable') {
      if (this.#collected === undefined) this.emit({ items: [this.#gap(reason, undefined, false)], isHistory: false });
      else this.#unreadable += 1;
      return;
    }
    this.#isConfirmed = false;
    clearTimeout(this.#timer);
    this.#reading?.unsubscribe();
    this.#reading = undefined;
    this.#collected ??= [];
    if (this.#newestAt !== undefined) this.#reason = reason;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#reading?.unsubscribe();
  }

  /**
   * Ends the interruption if the trades since it are there, or as many as the exchange replays. REST may list what it
   * listed a second ago: it is read when the confirmation is older than that.
   */
  #settle(isTimeUp: boolean): void {
    const collected = this.#collected ?? [];
    const isJoined = collected.some(({ id }) => this.#known.has(id));
    if (this.#newestAt === undefined || isJoined || collected.length >= pageSize) {
      this.#finish(collected, isJoined);
      return;
    }
    if (!isTimeUp) return;
    this.#reading = this.source.readRecent(this.market).subscribe({
      next: (page) => {
        const all = [...(this.#collected ?? []), ...page];
        this.#finish(all, all.some(({ id }) => this.#known.has(id)) || page.length < pageSize);
      },
      error: () => {
        this.#finish(this.#collected ?? [], false);
      },
    });
  }

  #finish(collected: readonly LiveTrade[], isJoined: boolean): void {
    const isHistory = this.#newestAt === undefined;
    const reason = this.#reason ?? (this.#unreadable > 0 ? 'unreadable' : undefined);
    const isFilled = isJoined && this.#unreadable === 0;
    clearTimeout(this.#timer);
    this.#collected = undefined;
    this.#reading = undefined;
    this.#reason = undefined;
    this.#unreadable = 0;
    const sorted = [...collected].sort((one, other) => one.time - other.time || one.id - other.id);
    const gap = reason === undefined ? [] : [this.#gap(reason, sorted[0]?.time, isFilled)];
    const { market } = this;
    const added = this.#new(sorted).map((trade): LiveTradeItem => ({ kind: 'trade', market, trade }));
    this.#newestAt ??= Date.now() / 1000;
    if (gap.length + added.length > 0) this.emit({ items: [...gap, ...added], isHistory });
  }

  #gap(reason: Interruption, firstAt: number | undefined, filled: boolean): LiveGap {
    const now = Date.now() / 1000;
    const from = this.#newestAt ?? firstAt ?? now;
    const gap: LiveGap = {
      ...{ kind: 'gap', channel: 'trades', market: this.market, reason, filled },
      ...{ from, to: Math.max(from, filled ? now : (firstAt ?? now)) },
    };
    this.source.reportGap(gap);
    return gap;
  }

  #new(trades: readonly LiveTrade[]): readonly LiveTrade[] {
    const added: LiveTrade[] = [];
    for (const trade of trades) {
      if (this.#known.has(trade.id)) continue;
      this.#known.add(trade.id);
      this.#newestAt = Math.max(this.#newestAt ?? trade.time, trade.time);
      added.push(trade);
    }
    for (const id of this.#known) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(id);
    }
    return added;
  }
}
