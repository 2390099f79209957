// What the HTTP side passes to the engine, and gets from it.
import type { Decimal } from '../../model/decimal.js';
import type { OrderSide, OrderType, PositionSide, StpMode } from '../../model/order.js';
import type { LedgerOrder } from '../ledger.js';
import type { OrderFlag } from './book-order.js';
import type { Position } from './positions.js';

/** How far an account is from its liquidation; `undefined`: far. */
export type LiquidationState = 'margin_call' | 'liquidation' | undefined;

export interface OpenPosition {
  readonly position: Position;
  readonly margin: Decimal;
  /** Of the account. */
  readonly freeMargin: Decimal;
  readonly unrealizedPnl: Decimal;
  readonly liquidationPrice: Decimal | undefined;
  readonly liquidationState: LiquidationState;
  readonly stops: readonly LedgerOrder[];
}

/** The HTTP side has checked the shape of the fields; the engine checks the rules of the market and the account. */
export interface NewOrder extends Readonly<Partial<Record<OrderFlag, boolean>>> {
  readonly market: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  readonly collateral: boolean;
  /** A decimal string above zero. */
  readonly amount: string;
  /** Empty without a client order ID. */
  readonly client_order_id: string;
  readonly stp: StpMode;
  /** The price of a limit order; absent with `bboRole`. */
  readonly price?: string | undefined;
  /** The limit price is the best one of the order's own side (1), or of the other side (2). */
  readonly bboRole?: 1 | 2;
  readonly activation_price?: string | undefined;
  /** How the market reaches the trigger price. Default, as published: `gte` for a buy, `lte` for a sell. */
  readonly activationCondition?: 'lte' | 'gte' | undefined;
  readonly childOf?: number | undefined;
  readonly positionSide?: PositionSide | undefined;
  readonly stopLoss?: string | undefined;
  readonly takeProfit?: string | undefined;
}

type OcoTerm = 'market' | 'side' | 'amount' | 'client_order_id' | 'stp' | 'positionSide' | 'reduceOnly';
type OcoPrice = 'price' | 'activation_price' | 'stop_limit_price';

export type NewOcoOrder = Pick<NewOrder, OcoTerm> & Readonly<Record<OcoPrice, string>>;

export type OrderReference = { readonly order_id: number } | { readonly client_order_id: string };

/** `total` is the amount of a stop market order that buys for an amount of the quote currency. */
export interface OrderChanges extends Pick<NewOrder, 'price' | 'activation_price' | 'stp'> {
  readonly amount: string | undefined;
  readonly total: string | undefined;
}
