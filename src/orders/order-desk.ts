// What the orders of one client share.
import type { Caller } from '../call/index.js';
import type { OrderEvent } from './order-event.js';
import type { OrderRegistry } from './order-registry.js';

/** The times by which orders are looked up. */
export interface OrderTiming {
  readonly settleMs: number;
  readonly historyLagMs: number;
  /** How long an order whose response was lost is looked up, milliseconds; 0: it is not looked up. */
  readonly lookupTimeoutMs: number;
  /** The same at a later subscription, which only looks up. */
  readonly resumeTimeoutMs: number;
}

/** What the orders of a client share. */
export interface OrderDesk {
  readonly caller: Caller;
  readonly registry: OrderRegistry;
  readonly timing: OrderTiming;
  readonly report: (event: OrderEvent) => void;
}
