// What the requests for lists share: the parameters of a page, and the rules of a period.
import * as v from 'valibot';
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
