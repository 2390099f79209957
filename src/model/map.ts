// Objects that map names to values. Valibot accepts a list as an object, whose indexes would become names, such as an
// asset "0".
import * as v from 'valibot';

/** For a pipe, before an object. */
export const noList = v.check((value: unknown) => !Array.isArray(value), 'must be an object');

/** An object that is not a list. An empty list counts as an empty object: the exchange writes it so. */
export const namedSchema = v.pipe(
  v.unknown(),
  v.transform((map) => (Array.isArray(map) && map.length === 0 ? {} : map)),
  noList,
);

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object whose own properties are all that it has: no instance of a class, whose accessors a copy would lose. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // That of another realm is none of ours, and is a root, too.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether the place of a record is empty: null, or an object or a list without anything. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
