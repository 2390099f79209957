// The trades of a market for all of its subscribers: each once, from the connection, and from REST where a replay lacks.
import { concat, defer, from, mergeMap, Observable, share } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { Interruption, KeySubscriptions } from './channel.js';
import type { TradeBatch } from './channels/trades.js';
import { applyTrades, bridgeTrades, interruptTrades, noTrades } from './known-trades.js';
import type { LiveTradeItem, TradeStep } from './known-trades.js';
import { Recovery } from './recovery/index.js';
import { refusedBy } from './values.js';

/** What the trades of all markets share. */
export interface TradeSource {
  readonly subscriptions: KeySubscriptions<TradeBatch>;
  /** The newest trades over REST, at most 100, as they were at most 1 s ago. */
  readonly readRecent: (market: string) => Observable<TradeBatch>;
  /** Random numbers from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  readonly reportGap: (gap: LiveGap) => void;
}

/** Late subscribers that want the history get this many trades. */
const historySize = 100;
/**
 * The replay follows the confirmation at once. Without one after this time, the trades are read over REST: a page that
 * is 1 s old is then still younger than the subscription.
 */
const replayMs = 2000;

/** The trades of a market; with `history`, also the newest ones before. */
export type TradesOf = (history: boolean) => Observable<LiveTradeItem>;

/** The trades of a market, for all of its subscribers. */
export function tradeStream(source: TradeSource, market: string): TradesOf {
  /** The newest trades, for late subscribers that want the history. */
  let recent: readonly LiveTradeItem[] = [];
  const step$ = new Observable<Required<Omit<TradeStep, 'known'>>>((subscriber) => {
    let known = noTrades(market, nowS());
    const emit = ({ known: next, history = [], items = [] }: TradeStep) => {
      const isSettled = known.outage !== undefined && next.outage === undefined;
      known = next;
      if (isSettled) recovery.settle();
      const all = [...history, ...items];
      if (all.length === 0) return;
      for (const item of all) if (item.kind === 'gap') source.reportGap(item);
      recent = recentOf(recent, all);
      subscriber.next({ history, items });
    };
    const data = {
      interrupt(reason: Interruption) {
        emit(interruptTrades(known, reason, nowS()));
      },
      read: () => (known.outage === undefined ? [] : source.readRecent(market)),
      bridge(page: TradeBatch) {
        emit(bridgeTrades(known, page, nowS()));
        return true;
      },
      fail() {
        emit(bridgeTrades(known, undefined, nowS()));
      },
    };
    const auditAfterMs = () => Number.POSITIVE_INFINITY;
    const recovery = new Recovery(data, { random: source.random, firstAfterMs: replayMs, auditAfterMs });
    recovery.follow(source.subscriptions, market, {
      onSubscribed() {
        known = { ...known, confirmedAt: nowS() };
      },
      onItem(batch) {
        emit(applyTrades(known, batch, nowS()));
      },
      onRefused(refusal) {
        subscriber.error(refusedBy('live.trades')(market, refusal));
      },
    });
    return () => {
      recovery.end();
      recent = [];
    };
  }).pipe(share());
  const live$ = step$.pipe(mergeMap(({ items }) => items));
  const all$ = step$.pipe(mergeMap(({ history, items }) => [...history, ...items]));
  return (history) => (history ? defer(() => concat(from(recent), all$)) : live$);
}

/** A late subscriber gets no earlier gap, so no trade may be missing among these. */
function recentOf(recent: readonly LiveTradeItem[], items: readonly LiveTradeItem[]): readonly LiveTradeItem[] {
  const gapAt = items.findLastIndex((item) => item.kind === 'gap' && !item.filled);
  const gap = items[gapAt];
  const to = gap?.kind === 'gap' ? gap.to : Number.NEGATIVE_INFINITY;
  const trades = items.slice(gapAt + 1).filter((item) => item.kind === 'trade' && item.trade.time >= to);
  return [...(gap === undefined ? recent : []), ...trades].slice(-historySize);
}

/** Unix seconds, as the exchange writes them. */
function nowS(): number {
  return Date.now() / 1000;
}
