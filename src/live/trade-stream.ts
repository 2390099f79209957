// The trades of a market for all of its subscribers: feeds a sequence from the connection, and from REST where a replay lacks.
import { catchError, concat, defer, from, Observable, of, share, switchMap, timer, type Subscription } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { KeySubscriptions } from './channel.js';
import type { TradeBatch } from './channels/trades.js';
import type { RefusedError } from './state-stream.js';
import { TradeSequence, type LiveTradeItem, type TradeItems } from './trade-sequence.js';

export type { LiveTradeItem } from './trade-sequence.js';

export interface TradeSource {
  readonly subscriptions: KeySubscriptions<TradeBatch>;
  readonly refusedError: RefusedError;
  /** The newest trades over REST, at most 100, as they were at most 1 s ago. */
  readonly readRecent: (market: string) => Observable<TradeBatch>;
  readonly reportGap: (gap: LiveGap) => void;
}

/** Late subscribers that want the history get this many trades. */
const historySize = 100;
/**
 * The replay follows the confirmation at once. Without one after this time, the trades are read over REST: a page that
 * is 1 s old is then still younger than the subscription.
 */
const replayMs = 2000;

/** The trades of a market, for all of its subscribers. */
export class TradeStream {
  /** The newest trades, for late subscribers that want the history. */
  #recent: readonly LiveTradeItem[] = [];
  readonly #batches$: Observable<TradeItems>;

  constructor(source: TradeSource, market: string) {
    this.#batches$ = new Observable<TradeItems>((subscriber) => {
      const sequence = new TradeSequence(market, nowS());
      let filling: Subscription | undefined;
      const emit = (batches: readonly TradeItems[]) => {
        if (!sequence.isInterrupted) filling?.unsubscribe();
        for (const batch of batches) {
          for (const item of batch.items) if (item.kind === 'gap') source.reportGap(item);
          this.#keep(batch);
          subscriber.next(batch);
        }
      };
      const recent$ = timer(replayMs).pipe(
        switchMap(() => source.readRecent(market)),
        catchError(() => of(undefined)),
      );
      const end = source.subscriptions.follow(market, {
        onSubscribed: () => {
          sequence.confirm(nowS());
          filling?.unsubscribe();
          if (!sequence.isInterrupted) return;
          filling = recent$.subscribe((page) => {
            emit(sequence.fill(page, nowS()));
          });
        },
        onItem: (batch) => {
          emit(sequence.add(batch, nowS()));
        },
        onInterrupted: (reason) => {
          if (reason !== 'unreadable') filling?.unsubscribe();
          emit(sequence.interrupt(reason, nowS()));
        },
        onRefused: (refusal) => {
          subscriber.error(source.refusedError(market, refusal));
        },
      });
      return () => {
        end();
        filling?.unsubscribe();
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
    return history ? defer(() => concat(from(this.#recent), live$)) : live$;
  }

  /** A late subscriber gets no earlier gap, so no trade may be missing among these. */
  #keep({ items }: TradeItems): void {
    const gapAt = items.findLastIndex((item) => item.kind === 'gap' && !item.filled);
    const gap = items[gapAt];
    const to = gap?.kind === 'gap' ? gap.to : Number.NEGATIVE_INFINITY;
    const trades = items.slice(gapAt + 1).filter((item) => item.kind === 'trade' && item.trade.time >= to);
    this.#recent = [...(gap === undefined ? this.#recent : []), ...trades].slice(-historySize);
  }
}

/** Unix seconds, as the exchange writes them. */
function nowS(): number {
  return Date.now() / 1000;
}
