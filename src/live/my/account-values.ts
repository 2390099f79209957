// What the channels of the account emit.
import type { AdlQuantile } from '../../model/adl-quantile.js';
import type { Borrow } from '../../model/borrow.js';
import type { CollateralAssets } from '../../model/collateral-balance.js';
import type { LivePosition } from '../../model/position.js';
import type { LiveGap } from '../../model/stream-gap.js';
import type { TradeBalance } from '../../model/trade-balance.js';
import type { CollateralEvent } from '../channels/positions.js';
import type { AccountStatus } from './account-state.js';

/** What {@link My.balances} emits. */
export interface LiveBalances extends AccountStatus {
  /** The trade balance by asset; an asset that is missing has none. Immutable. */
  readonly balance: TradeBalance;
}

/** What {@link My.marginBalances} emits. */
export interface LiveMarginBalances extends AccountStatus {
  /** The assets of the collateral account by asset; an asset that is missing has no balance. Immutable. */
  readonly balance: CollateralAssets;
}

/** What {@link My.positions} emits. */
export interface LivePositions extends AccountStatus {
  /** Every open position, margin and futures: one that is missing is closed. Immutable. */
  readonly positions: readonly LivePosition[];
}

/** What {@link My.borrows} emits. */
export interface LiveBorrows extends AccountStatus {
  /** Every loan: one that is missing is repaid. Immutable. */
  readonly borrows: readonly Borrow[];
}

/** What {@link My.adlQuantiles} emits. */
export interface LiveAdlQuantiles extends AccountStatus {
  /** The futures markets in which you have a position. Immutable. */
  readonly quantiles: readonly AdlQuantile[];
}

/** An item of {@link My.positionEvents}. Switch on `kind`. */
export type PositionEventItem =
  | {
      /** Discriminates the items. */
      readonly kind: 'event';
      /** What happens to the position. */
      readonly event: CollateralEvent;
      /** The position. */
      readonly position: LivePosition;
    }
  | LiveGap;

/** An item of {@link My.borrowEvents}. Switch on `kind`. */
export type BorrowEventItem =
  | {
      /** Discriminates the items. */
      readonly kind: 'event';
      /** What happens to the loan. */
      readonly event: CollateralEvent;
      /** The loan. */
      readonly borrow: Borrow;
    }
  | LiveGap;
