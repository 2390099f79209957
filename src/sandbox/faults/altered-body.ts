// Response bodies with fields or records that no client expects, as `unexpected-fields` and `malformed-records` make
// them.

/** Fields that a client decides by: the record's identity, its subject, its status, and the rules of a market. */
const decisiveFields: ReadonlySet<string> = new Set([
  ...['order_id', 'orderId', 'id', 'client_order_id', 'clientOrderId', 'market', 'side', 'status', 'conditionalOrder'],
  // The orders of an OCO order.
  ...['stop_loss', 'take_profit', 'stopLoss', 'takeProfit'],
  ...[
    'name',
    'stock',
    'money',
    'stockPrec',
    'moneyPrec',
    'tickSize',
    'stepSize',
    'minAmount',
    'minTotal',
    'maxTotal',
    'tradesEnabled',
    'isCollateral',
  ],
]);

/** A record with one of these fields is identified by it, so that its other fields may hold anything. */
const identifyingFields = ['order_id', 'orderId', 'id', 'market', 'name'];

/** The fields that replace a field; `undefined` to keep the field. */
type Replacement = (readonly [string, unknown])[] | undefined;
type Replace = (field: string, value: unknown, isIdentified: boolean) => Replacement;

/**
 * The body with unexpected fields in its records: about one field in three, and at least one. `undefined` when no field
 * may be changed.
 */
export function withUnexpectedFields(body: unknown, random: () => number): unknown {
  const candidates = countChangeable(body);
  if (candidates === 0) return undefined;
  const certain = Math.floor(random() * candidates);
  let index = -1;
  return mapRecords(body, (field, value, isIdentified) => {
    if (!isChangeable(field, value, isIdentified)) return undefined;
    index += 1;
    if (index !== certain && random() >= 1 / 3) return undefined;
    return isIdentified ? unexpectedField(field, value, random) : [[field, inOtherNotation(value)]];
  });
}

function countChangeable(body: unknown): number {
  let count = 0;
  mapRecords(body, (field, value, isIdentified) => {
    if (isChangeable(field, value, isIdentified)) count += 1;
    return undefined;
  });
  return count;
}

/** The values of a record without identity (a balance, the time, a leverage) may change their notation only. */
function isChangeable(field: string, value: unknown, isIdentified: boolean): boolean {
  return isIdentified ? !decisiveFields.has(field) : inOtherNotation(value) !== undefined;
}

const malformedRecords: readonly unknown[] = [
  null,
  'odd',
  7,
  [],
  {},
  { orderId: null, id: false, market: 1, side: {} },
];

/** Names of markets and assets, which are the keys of maps; the names of a record's fields do not match. */
const mapKey = /^[A-Z0-9][A-Z0-9_-]*$/;

/** The body with one malformed record more in each list and each map of records. `undefined` when it has neither. */
export function withMalformedRecords(body: unknown, random: () => number): unknown {
  const state = { isChanged: false };
  const draw = () => {
    state.isChanged = true;
    return malformedRecords[Math.floor(random() * malformedRecords.length)];
  };
  const changed = mapContainers(body, {
    list(list) {
      const at = Math.floor(random() * (list.length + 1));
      return [...list.slice(0, at), draw(), ...list.slice(at)];
    },
    map: (map) => ({ ...map, ODD: draw() }),
  });
  return state.isChanged ? changed : undefined;
}

function unexpectedField(field: string, value: unknown, random: () => number): Replacement {
  const choice = random();
  if (choice < 0.3) return [];
  if (choice < 0.6 && value !== null) return [[field, null]];
  return [[field, ofOtherType(value, random)]];
}

function ofOtherType(value: unknown, random: () => number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return value !== '' && Number.isFinite(Number(value)) ? Number(value) : `NEW_${Math.floor(random() * 100)}`;
  return Array.isArray(value) && value.length === 0 ? {} : [];
}

/** The same number as a string, or the reverse; `undefined` when the value would not stay the same. */
function inOtherNotation(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && String(Number(value)) === value && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maps the fields of every record: an object with an identifying field, or one that holds plain values only. */
function mapRecords(value: unknown, replace: Replace): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapRecords(item, replace));
  if (!isObject(value)) return value;
  const isIdentified = identifyingFields.some((field) => field in value);
  const isRecord = isIdentified || Object.values(value).every((one) => typeof one !== 'object' || one === null);
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, one]) => {
      const inner = mapRecords(one, replace);
      return (isRecord ? replace(field, inner, isIdentified) : undefined) ?? [[field, inner]];
    }),
  );
}

function isListOfRecords(list: readonly unknown[]): boolean {
  return list.length > 0 && (list.every(isObject) || list.every(Array.isArray));
}

interface Containers {
  readonly list: (list: readonly unknown[]) => unknown;
  readonly map: (map: Readonly<Record<string, unknown>>) => unknown;
}

/**
 * Maps every list of records or rows and every map of names to records, except empty ones, which hold no record to
 * imitate. A row of an order book or a candle is a list of plain values.
 */
function mapContainers(value: unknown, change: Containers): unknown {
  if (Array.isArray(value)) return isListOfRecords(value) ? change.list(value) : value;
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([field, one]) => [field, mapContainers(one, change)]));
  const entries = Object.entries(value);
  const isMap = entries.length > 0 && entries.every(([name, one]) => mapKey.test(name) && isObject(one));
  return isMap ? change.map(inner) : inner;
}
