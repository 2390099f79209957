// The two names that some fields have on the wire: the spec's (snake case) and the live exchange's (camel case).
// Callers see the spec's names only. Requests have both names, responses may have either: the live exchange drops a
// field that it does not know without an error, and an order whose identifier was dropped can never be found again.
import { isPlainObject } from './map.js';

/** The spec's name of each order field that has a second, live name. */
export const liveNames = {
  order_id: 'orderId',
  client_order_id: 'clientOrderId',
  deal_money: 'dealMoney',
  deal_stock: 'dealStock',
  deal_fee: 'dealFee',
} as const;

/** The other names of the fields of an order in responses. */
export const orderNames = { ...liveNames, activation_price: 'activationPrice' } as const;

/** The live names of an order record in the order history, where they are different again. */
export const historyNames = { ...orderNames, order_id: 'id', timestamp: 'ctime' } as const;

/** The other names of an order inside a conditional order: those of the live exchange, and of older descriptions. */
export const legNames = {
  ...orderNames,
  activationCondition: 'activation_condition',
  postOnly: 'post_only',
  positionSide: 'position_side',
  reduceOnly: 'reduce_only',
  feeAsset: 'fee_asset',
} as const;

/** The names of an order that the live connection pushes. */
export const pushedNames = {
  order_id: 'id',
  timestamp: 'ctime',
  postOnly: 'post_only',
  positionSide: 'position_side',
  reduceOnly: 'reduce_only',
  activationCondition: 'activation_condition',
  feeAsset: 'fee_asset',
} as const;

/** Spec's name to the other name. */
export type WireNames = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

type NamePairs = readonly (readonly [spec: string, other: string])[];

const livePairs: NamePairs = Object.entries(liveNames);

/**
 * Adds to a request's fields the second name of each one that has two, in the lists and objects inside it too.
 *
 * @param names second names that the endpoint's fields have beside the live ones
 */
export function withLiveNames(fields: Fields, names?: WireNames): Record<string, unknown> {
  return withPairs(fields, names === undefined ? livePairs : [...livePairs, ...Object.entries(names)]);
}

function withPairs(fields: Fields, pairs: NamePairs): Record<string, unknown> {
  // Not a spread, because names are added to it: on Node 20, each object would have a hidden class of its own.
  const wire: Record<string, unknown> = Object.assign({}, fields);
  for (const field of Object.keys(fields)) {
    if (typeof fields[field] === 'object') wire[field] = withPairsInside(fields[field], pairs);
  }
  for (const [spec, other] of pairs) {
    if (spec in fields) wire[other] = wire[spec];
  }
  return wire;
}

function withPairsInside(value: unknown, pairs: NamePairs): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withPairsInside(item, pairs));
  // A date, and whatever else writes itself, has no fields of the exchange.
  return isPlainObject(value) && !('toJSON' in value) ? withPairs(value, pairs) : value;
}

/** One spelling for both wire names of a field: `client_order_id` and `clientOrderId` give `clientorderid`. */
export function plainName(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
}
