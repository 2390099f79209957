// What is shown in place of orders and positions that there are not: what will appear, and when.
import { none } from './format.js';
import type { State } from './state.js';

/** What is shown in place of orders that there are not. */
export function noOrders({ parts: { about, orders } }: State): readonly [string, string] {
  if (about?.account === false) return ['No account.', 'Orders appear here when the dashboard has credentials.'];
  if (orders === undefined || orders.state.status === 'waiting') return [none, ''];
  if (orders.state.status === 'refused') return ['Not readable.', orders.state.reason ?? ''];
  return ['No open order.', 'An order appears here when it is placed, from any program that uses this account.'];
}

/** What is shown in place of positions that there are not. */
export function noPositions({ parts: { about, positions } }: State): readonly [string, string] {
  if (about?.account === false) return ['No account.', 'Positions appear here when the dashboard has credentials.'];
  if (positions === undefined || positions.state.status === 'waiting') return [none, ''];
  if (positions.state.status === 'refused') return ['Not readable.', positions.state.reason ?? ''];
  return ['', 'No open position.'];
}
