// Messages of acting: what a page requests, the plan that it confirms, and the results in the feed.
import type { OrderRow, PositionRow } from './account-messages.js';

/**
 * What a page can do where {@link About.tradingAllowed}. It sends the action to `POST plan`, shows the {@link Plan}, and
 * sends the id of the plan that was confirmed to `POST act`.
 */
export type Action =
  | { readonly kind: 'cancel'; readonly market: string; readonly orderId: number }
  | { readonly kind: 'cancel-all'; readonly market?: string }
  | { readonly kind: 'close'; readonly market: string; readonly positionId: number }
  | { readonly kind: 'flatten' };

/** The response to `POST plan`, whose body is the {@link Action} as JSON. */
export type PlanResponse =
  { readonly kind: 'plan'; readonly plan: Plan } | { readonly kind: 'refused'; readonly reason: string };

/** The response to `POST act`, whose body is `{ "planId": … }`. */
export type ActResponse =
  /** It has started: {@link PartValues.acts} has the results. A plan acts at most once. */
  | { readonly kind: 'started'; readonly actId: number }
  /** Facts have changed, or the plan is too old: nothing was done, and this is the plan now. */
  | { readonly kind: 'changed'; readonly plan: Plan; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** The response to `POST try`, whose body is `{}`: the next attempt of connections and reads, at once. */
export type TryResponse =
  | { readonly kind: 'tried' }
  /** There was a try a moment ago. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface Plan {
  readonly id: string;
  readonly action: Action;
  readonly at: number;
  readonly expiresAt: number;
  /** First step; at most 1,000. */
  readonly cancel: readonly PlannedCancel[];
  /** Second step; at most 100. */
  readonly close: readonly PlannedClose[];
  /** Sums of the closes, one for each quote currency; empty when one of them is not estimated. */
  readonly totals: readonly { readonly currency: string; readonly pnl: string; readonly fees: string }[];
  /** The oldest price that an estimate uses; `null` without one. */
  readonly pricesAt: number | null;
  /** Why the estimates cannot be trusted, in words; absent: they are live. */
  readonly warning?: string;
}

export interface PlannedCancel extends Pick<
  OrderRow,
  'orderId' | 'clientOrderId' | 'market' | 'side' | 'type' | 'flags' | 'price'
> {
  readonly left: string;
}

/** A position, which a market order of the other side closes; `pnl` is an estimate at the order book, as `price` is. */
export interface PlannedClose extends Pick<PositionRow, 'positionId' | 'market' | 'side' | 'amount' | 'pnl'> {
  /** Empty when it cannot be estimated. */
  readonly price: string;
}

/** The confirmed actions with their results; newest first, at most 10. */
export interface Act {
  readonly id: number;
  readonly action: Action;
  readonly at: number;
  readonly endedAt: number | null;
  readonly results: readonly ActResult[];
  /** What is open after a flatten besides the results, in words. */
  readonly note?: string;
}

export interface ActResult {
  readonly step: 'cancel' | 'close';
  readonly market: string;
  readonly id: number;
  readonly clientOrderId: string;
  /**
   * - `running`: not sent yet, or its response is awaited or looked up.
   * - `done`: canceled, closed.
   * - `open`: the close was accepted, and the position is still open; the text says how much of it.
   * - `refused`: it was not done; the text says why.
   * - `unknown`: it may have been done or not; the text says what to compare.
   */
  readonly outcome: 'running' | 'done' | 'open' | 'refused' | 'unknown';
  readonly text: string;
}
