// The tape of a market, fed by pushes and by pages: pushed trades wait until they are joined to those before them.
import { BehaviorSubject, filter, map, merge, Subject, type Observable } from 'rxjs';
import type { Live, LiveTrade, LiveTradeItem } from '../live/index.js';
import { decimal, formatDecimal } from '../model/decimal.js';
import type { Trade } from '../model/trade.js';
import { unlessRefused, type Interruption } from './live-or-polls.js';
import { TradeTape, type TapeItem } from './trade-tape.js';

export type TradePush = LiveTradeItem;

/** The trades of the live connection, the newest ones before the subscription first, and when it is down. */
export function liveTradesOf(live: Live, market: string): Observable<TradePush | Interruption> {
  const down$ = live.state$.pipe(
    filter(({ status }) => status !== 'open'),
    map((): Interruption => 'interrupted'),
  );
  return merge(down$, live.trades({ markets: [market], history: true }).pipe(unlessRefused));
}

export class LiveTape {
  readonly #tape: TradeTape;
  readonly #isJoined = new BehaviorSubject(false);
  readonly #wanted = new Subject<void>();
  /** Pushed trades with none missing between them, but perhaps before them. */
  #waiting: Trade[] = [];
  /** Whether all trades until the interruption are known: then the live connection knows whether any is missing. */
  #isContinuous = false;

  constructor(history: boolean) {
    this.#tape = new TradeTape(history);
  }

  /** Whether pushed trades are emitted as they come, because none before them is missing. */
  get isJoined$(): Observable<boolean> {
    return this.#isJoined.asObservable();
  }

  /** Emits when a poll may join pushed trades. */
  get wanted$(): Observable<void> {
    return this.#wanted.asObservable();
  }

  addPage(page: readonly Trade[], receivedAt: number): TapeItem[] {
    const items = this.#tape.add(page, receivedAt);
    return this.#waiting.some((trade) => this.#tape.knows(trade)) ? [...items, ...this.#join()] : items;
  }

  addPush(push: TradePush | Interruption): TapeItem[] {
    if (push === 'interrupted' || push === 'paused') {
      // After a pause, the live connection begins again: it knows nothing of the trades before.
      if (push === 'paused') this.#isContinuous = false;
      this.#separate();
      return [];
    }
    if (push.kind === 'trade') return this.#addTrade(tradeOf(push.trade));
    const { kind, reason, from, to, filled } = push;
    if (reason === 'unreadable') return [{ kind, reason, from, to }];
    if (filled && this.#isContinuous) return this.#join();
    if (!filled) {
      this.#isContinuous = false;
      this.#separate();
    }
    return [];
  }

  /** Joins the waiting trades although some before them may be missing: the poll that would show it has failed. */
  joinAnyway(now: number): TapeItem[] {
    const waiting = this.#waiting;
    if (waiting.length === 0) return [];
    if (this.#tape.isStarted) return [this.#tape.gapBefore(waiting), ...this.#join()];
    const items = this.#tape.add(waiting.toReversed(), now);
    return [...items, ...this.#join()];
  }

  #addTrade(trade: Trade): TapeItem[] {
    if (this.#isJoined.value) return this.#tape.addNext([trade]);
    this.#waiting.push(trade);
    if (this.#tape.knows(trade)) return this.#join();
    // A backoff of the polls must not hold the trades back.
    if (this.#waiting.length === 1) this.#wanted.next();
    return [];
  }

  #join(): TapeItem[] {
    const items = this.#tape.addNext(this.#waiting);
    this.#waiting = [];
    this.#isContinuous = true;
    this.#isJoined.next(true);
    return items;
  }

  /** The next pushes are not known to follow the last ones. */
  #separate(): void {
    this.#waiting = [];
    this.#isJoined.next(false);
  }
}

/** A polled trade has whole seconds. */
function tradeOf({ id, time, price, amount, ...others }: LiveTrade): Trade {
  return {
    ...others,
    ...{ tradeID: id, price, quote_volume: amount },
    base_volume: formatDecimal(decimal(price).multipliedBy(amount)),
    trade_timestamp: Math.floor(time),
  };
}
