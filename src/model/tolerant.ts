// The schemas of responses. A required field must be present and valid. Any other field may be absent, null, a number
// instead of a string or the reverse, or of a new kind: it is converted to its documented type if nothing is lost, and
// omitted otherwise, so that the declared type stays true. A list or a map yields its readable records.
import * as v from 'valibot';
import { decimalPattern, doubleOf, writtenNumber } from './decimal.js';
import { isRecord, namedSchema } from './map.js';
import { describeIssue, noteUnreadable, under, unreadableIn } from './unreadable.js';
import type { WireNames } from './wire-names.js';

/** One of the values known today, or one that the exchange added since. Editors complete the known ones. */
export type LiteralUnion<Known extends string> = Known | (string & {});

/** Reads a value, converted where nothing is lost; `undefined` for an invalid value. */
type Read<Value> = (value: unknown) => Value | undefined;

/** How a record reads its plain fields, by their schemas: valibot takes several times as long. */
const reads = new WeakMap<object, Read<unknown>>();

function plain<Value>(expected: string, read: Read<Value>): v.GenericSchema<unknown, Value> {
  const schema = v.pipe(
    v.unknown(),
    v.rawTransform<unknown, Value>(({ dataset, addIssue, NEVER }) => {
      const value = read(dataset.value);
      if (value !== undefined) return value;
      addIssue({ expected, message: `must be ${expected}` });
      return NEVER;
    }),
  );
  reads.set(schema, read);
  return schema;
}

/** A text that is never a number. */
export const string = plain('a string', (value) => (typeof value === 'string' ? value : undefined));

/** A text; a number is converted. */
export const text = plain('a string', (value) =>
  typeof value === 'string' ? value : typeof value === 'number' ? writtenNumber(value) : undefined,
);

/** A decimal string; a number is converted, unless it takes more digits than a decimal string may have. */
export const decimalText = plain('a decimal string', (value) => {
  const written = typeof value === 'number' ? writtenNumber(value) : value;
  return typeof written === 'string' && decimalPattern.test(written) ? written : undefined;
});

/** A number; a string of digits is converted, unless a double would lose some of them. */
export const number = plain('a number', readNumber);

/** An identifier of the exchange: an integer; a string of digits is converted. */
export const integer = plain('an integer', (value) => {
  const read = readNumber(value);
  return Number.isSafeInteger(read) ? read : undefined;
});

function readNumber(value: unknown): number | undefined {
  if (typeof value === 'string') return doubleOf(value);
  return typeof value === 'number' && !Number.isNaN(value) ? value : undefined;
}

const flag = plain('a flag', (value) => (typeof value === 'boolean' ? value : undefined));

/** A value of a list, or a value that the exchange added later: hiding it would misreport what the exchange said. */
export function oneOf<const Known extends string>(
  _known: readonly Known[],
): v.GenericSchema<unknown, LiteralUnion<Known>> {
  return text;
}

function readAs<Schema extends object>(schema: Schema, inner: object): Schema {
  const read = reads.get(inner);
  if (read !== undefined) reads.set(schema, read);
  return schema;
}

/** An optional field, which is omitted when it is invalid. */
export function optional<Output>(schema: v.GenericSchema<unknown, Output>) {
  return readAs(v.optional(v.fallback(v.optional(schema), () => undefined)), schema);
}

/** An optional field that makes the record invalid when it is invalid. */
export function ifPresent<Output>(schema: v.GenericSchema<unknown, Output>) {
  return readAs(v.optional(schema), schema);
}

export const optionalText = optional(text);
export const optionalDecimal = optional(decimalText);
export const optionalNumber = optional(number);
export const optionalFlag = optional(flag);

export function optionalEnum<const Known extends string>(known: readonly Known[]) {
  return optional(oneOf(known));
}

/** A text, empty when it is absent; a number is converted. */
export const textOrEmpty = readAs(v.optional(text, ''), text);

/**
 * The fields that the exchange sends in a record, and any that it adds. An interface that extends it shows its name and
 * the docstrings of its fields in an editor: a mapped type with an `as` clause, as valibot's own is, loses them.
 */
export type RecordOf<Entries extends v.ObjectEntries> = RequiredFields<Entries, RequiredName<Entries>> &
  OptionalFields<Entries, OptionalName<Entries>> &
  Record<string, unknown>;

type RequiredFields<Entries extends v.ObjectEntries, Name extends keyof Entries> = {
  -readonly [Each in Name]: v.InferOutput<Entries[Each]>;
};
type OptionalFields<Entries extends v.ObjectEntries, Name extends keyof Entries> = {
  -readonly [Each in Name]?: v.InferOutput<Entries[Each]>;
};
type RequiredName<Entries extends v.ObjectEntries> = Exclude<keyof Entries, OptionalName<Entries>>;
type OptionalName<Entries extends v.ObjectEntries> = {
  [Each in keyof Entries]: Entries[Each] extends { readonly type: 'optional'; readonly default: infer Default }
    ? undefined extends Default
      ? Each
      : never
    : never;
}[keyof Entries];

/** A field, by its name in the spec. One without a schema is kept as it is. */
interface Field {
  readonly name: string;
  readonly schema?: v.ObjectEntries[string];
  readonly read?: Read<unknown> | undefined;
}

/** A record, under either name of a field that has two. A null counts as absent. Unknown fields are kept. */
export function record<const Entries extends v.ObjectEntries>(
  entries: Entries,
  names?: WireNames,
): v.GenericSchema<unknown, RecordOf<Entries>>;
export function record(entries: v.ObjectEntries, names: WireNames = {}) {
  const fields = new Map<string, Field>(
    Object.entries(entries).map(([name, schema]) => [name, { name, schema, read: reads.get(schema) }]),
  );
  for (const [name, other] of Object.entries(names)) fields.set(other, fields.get(name) ?? { name });
  const needed = Object.entries(entries).filter(
    ([, schema]) => schema.type !== 'optional' || v.getDefault(schema) !== undefined,
  );
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, Record<string, unknown>>(({ dataset: { value }, addIssue, NEVER }) => {
      if (!isRecord(value)) {
        addIssue({ expected: 'an object', message: 'must be an object' });
        return NEVER;
      }
      const output: Record<string, unknown> = {};
      for (const wireName of Object.keys(value)) {
        const given = value[wireName];
        const field = fields.get(wireName);
        const name = field?.name ?? wireName;
        // The other name counts only where the spec's has no value.
        if (name !== wireName && (value[name] ?? undefined) !== undefined) continue;
        if (field?.schema === undefined) {
          // Assigned, this key would change the prototype.
          if (name !== '__proto__' && (!Object.hasOwn(output, name) || output[name] === null)) output[name] = given;
          continue;
        }
        const read = field.read?.(given);
        if (read !== undefined) output[name] = read;
        else if (given !== null) {
          const difference = readField(output, field.schema, { input: value, key: name, value: given });
          if (difference === undefined) continue;
          addIssue(difference);
          return NEVER;
        }
      }
      for (const [name, schema] of needed) {
        const difference =
          name in output ? undefined : readField(output, schema, { input: value, key: name, value: undefined });
        if (difference === undefined) continue;
        addIssue(difference);
        return NEVER;
      }
      return output;
    }),
  );
}

/** One difference is enough: all differences of a long list could take many times its memory. */
const firstIssueOnly = { abortEarly: true } as const;

interface Place {
  readonly input: object;
  readonly key: string | number;
  readonly value: unknown;
}

/** How a value differs from its schema, in the form in which an action of valibot adds an issue of what holds the value. */
function differenceAt(place: Place, { expected, received, message, path }: v.BaseIssue<unknown>) {
  const item: v.UnknownPathItem = { type: 'unknown', origin: 'value', ...place };
  const items: [v.IssuePathItem, ...v.IssuePathItem[]] = [item, ...(path ?? [])];
  return { ...(expected === null ? {} : { expected }), received, message, path: items };
}

/** Reads a field into the output, unless it turns out to be nothing, and notes what was left out of its parts. */
function readField(
  output: Record<string, unknown>,
  schema: v.ObjectEntries[string],
  place: Place & { readonly key: string },
) {
  const result = v.safeParse(schema, place.value, firstIssueOnly);
  if (!result.success) return differenceAt(place, result.issues[0]);
  if (result.output === undefined) return undefined;
  output[place.key] = result.output;
  noteUnreadable(output, under(place.key, unreadableIn(result.output)));
  return undefined;
}

/**
 * The readable records of a list; {@link unreadableIn} returns what was omitted. A list without any readable record is
 * invalid, because an empty list would mean that there are no records.
 */
export function listOf<Item>(item: v.GenericSchema<unknown, Item>) {
  return v.pipe(
    v.array(v.unknown()),
    v.rawTransform<unknown[], Item[]>(({ dataset, addIssue, NEVER }) => {
      const { items, first } = readItems(item, dataset.value);
      if (first === undefined || items.length > 0) return items;
      addIssue(first);
      return NEVER;
    }),
  );
}

/** A list inside a record: all of its records may be unreadable. */
export function partOf<Item>(item: v.GenericSchema<unknown, Item>) {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((list) => readItems(item, list).items),
  );
}

function readItems<Item>(schema: v.GenericSchema<unknown, Item>, list: readonly unknown[]) {
  const items: Item[] = [];
  const { unreadable, first } = readEach(schema, list, list.entries(), (_, item) => items.push(item));
  noteUnreadable(items, unreadable);
  return { items, first };
}

/** The readable records of a map, as in {@link listOf}. An empty list counts as an empty map. */
export function mapOf<Value>(values: v.GenericSchema<unknown, Value>) {
  return v.pipe(
    namedSchema,
    v.record(v.string(), v.unknown()),
    v.rawTransform<Record<string, unknown>, Record<string, Value>>(({ dataset: { value }, addIssue, NEVER }) => {
      const entries: [string, Value][] = [];
      const { unreadable, first, keys } = readEach(values, value, Object.entries(value), (...entry) =>
        entries.push(entry),
      );
      if (entries.length === 0 && first !== undefined) {
        addIssue(first);
        return NEVER;
      }
      const output = Object.fromEntries(entries);
      noteUnreadable(output, unreadable && (keys.length === 0 ? unreadable : { ...unreadable, keys }));
      return output;
    }),
  );
}

/** Reads the records of a list or a map. Keeps the first difference and a count: every record may be unreadable. */
function readEach<Key extends string | number, Value>(
  schema: v.GenericSchema<unknown, Value>,
  input: object,
  entries: Iterable<[Key, unknown]>,
  emit: (key: Key, value: Value) => void,
) {
  const keys: Key[] = [];
  let first: ReturnType<typeof differenceAt> | undefined;
  let count = 0;
  let sample: string | undefined;
  for (const [key, value] of entries) {
    const result = v.safeParse(schema, value, firstIssueOnly);
    if (result.success) {
      emit(key, result.output);
      const part = unreadableIn(result.output);
      count += part?.count ?? 0;
      sample ??= under(key, part)?.sample;
    } else {
      keys.push(key);
      count += 1;
      const [issue] = result.issues;
      first ??= differenceAt({ input, key, value }, issue);
      sample ??= describeIssue({ ...issue, path: first.path });
    }
  }
  return { unreadable: sample === undefined ? undefined : { count, sample }, first, keys };
}
