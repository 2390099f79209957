// A trade of one of the account's orders: a deal, as the order endpoints list it; an execution, the same record whether it
// was pushed or read from the history.
import type * as v from 'valibot';
import { decimal, formatDecimal } from './decimal.js';
import { orderSides } from './order.js';
import type { LiveGap } from './stream-gap.js';
import * as t from './tolerant.js';
import { unreadableIn } from './unreadable.js';
import { liveNames } from './wire-names.js';

const dealFields = {
  /** The exchange's number of the deal. */
  id: t.integer,
  /** Time of the deal, Unix seconds with microseconds. */
  time: t.number,
  /** Price, quote currency. */
  price: t.decimalText,
  /** Amount, base currency. */
  amount: t.decimalText,
  /** Total (amount times price), quote currency. */
  deal: t.optionalDecimal,
  /** The fee, in `feeAsset`. */
  fee: t.optionalDecimal,
  /** The currency of the fee. The exchange may leave it out. */
  feeAsset: t.optionalText,
  /** Side of your order. The deals of one order do not have it: it is the side of that order. */
  side: t.optionalEnum(orderSides),
  /** 1: your order was the maker. 2: it was the taker. */
  role: t.optional(t.integer),
  /** The exchange's identifier of your order. The deals of one order do not have it. */
  order_id: t.optional(t.integer),
  /**
   * Your identifier of the order; empty without one. The exchange's own orders have one, too: `adl_…` for automatic
   * deleveraging, `liquidation_…` for a liquidation.
   */
  client_order_id: t.textOrEmpty,
  /**
   * In the deals of one order only. The exchange's documents and its responses disagree whether it is the identifier of
   * your order or of the other one: do not rely on it.
   */
  dealOrderId: t.optional(t.integer),
  /** Whether a Retail Price Improvement order took part. */
  rpi: t.optionalFlag,
};

/** A trade of one of the account's orders. Unknown fields are kept. */
export interface Deal extends t.RecordOf<typeof dealFields> {}

export const dealSchema: v.GenericSchema<unknown, Deal> = t.record(dealFields, liveNames);

/**
 * A trade of one of the account's orders. The names are those of {@link Deal}. Decimals have no trailing zeros. A trade
 * between two of your orders is two executions with the same `id`.
 */
export interface Execution extends Readonly<
  Pick<Deal, 'id' | 'client_order_id' | 'time' | 'side' | 'role' | 'price' | 'amount' | 'fee' | 'feeAsset'>
> {
  /** The exchange's identifier of your order. */
  readonly order_id: number;
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** Total, quote currency: amount times price, computed exactly, because pushes lack it. */
  readonly deal: string;
}

/**
 * Where a subscriber continues after a restart: pass it as `since`. It can be written as JSON. It says which executions
 * the subscriber has had, also where later ones came before earlier ones.
 */
export interface ExecutionCursor {
  /** The subscriber has had every execution before this time of the exchange, Unix seconds. */
  readonly from: number;
  /** The executions since then that the subscriber has had, as `id/order_id`. */
  readonly emitted: readonly string[];
}

/** An item of `live.my.executions`. Switch on `kind`. */
export type LiveExecutionItem =
  | {
      /** Discriminates the items. */
      readonly kind: 'execution';
      /** The execution, each once. */
      readonly execution: Execution;
      /** Whether a gap has reported it as missing, or a later execution came before it. */
      readonly late: boolean;
      /** The state of the subscriber after this execution. Each read of this property makes a list: keep the last one. */
      readonly cursor: ExecutionCursor;
    }
  | LiveGap;

/** The execution of a deal; `undefined` for a deal without the number of its order, which identifies it. */
export function executionOf(market: string, deal: Deal): Execution | undefined {
  const { id, order_id, client_order_id, time, side, role, fee, feeAsset } = deal;
  if (order_id === undefined) return undefined;
  const price = decimal(deal.price);
  const amount = decimal(deal.amount);
  return {
    ...{ id, order_id, client_order_id, market, time },
    ...(side === undefined ? {} : { side }),
    ...(role === undefined ? {} : { role }),
    ...{ price: formatDecimal(price), amount: formatDecimal(amount), deal: formatDecimal(price.times(amount)) },
    ...(fee === undefined ? {} : { fee: formatDecimal(decimal(fee)) }),
    ...(feeAsset === undefined ? {} : { feeAsset }),
  };
}

export interface ExecutionPage {
  /** In any order. */
  readonly executions: readonly Execution[];
  /** Number of records that could not be read. */
  readonly unreadable: number;
}

export function executionPageOf(byMarket: Readonly<Record<string, readonly Deal[]>>): ExecutionPage {
  const all = Object.entries(byMarket).flatMap(([market, deals]) => deals.map((deal) => executionOf(market, deal)));
  const executions = all.filter((execution) => execution !== undefined);
  return { executions, unreadable: all.length - executions.length + (unreadableIn(byMarket)?.count ?? 0) };
}
