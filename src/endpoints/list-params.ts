// What the requests for lists share: the parameters of a page, and the rules of a period.
import * as v from 'valibot';
import type { WireFields } from '../endpoint/index.js';
import { maxOffset, maxPageSize } from '../model/paging.js';
import { boundedInteger, rule, type ParamsOf } from './fields.js';

/** The size of a page. Its default depends on the list. */
export const pageLimit = v.exactOptional(boundedInteger(1, maxPageSize));

export const offsetParam = {
  /**
   * Number of items to skip, 0 to 10000.
   *
   * @default 0
   */
  offset: v.exactOptional(boundedInteger(0, maxOffset)),
};

/** How many items of a list to skip. */
export interface OffsetParam extends ParamsOf<typeof offsetParam> {}

export const listAllParams = {
  /**
   * Maximum number of items, 1 or more. Default: all, at most 10100 of a list.
   */
  maxItems: v.exactOptional(boundedInteger(1, Number.MAX_SAFE_INTEGER)),
};

/** The parameter of every list that is read page by page. */
export interface AllItemsParams extends ParamsOf<typeof listAllParams> {}

interface Period {
  readonly startDate?: number;
  readonly endDate?: number;
}

/** A period does not end before it begins. */
export function inOrder<Fields extends Period>() {
  return rule<Fields>(
    'endDate',
    ({ startDate, endDate }) => startDate === undefined || endDate === undefined || endDate >= startDate,
    'must be at or after startDate',
  );
}

/** Shorter than the longest period that a history can be read of, because clocks differ. */
const periodSeconds = 30 * 24 * 60 * 60;
/** The exchange keeps 6 months, from their first midnight on. */
const keptSeconds = 186 * 24 * 60 * 60;

/** The periods of a history since a time, the latest first, which has no end; one request without a time. */
export function periodsSince({ since, ...fields }: WireFields, now: number): readonly WireFields[] {
  if (typeof since !== 'number') return [fields];
  const from = Math.max(since, Math.floor(now) - keptSeconds);
  const periods: WireFields[] = [];
  let endDate: number | undefined;
  do {
    const startDate = Math.max(from, Math.floor(endDate ?? now) - periodSeconds);
    periods.push({ ...fields, startDate, ...(endDate === undefined ? {} : { endDate }) });
    endDate = startDate;
  } while (endDate > from);
  return periods;
}

const maxSpanSeconds = 31 * 24 * 60 * 60;

/** A period does not end before it begins, and is not longer than a history can be read at once. */
export function withinOneMonth<Fields extends Period>() {
  return rule<Fields>(
    'endDate',
    ({ startDate, endDate }) =>
      startDate === undefined ||
      endDate === undefined ||
      (endDate >= startDate && endDate - startDate <= maxSpanSeconds),
    'must be at or after startDate, by at most 31 days',
  );
}
