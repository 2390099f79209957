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

export interface NewOcoOrder extends Pick<
  NewOrder,
  'market' | 'side' | 'amount' | 'client_order_id' | 'stp' | 'positionSide'
> {
  readonly price: string;
  readonly activation_price: string;
  readonly stop_limit_price: string;
  readonly reduceOnly: boolean;
}

export interface OcoView {
  readonly id: number;
  readonly stopLoss: LedgerOrder;
  readonly takeProfit: LedgerOrder;
}

export const killSwitchTypes = ['spot', 'margin', 'futures'] as const;

export type KillSwitchType = (typeof killSwitchTypes)[number];

export function killSwitchTypeOf({ collateral, market }: Pick<NewOrder, 'collateral' | 'market'>): KillSwitchType {
  if (!collateral) return 'spot';
  return market.endsWith('_PERP') ? 'futures' : 'margin';
}

export interface CancelFilter {
  readonly market?: string | undefined;
  readonly types?: readonly KillSwitchType[] | undefined;
  readonly positionSide?: PositionSide | undefined;
}

export type OrderReference = { readonly order_id: number } | { readonly client_order_id: string };

export interface OrderChanges {
  readonly amount: string | undefined;
  /** The amount of a stop market order that buys for an amount of the quote currency. */
  readonly total: string | undefined;
  readonly price: string | undefined;
  readonly activation_price: string | undefined;
  readonly stp: StpMode;
}
