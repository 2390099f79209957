// What the live connection reports of the orders of the account.
import type { LiveOrder, LiveOtoOrder } from '../../model/live-order.js';
import type { LiteralUnion } from '../../model/tolerant.js';
import type { LiveGap } from '../../model/stream-gap.js';

interface OfOrder {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** The order as it is now. */
  readonly order: LiveOrder;
  /** `push`: the exchange pushed it. `request`: it was read, because pushes may be missing. */
  readonly via: 'push' | 'request';
}

/**
 * A change of an order, newer than every change of it before. Switch on `kind`:
 * - `opened`: the order is open now.
 * - `updated`: more of it was filled, or another field has changed.
 * - `activated`: the market has reached the `activation_price` of a stop order. The order is the same one.
 * - `modified`: the order replaces another one, whose `order_id` is `replaces`. The other one has ended by it. Neither was
 *   reported as `ended` before: where one was, the messages about both were far apart, and are changes of their own.
 * - `ended`: it was filled or canceled: see its `status`. Its last change, unless the exchange reports a greater filled
 *   amount later.
 */
export type OrderChange =
  | (OfOrder & { readonly kind: 'opened' | 'updated' | 'activated' | 'ended' })
  | (OfOrder & {
      readonly kind: 'modified';
      /** The `order_id` of the order that was modified. */
      readonly replaces: number;
      /** That order as it ended. */
      readonly before: LiveOrder;
    });

/** A change of a conditional order, as the exchange pushes it. */
export interface OtoOrderChange {
  /** Discriminates the items. */
  readonly kind: 'oto';
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** What has happened to it; an event that the exchange adds is its number. */
  readonly event: LiteralUnion<'opened' | 'updated' | 'ended'>;
  readonly oto: LiveOtoOrder;
}

/** An item of {@link My.orders}. Switch on `kind`. */
export type LiveOrderItem = OrderChange | OtoOrderChange | LiveGap;
