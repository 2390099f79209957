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

/** The live names of an order record in the order history, where they are different again. */
export const historyNames = {
  ...liveNames,
  order_id: 'id',
  timestamp: 'ctime',
  activation_price: 'activationPrice',
} as const;

/** The other names of an order inside a conditional order: those of the live exchange, and of older descriptions. */
export const legNames = {
  ...liveNames,
  activation_price: 'activationPrice',
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
  const wire: Record<string, unknown> = { ...fields };
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

const noFields: ReadonlySet<string> = new Set();

/**
 * Renames a response's fields to the spec's names, whichever of the two it came with. Other fields stay as they are.
 *
 * @param known a null under one of these names counts as absent
 */
export function withSpecNames(record: Fields, names: WireNames, known: ReadonlySet<string> = noFields): Fields {
  const specNames = specNamesOf(names);
  // A copy of a record with a field that no other has costs ten times the record: the engine keeps a shape for each.
  const isLeft = (field: string) =>
    !specNames.has(field) && field !== '__proto__' && !(record[field] === null && known.has(field));
  if (Object.keys(record).every(isLeft)) return record;
  const renamed: Record<string, unknown> = {};
  for (const field of Object.keys(record)) {
    const value = record[field];
    const spec = specNames.get(field);
    const name = spec ?? field;
    // A null must not replace the value under the other name.
    if (value === null && (known.has(name) || name in renamed)) continue;
    // Under the spec's name it would have been assigned anyway. The key that sets a prototype is no field.
    if ((spec === undefined || (record[spec] ?? undefined) === undefined) && name !== '__proto__')
      renamed[name] = value;
  }
  return renamed;
}

/** A response whose fields have the spec's names, in the lists and objects inside it too: see {@link withSpecNames}. */
export function withSpecNamesInside(value: unknown, names: WireNames): unknown {
  if (Array.isArray(value)) return value.map((item) => withSpecNamesInside(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([field, one]) => [field, withSpecNamesInside(one, names)] as const);
  return withSpecNames(Object.fromEntries(inner), names);
}

const specNamesByNames = new WeakMap<WireNames, ReadonlyMap<string, string>>();

/** The other way round: the spec's name of each other one. */
function specNamesOf(names: WireNames): ReadonlyMap<string, string> {
  const known = specNamesByNames.get(names) ?? new Map(Object.entries(names).map(([spec, other]) => [other, spec]));
  specNamesByNames.set(names, known);
  return known;
}

/** One spelling for both wire names of a field: `client_order_id` and `clientOrderId` give `clientorderid`. */
export function plainName(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
}
