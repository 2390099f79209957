// The collateral accounts of the engine: what happens to positions beside the orders that trade them.
import type { PositionSide } from '../../model/order.js';
import { invalid, Rejection, validationMessage } from '../rejection.js';
import { admitMarket } from './admission.js';
import { type AdlQuantile, adlQuantiles } from './account-risk.js';
import { closeAtMarket, Liquidation, type LiquidationParts, stopsOf } from './liquidation.js';
import type { FundingPayment, FundingPayments, FundingSettlement } from './funding.js';
import type { OrderBook } from './order-book.js';
import type { PositionChange, PositionHistory } from './positions.js';

export interface PositionToClose {
  readonly market: string;
  readonly positionId: number;
  readonly positionSide: PositionSide | undefined;
}

export interface CollateralParts extends LiquidationParts {
  readonly history: PositionHistory;
  readonly payments: FundingPayments;
  readonly perpetuals: readonly string[];
  readonly hedged: Set<string>;
  readonly advance: () => void;
}

export class Collateral {
  readonly #liquidation: Liquidation;

  constructor(private readonly parts: CollateralParts) {
    this.#liquidation = new Liquidation(parts);
  }

  /**
   * Closes a position at the market, after canceling its stop loss and take profit. Rejected with code 104 when no such
   * position is open.
   */
  closePosition(account: string, { market, positionId, positionSide }: PositionToClose): void {
    const { advance, hedged, positions, lifecycle, markets } = this.parts;
    advance();
    const book = admitMarket(markets.find(market), 'collateral');
    const isHedged = hedged.has(account);
    if (isHedged && positionSide !== 'LONG' && positionSide !== 'SHORT')
      throw invalid(422, 114, 'positionSide', 'Position side must be LONG or SHORT in hedge mode.');
    const position = positions
      .inMarket(market)
      .find((held) => held.account === account && held.id === positionId && (!isHedged || held.side === positionSide));
    if (position === undefined)
      throw new Rejection(422, 104, validationMessage, { positionId: ['Position was not found.'] });
    for (const stop of stopsOf(book, position)) lifecycle.finish(stop, book, 'CANCELED');
    closeAtMarket(lifecycle, book, markets.price(market), position);
  }

  /** Rejected with code 113 while positions or orders are open. */
  updateHedgeMode(account: string, enabled: boolean): void {
    const { advance, hedged, orders, positions } = this.parts;
    advance();
    if (positions.open(account).length > 0 || orders.openCollateral(account).length > 0)
      throw new Rejection(422, 113, 'Hedge mode cannot be changed while positions or orders are open.');
    if (enabled) hedged.add(account);
    else hedged.delete(account);
  }

  positionChanges(account: string): PositionChange[] {
    this.parts.advance();
    return this.parts.history.changes(account);
  }

  closings(account: string): PositionChange[] {
    this.parts.advance();
    return this.parts.history.closings(account);
  }

  fundingPayments(account: string): FundingPayment[] {
    this.parts.advance();
    return this.parts.payments.of(account);
  }

  adlQuantiles(account: string): AdlQuantile[] {
    const { advance, perpetuals, positions, risk } = this.parts;
    advance();
    return adlQuantiles(account, perpetuals, positions, risk);
  }

  priceMoved({ listing }: OrderBook): void {
    this.#liquidation.check(listing.name);
  }

  settleFunding({ listing }: OrderBook, settlement: FundingSettlement): void {
    this.parts.payments.settle(listing, settlement);
    this.#liquidation.check(listing.name);
  }

  forget(before: number): void {
    this.parts.history.forget(before);
    this.parts.payments.forget(before);
  }
}
