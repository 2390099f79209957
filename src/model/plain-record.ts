// Records whose fields all have their documented type, as nearly all have: read in one pass, for a sixth of what their
// schema takes. The schema reads any other record.
import * as v from 'valibot';
import { isDecimalText } from './decimal.js';
import { isRecord } from './map.js';
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
  return isString(value) && isDecimalText(value);
}

interface PlainField {
  readonly name: string;
  readonly isPlain: PlainCheck;
  readonly isRequired: boolean;
  /** Whether null counts as absent. */
  readonly isNullable: boolean;
}

/**
 * Reads plain records under either name of a field that has two, without the fields that are null; `undefined` for any
 * other record, and for one without a field that is required or has a default.
 */
export function plainReader(
  entries: v.ObjectEntries,
  names: WireNames,
): (value: unknown) => Record<string, unknown> | undefined {
  const fields = new Map<string, PlainField>();
  // A second name without a schema is left to the renaming of the whole record.
  for (const [name, other] of Object.entries(names))
    fields.set(other, { name, isRequired: false, isNullable: false, isPlain: never });
  for (const [name, schema] of Object.entries(entries)) {
    const isRequired = schema.type !== 'optional' || v.getDefault(schema) !== undefined;
    const field = { name, isRequired, isNullable: true, isPlain: plainChecks.get(schema) ?? never };
    fields.set(name, field);
    fields.set(names[name] ?? name, field);
  }
  const required = new Set([...fields.values()].filter(({ isRequired }) => isRequired)).size;
  return (value) => {
    if (!isRecord(value)) return undefined;
    const output: Record<string, unknown> = {};
    let left = required;
    for (const wireName of Object.keys(value)) {
      const given = value[wireName];
      const field = fields.get(wireName);
      if (field === undefined) {
        if (given === undefined || wireName in output) return undefined;
        output[wireName] = given;
      } else if (given !== null || !field.isNullable) {
        if (!field.isPlain(given) || field.name in output) return undefined;
        output[field.name] = given;
        if (field.isRequired) left -= 1;
      }
    }
    return left === 0 ? output : undefined;
  };
}

function never(): boolean {
  return false;
}
