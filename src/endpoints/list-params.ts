// What the requests for lists share: the parameters of a page and of a period, and their rules.
import * as v from 'valibot';
import type { WireFields } from '../endpoint/index.js';
import { maxOffset, maxPageSize } from '../model/paging.js';
import { assetTicker, boundedInteger, rule, text, unixSeconds, type ParamsOf } from './fields.js';

const offset = v.exactOptional(boundedInteger(0, maxOffset));

export const pageParams = {
  /** Maximum number of items, 1 to 100. The method says how many it lists without. */
  limit: v.exactOptional(boundedInteger(1, maxPageSize)),
  /**
   * Number of items to skip, 0 to 10000.
   *
   * @default 0
   */
  offset,
};

/** A page of a list. */
export interface PageParams extends ParamsOf<typeof pageParams> {}

export const periodParams = {
  /** Only items from this time on, Unix seconds. */
  startDate: v.exactOptional(unixSeconds),
  /** Only items up to this time, Unix seconds. Not before `startDate`. */
  endDate: v.exactOptional(unixSeconds),
};

/** The period of a list. */
export interface PeriodParams extends ParamsOf<typeof periodParams> {}

export const historyParams = {
  /** Maximum number of items, 1 to 500. The method says how many it lists without. */
  limit: v.exactOptional(boundedInteger(1, 500)),
  /**
   * Number of items to skip, 0 to 10000.
   *
   * @default 0
   */
  offset,
  ...periodParams,
};

/** A page of a history, which the exchange keeps for 6 months. */
export interface HistoryPageParams extends ParamsOf<typeof historyParams> {}

export const listAllParams = {
  /** Maximum number of items, 1 or more. Default: all, at most 10100 of a list. */
  maxItems: v.exactOptional(boundedInteger(1, Number.MAX_SAFE_INTEGER)),
};

/** The parameter of every list that is read page by page. */
export interface AllItemsParams extends ParamsOf<typeof listAllParams> {}

const asText = v.pipe(
  unixSeconds,
  v.transform((time) => String(time)),
);
const digits = v.pipe(text, v.regex(/^\d{1,11}$/, 'must be Unix seconds'));

/** The exchange takes the times as strings of digits: so may the caller. */
const seconds: v.GenericSchema<number | string, string> = v.lazy((time): v.GenericSchema<number | string, string> =>
  typeof time === 'string' ? digits : asText,
);

export const conversionParams = {
  /** Only conversions from this asset. */
  fromTicker: v.exactOptional(assetTicker),
  /** Only conversions to this asset. */
  toTicker: v.exactOptional(assetTicker),
  /** Only conversions from this time on, Unix seconds, at most 30 days before `to`. */
  from: v.exactOptional(seconds),
  /** Only conversions up to this time, Unix seconds. */
  to: v.exactOptional(seconds),
  /** Only the conversion of this quote. */
  quoteId: v.exactOptional(text),
};

/** A period does not end before it begins. */
export function inOrder<Fields extends PeriodParams>() {
  return rule<Fields>(
    'endDate',
    ({ startDate = 0, endDate = Infinity }) => endDate >= startDate,
    'must be at or after startDate',
  );
}

const maxSpanSeconds = 31 * 24 * 60 * 60;

/** A period does not end before it begins, and is not longer than a history can be read at once. */
export function withinOneMonth<Fields extends PeriodParams>() {
  return rule<Fields>(
    'endDate',
    ({ startDate, endDate }) => {
      const seconds = (endDate ?? Number.NaN) - (startDate ?? Number.NaN);
      return Number.isNaN(seconds) || (seconds >= 0 && seconds <= maxSpanSeconds);
    },
    'must be at or after startDate, by at most 31 days',
  );
}

/** Limit and offset together are at most what the exchange lists. */
export function withinListed<Fields extends { readonly limit?: number; readonly offset?: number }>(
  defaultLimit: number,
) {
  return rule<Fields>(
    'offset',
    ({ limit = defaultLimit, offset: skipped = 0 }) => limit + skipped <= maxOffset,
    `and limit (${defaultLimit} by default) must be at most ${maxOffset} together`,
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
