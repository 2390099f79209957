// The schemas of responses. A required field must be present and valid. Any other field may be absent, null, a number
// instead of a string or the reverse, or of a new kind: it is converted to its documented type if nothing is lost, and
// omitted otherwise, so that the declared type stays true. A list or a map yields its readable records.
import * as v from 'valibot';
import { decimalStringSchema, doubleOf, writtenNumber } from './decimal.js';
import { isRecord, namedSchema } from './map.js';
import { literalUnion, type LiteralUnion } from './literal-union.js';
import {
  differenceAt,
  firstIssueOnly,
  isBoolean,
  isDecimal,
  isNumber,
  isString,
  plain,
  record,
  type Difference,
  type RecordOf,
} from './record.js';
import { describeIssue, noteUnreadable, under, unreadableIn } from './unreadable.js';

export { record, type RecordOf } from './record.js';

/** A text; a number is converted. */
export const text = plain(isString, v.union([v.string(), digitsOfNumber()]));

/** A text, empty when it is absent; a number is converted. */
export const textOrEmpty = plain(isString, v.optional(text, ''));

/** A text that is never a number. */
export const string = plain(isString, v.string());

/** A value of a list, or a value that the exchange added later. */
export function oneOf<const Known extends string>(
  known: readonly Known[],
): v.GenericSchema<unknown, LiteralUnion<Known>> {
  return plain(isString, v.union([literalUnion(known), digitsOfNumber()]));
}

/** A number; a string of digits is converted. */
export const number = plain(
  isNumber,
  v.union([
    v.number(),
    v.pipe(
      v.string(),
      v.transform((digits): unknown => numberOf(digits)),
      v.number(),
    ),
  ]),
);

/** An identifier of the exchange: an integer; a string of digits is converted. */
export const integer = plain(Number.isSafeInteger, v.pipe(number, v.safeInteger()));

/** A decimal string; a number is converted, unless it takes more digits than a decimal string may have. */
export const decimalText = plain(
  isDecimal,
  v.union([decimalStringSchema, v.pipe(digitsOfNumber(), decimalStringSchema)]),
);

/** An optional text. */
export const optionalText = plain(
  isString,
  v.optional(v.fallback(v.optional(v.string()), (dataset) => textOf(dataset?.value))),
);

/** An optional decimal string. */
export const optionalDecimal = plain(
  isDecimal,
  v.optional(v.fallback(v.optional(decimalStringSchema), (dataset) => decimalTextOf(dataset?.value))),
);

/** An optional number. */
export const optionalNumber = plain(
  isNumber,
  v.optional(v.fallback(v.optional(v.number()), (dataset) => numberOf(dataset?.value))),
);

/** An optional flag. */
export const optionalFlag = plain(isBoolean, v.optional(v.fallback(v.optional(v.boolean()), () => undefined)));

/** An optional value of a list, or a value that the exchange added later. */
export function optionalEnum<const Known extends string>(known: readonly Known[]) {
  return plain(
    isString,
    v.optional(
      v.fallback(v.optional(literalUnion(known)), (dataset): LiteralUnion<Known> | undefined => textOf(dataset?.value)),
    ),
  );
}

/** Any other optional field: omitted when it is invalid. */
export function optional<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.optional(
    v.fallback(v.optional<v.GenericSchema<v.InferInput<Schema>, v.InferOutput<Schema>>>(schema), () => undefined),
  );
}

/**
 * The response of an endpoint whose response is not published: the fields of an object, and none of any other JSON
 * value. A list of records is the response of another endpoint.
 */
export function undocumented<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<unknown, RecordOf<Entries>>;
export function undocumented(entries: v.ObjectEntries) {
  return v.pipe(
    v.unknown(),
    v.check((body) => !isError(body), 'must not be an error'),
    v.check((body) => !Array.isArray(body) || !body.some(isRecord), 'must not be a list of records'),
    v.transform((body) => (isRecord(body) ? body : {})),
    record(entries),
  );
}

/** Whether a body that may be anything is an error response: it has a code, and messages about parameters. */
function isError(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { code, errors } = body;
  return typeof code === 'number' && isRecord(errors) && Object.keys(errors).length > 0;
}

/**
 * The readable records of a list; {@link unreadableIn} returns what was omitted. A list without any readable record is
 * invalid, because an empty list would mean that there are no records.
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

/** A list inside a record: all of its records may be unreadable. */
export function partOf<const Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((list) => readList(item, list).output),
  );
}

/** The readable records of a map, as in {@link listOf}. An empty list counts as an empty map. */
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

/** Collects the unreadable records of a list or a map, and of the lists inside its records. */
class Odd {
  first: Difference | undefined;
  /** The keys of the unreadable records. */
  readonly keys: string[] = [];
  #count = 0;
  /** The position of the first one, and how it differs from the schema. */
  #sample: string | undefined;

  constructor(private readonly input: object) {}

  /** Keeps the first one and a count: every record of a response may be unreadable. */
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
    this.first = differenceAt({ input: this.input, key, value }, issue);
    this.#sample ??= describeIssue({ ...issue, path: this.first.path });
  }

  noteFor(output: object, keys: readonly string[] = []): void {
    if (this.#sample === undefined) return;
    noteUnreadable(output, { count: this.#count, sample: this.#sample, ...(keys.length === 0 ? {} : { keys }) });
  }
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

/** `undefined` where a double would lose digits. */
function numberOf(value: unknown): number | undefined {
  return typeof value === 'string' ? doubleOf(value) : undefined;
}
