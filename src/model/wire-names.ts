// The two names that some fields have on the wire: the spec's (snake case) and the live exchange's (camel case).
// Callers see the spec's names only. Requests carry both, answers are accepted under either: the live exchange drops a
// field that it does not know without an error, and an order whose identifier was dropped can never be found again.

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

/** Spec's name to the other name. */
export type WireNames = Readonly<Record<string, string>>;

/** Adds to a request's fields the second name of each one that has two. */
export function withLiveNames(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const wire: Record<string, unknown> = { ...fields };
  for (const [spec, live] of Object.entries(liveNames)) {
    if (spec in fields) wire[live] = fields[spec];
  }
  return wire;
}

/** Renames an answer's fields to the spec's names, whichever of the two it came with. Other fields stay as they are. */
export function withSpecNames(record: Readonly<Record<string, unknown>>, names: WireNames): Record<string, unknown> {
  const specNames = specNamesOf(names);
  const renamed: [string, unknown][] = [];
  for (const [field, value] of Object.entries(record)) {
    const spec = specNames.get(field);
    if (spec === undefined) renamed.push([field, value]);
    else if (!(spec in record)) renamed.push([spec, value]);
  }
  return Object.fromEntries(renamed);
}

const specNamesByNames = new WeakMap<WireNames, ReadonlyMap<string, string>>();

/** The other way round: the spec's name of each other one. */
function specNamesOf(names: WireNames): ReadonlyMap<string, string> {
  const known = specNamesByNames.get(names) ?? new Map(Object.entries(names).map(([spec, other]) => [other, spec]));
  specNamesByNames.set(names, known);
  return known;
}
