// The order: its fields under the names of the spec, its statuses, and what callers need to know of it.
import type * as v from 'valibot';
import { decimal, readDecimal } from './decimal.js';
import * as t from './tolerant.js';
import { historyNames, legNames, orderNames } from './wire-names.js';

/** Spec, Resources: the sides of an order. */
export const orderSides = ['buy', 'sell'] as const;
/** Spec, Resources: the types of an order. */
export const orderTypes = ['limit', 'market', 'stock market', 'stop limit', 'stop market'] as const;
/** Spec, Resources: self-trade prevention. The live exchange responds with the short forms (`cb`, `cn`, `co`). */
export const stpModes = ['no', 'cancel_both', 'cancel_new', 'cancel_old'] as const;
/** The live exchange's short form of each self-trade prevention mode. */
export const liveStpModes = { no: 'no', cancel_both: 'cb', cancel_new: 'cn', cancel_old: 'co' } as const;
/** Spec, Resources: the position side of a collateral order. */
export const positionSides = ['LONG', 'SHORT', 'BOTH'] as const;
/** Spec, Resources: how the market price must move past `activation_price` to activate a stop order. */
const activationConditions = ['lte', 'gte'] as const;

/** Spec, Limits: letters, digits, dashes, dots, underscores. */
export const clientOrderIdPattern = /^[A-Za-z0-9._-]+$/;
/** The live exchange takes no longer one, and advises 32. */
export const clientOrderIdMaxLength = 64;

/** Statuses of an order that may still be filled: the live exchange's, and the spec's two spellings. */
export const openStatuses = ['OPEN', 'NEW', 'PARTIAL_FILLED', 'PARTIALLY_FILLED'] as const;
/** The status of an order that was fully executed. */
const filledStatuses = ['FILLED'] as const;
/** Statuses of an order whose remainder was canceled, whether a part was filled before or not. */
const canceledStatuses = [
  'CANCELED',
  'CANCELLED',
  'PARTIAL_CANCELED',
  'CANCELED_TAKER_BAND',
  'CANCELED_STP',
  'CANCELED_RPI',
  'AUTO_CANCELED_REDUCE_ONLY',
  'AUTO_CANCELED_LIQUIDATION',
  'AUTO_CANCELED_USER_MARGIN',
  'MAINTENANCE',
  'DELISTING',
] as const;
/** Statuses that the exchange may add and that can only mean that the order was canceled. */
const anyCanceled = /^(?:AUTO_|PARTIAL_|PARTIALLY_)?CANCELL?ED(?:_|$)/;

/** The side of an order: `buy` or `sell`. */
export type OrderSide = (typeof orderSides)[number];
/**
 * The type of an order: `limit`; `market`, whose amount is in the quote currency when it buys; `stock market`, whose
 * amount is in the base currency; `stop limit` and `stop market`, which become active when the market reaches their
 * `activation_price`.
 *
 * The live exchange shows orders on collateral under types of their own: `margin limit`, `margin market`, `margin stop
 * limit`, `trigger margin market`.
 */
export type OrderType = (typeof orderTypes)[number];
/**
 * Self-trade prevention, when an order would match an order of the same account: `no` allows it, `cancel_both` cancels
 * both orders, `cancel_new` the incoming order, `cancel_old` the resting order.
 */
export type StpMode = (typeof stpModes)[number];
/** The side of a position: `LONG` or `SHORT` in hedge mode, `BOTH` without. */
export type PositionSide = (typeof positionSides)[number];
/**
 * The known statuses of an order, under each of the exchange's spellings:
 * - open: `OPEN` (`NEW` in the description), `PARTIAL_FILLED` or `PARTIALLY_FILLED`.
 * - executed: `FILLED`.
 * - canceled, perhaps after a part was filled: `CANCELED`, `CANCELLED`, `PARTIAL_CANCELED`, `CANCELED_TAKER_BAND` (to
 *   limit slippage), `CANCELED_STP` (self-trade prevention), `CANCELED_RPI` (retail price improvement),
 *   `AUTO_CANCELED_REDUCE_ONLY` (the position was closed), `AUTO_CANCELED_LIQUIDATION`, `AUTO_CANCELED_USER_MARGIN`,
 *   `MAINTENANCE`, `DELISTING`.
 *
 * Use {@link isOpen}, {@link isFilled} and {@link isCanceled} instead of comparing.
 */
export type OrderStatus =
  (typeof openStatuses)[number] | (typeof filledStatuses)[number] | (typeof canceledStatuses)[number];

const otoFields = {
  /** The exchange's number of the conditional order. */
  otoId: t.optional(t.integer),
  /** Price of the stop loss. */
  stopLoss: t.optionalText,
  /** Price of the take profit. */
  takeProfit: t.optionalText,
};

/** The stop loss and the take profit that a collateral order was placed with. Unknown fields are kept. */
export interface OtoOrder extends t.RecordOf<typeof otoFields> {}

/** A number is no side: two orders of one identifier differ by it. */
const side: v.GenericSchema<unknown, t.LiteralUnion<OrderSide>> = t.string;

const commonFields = {
  /** Identifier that the matching engine assigned. */
  order_id: t.integer,
  /** Your identifier from the request; empty when the order has none. */
  client_order_id: t.textOrEmpty,
  /** The pair, `BASE_QUOTE`. */
  market: t.string,
  /** `buy` or `sell`. */
  side,
  /** Type of the order: see {@link OrderType}. */
  type: t.optionalEnum(orderTypes),
  /** Time of creation, Unix seconds with microseconds. */
  timestamp: t.optionalNumber,
  /** Filled amount, quote currency; `"0"` while unfilled. */
  deal_money: t.optionalDecimal,
  /** Filled amount, base currency; `"0"` while unfilled. */
  deal_stock: t.optionalDecimal,
  /**
   * Amount, base currency. For a buy by `spot.placeMarketOrder` or `spot.placeStopMarketOrder` it is in the quote
   * currency.
   */
  amount: t.optionalDecimal,
  /** Fee paid for the filled part, in `feeAsset`. */
  deal_fee: t.optionalDecimal,
  /** Ticker of the asset that the fee is paid in. */
  feeAsset: t.optionalText,
  /** Limit price, quote currency; `"0"` or absent for market orders. */
  price: t.optionalText,
  /** Whether the order may execute as maker only. */
  postOnly: t.optionalFlag,
  /** Immediate or cancel: whether the unfilled part was canceled at once. */
  ioc: t.optionalFlag,
  /** Status. Use {@link isOpen}, {@link isFilled} and {@link isCanceled}, which know every spelling. */
  status: t.ifPresent(t.oneOf([...openStatuses, ...filledStatuses, ...canceledStatuses])),
  /** Self-trade prevention mode. The live exchange sends the short forms `cb`, `cn` and `co`. */
  stp: t.optionalEnum([...stpModes, 'cb', 'cn', 'co']),
  /** Collateral orders: side of the position. */
  positionSide: t.optionalEnum(positionSides),
  /** Whether the order is a Retail Price Improvement order. */
  rpi: t.optionalFlag,
  /** Spot limit orders: whether the order is a retail order, which may match Retail Price Improvement orders. */
  retail: t.optionalFlag,
  /** Whether the order may only reduce or close a position. */
  reduceOnly: t.optionalFlag,
  /** Stop orders: 0 before the trigger, 1 after it. */
  activated: t.optionalNumber,
  /** Stop orders: activation at or below (`lte`), or at or above (`gte`), `activation_price`. */
  activationCondition: t.optionalEnum(activationConditions),
  /** Stop orders: market price that activates the order. */
  activation_price: t.optionalText,
  /** Collateral orders with a stop loss or a take profit: the conditional order. */
  oto: t.optional<OtoOrder>(t.record(otoFields)),
};

const leftField = {
  /** Unfilled amount, in the currency of `amount`; `"0"` when filled. */
  left: t.optionalDecimal,
};

/** The fields of an order in the response of an order endpoint. */
export const orderFields = { ...commonFields, ...leftField };

const endField = {
  /** Time at which the order ended, Unix seconds. */
  ftime: t.optionalNumber,
};

/** An order. Unknown fields are kept. */
export interface Order extends t.RecordOf<typeof commonFields>, t.RecordOf<typeof leftField> {}

/** An order that has ended, from the order history. Unknown fields are kept. */
export interface HistoricalOrder extends t.RecordOf<typeof commonFields>, t.RecordOf<typeof endField> {}

/**
 * An order in the response of every order endpoint, under either name of its fields. Its identifiers, market, side and
 * status are required; any other field may be absent.
 */
export const orderSchema: v.GenericSchema<unknown, Order> = t.record(orderFields, orderNames);

/** An order of a conditional order. */
export const legSchema: v.GenericSchema<unknown, Order> = t.record(orderFields, legNames);

/** An order of the order history: without `left`, and with the time at which it ended. */
export const historicalOrderSchema: v.GenericSchema<unknown, HistoricalOrder> = t.record(
  { ...commonFields, ...endField },
  historyNames,
);

/** Whether an amount or price is absent: the exchange may write an absent one as empty or zero. */
export function isNothing(value: string | undefined): boolean {
  return value === undefined || value === '' || readDecimal(value)?.isZero() === true;
}

export function hasDeals({ deal_stock }: Pick<Order, 'deal_stock'>): boolean {
  return !isNothing(deal_stock);
}

/** Whether two amounts or prices have the same value. */
export function isSame(one: string | undefined, other: unknown): boolean {
  const [first, second] = [one, other].map((value) => (typeof value === 'string' ? readDecimal(value) : undefined));
  return first !== undefined && second !== undefined && first.isEqualTo(second);
}

/** Unix ms; `NaN`, which compares as neither before nor after any time, without a time in seconds. */
export function placedAt({ timestamp = Number.NaN }: Pick<Order, 'timestamp'>): number {
  const isSeconds = timestamp > 1e9 && timestamp < 1e11;
  return isSeconds ? timestamp * 1000 : Number.NaN;
}

/** The fields that the three functions below read. */
export type OrderState = Pick<HistoricalOrder, 'status' | 'ftime'> & Pick<Order, 'left'>;

/**
 * Whether the order may still be filled: it is in the book or waits for its trigger, perhaps partially filled. An order
 * is open unless it is known to have ended. An order with an unknown status is open. An order without a status is open
 * unless `left` is zero or it has an `ftime`.
 *
 * @example
 * ```ts
 * import { isOpen, type Exchange } from 'exchange-rx';
 * import { filter } from 'rxjs';
 *
 * const resting = (exchange: Exchange) =>
 *   exchange.collateral
 *     .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' })
 *     .pipe(filter(isOpen));
 * ```
 */
export function isOpen(order: OrderState): boolean {
  if (order.status === undefined && order.ftime !== undefined && order.ftime > 0) return false;
  return !isFilled(order) && !isCanceled(order);
}

/**
 * Whether the order was fully executed. An order without a status, as in older responses, is filled when `left` is
 * zero.
 *
 * @example
 * ```ts
 * import { isFilled } from 'exchange-rx';
 *
 * isFilled({ status: 'FILLED' }); // true
 * isFilled({ status: 'PARTIAL_FILLED', left: '0.5' }); // false: a part of it is still open
 * ```
 */
export function isFilled(order: OrderState): boolean {
  if (order.status !== undefined) return includes(filledStatuses, order.status);
  return order.left !== undefined && decimal(order.left).isZero();
}

/**
 * Whether the order was canceled: by request, by the taker band, by self-trade prevention, with its position or with
 * its market. A part of it may have been filled before: see `deal_stock`.
 *
 * @example
 * ```ts
 * import { isCanceled, type Order } from 'exchange-rx';
 *
 * const wasCutShort = (order: Order) => isCanceled(order) && order.deal_stock !== '0';
 * ```
 */
export function isCanceled({ status }: OrderState): boolean {
  return status !== undefined && (includes(canceledStatuses, status) || anyCanceled.test(status));
}

function includes(statuses: readonly string[], status: string): boolean {
  return statuses.includes(status);
}
