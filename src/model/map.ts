// Objects that map names to values. A record of valibot's takes a list, too, and makes names of its indexes: an asset "0".
import * as v from 'valibot';

/** A map, as an object. An empty list is an empty one: the exchange answers so where there is nothing to name. */
export const mapSchema = <Values extends v.GenericSchema>(values: Values) =>
  v.pipe(
    v.unknown(),
    v.transform((map) => (Array.isArray(map) && map.length === 0 ? {} : map)),
    v.check((map) => !Array.isArray(map), 'must be an object'),
    v.record(v.string(), values),
  );
