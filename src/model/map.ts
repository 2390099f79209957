// Objects that map names to values. What valibot takes for an object may be a list, whose indexes are no names: an
// asset "0".
import * as v from 'valibot';

/** For a pipe, before an object. */
export const noList = v.check((value: unknown) => !Array.isArray(value), 'must be an object');

/** An object that is no list. An empty list is an empty one: the exchange answers so where there is nothing to name. */
export const namedSchema = v.pipe(
  v.unknown(),
  v.transform((map) => (Array.isArray(map) && map.length === 0 ? {} : map)),
  noList,
);

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
