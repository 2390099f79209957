// The kill switch: a timer of a market after which the exchange cancels the account's open orders.
import * as v from 'valibot';
import { isRecord } from '../../model/map.js';
import { optionalNumber, optionalText, record, string, type RecordOf, ifPresent } from '../../model/tolerant.js';

/**
 * The readable texts of a list, or of the values of an object. Types that cannot be read make the record unreadable,
 * because a record without types covers all types.
 */
const typesSchema: v.GenericSchema<unknown, string[]> = v.pipe(
  v.unknown(),
  v.transform((types) => (isRecord(types) ? Object.values(types) : types)),
  v.array(v.unknown(), 'must be a list of types'),
  v.transform((types) => ({ types, readable: types.filter((type) => typeof type === 'string') })),
  v.check(({ types, readable }) => types.length === 0 || readable.length > 0, 'must have a readable type'),
  v.transform(({ readable }) => readable),
);

const timerFields = {
  /** Time at which the kill switch was set, Unix seconds. */
  startTime: optionalNumber,
  /** Time at which it cancels the orders of the market unless it is set again, Unix seconds. */
  cancellationTime: optionalNumber,
  /** Types of orders that it cancels, such as `spot`, `margin` and `futures`. Absent: all types. */
  types: ifPresent(typesSchema),
};

const killSwitchFields = {
  /** The pair, `BASE_QUOTE`. */
  market: optionalText,
  ...timerFields,
};

const activeFields = {
  /** The pair, `BASE_QUOTE`. */
  market: string,
  ...timerFields,
};

/** A kill switch; without fields after its removal. Unknown fields are kept. */
export interface KillSwitch extends RecordOf<typeof killSwitchFields> {}

/** A kill switch that is set. Unknown fields are kept. */
export interface ActiveKillSwitch extends RecordOf<typeof activeFields> {}

export const killSwitchSchema: v.GenericSchema<unknown, KillSwitch> = record(killSwitchFields);
export const activeKillSwitchSchema: v.GenericSchema<unknown, ActiveKillSwitch> = record(activeFields);
