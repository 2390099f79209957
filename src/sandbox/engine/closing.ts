// Closing a position at the market, and the orders that would close it.
import { decimal } from '../../model/decimal.js';
import type { Decimal } from '../../model/decimal.js';
import type { BookOrder } from './book-order.js';
import type { OrderBook } from './order-book.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Position } from './positions.js';

/** The stop loss and the take profit that orders attached to a position. */
export function stopsOf(book: OrderBook, { account, side }: Position): BookOrder[] {
  return [...book.dormant].filter(
    ({ init }) => init.account === account && init.childOf !== undefined && (init.positionSide ?? 'BOTH') === side,
  );
}

/** Closes what the market takes of a position; without any offer, no order is placed. */
export function closeAtMarket(
  lifecycle: OrderLifecycle,
  book: OrderBook,
  price: Decimal,
  { account, market, side, amount }: Position,
  client_order_id = '',
): void {
  const order = lifecycle.open({
    account,
    market,
    side: amount.isGreaterThan(0) ? 'sell' : 'buy',
    type: 'market',
    collateral: true,
    client_order_id,
    amount: amount.abs(),
    price: decimal(0),
    stp: 'no',
    reduceOnly: true,
    positionSide: side === 'BOTH' ? undefined : side,
  });
  const plan = lifecycle.plan(order, book, price);
  if (plan.fills.length > 0) lifecycle.enter(order, book, plan);
}
