// The interface between the collateral accounts of the engine and the HTTP side.
import type { PositionSide } from '../../model/order.js';
import type { AdlQuantile } from './adl.js';
import type { FundingPayment } from './funding-payments.js';
import type { PositionChange } from './positions.js';

/** Names a position to close. */
export interface PositionToClose {
  readonly market: string;
  readonly positionId: number;
  /** Required in hedge mode. */
  readonly positionSide: PositionSide | undefined;
}

/**
 * Collateral accounts without HTTP. Every method first brings prices up to the clock's time; a broken rule throws
 * {@link Rejection}.
 */
export interface CollateralApi {
  /**
   * Closes a position at the market, after canceling its stop loss and take profit. Rejected with code 104 when no such
   * position is open.
   */
  closePosition(account: string, position: PositionToClose): void;
  /** Rejected with code 113 while positions or orders are open. */
  updateHedgeMode(account: string, enabled: boolean): void;
  /** The changes of the account's positions, newest first. */
  positionChanges(account: string): PositionChange[];
  /** The changes that closed a position, newest first. */
  closings(account: string): PositionChange[];
  /** Newest first. */
  fundingPayments(account: string): FundingPayment[];
  /** The ranks of the account's positions in perpetuals. */
  adlQuantiles(account: string): AdlQuantile[];
}
