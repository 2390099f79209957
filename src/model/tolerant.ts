// The schemas that responses are made of. A field that decides something must be there and be what it is. Any other may
// be absent, null, a number for a string or the reverse, or of a new kind: it is given its documented type where
// nothing is lost by that, and left out otherwise, so that the declared type stays true. A list and a map give the
// records that can be read.
import * as v from 'valibot';
import { decimalStringSchema, doubleOf, writtenNumber } from './decimal.js';
import { isRecord, namedSchema } from './map.js';
import { literalUnion, type LiteralUnion } from './literal-union.js';
import { describeIssue, noteUnreadable, under, unreadableIn } from './unreadable.js';
import { withSpecNames, type WireNames } from './wire-names.js';

/** A text, from a number too. */
export const text = v.union([v.string(), digitsOfNumber()]);

/** One of some values, or one that the exchange added since. */
export function oneOf<const Known extends string>(
  known: readonly Known[],
): v.GenericSchema<unknown, LiteralUnion<Known>> {
  return v.union([literalUnion(known), digitsOfNumber()]);
}

/** A number, from its digits too. */
export const number = v.union([
  v.number(),
  v.pipe(
    v.string(),
    v.transform((digits): unknown => numberOf(digits)),
    v.number(),
  ),
]);

/** An identifier that the exchange gives: an integer, from its digits too. */
export const integer = v.pipe(number, v.safeInteger());

/** A decimal string, from a number too. */
export const decimalText = v.union([decimalStringSchema, digitsOfNumber()]);

/** A text that nobody decides by. */
export const optionalText = v.optional(v.fallback(v.optional(v.string()), (dataset) => textOf(dataset?.value)));

/** A decimal string that nobody decides by. */
export const optionalDecimal = v.optional(
  v.fallback(v.optional(decimalStringSchema), (dataset) => decimalTextOf(dataset?.value)),
);

/** A number that nobody decides by. */
export const optionalNumber = v.optional(v.fallback(v.optional(v.number()), (dataset) => numberOf(dataset?.value)));

/** A flag that nobody decides by. */
export const optionalFlag = v.optional(v.fallback(v.optional(v.boolean()), () => undefined));

/** One of some values, or one that the exchange added since; nobody decides by it. */
export function optionalEnum<const Known extends string>(known: readonly Known[]) {
  return v.optional(
    v.fallback(v.optional(literalUnion(known)), (dataset): LiteralUnion<Known> | undefined => textOf(dataset?.value)),
  );
}

/** Anything else that nobody decides by: left out when it is not as its schema says. */
export function optional<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.optional(
    v.fallback(v.optional<v.GenericSchema<v.InferInput<Schema>, v.InferOutput<Schema>>>(schema), () => undefined),
  );
}

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

/** A record, under either name of a field that has two. A null counts as absent. Unknown fields are kept. */
export function record<const Entries extends v.ObjectEntries>(
  entries: Entries,
  names?: WireNames,
): v.GenericSchema<unknown, RecordOf<Entries>>;
export function record(entries: v.ObjectEntries, names: WireNames = {}) {
  const known: ReadonlySet<string> = new Set(Object.keys(entries));
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, Record<string, unknown>>(({ dataset: { value }, addIssue, NEVER }) => {
      if (isRecord(value)) return withSpecNames(value, names, known);
      addIssue({ expected: 'Object', message: 'must be an object' });
      return NEVER;
    }),
    v.looseObject(entries),
    v.transform(settled),
  );
}

/**
 * A list of records: those that can be read, and {@link unreadableIn} says what was left out. One of which none can be
 * read is no list: an empty one would say that there is nothing.
 */
export function listOf<const Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.array(v.unknown()),
    v.rawTransform<unknown[], v.InferOutput<Item>[]>(({ dataset, addIssue, NEVER }) => {
      const { output, first } = readList(item, dataset.value);
      if (first === undefined || output.length > 0) return output;
      addIssue(first);
      return NEVER;
    }),
  );
}

/** A list that is a part of something: it may be one of which nothing can be read. */
export function partOf<const Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((list) => readList(item, list).output),
  );
}

/** A map of names to records: those that can be read, as {@link listOf} does. An empty list is an empty map. */
export function mapOf<const Values extends v.GenericSchema>(values: Values) {
  return v.pipe(
    namedSchema,
    v.record(v.string(), v.unknown()),
    v.rawTransform<Record<string, unknown>, Record<string, v.InferOutput<Values>>>(({ dataset, addIssue, NEVER }) => {
      const readable: [string, v.InferOutput<Values>][] = [];
      const odd = new Odd(dataset.value);
      for (const [name, value] of Object.entries(dataset.value)) {
        const result = v.safeParse(values, value, firstIssueOnly);
        if (result.success) readable.push([name, result.output]);
        odd.add(name, value, result);
      }
      if (readable.length === 0 && odd.first !== undefined) {
        addIssue(odd.first);
        return NEVER;
      }
      const output = Object.fromEntries(readable);
      odd.noteFor(output, odd.keys);
      return output;
    }),
  );
}

/** One difference is enough, and all that there may be in a long list would be a list many times as long. */
const firstIssueOnly = { abortEarly: true } as const;

interface ReadList<Item> {
  readonly output: Item[];
  /** The first difference, if there is one. */
  readonly first: Difference | undefined;
}

function readList<Item extends v.GenericSchema>(item: Item, list: readonly unknown[]): ReadList<v.InferOutput<Item>> {
  const output: v.InferOutput<Item>[] = [];
  const odd = new Odd(list);
  for (const [index, value] of list.entries()) {
    const result = v.safeParse(item, value, firstIssueOnly);
    if (result.success) output.push(result.output);
    odd.add(index, value, result);
  }
  odd.noteFor(output);
  return { output, first: odd.first };
}

/** An issue as an action of valibot adds one. */
interface Difference {
  readonly expected?: string;
  readonly received: string;
  readonly message: string;
  readonly path: [v.IssuePathItem, ...v.IssuePathItem[]];
}

/** Gathers what cannot be read of a list or a map, and what its records say of their own parts. */
class Odd {
  first: Difference | undefined;
  /** The names of the records that cannot be read. */
  readonly keys: string[] = [];
  #count = 0;
  /** Where the first one is, and how it differs. */
  #sample: string | undefined;

  constructor(private readonly input: object) {}

  /** Keeps nothing but a count of all but the first: there may be as many as a response has records. */
  add(key: string | number, value: unknown, result: v.SafeParseResult<v.GenericSchema>): void {
    if (result.success) {
      const part = unreadableIn(result.output);
      if (part === undefined) return;
      this.#count += part.count;
      this.#sample ??= under(key, part).sample;
      return;
    }
    this.keys.push(String(key));
    this.#count += 1;
    if (this.first !== undefined) return;
    const [issue] = result.issues;
    // As valibot itself says where in a container something is.
    const place: v.UnknownPathItem = { type: 'unknown', origin: 'value', input: this.input, key, value };
    const path: Difference['path'] = [place, ...(issue.path ?? [])];
    const { expected, received, message } = issue;
    this.first = { ...(expected === null ? {} : { expected }), received, message, path };
    this.#sample ??= describeIssue({ ...issue, path });
  }

  noteFor(output: object, keys: readonly string[] = []): void {
    if (this.#sample === undefined) return;
    noteUnreadable(output, { count: this.#count, sample: this.#sample, ...(keys.length === 0 ? {} : { keys }) });
  }
}

/**
 * Takes out what turned out to be nothing, and notes what was left out of its parts. Makes no copy: it is valibot's
 * own.
 */
function settled<Output extends object>(output: Output): Output {
  for (const [field, value] of Object.entries(output)) {
    if (value === undefined) Reflect.deleteProperty(output, field);
    else if (typeof value === 'object') noteUnreadable(output, under(field, unreadableIn(value)));
  }
  return output;
}

function digitsOfNumber() {
  return v.pipe(v.number(), v.transform(writtenNumber));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? writtenNumber(value) : undefined;
}

function decimalTextOf(value: unknown): string | undefined {
  return typeof value === 'number' ? writtenNumber(value) : undefined;
}

/** Nothing where a double would not be what the digits say. */
function numberOf(value: unknown): number | undefined {
  return typeof value === 'string' ? doubleOf(value) : undefined;
}
