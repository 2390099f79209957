// Responses that are not as they are described, in fields that nobody decides by; and lists and maps with a record that
// is none.

/**
 * The fields that a client decides by: which record it is, what it is about, where it stands, and the rules of a
 * market.
 */
const decisive: ReadonlySet<string> = new Set([
  ...['order_id', 'orderId', 'id', 'client_order_id', 'clientOrderId', 'market', 'side', 'status', 'conditionalOrder'],
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

/** A record that has one of these is known by it, and its other fields may be anything. */
const marks = ['order_id', 'orderId', 'id', 'market', 'name'];

/** What is odd of a field: another value, or none. Nothing where it has to stay. */
type Fate = (field: string, value: unknown) => (readonly [string, unknown])[] | undefined;

/**
 * The response with records that are odd: about one field in three, and one at least. `undefined` when no field may be
 * odd.
 */
export function withOddFields(body: unknown, random: () => number): unknown {
  const candidates = countFields(body);
  if (candidates === 0) return undefined;
  const sure = Math.floor(random() * candidates);
  let index = -1;
  return mapRecords(body, (field, value, isMarked) => {
    if (!mayBeOdd(field, value, isMarked)) return undefined;
    index += 1;
    if (index !== sure && random() >= 1 / 3) return undefined;
    return isMarked ? oddField(field, value, random) : [[field, turned(value)]];
  });
}

/** How many fields of a response may be odd. */
function countFields(body: unknown): number {
  let count = 0;
  mapRecords(body, (field, value, isMarked) => {
    if (mayBeOdd(field, value, isMarked)) count += 1;
    return undefined;
  });
  return count;
}

/**
 * A record without a mark is about its values (a balance, the time, a leverage): they are written in another way, and
 * stay true.
 */
function mayBeOdd(field: string, value: unknown, isMarked: boolean): boolean {
  return isMarked ? !decisive.has(field) : turned(value) !== undefined;
}

/** What a list or a map may hold instead of a record. */
const unreadable: readonly unknown[] = [null, 'odd', 7, [], {}, { orderId: null, id: false, market: 1, side: {} }];

/** The names of a map are markets or assets; those of a record's fields are not. */
const nameInMap = /^[A-Z0-9][A-Z0-9_-]*$/;

/**
 * The response with one more record, which cannot be read, in each list and each map. `undefined` when it has neither.
 */
export function withUnreadableRecords(body: unknown, random: () => number): unknown {
  const state = { isChanged: false };
  const draw = () => {
    state.isChanged = true;
    return unreadable[Math.floor(random() * unreadable.length)];
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

function oddField(field: string, value: unknown, random: () => number): (readonly [string, unknown])[] {
  const fate = random();
  if (fate < 0.3) return [];
  if (fate < 0.6 && value !== null) return [[field, null]];
  return [[field, ofAnotherKind(value, random)]];
}

/**
 * A number for a string of digits and the reverse, a string for a flag, a new value for a name, a list for an object.
 */
function ofAnotherKind(value: unknown, random: () => number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return value !== '' && Number.isFinite(Number(value)) ? Number(value) : `NEW_${Math.floor(random() * 100)}`;
  return Array.isArray(value) && value.length === 0 ? {} : [];
}

/**
 * A number for a string of the same digits and the reverse; `undefined` for what is neither, or would not be the same.
 */
function turned(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && String(Number(value)) === value && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maps the fields of every record: an object with a mark, or one that holds plain values only. */
function mapRecords(
  value: unknown,
  fate: (...field: [...Parameters<Fate>, isMarked: boolean]) => ReturnType<Fate>,
): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapRecords(item, fate));
  if (!isObject(value)) return value;
  const isMarked = marks.some((mark) => mark in value);
  const isRecord = isMarked || Object.values(value).every((one) => typeof one !== 'object' || one === null);
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, one]) => {
      const inner = mapRecords(one, fate);
      return (isRecord ? fate(field, inner, isMarked) : undefined) ?? [[field, inner]];
    }),
  );
}

interface Containers {
  readonly list: (list: readonly unknown[]) => unknown;
  readonly map: (map: Readonly<Record<string, unknown>>) => unknown;
}

/**
 * Maps every list of records and every map of names to records. An empty one with nothing readable in it would be no
 * list.
 */
function mapContainers(value: unknown, change: Containers): unknown {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? change.list(value) : value;
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([field, one]) => [field, mapContainers(one, change)]));
  const entries = Object.entries(value);
  const isMap = entries.length > 0 && entries.every(([name, one]) => nameInMap.test(name) && isObject(one));
  return isMap ? change.map(inner) : inner;
}
