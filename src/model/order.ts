// The order: its fields as the spec names them, its statuses, and the questions every caller asks of one.
import * as v from 'valibot';
import { decimal, decimalStringSchema, formatDecimal } from './decimal.js';
import { openEnum } from './open-enum.js';
import { historyNames, liveNames, withSpecNames, type WireNames } from './wire-names.js';

/** Spec, Resources: the sides of an order. */
export const orderSides = ['buy', 'sell'] as const;
/** Spec, Resources: the types of an order. */
export const orderTypes = ['limit', 'market', 'stock market', 'stop limit', 'stop market'] as const;
/** Spec, Resources: self-trade prevention. The live exchange answers the short forms (`cb`, `cn`, `co`). */
export const stpModes = ['no', 'cancel_both', 'cancel_new', 'cancel_old'] as const;
/** The live exchange's short form of each self-trade prevention mode. */
export const liveStpModes = { no: 'no', cancel_both: 'cb', cancel_new: 'cn', cancel_old: 'co' } as const;
/** Spec, Resources: the position side of a collateral order. */
export const positionSides = ['LONG', 'SHORT', 'BOTH'] as const;
/** Spec, Resources: how the market price must move past `activation_price` to activate a stop order. */
export const activationConditions = ['lte', 'gte'] as const;

/** Statuses of an order that may still be filled, in the spec's two spellings. */
export const openStatuses = ['NEW', 'PARTIAL_FILLED', 'PARTIALLY_FILLED'] as const;
/** The status of an order that was fully executed. */
export const filledStatuses = ['FILLED'] as const;
/** Statuses of an order whose remainder was canceled, whether a part was filled before or not. */
export const canceledStatuses = [
  'CANCELED',
  'CANCELLED',
  'PARTIAL_CANCELED',
  'CANCELED_TAKER_BAND',
  'CANCELED_STP',
  'AUTO_CANCELED_REDUCE_ONLY',
  'AUTO_CANCELED_LIQUIDATION',
] as const;

/** The side of an order: `buy` or `sell`. */
export type OrderSide = (typeof orderSides)[number];
/**
 * The type of an order: `limit`; `market`, whose amount is in the quote currency when it buys; `stock market`, whose amount is in the base currency;
 * `stop limit` and `stop market`, which become active when the market reaches their `activation_price`.
 */
export type OrderType = (typeof orderTypes)[number];
/**
 * Self-trade prevention, when an order would match one of the same account: `no` lets it, `cancel_both` cancels both, `cancel_new` the one that
 * comes, `cancel_old` the one that rests.
 */
export type StpMode = (typeof stpModes)[number];
/** The side of a position: `LONG` or `SHORT` in hedge mode, `BOTH` without. */
export type PositionSide = (typeof positionSides)[number];
/**
 * The known statuses of an order, under each of the exchange's spellings:
 * - open: `NEW`, `PARTIAL_FILLED` or `PARTIALLY_FILLED`.
 * - executed: `FILLED`.
 * - canceled, perhaps after a part was filled: `CANCELED`, `CANCELLED`, `PARTIAL_CANCELED`, `CANCELED_TAKER_BAND` (to limit slippage),
 *   `CANCELED_STP` (self-trade prevention), `AUTO_CANCELED_REDUCE_ONLY` (the position was closed), `AUTO_CANCELED_LIQUIDATION`.
 *
 * Ask {@link isOpen}, {@link isFilled} and {@link isCanceled} rather than compare.
 */
export type OrderStatus =
  | (typeof openStatuses)[number]
  | (typeof filledStatuses)[number]
  | (typeof canceledStatuses)[number];

const wireRecord = v.record(v.string(), v.unknown());

const orderFields = {
  /** Identifier assigned by the matching engine. */
  order_id: v.pipe(v.number(), v.safeInteger()),
  /** Identifier from the request; empty when none was given. */
  client_order_id: v.string(),
  /** The pair, `BASE_QUOTE`. */
  market: v.string(),
  /** `buy` or `sell`. */
  side: openEnum(orderSides),
  /** What kind of order it is: see {@link OrderType}. */
  type: openEnum(orderTypes),
  /** Creation time, Unix seconds UTC with microseconds, as the exchange sent it. */
  timestamp: v.number(),
  /** Filled amount in the quote (money) currency; `"0"` while unfilled. */
  deal_money: decimalStringSchema,
  /** Filled amount in the base (stock) currency; `"0"` while unfilled. */
  deal_stock: decimalStringSchema,
  /** Quantity in the base currency; in the quote currency for a market order (`placeMarketOrder`) that buys. */
  amount: decimalStringSchema,
  /** Quantity not filled; `"0"` when fully filled. */
  left: decimalStringSchema,
  /** Fee paid for the filled part, in the fee asset. */
  deal_fee: decimalStringSchema,
  /** Ticker of the fee asset. */
  feeAsset: v.optional(v.string()),
  /** Limit price in the quote currency; `"0"` or left out on market orders. */
  price: v.optional(v.string()),
  /** The order executes only as maker. */
  postOnly: v.optional(v.boolean()),
  /** Immediate or cancel: fills what is available at once, cancels the rest. */
  ioc: v.optional(v.boolean()),
  /** Read it with {@link isOpen}, {@link isFilled} and {@link isCanceled}, which know both spellings. */
  status: v.optional(openEnum([...openStatuses, ...filledStatuses, ...canceledStatuses])),
  /** Self-trade prevention; the live exchange answers the short forms `cb`, `cn`, `co`. */
  stp: v.optional(openEnum([...stpModes, 'cb', 'cn', 'co'])),
  /** Collateral orders: the side of the position. */
  positionSide: v.optional(openEnum(positionSides)),
  /** Retail Price Improvement. */
  rpi: v.optional(v.boolean()),
  /** The order can only reduce or close a position. */
  reduceOnly: v.optional(v.boolean()),
  /** Stop orders: 0 not yet triggered, 1 triggered. */
  activated: v.optional(v.number()),
  /** Stop orders: activates when the market price is at or below (`lte`), or at or above (`gte`), `activation_price`. */
  activationCondition: v.optional(openEnum(activationConditions)),
  /** Stop orders: the price that triggers the order. */
  activation_price: v.optional(v.string()),
  /** Collateral limit orders with a stop loss or take profit: the linked order. */
  oto: v.optional(
    v.nullable(
      v.looseObject({
        /** The exchange's number of the linked order. */
        otoId: v.pipe(v.number(), v.safeInteger()),
        /** Price of the stop loss. */
        stopLoss: v.optional(v.string()),
        /** Price of the take profit. */
        takeProfit: v.optional(v.string()),
      }),
    ),
  ),
};

/** An order as every order endpoint answers it, under either of the wire's names. Fields that are not known are kept. */
export const orderSchema = v.pipe(wireRecord, v.transform(specNames(liveNames)), v.looseObject(orderFields));

const { left: _left, ...historicalFields } = orderFields;

/** An order in the order history: as {@link orderSchema}, but without `left` and with the time it ended. */
export const historicalOrderSchema = v.pipe(
  wireRecord,
  v.transform(specNames(historyNames)),
  v.looseObject({
    ...historicalFields,
    /** Time the order ended, Unix seconds. */
    ftime: v.optional(v.number()),
  }),
);

/** An order. */
export interface Order extends v.InferOutput<typeof orderSchema> {}

/** An order that has ended, from the order history. */
export interface HistoricalOrder extends v.InferOutput<typeof historicalOrderSchema> {}

/** An order from the history as order endpoints answer it: what is left is what was not filled. */
export function orderOfHistory(order: HistoricalOrder): Order {
  const inQuote = order.type === 'market' && order.side === 'buy';
  const filled = inQuote ? order.deal_money : order.deal_stock;
  const left = isFilled(order) ? decimal(0) : decimal(order.amount).minus(filled);
  return { ...order, left: formatDecimal(left.isNegative() ? decimal(0) : left) };
}

type Named = Pick<Order, 'market' | 'order_id' | 'client_order_id'>;

/** Whether a request that names a market or an order, by either of its identifiers, means this one. */
export function isNamedBy(request: Readonly<Record<string, unknown>>, order: Named): boolean {
  return (['market', 'order_id', 'client_order_id'] as const).every((name) => request[name] === undefined || request[name] === order[name]);
}

/** Whether this can be the order that a request placed. An exchange that did not take its identifier answers an empty one. */
export function isPlacedBy({ market, side, client_order_id }: Readonly<Record<string, unknown>>, order: Order): boolean {
  return (side === undefined || order.side === side) && isNamedBy({ market, client_order_id: order.client_order_id === '' ? undefined : client_order_id }, order);
}

/** What the three questions below need to know of an order. */
export type OrderState = Pick<HistoricalOrder, 'status'> & Partial<Pick<Order, 'left'>>;

/**
 * Whether the order may still be filled: it is new, or filled in part with the remainder active.
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
  return includes(openStatuses, order.status);
}

/**
 * Whether the order was fully executed. An order answered without a status (old answers had none) is when nothing is left.
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
 * Whether the order was canceled: by request, by the taker band, by self-trade prevention or with its position. A part
 * of it may have been filled before: see `deal_stock`.
 *
 * @example
 * ```ts
 * import { isCanceled, type Order } from 'exchange-rx';
 *
 * const wasCutShort = (order: Order) => isCanceled(order) && order.deal_stock !== '0';
 * ```
 */
export function isCanceled(order: OrderState): boolean {
  return includes(canceledStatuses, order.status);
}

function includes(statuses: readonly string[], status: string | undefined): boolean {
  return status !== undefined && statuses.includes(status);
}

function specNames(names: WireNames): (record: Record<string, unknown>) => unknown {
  return (record) => withSpecNames(record, names);
}
