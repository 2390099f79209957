// An order as the live connection pushes it, under the names of the order endpoints.
import * as v from 'valibot';
import { isRecord } from './map.js';
import { orderFields, type Order } from './order.js';
import * as t from './tolerant.js';
import { pushedNames } from './wire-names.js';

const changeField = {
  /** Time of the last change, Unix seconds with microseconds. Absent in a list of open orders. */
  mtime: t.optionalNumber,
};

/** An order of the live connection: as the order endpoints have it, and when it last changed. Unknown fields are kept. */
export interface LiveOrder extends Order, t.RecordOf<typeof changeField> {}

/** The live connection numbers the sides and the types of orders. A number that is not listed is kept as a text. */
const sides: ReadonlyMap<string, string> = new Map([
  ['1', 'sell'],
  ['2', 'buy'],
]);
const types: ReadonlyMap<string, string> = new Map([
  ['1', 'limit'],
  ['2', 'market'],
  ['202', 'stock market'],
  ['3', 'stop limit'],
  ['4', 'stop market'],
  ['203', 'stop market'],
  ['7', 'margin limit'],
  ['8', 'margin market'],
  ['9', 'margin stop limit'],
  ['10', 'trigger margin market'],
  ['14', 'normalization'],
]);

/** The side as the order endpoints have it. */
export function sideOf(value: unknown): unknown {
  return named(sides, value);
}

function named(names: ReadonlyMap<string, string>, value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'string' ? (names.get(String(value)) ?? String(value)) : value;
}

const withNames = v.pipe(
  v.unknown(),
  v.transform((order) => {
    if (!isRecord(order)) return order;
    const { side, type, activated } = order;
    const flag = typeof activated === 'boolean' ? { activated: Number(activated) } : {};
    return { ...order, side: sideOf(side), type: named(types, type), ...flag };
  }),
);

export const liveOrderSchema: v.GenericSchema<unknown, LiveOrder> = v.pipe(
  withNames,
  t.record({ ...orderFields, ...changeField }, pushedNames),
  // No request can name another number.
  v.check(({ order_id }) => order_id > 0),
);

const liveOtoFields = {
  /** The exchange's number of the conditional order. */
  id: t.integer,
  /** The order that places the others once it is filled. */
  trigger_order: liveOrderSchema,
  /** Price of the stop loss. */
  stop_loss_price: t.optionalText,
  /** Price of the take profit. */
  take_profit_price: t.optionalText,
  /** Type of the condition, as the exchange sends it. */
  conditional_order_type: t.optionalText,
};

/** A conditional order of the live connection: `trigger_order` places the others once it is filled. Unknown fields are kept. */
export interface LiveOtoOrder extends t.RecordOf<typeof liveOtoFields> {}

export const liveOtoOrderSchema: v.GenericSchema<unknown, LiveOtoOrder> = t.record(liveOtoFields);
