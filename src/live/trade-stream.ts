// The trades of a market for all of its subscribers: each once, as they are pushed, and a gap where some may be missing.
// After an outage, the exchange's replay has what was missed.
import { concatMap, Observable, share } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { KeySubscriptions } from './channel.js';
import type { TradeBatch } from './channels/trades.js';
import {
  applyTrades,
  endWithoutReplay,
  interruptTrades,
  noTrades,
  type LiveTradeItem,
  type TradeStep,
} from './known-trades.js';
import { refusedBy } from './values.js';

/** The replay follows the confirmation at once: after this time, none comes. */
const replayMs = 2000;

/** The trades of a market, for all of its subscribers. */
export function tradeStream(
  subscriptions: KeySubscriptions<TradeBatch>,
  reportGap: (gap: LiveGap) => void,
  market: string,
): Observable<LiveTradeItem> {
  return new Observable<readonly LiveTradeItem[]>((subscriber) => {
    let known = noTrades(market, nowS());
    let timer: NodeJS.Timeout | undefined;
    const emit = ({ known: next, items = [] }: TradeStep) => {
      known = next;
      for (const item of items) if (item.kind === 'gap') reportGap(item);
      subscriber.next(items);
    };
    const end = subscriptions.follow(market, {
      onSubscribed() {
        known = { ...known, confirmedAt: nowS() };
        clearTimeout(timer);
        timer = setTimeout(() => {
          emit(endWithoutReplay(known, nowS()));
        }, replayMs);
      },
      onItem(batch) {
        emit(applyTrades(known, batch, nowS()));
      },
      onInterrupted(reason) {
        if (reason !== 'unreadable') clearTimeout(timer);
        emit(interruptTrades(known, reason, nowS()));
      },
      onRefused(refusal) {
        subscriber.error(refusedBy('live.trades')(market, refusal));
      },
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }).pipe(
    concatMap((items) => items),
    share(),
  );
}

/** Unix seconds, as the exchange writes them. */
const nowS = () => Date.now() / 1000;
