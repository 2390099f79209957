// The place of resting orders among those of a recorded market, and what fills them: trades, and offers that cross them.
// A pure function of market events, in the order in which they were received. Times of the engine relate trades to frames.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import type { NewTrade } from '../market-data/index.js';
import { excess, isPast, min, opposite } from './amounts.js';
import { afterFrame, amountAt, type Frame, type Liquidity, taking } from './liquidity.js';
import { afterShown, afterTradeAtPrice, aheadAt, entered, type Place } from './queue-place.js';

/**
 * How amounts that left a level without a trade are divided between those ahead of an order and those behind it.
 * `pessimistic`: all were behind, so no order is filled earlier than it would have been. `proportional`: evenly.
 */
export type QueueModel = 'pessimistic' | 'proportional';

export interface QueuedOrder extends Place {
  readonly id: number;
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly left: Decimal;
  /** The latest engine time at which it can have entered the book. */
  readonly enteredAt: number;
}

export interface Queue {
  readonly model: QueueModel;
  readonly step: Decimal;
  readonly shown: Liquidity;
  /** By price, best first; at one price, the oldest first. */
  readonly orders: readonly QueuedOrder[];
  /** The engine time of the last frame. */
  readonly frameAt: number;
  /** A closed queue fills no order: trades and frames are missing until it opens. */
  readonly isOpen: boolean;
  /** The engine time of the frame that opened it. */
  readonly openedAt: number;
  readonly lastTradeId: number;
}

/** A trade of the market; `at` is its engine time. No frame shows the maker of a trade with `rpi`. */
export interface RecordedTrade extends NewTrade {
  readonly kind: 'trade';
  readonly id: number;
}

export type MarketEvent =
  | RecordedTrade
  | (Frame & { readonly kind: 'frame'; readonly at: number })
  | { readonly kind: 'gap' }
  | { readonly kind: 'enter'; readonly order: Pick<QueuedOrder, 'id' | 'side' | 'price' | 'left' | 'enteredAt'> }
  /** An order was filled in part by another way, or has left the book. */
  | { readonly kind: 'reduce'; readonly id: number; readonly left: Decimal }
  /** An order of an account took this amount of a level of this side. */
  | { readonly kind: 'take'; readonly side: OrderSide; readonly price: Decimal; readonly amount: Decimal };

/** What an order gets, at its own price. */
export interface QueueFill {
  readonly id: number;
  readonly amount: Decimal;
}

type Step = [queue: Queue, fills: readonly QueueFill[]];

const none = decimal(0);

export function createQueue(options: Pick<Queue, 'model' | 'step' | 'shown'>): Queue {
  const times = { frameAt: 0, isOpen: false, openedAt: 0, lastTradeId: 0 };
  return { ...options, ...times, orders: [] };
}

export function after(queue: Queue, event: MarketEvent): Step {
  switch (event.kind) {
    case 'trade':
      return afterTrade(queue, event);
    case 'frame':
      if (!queue.isOpen && !event.isSnapshot) return [queue, []];
      return crossed(placed(queue, event));
    case 'gap':
      return [{ ...queue, isOpen: false }, []];
    case 'enter':
      return [{ ...queue, orders: inserted(queue.orders, { ...event.order, ...entered }) }, []];
    case 'reduce':
      return [{ ...queue, orders: reduced(queue.orders, event.id, event.left) }, []];
    case 'take':
      return [{ ...queue, shown: taking(queue.shown, event.side, event.price, event.amount) }, []];
  }
}

function afterTrade(before: Queue, trade: RecordedTrade): Step {
  // Each subscription begins with old trades.
  if (trade.id <= before.lastTradeId) return [before, []];
  const queue = { ...before, lastTradeId: trade.id };
  if (trade.rpi || !queue.isOpen || trade.at <= queue.openedAt) return [queue, []];

  let rest = trade.amount;
  return filled(queue, (order) => {
    const { side, price, enteredAt } = order;
    const isReached = side !== trade.side && trade.at > enteredAt && !isPast(side, trade.price, price);
    if (!isReached) return [order, none];
    const isAtPrice = trade.price.isEqualTo(price);
    const ahead = isAtPrice ? aheadAt(order, trade.at) : none;
    const amount = ahead === undefined ? none : min(order.left, excess(rest, ahead));
    rest = rest.minus(amount);
    return [isAtPrice ? { ...order, ...afterTradeAtPrice(order, trade) } : order, amount];
  });
}

function placed(queue: Queue, frame: Extract<MarketEvent, { readonly kind: 'frame' }>): Queue {
  const shown = afterFrame(queue.shown, frame);
  const isOpening = !queue.isOpen;
  const at = Math.max(queue.frameAt, frame.at);
  const orders = queue.orders.map((order) => {
    if (at < order.enteredAt) return order;
    const before = isOpening ? undefined : amountAt(queue.shown, order.side, order.price);
    const now = amountAt(shown, order.side, order.price);
    const cancelStep = queue.model === 'proportional' ? queue.step : undefined;
    return { ...order, ...afterShown(order, { at, before, now, isOpening, cancelStep }) };
  });
  return { ...queue, shown, orders, frameAt: at, isOpen: isPossible(shown), openedAt: isOpening ? at : queue.openedAt };
}

/** No exchange offers what it would trade at once: something of the book is missing or wrong. */
function isPossible({ buy: [bid], sell: [ask] }: Liquidity): boolean {
  return bid === undefined || ask === undefined || bid.price.isLessThan(ask.price);
}

/** Fills the orders that the other side is shown at or through, up to what was not taken of it. */
function crossed(queue: Queue): Step {
  if (!queue.isOpen) return [queue, []];
  let { shown } = queue;
  const [next, fills] = filled(queue, (order) => {
    const other = opposite(order.side);
    let got = none;
    for (const { price, amount, taken } of order.enteredAt <= queue.frameAt ? shown[other] : []) {
      if (isPast(order.side, price, order.price)) break;
      const part = min(order.left.minus(got), amount.minus(taken));
      if (part.isZero()) continue;
      shown = taking(shown, other, price, part);
      got = got.plus(part);
    }
    return [order, got];
  });
  return [{ ...next, shown }, fills];
}

function filled(queue: Queue, step: (order: QueuedOrder) => [order: QueuedOrder, amount: Decimal]): Step {
  const fills: QueueFill[] = [];
  const orders = queue.orders.flatMap((before) => {
    const [order, amount] = step(before);
    if (amount.isZero()) return [order];
    fills.push({ id: order.id, amount });
    const left = order.left.minus(amount);
    return left.isZero() ? [] : [{ ...order, left }];
  });
  return [{ ...queue, orders }, fills];
}

function inserted(orders: readonly QueuedOrder[], order: QueuedOrder): readonly QueuedOrder[] {
  const behind = orders.findIndex(({ side, price }) => side === order.side && isPast(side, order.price, price));
  return behind < 0 ? [...orders, order] : orders.toSpliced(behind, 0, order);
}

function reduced(orders: readonly QueuedOrder[], id: number, left: Decimal): readonly QueuedOrder[] {
  if (left.isZero()) return orders.filter((order) => order.id !== id);
  return orders.map((order) => (order.id === id ? { ...order, left } : order));
}
