// What the HTTP side asks of the engine.
import type { OrderSide, PositionSide, StpMode } from '../../model/order.js';
import type { LedgerOrder } from '../ledger.js';
import type { KillSwitchType } from './kill-switches.js';
import type { MarketRecord } from './listing.js';

interface NewOrderCommon {
  readonly market: string;
  readonly side: OrderSide;
  /** A decimal string above zero. */
  readonly amount: string;
  /** Empty when none. */
  readonly client_order_id: string;
  readonly stp: StpMode;
}

/**
 * An order to place whose fields have been checked for shape; the engine checks market, steps, minima, balances and
 * positions.
 */
export type NewOrder =
  | (NewOrderCommon & { readonly type: 'stock market' | 'market' })
  | (NewOrderCommon & {
      readonly type: 'limit';
      readonly price: string;
      readonly postOnly: boolean;
      readonly ioc: boolean;
      readonly rpi: boolean;
      readonly reduceOnly: boolean;
      readonly positionSide?: PositionSide;
      readonly stopLoss?: string;
      readonly takeProfit?: string;
    });

export type OrderReference = { readonly order_id: number } | { readonly client_order_id: string };

/** When a kill switch was set, and when it fires, Unix seconds. */
export interface KillSwitchTimes {
  readonly startTime: number;
  readonly cancellationTime: number;
}

/** What an account calls an order of its own. */
export interface OrderIdentifier {
  readonly market: string;
  readonly client_order_id: string;
}

/**
 * The exchange itself, without HTTP. Every method first lets the price move to the clock's time; rules that are broken
 * throw {@link Refusal}.
 */
export interface EngineApi {
  place(account: string, order: NewOrder): LedgerOrder;
  /** Throws Refusal code 2, errors.order_id, when no such order is open. */
  cancel(account: string, market: string, key: OrderReference): LedgerOrder;
  /**
   * Cancels the account's open orders of the market, or those of these types, after so many seconds, unless it is
   * called again; when that is. With `undefined` for the seconds the switch is removed.
   */
  setKillSwitch(
    account: string,
    market: string,
    seconds: number | undefined,
    types?: readonly KillSwitchType[],
  ): KillSwitchTimes | undefined;
  /** Newest first. */
  openOrders(account: string, identifier?: OrderIdentifier): LedgerOrder[];
  /** Orders that have ended, newest first. */
  history(account: string, identifier?: OrderIdentifier): LedgerOrder[];
  /** As `GET /api/v4/public/markets` answers them. */
  markets(): MarketRecord[];
  /** Sets the leverage of the account; Refusal 17 or 113. The value has been checked to be an accepted one. */
  setLeverage(account: string, leverage: number): number;
}
