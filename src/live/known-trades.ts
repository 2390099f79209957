// What is known of the trades of a market, and what each push, replay and interruption makes of it. It keeps no time.
import type { LiveGap } from '../model/stream-gap.js';
import type { Interruption } from './channel.js';
import type { LiveTrade, TradeBatch } from './channels/trades.js';
import { gapOf } from './recovery/index.js';

/** An item of {@link Live.trades}. Switch on `kind`. */
export type LiveTradeItem = { readonly kind: 'trade'; readonly market: string; readonly trade: LiveTrade } | LiveGap;

/** What is known of the trades of a market. Times are Unix seconds. */
export interface KnownTrades {
  readonly market: string;
  /** When the subscription began, by this machine's clock. */
  readonly beganAt: number;
  /** When the exchange last confirmed it; `undefined` before: until then, nothing may be missing. */
  readonly confirmedAt?: number;
  /** Whether a message has come; whether the first one was an empty replay: then all trades that come are new. */
  readonly first?: 'empty' | 'trades';
  /** The numbers by which duplicates are recognized, in the order of the trades. */
  readonly ids: readonly number[];
  /** Trades below this number are from before the subscription, or their numbers are forgotten. */
  readonly oldestId: number;
  readonly newestId: number;
  /** The time of the newest trade. */
  readonly newestAt: number;
  /** Trades between these numbers are missing, as the last gap has said: they come no more, because others have followed. */
  readonly missed: readonly [after: number, before: number];
  readonly outage?: Outage | undefined;
}

interface Outage {
  readonly reason: Interruption;
  /** The trades that were pushed since: none is missing between them. */
  readonly collected: readonly LiveTrade[];
  readonly unreadable: number;
}

/** What an event makes of the trades. */
export interface TradeStep {
  readonly known: KnownTrades;
  readonly items?: readonly LiveTradeItem[];
}

const maxKnown = 2000;
/** The exchange replays this many trades. */
const replaySize = 100;
/** Trades that are held back during an interruption: far more than a replay can join to those before it. */
const maxCollected = 1000;
/** The clock of this machine and the exchange's may differ by this, seconds. */
const clockErrorS = 5;
/** The exchange sends a replay with the confirmation: both arrive within this time, seconds. */
const replayS = 0.1;

export function noTrades(market: string, beganAt: number): KnownTrades {
  const { POSITIVE_INFINITY: oldestId, NEGATIVE_INFINITY: newestId } = Number;
  return { market, beganAt, ids: [], oldestId, newestId, newestAt: beganAt, missed: [newestId, newestId] };
}

/** A message of the connection: new trades, or a replay of the newest ones. */
export function applyTrades(before: KnownTrades, batch: TradeBatch, now: number): TradeStep {
  const isFirst = before.first === undefined;
  const isEmpty = sizeOf(batch) === 0;
  const known: KnownTrades = { ...before, first: isEmpty ? 'empty' : (before.first ?? 'trades') };
  if (known.outage !== undefined) return collect(known, known.outage, batch, now);
  const { trades, unreadable } = batch;
  if (isFirst && isHistory(known, batch, now)) return { known: take(known, trades).known };
  const gaps = unreadable > 0 ? [gapAfter(known, 'unreadable', Math.max(now, trades.at(-1)?.time ?? now))] : [];
  // A replay that does not reach back to the known trades. A burst of 100 trades looks the same.
  const isHole = !isFirst && sizeOf(batch) === replaySize && !hasKnown(known, trades);
  const late = takeLate(known, trades);
  const next = afterKnown(late.known, trades);
  const old = takeOld(late.known, next);
  const holes = isHole ? [gapAfter(old, 'overflow', trades[0]?.time ?? now)] : [];
  const taken = take(old, next);
  return { known: taken.known, items: [...late.items, ...holes, ...gaps, ...taken.items] };
}

/** Items may be missing: what is pushed from now on is held back, until a replay joins it with what is known. */
export function interruptTrades(known: KnownTrades, reason: Interruption, now: number): TradeStep {
  const { outage } = known;
  if (known.confirmedAt === undefined && known.first === undefined) return { known };
  // The pushes after an unreadable one are not affected.
  if (reason === 'unreadable') {
    if (outage === undefined) return { known, items: [gapAfter(known, reason, now)] };
    return { known: { ...known, outage: { ...outage, unreadable: outage.unreadable + 1 } } };
  }
  const empty = { reason: outage?.reason ?? reason, collected: [], unreadable: 0 };
  if (outage === undefined || outage.collected.length === 0) return { known: { ...known, outage: empty } };
  const step = settle(known, outage, now);
  return { ...step, known: { ...step.known, outage: { ...empty, reason } } };
}

/** No replay has followed the confirmation: what was held back is emitted after a gap. */
export function endWithoutReplay(known: KnownTrades, now: number): TradeStep {
  return known.outage === undefined ? { known } : settle(known, known.outage, now);
}

/** A replay ends the interruption: a message with a known trade, or with the number of trades that a replay has. */
function collect(known: KnownTrades, outage: Outage, batch: TradeBatch, now: number): TradeStep {
  const { trades } = batch;
  const isFilled = hasKnown(known, trades);
  const unreadable = outage.unreadable + batch.unreadable;
  if (isJoined(outage, trades) && (isFilled || sizeOf(batch) >= replaySize)) {
    const to = isFilled ? now : (trades[0]?.time ?? now);
    return settle(known, { ...outage, unreadable }, now, { replay: trades, isFilled, to });
  }
  const late = takeLate(known, trades);
  const collected = [...outage.collected, ...afterKnown(late.known, trades)];
  const next = { ...outage, collected, unreadable };
  if (collected.length <= maxCollected) return { known: { ...late.known, outage: next }, items: late.items };
  const step = settle(late.known, next, now);
  return { ...step, items: [...late.items, ...(step.items ?? [])] };
}

/** How an outage ends. */
interface Settlement {
  /** The replay: the collected trades follow it without a hole. */
  readonly replay?: readonly LiveTrade[];
  /** Whether no trade is missing between the replay and the known ones. */
  readonly isFilled?: boolean;
  /** Missing trades are not after this time. Default: now. */
  readonly to?: number;
}

function settle(ended: KnownTrades, outage: Outage, now: number, settlement: Settlement = {}): TradeStep {
  const { replay = [], isFilled = false, to = now } = settlement;
  const { reason, collected, unreadable } = outage;
  // A replay that comes later is no beginning.
  const late = takeLate({ ...ended, first: ended.first ?? 'trades', outage: undefined }, replay);
  const next = afterKnown(late.known, replay);
  // Of a trade that both list, the pushed record is kept.
  const following = [...collected, ...next].toSorted((one, other) => one.id - other.id);
  const known = takeOld(late.known, following);
  const firstAt = next.length === 0 ? collected[0]?.time : undefined;
  // An unreadable trade may be the newest.
  const end = unreadable === 0 ? (firstAt ?? to) : Math.max(now, following.at(-1)?.time ?? now);
  const gap = { ...gapAfter(known, reason, end), filled: isFilled && unreadable === 0 };
  const added = take(known, following);
  const missed = [known.newestId, added.items[0]?.trade.id ?? known.newestId] as const;
  return {
    known: gap.filled ? added.known : { ...added.known, missed },
    items: [...late.items, gap, ...added.items],
  };
}

/** The first message is a replay. Only a short one may be new trades, of a market that had none: its times decide. */
function isHistory(known: KnownTrades, batch: TradeBatch, now: number): boolean {
  // Replays come with the confirmation.
  if (known.confirmedAt !== undefined && now - known.confirmedAt <= replayS) return true;
  return sizeOf(batch) >= replaySize || batch.trades.some((trade) => isOld(known, trade));
}

function isOld({ first, beganAt }: KnownTrades, { time }: LiveTrade): boolean {
  return first !== 'empty' && time < beganAt - clockErrorS;
}

function hasKnown({ ids }: KnownTrades, trades: readonly LiveTrade[]): boolean {
  return trades.some(({ id }) => ids.includes(id));
}

/** The others are known, from before the subscription, or missing as a gap has said. */
function afterKnown({ ids }: KnownTrades, trades: readonly LiveTrade[]): readonly LiveTrade[] {
  return trades.slice(trades.findLastIndex(({ id }) => ids.includes(id)) + 1);
}

/**
 * A gap for trades that are listed before known ones, though no message had them: those after them were emitted. Each
 * is reported once.
 */
function takeLate(known: KnownTrades, trades: readonly LiveTrade[]) {
  const { ids, oldestId, missed } = known;
  const isMissed = ({ id }: LiveTrade) => id > oldestId && !(missed[0] < id && id < missed[1]) && !ids.includes(id);
  const late = trades.slice(0, trades.length - afterKnown(known, trades).length).filter(isMissed);
  const [first] = late;
  if (first === undefined) return { known, items: [] };
  const to = late.at(-1)?.time ?? first.time;
  const gap = { ...gapAfter(known, 'late', to), from: first.time, to };
  return { known: { ...known, ids: [...late.map(({ id }) => id), ...ids] }, items: [gap] };
}

/** Without a known trade, only its time says that a trade is from before the subscription. */
function takeOld(known: KnownTrades, trades: readonly LiveTrade[]): KnownTrades {
  return known.ids.length > 0
    ? known
    : take(
        known,
        trades.filter((trade) => isOld(known, trade)),
      ).known;
}

function take(before: KnownTrades, trades: readonly LiveTrade[]) {
  const ids = [...before.ids];
  let { oldestId, newestId, newestAt } = before;
  const isFirst = newestId === Number.NEGATIVE_INFINITY;
  const items: Extract<LiveTradeItem, { readonly kind: 'trade' }>[] = [];
  for (const trade of trades) {
    const { id, time } = trade;
    if (ids.includes(id) || id < before.missed[1]) continue;
    ids.push(id);
    oldestId = Math.min(oldestId, id);
    newestId = Math.max(newestId, id);
    newestAt = isFirst && items.length === 0 ? time : Math.max(newestAt, time);
    items.push({ kind: 'trade', market: before.market, trade });
  }
  const forgotten = ids.splice(0, ids.length - maxKnown);
  return { known: { ...before, ids, oldestId: forgotten.at(-1) ?? oldestId, newestId, newestAt }, items };
}

function gapAfter({ market, newestAt: from }: KnownTrades, reason: LiveGap['reason'], to: number): LiveGap {
  return gapOf('trades', market, { reason, from, filled: false }, to);
}

/** Whether none is missing between a list of trades and those that were pushed since the interruption. */
function isJoined({ collected }: Outage, trades: readonly LiveTrade[]): boolean {
  const ids = new Set(trades.map(({ id }) => id));
  return collected.length === 0 || collected.some(({ id }) => ids.has(id));
}

function sizeOf({ trades, unreadable }: TradeBatch): number {
  return trades.length + unreadable;
}
