// What the orders of one client share, and what it reports of them.
import type { AbsencePremises } from './absence-proof.js';
import type { Caller, LookupTerms, Progress } from '../call/index.js';
import type { OrderRegistry } from './order-registry.js';

/** The times by which orders are looked up. */
export type OrderTiming = Required<AbsencePremises> & Pick<LookupTerms, 'timeoutMs' | 'resumeTimeoutMs'>;

/** What the orders of a client share. */
export interface OrderDesk {
  readonly caller: Caller;
  readonly registry: OrderRegistry;
  readonly timing: OrderTiming;
  readonly report: (event: OrderEvent) => void;
}

/** How far the lookup of an order has come; {@link OrderEvent} explains each. */
export type OrderProgress = Progress | 'not-identified';

/**
 * The response to an order was lost, or lacked the order's identifier:
 * - `looking-up`: the order is being looked up.
 * - `found`: the order was placed.
 * - `absent`: it is proven that the order was not placed.
 * - `unknown`: the outcome could not be determined; `reason` says why.
 * - `unsubscribed`: the last subscriber unsubscribed before the outcome was known.
 * - `not-identified`: the order was placed, but the exchange dropped its identifier: it cannot be looked up by it.
 */
export interface OrderEvent {
  /** Discriminates the events. */
  readonly type: 'order';
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Number of the call that places or finds the order, the same in all events of that call. */
  readonly call: number;
  /** The identifier that the order is looked up by. */
  readonly client_order_id: string;
  /** How far the lookup has come: see above. */
  readonly progress: OrderProgress;
  /** Why the outcome is `unknown`. */
  readonly reason?: string;
}

export function orderEvent(
  order: Pick<OrderEvent, 'endpoint' | 'call' | 'client_order_id'>,
  progress: OrderProgress,
  reason?: string,
): OrderEvent {
  return { type: 'order', ...order, progress, ...(reason === undefined ? {} : { reason }) };
}
