// Responses that are not as they are described, in fields that nobody decides by; and lists with a record that is none.

/** The fields that a client decides by: which record it is, what it is about, where it stands, and the rules of a market. */
const decisive: ReadonlySet<string> = new Set([
  ...['order_id', 'orderId', 'id', 'client_order_id', 'clientOrderId', 'market', 'side', 'status', 'conditionalOrder'],
  ...['name', 'stock', 'money', 'stockPrec', 'moneyPrec', 'tickSize', 'stepSize', 'minAmount', 'minTotal', 'maxTotal', 'tradesEnabled', 'isCollateral'],
]);

/** A record has at least one of these; any other object is what holds records. */
const marks = ['order_id', 'orderId', 'id', 'market', 'name'];

/** The response with records that are odd: about one field in three. */
export function withOddFields(body: unknown, random: () => number): unknown {
  return mapRecords(body, (record) =>
    Object.fromEntries(
      Object.entries(record).flatMap(([field, value]) => (decisive.has(field) || random() >= 1 / 3 ? [[field, value]] : oddField(field, value, random))),
    ),
  );
}

/** What a list may hold instead of a record. */
const unreadable: readonly unknown[] = [null, 'odd', 7, [], {}, { orderId: null, id: false, market: 1, side: {} }];

/** The response with one more record in each list that has some, which cannot be read. */
export function withUnreadableRecords(body: unknown, random: () => number): unknown {
  return mapLists(body, (list) => {
    const at = Math.floor(random() * (list.length + 1));
    return [...list.slice(0, at), unreadable[Math.floor(random() * unreadable.length)], ...list.slice(at)];
  });
}

function oddField(field: string, value: unknown, random: () => number): (readonly [string, unknown])[] {
  const fate = random();
  if (fate < 0.3) return [];
  if (fate < 0.6) return [[field, null]];
  return [[field, ofAnotherKind(value, random)]];
}

/** A number for a string of digits and the reverse, a string for a flag, a new value for a name, a list for an object. */
function ofAnotherKind(value: unknown, random: () => number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value !== '' && Number.isFinite(Number(value)) ? Number(value) : `NEW_${Math.floor(random() * 100)}`;
  return [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapRecords(value: unknown, change: (record: Readonly<Record<string, unknown>>) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapRecords(item, change));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([field, one]) => [field, mapRecords(one, change)]));
  return marks.some((mark) => mark in value) ? change(inner) : inner;
}

function mapLists(value: unknown, change: (list: readonly unknown[]) => unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? change(value) : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, mapLists(one, change)]));
}
