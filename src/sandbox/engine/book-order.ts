// An order of a request, and inside the engine.
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import { isOpen, type OrderSide, type OrderStatus, type PositionSide } from '../../model/order.js';
import type { LedgerOrder } from '../ledger.js';

export type OrderFlag = 'postOnly' | 'ioc' | 'rpi' | 'retail' | 'reduceOnly';

/** The HTTP side has checked the shape of the fields; the engine checks the rules of the market and the account. */
export interface NewOrder extends Pick<LedgerOrder, RequestField>, Readonly<Partial<Record<OrderFlag, boolean>>> {
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

type RequestField = 'market' | 'side' | 'type' | 'collateral' | 'amount' | 'client_order_id' | 'stp';
type OrderIdentity = 'account' | 'market' | 'order_id' | 'client_order_id' | 'timestamp';
type OrderTerm = 'side' | 'type' | 'collateral' | 'stp' | OrderFlag;

export interface BookOrderInit extends Pick<LedgerOrder, OrderIdentity | OrderTerm> {
  readonly amount: Decimal;
  /** Zero for market orders. */
  readonly price: Decimal;
  readonly positionSide?: PositionSide | undefined;
  readonly stop?: { readonly condition: 'lte' | 'gte'; readonly price: Decimal };
  readonly oto?: NonNullable<LedgerOrder['oto']> | undefined;
  /** Stop orders of an OTO order: the ID of that OTO. */
  readonly childOf?: number;
  /** The orders of an OCO order: the ID of that OCO. */
  readonly ocoId?: number;
}

/** An order that has no number yet. */
export type NewBookOrder = Omit<BookOrderInit, 'order_id' | 'timestamp'>;

export class BookOrder {
  status: OrderStatus = 'NEW';
  left: Decimal;
  dealStock = decimal(0);
  dealMoney = decimal(0);
  dealFee = decimal(0);
  exactFee = decimal(0);
  activated = false;
  /** When it was placed, filled or triggered, or ended, Unix seconds. */
  changedAt: number;
  /** Unix seconds. */
  endedAt: number | undefined;
  /** Called when the order trades, is triggered or ends: the orders of an OCO order cancel each other. */
  onProgress: (() => void) | undefined;

  constructor(readonly init: BookOrderInit) {
    this.left = init.amount;
    this.changedAt = init.timestamp;
  }

  get isOpen(): boolean {
    return isOpen({ status: this.status });
  }

  get isDormant(): boolean {
    return this.isOpen && this.init.stop !== undefined && !this.activated;
  }

  get isQuoteAmount(): boolean {
    return isInQuote(this.init);
  }

  /** The price that margin is computed at while the order is open; zero for a market order, which never waits. */
  get openPrice(): Decimal {
    const { price, stop } = this.init;
    return price.isZero() && stop !== undefined ? stop.price : price;
  }

  fill(amount: Decimal, money: Decimal, fee: Decimal, at: number): void {
    this.#changed(at / 1000);
    this.dealStock = this.dealStock.plus(amount);
    this.dealMoney = this.dealMoney.plus(money);
    this.dealFee = this.dealFee.plus(fee);
    this.left = this.left.minus(this.isQuoteAmount ? money : amount);
    this.status = 'PARTIAL_FILLED';
    this.onProgress?.();
  }

  activate(at: number): void {
    this.#changed(at / 1000);
    this.activated = true;
    this.onProgress?.();
  }

  end(status: OrderStatus, seconds: number): void {
    this.status = status;
    this.endedAt = seconds;
    this.#changed(seconds);
    if (status === 'FILLED') this.left = decimal(0);
    this.onProgress?.();
  }

  /** Microseconds of the time of placing count orders, so that a change in the same millisecond is not before it. */
  #changed(seconds: number): void {
    this.changedAt = Math.max(this.changedAt, seconds);
  }

  get canceledStatus(): OrderStatus {
    return this.dealStock.isZero() ? 'CANCELED' : 'PARTIAL_CANCELED';
  }

  view(): LedgerOrder {
    const { amount, price, positionSide, stop, oto, childOf: _, ...same } = this.init;
    return {
      ...{ ...same, status: this.status, mtime: this.changedAt },
      ...(this.endedAt === undefined ? {} : { ftime: this.endedAt }),
      amount: formatDecimal(amount),
      left: formatDecimal(this.left),
      deal_stock: formatDecimal(this.dealStock),
      deal_money: formatDecimal(this.dealMoney),
      deal_fee: formatDecimal(this.dealFee),
      price: formatDecimal(price),
      ...(positionSide === undefined ? {} : { positionSide }),
      ...(stop === undefined ? {} : { activated: this.activated ? 1 : 0, activationCondition: stop.condition }),
      ...(stop === undefined ? {} : { activation_price: formatDecimal(stop.price) }),
      ...(oto === undefined ? {} : { oto }),
    };
  }
}

/** Whether the amount of an order is in the quote currency: that of a spot market order that buys is. */
export function isInQuote({ type, side, collateral }: Pick<LedgerOrder, 'type' | 'side' | 'collateral'>): boolean {
  return (type === 'market' || type === 'stop market') && side === 'buy' && !collateral;
}

/** The terms with which the engine reduces a position. */
export const reducing: Pick<BookOrderInit, 'collateral' | 'client_order_id' | 'price' | 'stp' | OrderFlag> = {
  ...{ collateral: true, client_order_id: '', price: decimal(0), stp: 'no' },
  ...{ postOnly: false, ioc: false, rpi: false, retail: false, reduceOnly: true },
};

/** An offer that a taker can trade with: a resting order of an account, or one of the sandbox's own levels. */
export interface Offer {
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly order?: BookOrder;
}

/** Sorts the offers to a taker of this side; those of one price keep their order. */
export function bestFirst(taker: OrderSide, offers: Offer[]): Offer[] {
  const direction = taker === 'buy' ? 1 : -1;
  return offers.sort((one, other) => direction * (one.price.comparedTo(other.price) ?? 0));
}
