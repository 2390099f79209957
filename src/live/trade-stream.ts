// The trades of a market for all of its subscribers: each once, as they are pushed, and a gap where some may be missing.
// With each subscription, the exchange replays the newest trades: after an outage, they have what was missed.
import { concatMap, Observable, share } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { Interruption, KeySubscriptions } from './channel.js';
import type { LiveTrade, TradeBatch } from './channels/trades.js';
import { gapOf } from './recovery/index.js';

/** An item of {@link Live.trades}. Switch on `kind`. */
export type LiveTradeItem = { readonly kind: 'trade'; readonly market: string; readonly trade: LiveTrade } | LiveGap;

export function tradeStream(
  subscriptions: KeySubscriptions<TradeBatch>,
  reportGap: (gap: LiveGap) => void,
  market: string,
): Observable<LiveTradeItem> {
  return new Observable<readonly LiveTradeItem[]>((subscriber) => {
    let known = noTrades(market, nowS());
    let replayTimer: ReturnType<typeof setTimeout> | undefined;
    const emit = ({ known: next, items = [] }: TradeStep) => {
      known = next;
      for (const item of items) if (item.kind === 'gap') reportGap(item);
      subscriber.next(items);
    };
    subscriber.add(() => {
      clearTimeout(replayTimer);
    });
    return subscriptions.follow(market, {
      subscriber,
      onSubscribed() {
        known = { ...known, confirmedAt: nowS() };
        clearTimeout(replayTimer);
        replayTimer = setTimeout(() => {
          if (known.outage !== undefined) emit(endOutage(known, known.outage, nowS()));
        }, maxReplayMs);
      },
      onItem(batch) {
        emit(applyTrades(known, batch, nowS()));
      },
      onInterrupted(reason) {
        emit(interruptTrades(known, reason, nowS()));
      },
    });
  }).pipe(
    concatMap((items) => items),
    share(),
  );
}

const nowS = () => Date.now() / 1000;

/** What is known of the trades of a market. Times are Unix seconds. */
export interface KnownTrades {
  readonly market: string;
  /** When the subscription began, by this machine's clock. */
  readonly beganAt: number;
  /** When the exchange last confirmed it; `undefined` before: until then, nothing may be missing. */
  readonly confirmedAt?: number;
  /** The numbers by which duplicates are recognized, in the order of the trades; `undefined` before the first message. */
  readonly ids?: readonly number[];
  readonly newestAt: number;
  /** Why trades may be missing since then, until a replay. */
  readonly outage?: Interruption | undefined;
}

export interface TradeStep {
  readonly known: KnownTrades;
  readonly items?: readonly LiveTradeItem[];
}

const maxKnown = 2000;
/** The exchange replays this many trades. */
const replaySize = 100;
/** The clock of this machine and the exchange's may differ by this, seconds. */
const clockErrorS = 5;
/** A replay that is later than this is none, milliseconds: what was missed is unknown. */
const maxReplayMs = 5000;
/** The exchange sends a replay with the confirmation: both arrive within this time, seconds. */
const replayS = 0.1;

export function noTrades(market: string, beganAt: number): KnownTrades {
  return { market, beganAt, newestAt: beganAt };
}

/** A message of the connection: new trades, or a replay of the newest ones. */
export function applyTrades(before: KnownTrades, batch: TradeBatch, now: number): TradeStep {
  const { market, ids, outage } = before;
  const { unreadable } = batch;
  // Of one number, once.
  const trades = [...new Map(batch.trades.map((trade) => [trade.id, trade])).values()];
  const isNew = ({ id }: LiveTrade) => ids?.includes(id) !== true;
  const unknown = trades.filter(isNew);
  const allIds = [...(ids ?? []), ...unknown.map(({ id }) => id)].slice(-maxKnown);
  const known = { ...before, ids: allIds, newestAt: trades.at(-1)?.time ?? before.newestAt, outage: undefined };
  if (ids === undefined && outage === undefined && isHistory(before, batch, now)) return { known };

  const isJoined = unknown.length < trades.length;
  const isWanted = (trade: LiveTrade) => ids !== undefined || !isOld(before, trade);
  const next = trades.slice(trades.findLastIndex((trade) => !isNew(trade)) + 1).filter(isWanted);
  // A replay that does not reach back to the known trades. A burst of 100 trades looks the same.
  const isHole = ids !== undefined && !isJoined && sizeOf(batch) >= replaySize;
  const reason = outage ?? (unreadable > 0 ? 'unreadable' : isHole ? 'overflow' : undefined);
  // An unreadable trade may be the newest.
  const to = unreadable > 0 ? Math.max(now, trades.at(-1)?.time ?? now) : (next[0]?.time ?? now);
  const filled = outage !== undefined && isJoined && unreadable === 0;
  return {
    known,
    items: [
      ...lateGaps(market, ids ?? [], unknown.slice(0, unknown.length - next.length)),
      ...(reason === undefined ? [] : [{ ...gapAfter(before, reason, to), filled }]),
      ...next.map((trade): LiveTradeItem => ({ kind: 'trade', market, trade })),
    ],
  };
}

/** A gap for trades that are listed before known ones, though no message had them: those after them were emitted. */
function lateGaps(
  market: string,
  [oldestId = Number.POSITIVE_INFINITY]: readonly number[],
  listed: readonly LiveTrade[],
) {
  const late = listed.filter(({ id }) => id > oldestId);
  const [first] = late;
  const fact = { reason: 'late', from: first?.time ?? 0, filled: false };
  return first === undefined ? [] : [gapOf('trades', market, fact, late.at(-1)?.time ?? first.time)];
}

/** Items may be missing: until a replay joins the next ones with what is known, or, of an unreadable push, those of it. */
export function interruptTrades(known: KnownTrades, reason: Interruption, now: number): TradeStep {
  if (known.confirmedAt === undefined && known.ids === undefined) return { known };
  const outage = known.outage ?? reason;
  return reason === 'unreadable' ? endOutage(known, outage, now) : { known: { ...known, outage } };
}

function endOutage(known: KnownTrades, outage: Interruption, now: number): TradeStep {
  return { known: { ...known, outage: undefined }, items: [gapAfter(known, outage, now)] };
}

/** Whether the first message is a replay. Only a short one may be new trades, of a market that had none: its times decide. */
function isHistory(known: KnownTrades, batch: TradeBatch, now: number): boolean {
  const { confirmedAt } = known;
  if (confirmedAt !== undefined && now - confirmedAt <= replayS) return true;
  return sizeOf(batch) >= replaySize || batch.trades.some((trade) => isOld(known, trade));
}

function isOld({ beganAt }: KnownTrades, { time }: LiveTrade): boolean {
  return time < beganAt - clockErrorS;
}

function gapAfter({ market, newestAt: from }: KnownTrades, reason: LiveGap['reason'], to: number): LiveGap {
  return gapOf('trades', market, { reason, from, filled: false }, to);
}

function sizeOf({ trades, unreadable }: TradeBatch): number {
  return trades.length + unreadable;
}
