// The responses of endpoints that do not publish them.
import * as v from 'valibot';
import { isRecord } from '../../model/map.js';
import { record, type RecordOf } from '../../model/tolerant.js';

/**
 * The fields of an object, and none of any other JSON
 * value. A list of records is the response of another endpoint.
 */
export function undocumented<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<unknown, RecordOf<Entries>> {
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
