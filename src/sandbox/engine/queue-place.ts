// The place of one resting order: how much of its price level is ahead of it. Trades and frames arrive in any order, so the
// place before each of the last frames is kept for the trades that come after theirs.
import { decimal, type Decimal } from '../../model/decimal.js';
import { excess, min, sumOf } from './amounts.js';
import { floorTo } from './listing.js';

export interface Place {
  /** The maximum amount ahead; `undefined` until a frame after the order's entry shows the price. */
  readonly ahead: Decimal | undefined;
  /** The place is known for trades after this engine time. */
  readonly knownSince: number;
  /** Oldest first. */
  readonly frames: readonly PastFrame[];
  /** The trades at its price after the last frame. */
  readonly trades: readonly PricedTrade[];
}

/** A frame that late trades may precede. */
interface PastFrame {
  readonly at: number;
  /** The amount ahead before the frame, less the late trades. */
  readonly ahead: Decimal;
  /** The cancels before the frame that were ahead of the order, less the late trades. */
  readonly canceled: Decimal;
}

interface PricedTrade {
  readonly at: number;
  readonly amount: Decimal;
}

/** What a frame shows at the price of an order. */
export interface ShownAmounts {
  /** The engine time of the frame. */
  readonly at: number;
  /** Before it; `undefined` where nothing is known of it, as after a gap. */
  readonly before: Decimal | undefined;
  readonly now: Decimal | undefined;
  /** Whether the frame ends a gap: trades before it count no more. */
  readonly isOpening: boolean;
  /** Cancels are divided in this step of amounts; `undefined`: all are behind the order. */
  readonly cancelStep: Decimal | undefined;
}

/** 6 s of frames: a later trade fills nothing. */
const keptFrames = 64;
const none = decimal(0);

export const entered: Place = { ahead: undefined, knownSince: 0, frames: [], trades: [] };

export function aheadAt(place: Place, at: number): Decimal | undefined {
  return at <= place.knownSince ? undefined : (place.frames.find((frame) => frame.at >= at)?.ahead ?? place.ahead);
}

/** The place after a trade at the price: what was ahead traded first. */
export function afterTradeAtPrice(place: Place, trade: PricedTrade): Place {
  const { at, amount } = trade;
  const late = place.frames.findIndex((frame) => frame.at >= at);
  if (at <= place.knownSince) return place;
  if (late < 0) {
    const ahead = place.ahead && excess(place.ahead, amount);
    return { ...place, ahead, trades: [...place.trades, trade] };
  }
  // Each later place is at most the one before it.
  let bound: Decimal | undefined;
  const frames = place.frames.map((frame, index) => {
    if (index < late) return frame;
    const isIts = index === late;
    const ahead = isIts ? excess(frame.ahead, amount) : min(frame.ahead, bound ?? frame.ahead);
    const canceled = isIts ? excess(frame.canceled, amount) : frame.canceled;
    bound = excess(ahead, canceled);
    return { ...frame, ahead, canceled };
  });
  return { ...place, ahead: place.ahead && min(place.ahead, bound ?? place.ahead), frames };
}

/** The place after a frame: at most the amount that it shows, less the trades after it. */
export function afterShown(place: Place, { at, before, now, isOpening, cancelStep }: ShownAmounts): Place {
  const trades = place.trades.filter((trade) => trade.at > at);
  const later = amountOf(trades);
  const max = now && excess(now, later);
  const { ahead } = place;
  if (ahead === undefined || isOpening) {
    const known = ahead && max ? min(ahead, max) : (max ?? ahead);
    return { ahead: known, knownSince: at, frames: [], trades };
  }
  const canceled =
    cancelStep === undefined || before === undefined || now === undefined
      ? none
      : canceledAhead(ahead, excess(before, amountOf(place.trades).minus(later)), now, cancelStep);
  const left = ahead.minus(canceled);
  const frames = [...place.frames, { at, ahead, canceled }];
  const forgotten = frames.length > keptFrames ? frames.shift() : undefined;
  return {
    ...{ ahead: max === undefined ? left : min(left, max) },
    ...{ knownSince: forgotten?.at ?? place.knownSince, frames, trades },
  };
}

/** The share of the order's cancels, where `rest` is what was shown before the frame and did not trade. */
function canceledAhead(ahead: Decimal, rest: Decimal, now: Decimal, step: Decimal): Decimal {
  if (rest.isZero()) return none;
  return floorTo(min(ahead, excess(rest, now).multipliedBy(ahead).dividedBy(rest)), step);
}

function amountOf(trades: readonly PricedTrade[]): Decimal {
  return sumOf(trades.map(({ amount }) => amount));
}
