// Enumerations that may grow: the exchange adds values (order statuses among them) without a new version.
import * as v from 'valibot';
import { isString, plain } from './record.js';

/** One of the values known today, or one that the exchange added since. Editors complete the known ones. */
export type LiteralUnion<Known extends string> = Known | (string & {});

/**
 * A string of which some values are known. An unknown value passes as it is: hiding it would misreport what the
 * exchange said.
 */
export function literalUnion<const Known extends string>(
  known: readonly Known[],
): v.GenericSchema<LiteralUnion<Known>> & { readonly known: readonly Known[] } {
  return Object.assign(plain(isString, v.string()), { known });
}
