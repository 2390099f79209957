// Reads the records of responses by the schemas of their fields, in one pass. The schema of a field says which plain
// values it leaves as they are, and runs for any other value: nearly all values are plain.
import * as v from 'valibot';
import { decimalPattern } from './decimal.js';
import { isRecord } from './map.js';
import { noteUnreadable, under, unreadableIn } from './unreadable.js';
import type { WireNames } from './wire-names.js';

type PlainCheck = (value: unknown) => boolean;

/** By the schema itself: a pipe that begins with it has its properties, but accepts less. */
const plainChecks = new WeakMap<object, PlainCheck>();

/** Gives a schema its check, which must be true only for values that the schema accepts and leaves as they are. */
export function plain<Schema extends v.GenericSchema>(isPlain: PlainCheck, schema: Schema): Schema {
  plainChecks.set(schema, isPlain);
  return schema;
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

export function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && decimalPattern.test(value);
}

export function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
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
  const known = Object.entries(entries).map(([name, schema]) => fieldOf(name, schema));
  const needed = known.filter(({ isNeeded }) => isNeeded);
  const fields = new Map<string, Field>(known.map((field) => [field.name, field]));
  for (const [name, other] of Object.entries(names)) fields.set(other, fields.get(name) ?? { name });
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, Record<string, unknown>>(({ dataset: { value }, addIssue, NEVER }) => {
      if (!isRecord(value)) {
        addIssue({ expected: 'Object', message: 'must be an object' });
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
        } else if (field.isPlain?.(given) === true) output[name] = given;
        else if (given !== null) {
          const difference = readField(output, field.schema, { input: value, key: name, value: given });
          if (difference === undefined) continue;
          addIssue(difference);
          return NEVER;
        }
      }
      for (const { name, schema } of needed) {
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

type FieldSchema = v.ObjectEntries[string];

/** A field, by its name in the spec. One without a schema is kept as it is. */
interface Field {
  readonly name: string;
  readonly schema?: FieldSchema;
  readonly isPlain?: PlainCheck | undefined;
}

interface KnownField extends Field {
  readonly schema: FieldSchema;
  /** Whether it is required or has a default. */
  readonly isNeeded: boolean;
}

function fieldOf(name: string, schema: FieldSchema): KnownField {
  const isNeeded = schema.type !== 'optional' || v.getDefault(schema) !== undefined;
  return { name, schema, isPlain: plainChecks.get(schema), isNeeded };
}

/** One difference is enough: all differences of a long list could take many times its memory. */
export const firstIssueOnly = { abortEarly: true } as const;

/** The place of a value in a record or a list. */
export interface Place {
  readonly input: object;
  readonly key: string | number;
  readonly value: unknown;
}

/** How a value differs from its schema, in the form in which an action of valibot adds an issue. */
export interface Difference {
  readonly expected?: string;
  readonly received: string;
  readonly message: string;
  readonly path: [v.IssuePathItem, ...v.IssuePathItem[]];
}

/** An issue of a value, as one of what holds the value. */
export function differenceAt(place: Place, { expected, received, message, path }: v.BaseIssue<unknown>): Difference {
  // The format of the paths of valibot.
  const item: v.UnknownPathItem = { type: 'unknown', origin: 'value', ...place };
  return { ...(expected === null ? {} : { expected }), received, message, path: [item, ...(path ?? [])] };
}

/** Reads a field into the output, unless it turns out to be nothing, and notes what was left out of its parts. */
function readField(
  output: Record<string, unknown>,
  schema: FieldSchema,
  place: Place & { readonly key: string },
): Difference | undefined {
  const result = v.safeParse(schema, place.value, firstIssueOnly);
  if (!result.success) return differenceAt(place, result.issues[0]);
  if (result.output === undefined) return undefined;
  output[place.key] = result.output;
  noteUnreadable(output, under(place.key, unreadableIn(result.output)));
  return undefined;
}
