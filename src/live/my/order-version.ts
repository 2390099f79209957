// The version of an order: whether it has ended, how much of it is filled, whether it is active, when it last changed.
// Pushes and lists may come in any order and more than once: only a greater version counts.
import { decimal, type Decimal } from '../../model/decimal.js';
import { isFilled, isOpen, isSame, openStatuses } from '../../model/order.js';
import type { LiveOrder } from '../../model/live-order.js';

export interface KnownOrder {
  readonly order: LiveOrder;
  readonly hasEnded: boolean;
  /** Whether the trigger of a stop order was reached, as far as it was reported. */
  readonly isActive: boolean;
}

/** An order as it was pushed or listed; `hasEnded`: the exchange reports that it can be filled no more. */
export function knownOrder(order: LiveOrder, hasEnded: boolean): KnownOrder {
  const isEnd = hasEnded || !isOpen(order);
  return { order: isEnd ? withEnd(order) : order, hasEnded: isEnd, isActive: (order.activated ?? 0) > 0 };
}

/** The later state of the same order; `undefined` when the new one has no change. */
export function laterOrder(before: KnownOrder, next: KnownOrder): KnownOrder | undefined {
  if (!isLater(before, next)) return undefined;
  const order = { ...before.order, ...next.order };
  // An end that lists less than was filled before is an end nevertheless.
  const isLess = filledOf(next.order).isLessThan(filledOf(before.order));
  const { deal_stock, deal_money = order.deal_money, deal_fee = order.deal_fee, left = order.left } = before.order;
  return {
    order: isLess ? { ...order, deal_stock, deal_money, deal_fee, left } : order,
    hasEnded: before.hasEnded || next.hasEnded,
    isActive: before.isActive || next.isActive,
  };
}

/** Whether an order that had ended with this filled amount is reported to have ended with a greater one. */
export function endsWithMore({ order, hasEnded }: KnownOrder, filled: string): boolean {
  return hasEnded && filledOf(order).isGreaterThan(filled);
}

function isLater(before: KnownOrder, next: KnownOrder): boolean {
  const more = filledOf(next.order).comparedTo(filledOf(before.order)) ?? 0;
  if (before.hasEnded || next.hasEnded) return before.hasEnded ? next.hasEnded && more > 0 : true;
  if (more !== 0) return more > 0;
  if (before.isActive !== next.isActive) return next.isActive;
  const [was, is] = [before.order.mtime, next.order.mtime];
  return was !== undefined && is !== undefined && is > was;
}

/** Whether an order may have ended because another one replaced it: the exchange modifies an order by a new one. */
export function mayBeReplaced({ order, hasEnded }: KnownOrder): boolean {
  const { client_order_id, ioc } = order;
  return hasEnded && !isFilled(order) && client_order_id !== '' && ioc !== true && order.status === canceled;
}

/** Compares orders by when they were placed: negative when the first one is older. */
export function compareAge(order: LiveOrder, other: LiveOrder): number {
  return (order.timestamp ?? 0) - (other.timestamp ?? 0) || order.order_id - other.order_id;
}

/** When an order ended and the order that replaces it was placed, at most this far apart, seconds. */
const oneTimeS = 1;

/** Whether an order has ended because `next` replaced it. */
export function isReplacedBy(before: KnownOrder, next: KnownOrder): boolean {
  const { order_id, client_order_id, side, timestamp } = next.order;
  const ended = before.order;
  if (
    !mayBeReplaced(before) ||
    order_id === ended.order_id ||
    client_order_id !== ended.client_order_id ||
    side !== ended.side
  )
    return false;
  if (compareAge(next.order, ended) < 0) return false;
  return timestamp === undefined || ended.mtime === undefined || Math.abs(timestamp - ended.mtime) <= oneTimeS;
}

/** The status by which the exchange reports an order that was canceled by request, or modified. */
const canceled = 'CANCELED';

/** The end may come with the status of an open order, or without one. */
function withEnd(order: LiveOrder): LiveOrder {
  const { status, left } = order;
  const isSaid = status !== undefined && !openStatuses.some((open) => open === status);
  if (isSaid || left === undefined) return order;
  return { ...order, status: isSame(left, '0') ? 'FILLED' : canceled };
}

function filledOf({ deal_stock = '0' }: LiveOrder): Decimal {
  return decimal(deal_stock);
}
