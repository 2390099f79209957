// The forms of responses that several groups share.
import * as v from 'valibot';

/** Reports nothing but success: an empty list, or an empty object. */
export const emptyResponse: v.GenericSchema<unknown, unknown[]> = v.pipe(
  v.union([v.array(v.unknown()), v.looseObject({})]),
  v.transform((response) => (Array.isArray(response) ? response : [])),
);

/** A response that the exchange wraps in `{ data }`. */
export function dataOf<Output>(schema: v.GenericSchema<unknown, Output>): v.GenericSchema<unknown, Output> {
  return v.pipe(
    v.looseObject({ data: v.unknown() }),
    v.transform(({ data }) => data),
    schema,
  );
}
