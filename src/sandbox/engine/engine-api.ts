// The interface between the engine and the HTTP side.
import type { Decimal } from '../../model/decimal.js';
import type { OrderSide, OrderType, PositionSide, StpMode } from '../../model/order.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import type { LiquidationState } from './account-risk.js';
import type { CollateralApi } from './collateral-api.js';
import type { KillSwitch, KillSwitchType } from './kill-switches.js';
import type { MarketRecord } from './listing.js';
import type { CollateralAccount } from './margin.js';
import type { MarketView } from './market-view.js';
import type { Position } from './positions.js';

/** An open position at the current price. */
export interface OpenPosition {
  readonly position: Position;
  readonly margin: Decimal;
  /** Of the account. */
  readonly freeMargin: Decimal;
  readonly unrealizedPnl: Decimal;
  /** The price of its market at which the account is liquidated, if any. */
  readonly liquidationPrice: Decimal | undefined;
  readonly liquidationState: LiquidationState;
  /** The stop orders that close it. */
  readonly stops: readonly LedgerOrder[];
}

/**
 * An order to place. The HTTP side has checked the shape of its fields; the engine checks market, steps, minima,
 * balances and positions.
 */
export interface NewOrder {
  readonly market: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  /** Whether the order trades on collateral. */
  readonly collateral: boolean;
  /** A decimal string above zero. */
  readonly amount: string;
  /** Empty without a client order ID. */
  readonly client_order_id: string;
  readonly stp: StpMode;
  /** The price of a limit order; absent with `bboRole`. */
  readonly price?: string;
  /** The limit price is the best one of the order's own side (1), or of the other side (2). */
  readonly bboRole?: 1 | 2;
  /** The trigger price of a stop order. */
  readonly activation_price?: string;
  /** How the market reaches the trigger price. Default, as published: `gte` for a buy, `lte` for a sell. */
  readonly activationCondition?: 'lte' | 'gte';
  /** Whether the amount of a stop market order that buys on spot is in the base currency. Default false. */
  readonly inBase?: boolean;
  /** Stop orders of an OTO order: the ID of that OTO. */
  readonly childOf?: number;
  readonly postOnly?: boolean;
  readonly ioc?: boolean;
  readonly rpi?: boolean;
  readonly retail?: boolean;
  readonly reduceOnly?: boolean;
  readonly positionSide?: PositionSide;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
}

/** An OCO order to place: the limit order, and the prices of the stop limit order. */
export interface NewOcoOrder extends Pick<
  NewOrder,
  'market' | 'side' | 'amount' | 'client_order_id' | 'stp' | 'positionSide'
> {
  readonly price: string;
  readonly activation_price: string;
  readonly stop_limit_price: string;
  readonly reduceOnly: boolean;
}

/** The two orders of an OCO order. */
export interface OcoView {
  readonly id: number;
  readonly stopLoss: LedgerOrder;
  readonly takeProfit: LedgerOrder;
}

/** The OCO orders of accounts. */
export interface OcoApi {
  place(account: string, order: NewOcoOrder): OcoView;
  /** Those of which both orders are open, newest first. */
  list(account: string): OcoView[];
}

/** Which orders of an account are canceled: those that match every given field. */
export interface CancelFilter {
  readonly market?: string | undefined;
  readonly types?: readonly KillSwitchType[] | undefined;
  readonly positionSide?: PositionSide | undefined;
}

/** Cancels of more than one order. Each throws a Rejection with code 2 when there is no open order to cancel. */
export interface CancelsApi {
  /** Never rejected. */
  all(account: string, filter: CancelFilter): void;
  /** Both orders of an OCO order, or an OTO order with its stop orders. */
  conditional(account: string, market: string, id: number): void;
  /** An OTO order with its stop orders. */
  oto(account: string, market: string, otoId: number): void;
  /** Both orders of an OCO order, by its own ID or by the client's. */
  oco(account: string, market: string, reference: OrderReference): OcoView;
}

/** A stop order to place with {@link Sandbox.placeStopOrder}. */
export interface StopOrderParams {
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** The order becomes a limit order or a market order when the market reaches its trigger price. */
  readonly type: 'stop limit' | 'stop market';
  /** Amount in the base currency, a decimal string. */
  readonly amount: string;
  /** Stop limit orders: the limit price. */
  readonly price?: string;
  /** The trigger price, a decimal string. */
  readonly activation_price: string;
  /** Default: `gte` when the trigger price is above the market's price, else `lte`. */
  readonly activationCondition?: 'lte' | 'gte';
  /** The client order ID. Default: none. */
  readonly client_order_id?: string;
}

/** The exchange's ID of an order, or the client's. */
export type OrderReference = { readonly order_id: number } | { readonly client_order_id: string };

/** What a modification changes of an order: decimal strings. */
export interface OrderChanges {
  readonly amount?: string;
  /** The amount of a stop market order that buys for an amount of the quote currency. */
  readonly total?: string;
  readonly price?: string;
  readonly activation_price?: string;
  readonly stp: StpMode;
}

/** When a kill switch was set and when it fires, Unix seconds. */
export interface KillSwitchTimes {
  readonly startTime: number;
  readonly cancellationTime: number;
}

/** The market and the client order ID of an order. */
export interface OrderIdentifier {
  readonly market: string;
  readonly client_order_id: string;
}

/**
 * The exchange without HTTP. Every method first brings prices up to the clock's time; a broken rule throws
 * {@link Rejection}.
 */
export interface EngineApi {
  /** What happens to positions beside the orders that trade them. */
  readonly collateral: CollateralApi;
  place(account: string, order: NewOrder): LedgerOrder;
  /**
   * Cancels an open order and places it again with these changes: under another ID, behind the other orders of its price.
   * The order stays canceled when its replacement is rejected for the account's balance.
   */
  modify(account: string, market: string, reference: OrderReference, changes: OrderChanges): LedgerOrder;
  /** Throws a Rejection with code 2 and `errors.order_id` when no such order is open. */
  cancel(account: string, market: string, reference: OrderReference): LedgerOrder;
  /**
   * Sets the timer after which the account's open orders of the market, or only those of these types, are canceled;
   * returns its times. `undefined` seconds remove the kill switch.
   */
  setKillSwitch(
    account: string,
    market: string,
    seconds: number | undefined,
    types?: readonly KillSwitchType[],
  ): KillSwitchTimes | undefined;
  /** The account's kill switches that are set. */
  killSwitches(account: string): KillSwitch[];
  /** The OCO orders. */
  readonly oco: OcoApi;
  /** Cancels of more than one order. */
  readonly cancels: CancelsApi;
  /** Newest first. */
  openOrders(account: string, identifier?: OrderIdentifier): LedgerOrder[];
  /** Orders that have ended, newest first. */
  history(account: string, identifier?: OrderIdentifier): LedgerOrder[];
  /** The executions of the account's orders, newest first. */
  deals(account: string): LedgerFill[];
  /** The markets of the response of `GET /api/v4/public/markets`. */
  markets(): MarketRecord[];
  /** Every market as the public endpoints show it, in the order of the options. */
  views(): MarketView[];
  /** Sets the leverage of the account, one of the accepted values. Rejected with code 17 or 113. */
  setLeverage(account: string, leverage: number): number;
  /** The margin of the account and its leverage, at the current prices. */
  collateralAccount(account: string): CollateralAccount;
  /** The open positions of the account. */
  openPositions(account: string): OpenPosition[];
  /** The amount of an asset that the account's open spot orders reserve. */
  frozen(account: string, asset: string): Decimal;
  /** Whether the account is in hedge mode. */
  isHedged(account: string): boolean;
}
