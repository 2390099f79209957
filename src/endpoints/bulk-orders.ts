// What the endpoints that place several orders by one request share.
import * as v from 'valibot';
import type { BulkEntry, WireFields } from '../endpoint/index.js';
import { flag } from './fields.js';
import { isNothing, isRecord } from '../model/map.js';

/** The exchange accepts at most this many orders in one request. */
const maxOrders = 20;
const range = `must be a list of 1 to ${maxOrders} orders`;

/** The parameters of a request of several orders, by the schema of one. */
export function bulkParams<Order extends object>(order: v.GenericSchema<Order, WireFields>) {
  const orders: v.GenericSchema<readonly Order[], WireFields[]> = v.pipe(
    v.array(order, range),
    v.minLength(1, range),
    v.maxLength(maxOrders, range),
    v.check(haveDistinctIdentifiers, 'must not have the same client_order_id twice'),
  );
  return { orders, stopOnFail: v.exactOptional(flag) };
}

/** What the parameters of a request of several orders have beside the orders. */
export interface BulkParams<Order> {
  /** The orders, 1 to 20. An order without `client_order_id` gets a random one. */
  readonly orders: readonly Order[];
  /**
   * Whether the exchange stops at the first order that it rejects. Then no order is sent a second time, because an order
   * could be placed although one before it was not.
   *
   * @default false
   */
  readonly stopOnFail?: boolean;
}

function haveDistinctIdentifiers(orders: WireFields[]): boolean {
  const given = orders.map((order) => order['client_order_id']).filter((identifier) => identifier !== undefined);
  return new Set(given).size === given.length;
}

/**
 * The response: an entry for each order. `stopOnFail` may end it early. An entry that cannot be read leaves its own order
 * open, and hides no other; so does one with an order and an error.
 */
export function bulkResponse<Order>(
  order: v.GenericSchema<unknown, Order>,
): v.GenericSchema<unknown, readonly BulkEntry<Order>[]> {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((entries) => entries.map((entry) => readEntry(order, entry))),
  );
}

function readEntry<Order>(order: v.GenericSchema<unknown, Order>, entry: unknown): BulkEntry<Order> {
  if (!isRecord(entry)) return {};
  const { result, error } = entry;
  if (isRecord(error)) return isNothing(result) ? { error } : {};
  const read = v.safeParse(order, result, { abortEarly: true });
  return read.success ? { result: read.output } : {};
}

/**
 * Whether a response of several orders belongs to a request: it has no entry too many, each order is its own, and none is
 * reported twice.
 */
export function isBulkOf<Order extends { readonly order_id: number }>(
  isPlaced: (request: WireFields, order: Order) => boolean,
): (request: WireFields, entries: readonly BulkEntry<Order>[]) => boolean {
  return ({ orders }, entries) => {
    const requested: readonly WireFields[] = Array.isArray(orders) ? orders.filter(isRecord) : [];
    const numbers = entries.flatMap(({ result }) => (result === undefined ? [] : [result.order_id]));
    return (
      entries.length <= requested.length &&
      new Set(numbers).size === numbers.length &&
      entries.every(({ result }, index) => {
        const request = requested[index];
        return result === undefined || (request !== undefined && isPlaced(request, result));
      })
    );
  };
}
