// The trades of a market, put together from pushes, replays and pages of REST: each once, and a gap where some may be
// missing. It keeps no time of its own.
import type { LiveTrade } from '../model/live-trade.js';
import type { LiveGap } from '../model/stream-gap.js';
import type { TradeBatch } from './channels/trades.js';
import type { Interruption } from './channel.js';

/** An item of {@link Live.trades}. Switch on `kind`. */
export type LiveTradeItem = { readonly kind: 'trade'; readonly market: string; readonly trade: LiveTrade } | LiveGap;

type TradeItem = Extract<LiveTradeItem, { readonly kind: 'trade' }>;

/** Items that follow each other. */
export interface TradeItems {
  readonly items: readonly LiveTradeItem[];
  /** Trades from before the subscription. */
  readonly isHistory: boolean;
}

/** Numbers of trades by which duplicates are recognized. */
const maxKnown = 10_000;
/** The exchange replays this many trades. */
const replaySize = 100;
/** Trades that are held back during an interruption: far more than a page of REST can join to those before it. */
const maxCollected = 1000;
/** The clock of this machine and the exchange's may differ by this, seconds. */
const clockErrorS = 5;

/** The exchange sends a replay with the confirmation: both arrive within this time, seconds. */
const replayS = 0.1;

interface Outage {
  readonly reason: Interruption;
  /** The trades that were pushed since: none is missing between them. */
  readonly collected: LiveTrade[];
  unreadable: number;
}

/** How an outage ends. */
interface Settlement {
  /** Trades that follow the known ones without a hole. */
  readonly before?: readonly LiveTrade[];
  /** Trades that the collected ones follow without a hole. */
  readonly after?: readonly LiveTrade[];
  /** Whether none is missing between these and the known ones. */
  readonly isFilled?: boolean;
  /** Missing trades are not after this time, Unix seconds. Default: now. */
  readonly to?: number | undefined;
}

export class TradeSequence {
  readonly #market: string;
  /** When the subscription began, Unix seconds by this machine's clock. */
  readonly #beganAt: number;
  /** Trades before this time are from before the subscription, Unix seconds. */
  #beginsAt: number;
  readonly #known = new Set<number>();
  /** Trades below this number are from before the subscription, or their numbers are forgotten. */
  #oldestId = Number.POSITIVE_INFINITY;
  /** Trades between these numbers are missing, as the last gap has said: they come no more, because others have followed. */
  #missedAfter = Number.NEGATIVE_INFINITY;
  #missedBefore = Number.NEGATIVE_INFINITY;
  #newestId = Number.NEGATIVE_INFINITY;
  /** Time of the newest trade, Unix seconds. */
  #newestAt: number | undefined;
  /** By this machine's clock, Unix seconds; `undefined` before the confirmation. */
  #confirmedAt: number | undefined;
  #hasMessage = false;
  #outage: Outage | undefined;

  constructor(market: string, beganAt: number) {
    this.#market = market;
    this.#beganAt = beganAt;
    this.#beginsAt = beganAt;
  }

  /** Whether trades are held back, because some before them may be missing. */
  get isInterrupted(): boolean {
    return this.#outage !== undefined;
  }

  /** The exchange has confirmed the subscription: from now on, nothing may be missing. */
  confirm(now: number): void {
    this.#confirmedAt = now;
  }

  /** Adds a message of the connection: new trades, or a replay of the newest ones. */
  add(batch: TradeBatch, now: number): readonly TradeItems[] {
    const isFirst = !this.#hasMessage;
    this.#hasMessage = true;
    // The replay of a market without trades: all that come are new.
    if (sizeOf(batch) === 0) this.#beginsAt = Number.NEGATIVE_INFINITY;
    if (this.#outage !== undefined) return this.#collect(this.#outage, batch, now);
    const { trades, unreadable } = batch;
    const unreadableGaps = unreadable > 0 ? [this.#gap('unreadable', Math.max(now, trades.at(-1)?.time ?? now))] : [];
    if (isFirst && this.#isHistory(batch, now)) {
      const gaps = unreadableGaps.map((gap) => ({ ...gap, from: Math.min(gap.from, trades[0]?.time ?? gap.from) }));
      return history([...gaps, ...this.#take(trades)]);
    }
    // A replay that does not reach back to the known trades. A burst of 100 trades looks the same.
    const isHole = !isFirst && sizeOf(batch) === replaySize && !this.#hasKnown(trades);
    const late = this.#late(trades);
    const next = this.#afterKnown(trades);
    const old = this.#takeOld(next);
    const holes = isHole ? [this.#gap('overflow', trades[0]?.time ?? now)] : [];
    return [...history(old), ...live([...late, ...holes, ...unreadableGaps, ...this.#take(next)])];
  }

  interrupt(reason: Interruption, now: number): readonly TradeItems[] {
    if (this.#confirmedAt === undefined && !this.#hasMessage) return [];
    const outage = this.#outage;
    // The pushes after an unreadable one are not affected.
    if (reason === 'unreadable') {
      if (outage === undefined) return live([this.#gap(reason, now)]);
      outage.unreadable += 1;
      return [];
    }
    const isNew = outage === undefined || outage.collected.length > 0;
    const items = outage === undefined || !isNew ? [] : this.#settle(outage, now);
    this.#outage = { reason: isNew ? reason : outage.reason, collected: [], unreadable: 0 };
    return items;
  }

  /** Ends an interruption with the newest trades over REST; `undefined` where they could not be read. */
  fill(page: TradeBatch | undefined, now: number): readonly TradeItems[] {
    const outage = this.#outage;
    if (outage === undefined) return [];
    if (page === undefined) return this.#settle(outage, now);
    const { trades, unreadable } = page;
    const isComplete = unreadable === 0;
    const isAfterKnown = this.#hasKnown(trades);
    // A page without a known trade may be older than all of them.
    const after = isAfterKnown ? trades : trades.filter(({ id }) => id > this.#newestId);
    if (isJoined(outage, trades)) return this.#settle(outage, now, { after, isFilled: isAfterKnown && isComplete });
    // The page is older than the connection: trades between them may be missing.
    return this.#settle(outage, now, isAfterKnown && isComplete ? { before: after } : {});
  }

  /** A replay ends the interruption: a message with a known trade, or with the number of trades that a replay has. */
  #collect(outage: Outage, batch: TradeBatch, now: number): readonly TradeItems[] {
    const { trades, unreadable } = batch;
    const isAfterKnown = this.#hasKnown(trades);
    outage.unreadable += unreadable;
    if (isJoined(outage, trades) && (isAfterKnown || sizeOf(batch) >= replaySize))
      return this.#settle(outage, now, {
        ...{ after: trades, isFilled: isAfterKnown },
        to: isAfterKnown ? now : trades[0]?.time,
      });
    const late = live(this.#late(trades));
    outage.collected.push(...this.#afterKnown(trades));
    return outage.collected.length > maxCollected ? [...late, ...this.#settle(outage, now)] : late;
  }

  #settle(outage: Outage, now: number, settlement: Settlement = {}): readonly TradeItems[] {
    const { before = [], after = [], isFilled = false, to = now } = settlement;
    const { reason, collected, unreadable } = outage;
    this.#outage = undefined;
    // A replay that comes later is no beginning.
    this.#hasMessage = true;
    const late = [...this.#late(before), ...this.#late(after)];
    const next = this.#afterKnown(after);
    // Of a trade that both list, the pushed record is kept: its time has fractions.
    const following = [...collected, ...next].toSorted((one, other) => one.id - other.id);
    const old = this.#takeOld(following);
    const joined = this.#take(this.#afterKnown(before));
    const missedAfter = this.#newestId;
    const firstAt = next.length === 0 ? collected[0]?.time : undefined;
    // An unreadable trade may be the newest.
    const end = unreadable === 0 ? (firstAt ?? to) : Math.max(now, following.at(-1)?.time ?? now);
    const gap = this.#gap(reason, end, isFilled && unreadable === 0);
    const added = this.#take(following);
    if (!gap.filled) {
      this.#missedAfter = missedAfter;
      this.#missedBefore = added[0]?.trade.id ?? missedAfter;
    }
    return [...history(old), ...live([...late, ...joined, gap, ...added])];
  }

  /** The first message is a replay. Only a short one may be new trades, of a market that had none: its times decide. */
  #isHistory(batch: TradeBatch, now: number): boolean {
    // Replays come with the confirmation.
    if (this.#confirmedAt !== undefined && now - this.#confirmedAt <= replayS) return true;
    return sizeOf(batch) >= replaySize || batch.trades.some((trade) => this.#isOld(trade));
  }

  /** Without a known trade, only its time says that a trade is from before the subscription. */
  #takeOld(trades: readonly LiveTrade[]): readonly TradeItem[] {
    return this.#known.size > 0 ? [] : this.#take(trades.filter((trade) => this.#isOld(trade)));
  }

  #isOld({ time }: LiveTrade): boolean {
    return time < this.#beginsAt - clockErrorS;
  }

  #hasKnown(trades: readonly LiveTrade[]): boolean {
    return trades.some(({ id }) => this.#known.has(id));
  }

  /**
   * A gap for trades that are listed before known ones, though no message had them: those after them were emitted. Each
   * is reported once.
   */
  #late(trades: readonly LiveTrade[]): readonly LiveGap[] {
    const isReported = (id: number) => this.#missedAfter < id && id < this.#missedBefore;
    const isMissed = ({ id }: LiveTrade) => id > this.#oldestId && !this.#known.has(id) && !isReported(id);
    const missed = trades.slice(0, trades.findLastIndex(({ id }) => this.#known.has(id)) + 1).filter(isMissed);
    const [first] = missed;
    if (first === undefined) return [];
    for (const { id } of missed) this.#known.add(id);
    // REST lists whole seconds.
    const to = Math.floor(missed.at(-1)?.time ?? first.time) + 1;
    return [{ ...this.#gap('late', to), from: first.time, to }];
  }

  /** The others are known, from before the subscription, or missing as a gap has said. */
  #afterKnown(trades: readonly LiveTrade[]): readonly LiveTrade[] {
    return trades.slice(trades.findLastIndex(({ id }) => this.#known.has(id)) + 1);
  }

  #gap(reason: LiveGap['reason'], to: number, filled = false): LiveGap {
    const from = this.#newestAt ?? this.#beganAt;
    const times = { from, to: Math.max(from, to) };
    return { kind: 'gap', channel: 'trades', market: this.#market, reason, filled, ...times };
  }

  #take(trades: readonly LiveTrade[]): readonly TradeItem[] {
    const items: TradeItem[] = [];
    for (const trade of trades) {
      const { id, time } = trade;
      if (this.#known.has(id) || id < this.#missedBefore) continue;
      this.#known.add(id);
      this.#oldestId = Math.min(this.#oldestId, id);
      this.#newestId = Math.max(this.#newestId, id);
      this.#newestAt = Math.max(this.#newestAt ?? time, time);
      items.push({ kind: 'trade', market: this.#market, trade });
    }
    for (const id of this.#known) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(id);
      this.#oldestId = id;
    }
    return items;
  }
}

/** Whether none is missing between a list of trades and those that were pushed since the interruption. */
function isJoined({ collected }: Outage, trades: readonly LiveTrade[]): boolean {
  const ids = new Set(trades.map(({ id }) => id));
  return collected.length === 0 || collected.some(({ id }) => ids.has(id));
}

function sizeOf({ trades, unreadable }: TradeBatch): number {
  return trades.length + unreadable;
}

function history(items: readonly LiveTradeItem[]): readonly TradeItems[] {
  return items.length === 0 ? [] : [{ items, isHistory: true }];
}

function live(items: readonly LiveTradeItem[]): readonly TradeItems[] {
  return items.length === 0 ? [] : [{ items, isHistory: false }];
}
